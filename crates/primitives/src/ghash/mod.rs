//! GHASH (NIST SP 800-38D section 6.4) and POLYVAL (RFC 8452 section 3).
//!
//! Both evaluate a polynomial over GF(2^128) by Horner's rule; its coefficients are the blocks of the message. They
//! differ in how 16 bytes stand for a polynomial. Here GHASH is computed as POLYVAL:
//!
//! * POLYVAL reads a block as a little-endian integer; bit i is the coefficient of x^i. The modulus
//!   is Q = x^128 + x^127 + x^126 + x^121 + 1, and the product is dot(a, b) = a·b·x^-128 mod Q.
//! * GHASH numbers the bits of a block from the other end: bit i of the block, read as a *big-endian*
//!   integer, is the coefficient of x^(127-i), modulo R = x^128 + x^7 + x^2 + x + 1. Write rev for
//!   the polynomial with its coefficients 0…127 in reverse order. A carry-less product of reversed
//!   factors is the reversed product, but of 255 coefficients, so one place short:
//!   rev(a)·rev(b)·x = rev256(a·b). And Q is R reversed, so reducing from above in one world is
//!   reducing from below in the other: rev(a·b mod R) = rev(a)·rev(b)·x·x^-128 mod Q, which is
//!   dot(rev(a), x·rev(b)).
//!
//! So GHASH with the key H is POLYVAL with the key x·H and with the bytes of every block reversed, in the message and
//! in the result (RFC 8452 appendix A). The multiplication by x happens once per key. Everything else is shared: the
//! field, the multiplication ([`clmul`]) and the table of key powers ([`key`]).

pub mod clmul;
pub mod key;
mod portable;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(all(target_arch = "arm", unix))]
mod arm;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "powerpc64")]
mod power8;
#[cfg(target_arch = "riscv64")]
mod riscv;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use clmul::{ClmulToken, ClmulVector};

use crate::cpu::Token;
use crate::hash::{BlockBuffer, Hash, Reader, Writer, wipe};
use key::{HashKey, oriented};

/// GHASH, with a 16-byte key and a 16-byte digest. A last block that is not full is padded with zeros.
pub type GHash<T> = FieldHash<T, true>;

/// POLYVAL, with a 16-byte key and a 16-byte digest. A last block that is not full is padded with zeros.
pub type Polyval<T> = FieldHash<T, false>;

/// The common implementation of [`GHash`] (`BIG_ENDIAN`) and [`Polyval`].
#[derive(Clone)]
pub struct FieldHash<T: ClmulToken, const BIG_ENDIAN: bool> {
    token: T,
    key: HashKey<T::V>,
    message: Message,
}

/// The state of a message without the key, which is much larger. `acc` is in the order of a digest's bytes.
#[derive(Clone, Default)]
struct Message {
    acc: [u8; 16],
    buffer: BlockBuffer<16>,
}

impl<T: ClmulToken, const BIG_ENDIAN: bool> FieldHash<T, BIG_ENDIAN> {
    /// An empty message under `key`.
    pub fn new(token: T, key: &[u8; 16]) -> Self {
        let mut new = Self { token, key: HashKey::unset(), message: Message::default() };
        token.vectorize_with(
            &mut new.key,
            key,
            (),
            #[inline(always)]
            move |new, key, ()| if BIG_ENDIAN { new.set_ghash(token, key) } else { new.set_polyval(token, key) },
        );
        new
    }
}

impl Message {
    fn update<T: ClmulToken, const BIG_ENDIAN: bool>(&mut self, token: T, key: &HashKey<T::V>, data: &[u8]) {
        let Self { acc, buffer } = self;
        buffer.absorb(
            data,
            #[inline(always)]
            |blocks| {
                let before = *acc;
                absorb::<T::V, BIG_ENDIAN>(token, key, &before, blocks, acc);
            },
        );
    }

    fn finish<T: ClmulToken, const BIG_ENDIAN: bool>(&mut self, token: T, key: &HashKey<T::V>, out: &mut [u8; 16]) {
        if self.buffer.pending().is_empty() {
            *out = self.acc;
        } else {
            absorb::<T::V, BIG_ENDIAN>(token, key, &self.acc, self.buffer.pending(), out);
        }
    }
}

/// Absorbs `data` into `acc` and writes the result to `out`. The last block is padded with zeros.
///
/// `acc` and `out` are in the order of a digest's bytes, and are loaded and stored as a whole. A block whose bytes are
/// reversed in memory, or that is copied in halves, can be loaded as a whole only after its stores have reached the
/// cache, and a short message takes twice as long.
#[inline(always)]
pub(crate) fn absorb<V: ClmulVector, const BIG_ENDIAN: bool>(
    token: V::Token,
    key: &HashKey<V>,
    acc: &[u8; 16],
    data: &[u8],
    out: &mut [u8; 16],
) {
    token.vectorize_with(
        key,
        data,
        (acc, out),
        #[inline(always)]
        move |key, data, (acc, out)| {
            let acc = oriented::<V, BIG_ENDIAN>(V::load_first(token, acc));
            let acc = key.hash::<BIG_ENDIAN>(token, acc, data);
            *out = oriented::<V, BIG_ENDIAN>(acc).first();
        },
    );
}

#[inline(always)]
fn digest(out: &mut [u8]) -> &mut [u8; 16] {
    out.try_into().expect("a digest has 16 bytes")
}

impl<T: ClmulToken, const BIG_ENDIAN: bool> Hash for FieldHash<T, BIG_ENDIAN> {
    fn digest_size(&self) -> usize {
        16
    }

    fn update(&mut self, data: &[u8]) {
        self.message.update::<T, BIG_ENDIAN>(self.token, &self.key, data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        self.message.finish::<T, BIG_ENDIAN>(self.token, &self.key, digest(out));
    }

    fn digest_whole(&self, data: &[u8], out: &mut [u8]) {
        // An empty buffer is skipped, and the last block is processed together with the others.
        match self.message.buffer.pending() {
            [] => absorb::<T::V, BIG_ENDIAN>(self.token, &self.key, &self.message.acc, data, digest(out)),
            _ => self.digest_pieces(&[data], out),
        }
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        match parts {
            [data] => self.digest_whole(data, out),
            _ => self.digest_pieces(parts, out),
        }
    }

    fn export(&self, to: &mut Writer<'_>) {
        to.bytes(&self.message.acc);
        to.buffered(self.message.buffer.pending());
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        from.numbers(&mut self.message.acc)?;
        self.message.buffer.import(from)
    }
}

impl<T: ClmulToken, const BIG_ENDIAN: bool> FieldHash<T, BIG_ENDIAN> {
    /// [`Hash::digest_after`] on a copy of the message. A function of its own, because saving its registers would slow
    /// down short messages.
    #[inline(never)]
    fn digest_pieces(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut message = self.message.clone();
        parts.iter().for_each(|part| message.update::<T, BIG_ENDIAN>(self.token, &self.key, part));
        message.finish::<T, BIG_ENDIAN>(self.token, &self.key, digest(out));
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        wipe(&mut self.acc);
    }
}

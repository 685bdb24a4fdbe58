//! The Poly1305 authenticator (RFC 8439 section 2.5; Bernstein, "The Poly1305-AES
//! message-authentication code").
//!
//! A message is cut into blocks of 16 bytes, each read as a little-endian number with a 1 bit behind its last byte. These
//! numbers are the coefficients of a polynomial, which is evaluated at the secret point *r* modulo *p* = 2¹³⁰ − 5. The
//! tag is the value plus a secret *s*, modulo 2¹²⁸. A key must be used for one message only.
//!
//! * `scalar`: Horner's rule with 64-bit words, for every CPU and for short messages.
//! * `lanes`: the blocks are distributed over the lanes of a vector, and each lane uses Horner's rule with a power of
//!   *r*. For long messages.
//! * `ifma`: the same with other limbs, for a multiplier of 52 bits.
//! * `one_time`: 64-bit words in two chains, which run beside a vector cipher.

#[cfg(all(target_arch = "arm", unix))]
mod arm;
#[cfg(target_arch = "x86_64")]
pub(crate) mod ifma;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "it waits for vectors"))]
mod lanes;
pub(crate) mod one_time;
pub(crate) mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::cpu::{Portable, Token};
use crate::hash::{BlockBuffer, Hash, Reader, Writer, digest_by_copy, little_endian};
use lanes::Powers;
use scalar::{Element, Point};
use zeroize::{Zeroize, Zeroizing};

/// Length of a block, and of a tag, in bytes.
const BLOCK: usize = 16;

/// The length in bytes from which on [`ifma`] is faster than 64-bit words.
#[cfg(target_arch = "x86_64")]
const IFMA_FROM: usize = 320;

/// A token of a CPU that has code for Poly1305.
pub trait Poly1305Token: Token {
    /// Absorbs as much of `blocks`, which are whole, as is faster with vectors; returns the rest.
    #[doc(hidden)]
    fn absorb_lanes<'a>(self, _: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
        blocks
    }
}

impl Poly1305Token for Portable {}

// Setting up the vectors takes as long as absorbing 16 blocks with 64-bit words.
#[cfg(target_arch = "x86_64")]
impl Poly1305Token for crate::cpu::Ifma512 {
    fn absorb_lanes<'a>(self, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
        if blocks.len() < IFMA_FROM {
            return blocks;
        }
        let (blocks, rest) = blocks.as_chunks::<BLOCK>();
        ifma::absorb(self, accumulator.point, &mut accumulator.value, blocks.as_flattened());
        rest
    }
}

// No vectors: two lanes do not make up for the cost of their carries. By `lanes` a byte takes 4.3 instructions on NEON, and
// 1.75 with 64-bit words.
#[cfg(target_arch = "aarch64")]
impl Poly1305Token for crate::cpu::Neon {}

/// The point, its powers if they have been needed, and the value so far.
#[doc(hidden)]
#[derive(Clone)]
pub struct Accumulator {
    point: Point,
    powers: Option<Powers>,
    value: Element,
}

impl Drop for Accumulator {
    fn drop(&mut self) {
        self.point.zeroize();
        self.value.zeroize();
    }
}

/// A Poly1305 computation, for CPUs with the features of `T`.
#[derive(Clone)]
pub struct Poly1305<T> {
    token: T,
    accumulator: Accumulator,
    /// The secret *s*, which is added at the end.
    pad: Zeroizing<u128>,
    buffer: BlockBuffer<BLOCK>,
}

impl<T: Poly1305Token> Poly1305<T> {
    /// An empty message under the one-time key *r* ‖ *s*.
    #[inline]
    pub fn new(token: T, key: &[u8; 32]) -> Self {
        let (r, s) = key.split_at(16);
        let half = |bytes: &[u8]| u128::from_le_bytes(bytes.try_into().expect("16 bytes"));
        let accumulator = Accumulator { point: Point::clamped(half(r)), powers: None, value: Element::default() };
        Self { token, accumulator, pad: half(s).into(), buffer: BlockBuffer::default() }
    }
}

/// Absorbs whole blocks.
#[inline(always)]
fn absorb<T: Poly1305Token>(token: T, accumulator: &mut Accumulator, blocks: &[u8]) {
    let rest = token.absorb_lanes(accumulator, blocks);
    token.vectorize(
        #[inline(always)]
        || accumulator.value = scalar::absorb(accumulator.value, accumulator.point, rest, 1),
    );
}

impl<T: Poly1305Token> Hash for Poly1305<T> {
    fn digest_size(&self) -> usize {
        BLOCK
    }

    fn update(&mut self, data: &[u8]) {
        let (token, accumulator) = (self.token, &mut self.accumulator);
        self.buffer.absorb(
            data,
            #[inline(always)]
            |blocks| absorb(token, accumulator, blocks),
        );
    }

    fn finish(&mut self, out: &mut [u8]) {
        out.copy_from_slice(&self.accumulator.tag(self.buffer.pending(), *self.pad));
    }

    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        let [] = self.buffer.pending() else {
            return digest_by_copy(self, &[message], out);
        };
        let Accumulator { point, value, .. } = self.accumulator;
        let mut accumulator = Accumulator { point, powers: None, value };
        let (blocks, rest) = message.split_at(message.len() - message.len() % BLOCK);
        if !blocks.is_empty() {
            absorb(self.token, &mut accumulator, blocks);
        }
        out.copy_from_slice(&accumulator.tag(rest, *self.pad));
    }

    fn under(&self, key: &[u8]) -> Option<Self> {
        Some(Self::new(self.token, key.try_into().ok()?))
    }

    fn export(&self, to: &mut Writer<'_>) {
        self.accumulator.value.export(to);
        to.buffered(self.buffer.pending());
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.accumulator.value = Element::import(from)?;
        self.buffer.import(from)
    }
}

impl Accumulator {
    /// The tag of a message that ends with `rest`, which is shorter than a block.
    #[inline(always)]
    fn tag(&self, rest: &[u8], pad: u128) -> [u8; BLOCK] {
        let mut value = self.value;
        if !rest.is_empty() {
            // The 1 bit comes right after the last byte, below the place that it has in a whole block.
            let block = little_endian(rest) | 1 << (8 * rest.len());
            value = value.plus(block, 0).times(self.point);
        }
        value.reduced().wrapping_add(pad).to_le_bytes()
    }
}

#[cfg(test)]
mod tests;

//! Serpent (Anderson, Biham, Knudsen, "Serpent: A Proposal for the Advanced Encryption Standard",
//! 1998).
//!
//! A block is four 32-bit words. Each of 32 rounds adds a key of four words, applies one of eight S-boxes to the 32
//! columns of four bits, and mixes the words by a linear transformation. The last round has a second key in place of
//! the linear transformation. The cipher was designed for bit slicing: an S-box is a circuit of word operations (see
//! `sbox`) without lookups. With vectors for words, as many blocks as there are lanes take the time of one.
//!
//! The order of bytes is that of the Linux kernel and of NESSIE: words are little-endian, and the first word is the
//! first in memory.

mod modes;
mod rounds;
mod sbox;

use crate::InOut;
use crate::cpu::{Portable, Token};
use crate::words32::{Word, Words32};
use rounds::Keys;
use zeroize::Zeroize;

/// The length of a block in bytes.
const BLOCK: usize = 16;

/// A token of a CPU that has code for Serpent.
pub trait SerpentToken: Token {
    /// The vectors for long messages. They hold so many blocks that the CPU can work on some while others wait for
    /// their last instruction.
    type Long: Words32<Token = Self>;

    /// The vectors for short messages.
    type Short: Words32<Token = Self>;

    /// The token of the code for a single block, which runs in general registers. Several tokens share that code, so
    /// this is the weakest token with which it is as fast.
    type Single: Token;

    /// Makes the token of the code for a single block.
    fn single(self) -> Self::Single;
}

/// Implements [`SerpentToken`] from a token's vectors and its conversion to the token for a single block.
macro_rules! vectors {
    ($token:ty: $long:ty, $short:ty, $single:ty = $make:expr) => {
        impl SerpentToken for $token {
            type Long = $long;
            type Short = $short;
            type Single = $single;

            #[inline(always)]
            fn single(self) -> $single {
                $make(self)
            }
        }
    };
}

/// The conversion for code that gains from no CPU feature.
fn plain<T>(_: T) -> Portable {
    Portable::new()
}

vectors!(Portable: Word<Self>, Word<Self>, Self = plain);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Portable, SerpentToken, plain};
    use crate::cpu::{Avx2, Avx512, Sse2};
    use crate::simd::x86::{V128, V256, V512};
    use crate::words32::Pair;

    vectors!(Sse2: Pair<V128<Self>>, V128<Self>, Portable = plain);
    vectors!(Avx2: Pair<V256<Self>>, V256<Self>, Self = core::convert::identity);
    vectors!(Avx512: Pair<Pair<V512<Self>>>, V512<Self>, Avx2 = Avx2::from);
}

#[cfg(target_arch = "aarch64")]
use crate::{cpu::Neon, simd::aarch64::V128, words32::Pair};
#[cfg(target_arch = "aarch64")]
vectors!(Neon: Pair<V128<Self>>, V128<Self>, Portable = plain);

/// Expands a padded key of 32 bytes (section 4 of the proposal).
fn expand(key: &[u8; 32]) -> Keys {
    // The fractional part of the golden ratio (section 4 of the proposal).
    const PHI: u32 = 0x9e37_79b9;
    // The prekeys, from number -8 on.
    let mut w = [0u32; 8 + 132];
    for (word, bytes) in w.iter_mut().zip(key.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    for i in 8..w.len() {
        w[i] = (w[i - 8] ^ w[i - 5] ^ w[i - 3] ^ w[i - 1] ^ PHI ^ (i - 8) as u32).rotate_left(11);
    }
    let mut keys = Keys::zero();
    for (i, prekey) in w[8..].as_chunks().0.iter().enumerate() {
        let prekey = prekey.map(|word| Word::splat(Portable::new(), word));
        // The S-boxes are used in the order 3, 2, 1, 0, 7, 6, 5, 4, 3, …
        let words = match i % 8 {
            0 => sbox::s3(prekey),
            1 => sbox::s2(prekey),
            2 => sbox::s1(prekey),
            3 => sbox::s0(prekey),
            4 => sbox::s7(prekey),
            5 => sbox::s6(prekey),
            6 => sbox::s5(prekey),
            _ => sbox::s4(prekey),
        };
        keys.set(i, words.map(Word::get));
    }
    w.zeroize();
    keys
}

/// A Serpent key, for CPUs with the features of `T`.
#[derive(Clone)]
pub struct Serpent<T> {
    token: T,
    keys: Keys,
}

impl<T: SerpentToken> Serpent<T> {
    /// Expands a key of 0 to 32 bytes; `None` for a longer one.
    ///
    /// A key of less than 32 bytes is padded: a 1 bit follows its last byte, then zeros.
    pub fn new(token: T, key: &[u8]) -> Option<Self> {
        let mut padded = [0; 32];
        padded.get_mut(..key.len())?.copy_from_slice(key);
        if let Some(next) = padded.get_mut(key.len()) {
            *next = 1;
        }
        let keys = expand(&padded);
        padded.zeroize();
        Some(Self { token, keys })
    }

    /// Encrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn encrypt_blocks(&self, mut data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(&mut data), &mut modes::Ecb::<true>);
    }

    /// Decrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn decrypt_blocks(&self, mut data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(&mut data), &mut modes::Ecb::<false>);
    }

    /// Encrypts whole blocks in CBC mode; `iv` becomes the last ciphertext block.
    pub fn cbc_encrypt(&self, iv: &mut [u8; 16], mut data: InOut<'_>) {
        modes::cbc_encrypt(self.token, &self.keys, iv, whole(&mut data));
    }

    /// Decrypts whole blocks in CBC mode; `iv` becomes the last ciphertext block.
    pub fn cbc_decrypt(&self, iv: &mut [u8; 16], mut data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(&mut data), &mut modes::CbcDecrypt(iv));
    }

    /// Encrypts or decrypts `data`, of any length, in CTR mode. The counter is the whole block, big-endian. It advances
    /// by the blocks used, including a partial one.
    pub fn ctr(&self, counter: &mut [u8; 16], mut data: InOut<'_>) {
        modes::run(self.token, &self.keys, data.in_registers(), &mut modes::Ctr(counter));
    }

    /// Encrypts whole blocks in XTS mode, beginning with `tweak`, which is the encrypted sector number, and advances
    /// `tweak` by them.
    pub fn xts_encrypt(&self, tweak: &mut [u8; 16], mut data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(&mut data), &mut modes::Xts::<true>(tweak));
    }

    /// Decrypts whole blocks in XTS mode; `tweak` as for [`Serpent::xts_encrypt`].
    pub fn xts_decrypt(&self, tweak: &mut [u8; 16], mut data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(&mut data), &mut modes::Xts::<false>(tweak));
    }
}

/// `data` without the bytes after its last whole block.
#[inline(always)]
fn whole<'a>(data: &'a mut InOut<'_>) -> InOut<'a> {
    let len = data.len() - data.len() % BLOCK;
    data.in_registers().split_at(len).0
}

#[cfg(test)]
mod tests;

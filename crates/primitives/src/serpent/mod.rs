//! Serpent (Anderson, Biham, Knudsen, "Serpent: A Proposal for the Advanced Encryption Standard",
//! 1998).
//!
//! A block is four 32-bit words. Each of 32 rounds mixes in a key of four words, applies one of
//! eight S-boxes to the 32 columns of four bits, and stirs with a linear transformation; the last
//! round has a second key in place of the linear transformation. The cipher was made for bit
//! slicing: an S-box is a circuit of word operations (see `sbox`), nothing is looked up, and with
//! vectors for words, as many blocks as there are lanes take the time of one.
//!
//! Bytes are in the order of the Linux kernel and of NESSIE: words are little-endian, the first
//! word is the first in memory.

mod modes;
mod rounds;
mod sbox;

use crate::InOut;
use crate::cpu::{Portable, Token};
use crate::words32::{Word, Words32};
use rounds::Keys;
use zeroize::Zeroize;

/// Bytes in a block.
const BLOCK: usize = 16;

/// A token whose CPU has vectors for Serpent.
pub trait SerpentToken: Token {
    /// The vectors for long texts: so many blocks that the CPU has others to work on while one waits for its own last
    /// instruction.
    type Long: Words32<Token = Self>;

    /// The vectors for short texts.
    type Short: Words32<Token = Self>;

    /// The token of the code for one block, which runs in general registers. Several tokens share one such code, so it is
    /// the weakest token that this code gains from.
    type Lone: Token;

    /// Makes the token of the code for one block.
    fn lone(self) -> Self::Lone;
}

/// Implements [`SerpentToken`]: a token's vectors, and how it becomes the token of one block.
macro_rules! vectors {
    ($token:ty: $long:ty, $short:ty, $lone:ty = $make:expr) => {
        impl SerpentToken for $token {
            type Long = $long;
            type Short = $short;
            type Lone = $lone;

            #[inline(always)]
            fn lone(self) -> $lone {
                $make(self)
            }
        }
    };
}

/// The token of code for one block that gains from no CPU feature.
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
    vectors!(Avx512: Pair<Pair<V512<Self>>>, Pair<V256<Self>>, Avx2 = Avx2::from);
}

#[cfg(target_arch = "aarch64")]
use crate::{cpu::Neon, simd::aarch64::V128, words32::Pair};
#[cfg(target_arch = "aarch64")]
vectors!(Neon: Pair<V128<Self>>, V128<Self>, Portable = plain);

/// Expands a key (section 4 of the proposal).
fn expand(key: &[u8; 32]) -> Keys {
    // The fractional part of the golden ratio, a number with nothing up its sleeve.
    const PHI: u32 = 0x9e37_79b9;
    // The prekeys, from -8 on.
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
        // S-boxes 3, 2, 1, 0, 7, 6, 5, 4, 3, …
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

/// A Serpent key, for the CPUs that `T` stands for.
#[derive(Clone)]
pub struct Serpent<T> {
    token: T,
    keys: Keys,
}

impl<T: SerpentToken> Serpent<T> {
    /// Blocks that are worked on at a time when there are enough of them.
    pub const PARALLEL: usize = T::Long::LANES;

    /// Expands a key of 0 to 32 bytes; `None` for a longer one.
    ///
    /// A key of less than 32 bytes is the key of 32 that has a 1 bit and zeros behind its last byte.
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

    /// Encrypts the whole blocks of `data`; what is left of a last one stays as it is.
    pub fn encrypt_blocks(&self, data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(data), &mut modes::Ecb::<true>);
    }

    /// Decrypts the whole blocks of `data`; what is left of a last one stays as it is.
    pub fn decrypt_blocks(&self, data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(data), &mut modes::Ecb::<false>);
    }

    /// Encrypts the whole blocks of `data` in CBC mode; `iv` becomes the last of them.
    pub fn cbc_encrypt(&self, iv: &mut [u8; 16], data: InOut<'_>) {
        modes::cbc_encrypt(self.token, &self.keys, iv, whole(data));
    }

    /// Decrypts the whole blocks of `data` in CBC mode; `iv` becomes the last of the ciphertext.
    pub fn cbc_decrypt(&self, iv: &mut [u8; 16], data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(data), &mut modes::CbcDecrypt(iv));
    }

    /// Encrypts or decrypts `data` in CTR mode. All of `counter` is the counter, big-endian, and becomes the next one; a
    /// part of a block uses one up.
    pub fn ctr(&self, counter: &mut [u8; 16], data: InOut<'_>) {
        modes::run(self.token, &self.keys, data, &mut modes::Ctr(counter));
    }

    /// Encrypts the whole blocks of `data` in XTS mode; `tweak`, encrypted already, becomes that of the block after.
    pub fn xts_encrypt(&self, tweak: &mut [u8; 16], data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(data), &mut modes::Xts::<true>(tweak));
    }

    /// Decrypts the whole blocks of `data` in XTS mode; `tweak`, encrypted already, becomes that of the block after.
    pub fn xts_decrypt(&self, tweak: &mut [u8; 16], data: InOut<'_>) {
        modes::run(self.token, &self.keys, whole(data), &mut modes::Xts::<false>(tweak));
    }
}

/// The whole blocks of `data`.
#[inline(always)]
fn whole(data: InOut<'_>) -> InOut<'_> {
    let len = data.len() - data.len() % BLOCK;
    data.split_at(len).0
}

#[cfg(test)]
mod tests;

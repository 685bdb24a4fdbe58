//! SHA-2 (FIPS 180-4): SHA-224 and SHA-256 on 32-bit words, SHA-384, SHA-512, SHA-512/224 and SHA-512/256 on 64-bit
//! words.
//!
//! The two differ in the width of a word, the number of rounds and the rotations; `word` holds the differences, and the
//! portable code is written once. A block of sixteen words is expanded by w(t) = σ1(w(t-2)) + w(t-7) + σ0(w(t-15)) +
//! w(t-16). Round t maps (a, …, h) to (t1 + Σ0(a) + maj(a, b, c), a, b, c, d + t1, e, f, g), where t1 = h + Σ1(e) +
//! ch(e, f, g) + k(t) + w(t).
//!
//! The rounds are one long chain of additions. For a single message, a CPU can offer instructions that do several
//! rounds (SHA-256 on x86 and Arm, SHA-512 on Arm), or compute the schedule in vectors beside the rounds (SHA-512 on
//! x86), or compute a function of a word (RISC-V). Several messages are hashed in parallel: in the lanes of vectors, or in pairs by those instructions.

#[cfg(target_arch = "x86_64")]
mod lanes;
mod portable;
mod word;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "riscv64")]
mod riscv;
#[cfg(target_arch = "x86_64")]
mod sha512_x86;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod words4;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cpu::AesSha;
use crate::cpu::Token;
use crate::hash::{Chain, Chaining, MerkleDamgard, Queue, Reader, Words, Writer, compression, wipe};

/// SHA-256 or SHA-224, with blocks of 64 bytes and a digest of 32 or 28.
pub type Sha256 = MerkleDamgard<Chain256, 64>;

/// SHA-512, SHA-384, SHA-512/256 or SHA-512/224, with blocks of 128 bytes and a digest of 64, 48, 32 or 28.
pub type Sha512 = MerkleDamgard<Chain512, 128>;

/// A token of a CPU that has a SHA-256 compression function.
pub trait Compress256: Token {
    /// The number of messages that are hashed in parallel.
    const LANES: usize = 1;

    /// Whether short messages are hashed one after the other.
    const ALONE: bool = false;

    /// Absorbs `blocks`, whose length is a multiple of 64 bytes.
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]);

    /// Hashes all messages of `queue`.
    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain256>) {
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

/// A token of a CPU that has a SHA-512 compression function.
pub trait Compress512: Token {
    /// The number of messages that are hashed in parallel.
    const LANES: usize = 1;

    /// Whether short messages are hashed one after the other.
    const ALONE: bool = false;

    /// Absorbs `blocks`, whose length is a multiple of 128 bytes.
    fn compress(self, state: &mut [u64; 8], blocks: &[u8]);

    /// Hashes all messages of `queue`.
    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain512>) {
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

impl Sha256 {
    /// SHA-256 of an empty message.
    pub fn new(token: impl Compress256) -> Self {
        // 2^32 times the fractional parts of the square roots of the first eight primes.
        Self::start(token.forever(), Words8(word::SQRT_PRIMES.map(|w| (w >> 32) as u32)), 32)
    }

    /// SHA-224 of an empty message.
    pub fn new_224(token: impl Compress256) -> Self {
        // The lower halves of SHA-384's initial values.
        Self::start(token.forever(), Words8(word::SQRT_NEXT_PRIMES.map(|w| w as u32)), 28)
    }
}

impl Sha512 {
    /// SHA-512 of an empty message.
    pub fn new(token: impl Compress512) -> Self {
        Self::start(token.forever(), Words8(word::SQRT_PRIMES), 64)
    }

    /// SHA-384 of an empty message.
    pub fn new_384(token: impl Compress512) -> Self {
        Self::start(token.forever(), Words8(word::SQRT_NEXT_PRIMES), 48)
    }

    /// SHA-512/256 of an empty message.
    pub fn new_512_256(token: impl Compress512) -> Self {
        Self::start(token.forever(), Words8(word::START_512_256), 32)
    }

    /// SHA-512/224 of an empty message.
    pub fn new_512_224(token: impl Compress512) -> Self {
        Self::start(token.forever(), Words8(word::START_512_224), 28)
    }
}

/// A chaining value of eight words.
#[derive(Clone, Default)]
pub struct Words8<W>([W; 8]);

/// The chaining value of SHA-256 and SHA-224.
pub type Chain256 = Words8<u32>;

/// The chaining value of SHA-512 and those cut from it.
pub type Chain512 = Words8<u64>;

macro_rules! chain {
    ($word:ty, $Compress:ident, $length_bytes:literal $(, $words:ident)?) => {
        impl Chain for Words8<$word> {
            const LENGTH_BYTES: usize = $length_bytes;

            $(
                fn words(&mut self) -> Option<Words<'_>> {
                    Some(Words::$words(&mut self.0))
                }
            )?
        }

        compression!($Compress, Words8<$word>);

        impl Chaining for Words8<$word> {
            const ZERO: Self = Self([0; 8]);

            type Tail = [u8; 32 * size_of::<$word>()];

            #[inline(always)]
            fn write(&self, out: &mut [u8]) {
                let (words, rest) = out.as_chunks_mut();
                if let Some(all) = words.first_chunk_mut() {
                    *all = self.0.map(|word| word.to_be_bytes());
                    return;
                }
                let mut state = self.0.iter();
                for (out, word) in words.iter_mut().zip(&mut state) {
                    *out = word.to_be_bytes();
                }
                // The digest of SHA-512/224 ends within a word.
                if let (false, Some(word)) = (rest.is_empty(), state.next()) {
                    rest.copy_from_slice(&word.to_be_bytes()[..rest.len()]);
                }
            }

            #[inline(always)]
            fn wipe(&mut self) {
                wipe(&mut self.0);
            }

            fn export(&self, to: &mut Writer<'_>) {
                to.numbers(&self.0);
            }

            fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
                from.numbers(&mut self.0)
            }
        }
    };
}
chain!(u32, Compress256, 8, Sha256);
chain!(u64, Compress512, 16);

/// Absorbs a block of SHA-256. `beside` is called with the number of each of the 16 groups of rounds, before the group.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn compress_beside(token: AesSha, state: &mut [u32; 8], block: &[u8; 64], beside: impl FnMut(usize)) {
    #[cfg(target_arch = "aarch64")]
    use aarch64::Halves;
    #[cfg(target_arch = "x86_64")]
    use x86::Halves;
    words4::compress::<Halves, 1, 1>(token.into(), [state], [[block]], beside);
}

#[cfg(test)]
mod tests;

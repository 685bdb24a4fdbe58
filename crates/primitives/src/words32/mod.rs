//! Vectors of 32-bit words, as ChaCha and Serpent see them.
//!
//! [`Words32`] is lane-wise arithmetic. [`Quads`] adds operations on *quads*: four neighbouring words, 16 bytes of
//! memory, which are the 128-bit lanes of every SIMD instruction set. A vector can be made only with the token of its
//! CPU. So a vector proves that its instructions exist, and its methods are safe. Every method is `#[inline(always)]`
//! and must be called from inside [`Token::vectorize`].

use crate::InOut;
use crate::aligned::Aligned;
use crate::cpu::Token;
use crate::hash::wipe;

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod pair;
mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod registers;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use pair::*;
pub use portable::*;

/// The places from which a shuffle takes bytes, to rotate each word left by one byte and by two. The reference is made anew for each
/// rotation ([`anew`](crate::simd::anew)).
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86 shuffles by constants in memory"))]
pub struct ByBytes(&'static [Aligned<[u8; 32]>; 2]);

impl ByBytes {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        /// Rotates each word left by `bytes`.
        const fn rotated(bytes: usize) -> Aligned<[u8; 32]> {
            let mut from = [0; 32];
            let mut i = 0;
            while i < 32 {
                from[i] = (i % 16 / 4 * 4 + (i + 4 - bytes) % 4) as u8;
                i += 1;
            }
            Aligned(from)
        }
        static BY_BYTES: [Aligned<[u8; 32]>; 2] = [rotated(1), rotated(2)];
        Self(&BY_BYTES)
    }
}

/// Vectors of `LANES` words of 32 bits.
pub trait Words32: Copy {
    /// The token that proves that the CPU has these vectors.
    type Token: Token;

    /// The number of words in a vector.
    const LANES: usize;

    /// The same word in every lane.
    fn splat(token: Self::Token, word: u32) -> Self;

    /// Lane-wise sum.
    fn add(self, other: Self) -> Self;

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// `self & other`.
    fn and(self, other: Self) -> Self;

    /// `self & !other`.
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.and(other.not())
    }

    /// `self | other`.
    fn or(self, other: Self) -> Self;

    /// `!self`.
    fn not(self) -> Self;

    /// Each lane shifted left by `N` bits, `N` below 32.
    fn shl<const N: i32>(self) -> Self;

    /// Each lane shifted right by `N` bits, zeros from the left, `N` below 32.
    fn shr<const N: i32>(self) -> Self;

    /// Each lane rotated left by `L` bits, which is the same as right by `R`. `L + R` is 32, and neither is 0.
    fn rotl<const L: i32, const R: i32>(self) -> Self;

    /// [`Words32::rotl`] for code that has no register to spare: where a rotation needs a constant, it is read from memory each time.
    #[inline(always)]
    fn rotl_from_memory<const L: i32, const R: i32>(self, _: &mut ByBytes) -> Self {
        self.rotl::<L, R>()
    }

    /// Returns the same vector. The compiler must compute it before anything that follows in the source and cannot be
    /// moved, such as a branch or another pin.
    fn pin(self) -> Self;

    /// Reads `LANES` blocks of 16 bytes. Vector `i` of the result has word `i` of every block. The type chooses the
    /// order of the blocks in the lanes; [`Words32::store_blocks`] uses the same order.
    ///
    /// # Panics
    /// If `src` is shorter than `16 * LANES` bytes.
    fn load_blocks(token: Self::Token, src: &[u8]) -> [Self; 4];

    /// Writes `LANES` blocks of 16 bytes from vectors in the layout of [`Words32::load_blocks`].
    ///
    /// # Panics
    /// If `dst` is shorter than `16 * LANES` bytes.
    fn store_blocks(words: [Self; 4], dst: &mut [u8]);

    /// Xors `LANES` blocks of 16 bytes to `data`.
    ///
    /// # Panics
    /// If `data` is shorter than `16 * LANES` bytes.
    fn xor_blocks(words: [Self; 4], data: InOut<'_>);

    /// Reads the blocks of `src`, at most `LANES`. The other lanes are unspecified.
    #[inline(always)]
    fn load_partial(token: Self::Token, src: &[u8]) -> [Self; 4] {
        if src.len() == 16 * Self::LANES {
            return Self::load_blocks(token, src);
        }
        let mut blocks = [0; MAX_BLOCKS];
        blocks[..src.len()].copy_from_slice(src);
        let words = Self::load_blocks(token, &blocks);
        wipe(&mut blocks);
        words
    }

    /// Writes as many blocks as fit into `dst`, at most `LANES`.
    #[inline(always)]
    fn store_partial(words: [Self; 4], dst: &mut [u8]) {
        if dst.len() == 16 * Self::LANES {
            return Self::store_blocks(words, dst);
        }
        let mut blocks = [0; MAX_BLOCKS];
        Self::store_blocks(words, &mut blocks);
        dst.copy_from_slice(&blocks[..dst.len()]);
        wipe(&mut blocks);
    }
}

/// The number of bytes in the blocks of the longest vectors, which have 32 lanes.
const MAX_BLOCKS: usize = 16 * 32;

/// Vectors whose words are grouped in quads.
pub trait Quads: Words32 {
    /// Quads in a vector.
    const QUADS: usize = Self::LANES / 4;

    /// Bytes in a vector.
    const BYTES: usize = 4 * Self::LANES;

    /// The same quad in every place.
    fn splat_quad(token: Self::Token, quad: [u32; 4]) -> Self;

    /// A vector of the first `LANES` of `words`.
    fn from_words(token: Self::Token, words: &[u32; 16]) -> Self;

    /// The first four words.
    fn first_quad(self) -> [u32; 4];

    /// Reads a vector of little-endian words.
    ///
    /// # Panics
    /// If `src` is shorter than [`Quads::BYTES`].
    fn load(token: Self::Token, src: &[u8]) -> Self;

    /// Writes the vector as little-endian words.
    ///
    /// # Panics
    /// If `dst` is shorter than [`Quads::BYTES`].
    fn store(self, dst: &mut [u8]);

    /// In each quad, lane `i` becomes what lane `i + N` modulo 4 was.
    fn rotate_quads<const N: i32>(self) -> Self;

    /// Multiplies words of `self` and adds the 64-bit products to the 64-bit numbers in `sums`. In each quad, words 0
    /// and 2 are multiplied for the first number, and words 1 and 3 for the second.
    fn add_products(self, sums: Self) -> Self;

    /// Transposes 4 × 4 matrices: lane `j` of a quad of result `i` is lane `i` of the same quad of vector `j`.
    fn transpose(rows: [Self; 4]) -> [Self; 4];

    /// Puts rows into the order of memory. Each of the four vectors holds one row of every block, where quad `q` belongs
    /// to block `q`. The result is the four rows of block 0, then those of block 1, and so on.
    fn rows_to_blocks(rows: [Self; 4]) -> [Self; 4];

    /// Xors the vector to the first bytes of `data`.
    ///
    /// # Panics
    /// If `data` is shorter than the vector.
    fn xor_into(self, data: InOut<'_>);

    /// Xors the first bytes of the vector to `data`, which is shorter than the vector.
    fn xor_into_partial(self, data: InOut<'_>);
}

/// Xors `keystream` to `data`, at most 64 bytes, in pieces of 16, 8, 4, 2 and 1 bytes.
#[inline(always)]
pub(crate) fn xor_pieces(mut data: InOut<'_>, keystream: &[u8; 64]) {
    let mut keystream = &keystream[..];
    macro_rules! piece {
        ($loop:tt, $word:ty, $n:literal) => {
            $loop data.len() >= $n && let Some((key, rest)) = keystream.split_first_chunk::<$n>() {
                let Some(mut piece) = data.take($n) else { return };
                let word = <$word>::from_ne_bytes(piece.get(0)) ^ <$word>::from_ne_bytes(*key);
                piece.put(0, &word.to_ne_bytes());
                keystream = rest;
            }
        };
    }
    piece!(while, u128, 16);
    piece!(if, u64, 8);
    piece!(if, u32, 4);
    piece!(if, u16, 2);
    piece!(if, u8, 1);
    let _ = keystream;
}

#[cfg(test)]
mod tests;

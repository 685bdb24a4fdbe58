//! Vectors of 16-byte blocks, as the AES instructions see them.
//!
//! [`Blocks`] is what every mode needs (loads, stores, xor, counters), [`AesVector`] adds the
//! rounds. A vector can only be made with the token of its CPU, so having one proves that its
//! instructions exist, and its methods are safe. Everything is `#[inline(always)]` and must be
//! reached from inside [`Token::vectorize`](crate::cpu::Token::vectorize).

use crate::cpu::Token;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
#[cfg(target_arch = "x86_64")]
pub use x86::*;

/// One or more blocks of 16 bytes in one register. Block 0 is the first in memory.
pub trait Blocks: Copy {
    /// What proves that the CPU has these vectors.
    type Token: Token;

    /// Blocks in a vector.
    const BLOCKS: usize;

    /// Bytes in a vector.
    const BYTES: usize = 16 * Self::BLOCKS;

    /// All zero.
    fn zero(token: Self::Token) -> Self;

    /// The same block everywhere.
    fn splat(token: Self::Token, block: &[u8; 16]) -> Self;

    /// The first [`Blocks::BYTES`] bytes of `src`.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(token: Self::Token, src: &[u8]) -> Self;

    /// All of `src`, at most [`Blocks::BYTES`] bytes, then zeros.
    ///
    /// # Panics
    /// If there are more.
    fn load_partial(token: Self::Token, src: &[u8]) -> Self;

    /// Writes the vector to the first [`Blocks::BYTES`] bytes of `dst`.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, dst: &mut [u8]);

    /// Fills `dst`, at most [`Blocks::BYTES`] bytes, with the first bytes of the vector.
    ///
    /// # Panics
    /// If there are more.
    fn store_partial(self, dst: &mut [u8]);

    /// The first block.
    fn first(self) -> [u8; 16];

    /// The last block.
    fn last(self) -> [u8; 16];

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// `self ^ a ^ b`.
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }

    /// Each block with its 16 bytes in reverse order.
    fn reverse_bytes(self) -> Self;

    /// Lane-wise sum of 32-bit little-endian words.
    fn add32(self, other: Self) -> Self;

    /// Lane-wise sum of 64-bit little-endian words.
    fn add64(self, other: Self) -> Self;
}

/// Blocks that the CPU's AES instructions work on.
pub trait AesVector: Blocks {
    /// ShiftRows, SubBytes, MixColumns, then the round key.
    fn enc(self, round_key: Self) -> Self;

    /// ShiftRows, SubBytes, then the last round key.
    fn enc_last(self, round_key: Self) -> Self;

    /// InvShiftRows, InvSubBytes, InvMixColumns, then the round key (of the equivalent inverse
    /// cipher, FIPS 197 section 5.3.5).
    fn dec(self, round_key: Self) -> Self;

    /// InvShiftRows, InvSubBytes, then the last round key.
    fn dec_last(self, round_key: Self) -> Self;

    /// InvMixColumns, which turns a round key into one of the equivalent inverse cipher.
    fn inv_mix_columns(self) -> Self;
}

/// A token whose CPU has AES instructions on vectors of type `V`.
pub trait AesToken: Token {
    /// The widest vector that this token's code uses.
    type V: AesVector<Token = Self>;
}

#[cfg(test)]
mod tests;

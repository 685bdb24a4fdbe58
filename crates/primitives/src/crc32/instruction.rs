//! CRC-32C with the `crc32` instruction of x86.
//!
//! The instruction takes eight bytes a cycle, but its result comes after three. So three parts of
//! the message are read side by side, each into a register of its own, and joined by moving a
//! register past the bytes of the parts behind it: multiplying it by x^n modulo P, for a constant n.
//!
//! That needs no table and no other instruction. The product of two polynomials of degree 31 by
//! shifts and xors, one for each term of the constant, has degree 62; and the instruction itself
//! takes a 64-bit polynomial a to a x^32 modulo P. In reflected bits the product of two 32-bit
//! registers, in a 64-bit one, stands for a b x, so the constant is x^(n - 33). Lengths of the parts
//! are such that the constants have few terms.

use super::{Castagnoli, Polynomial, Update, power_of_x};
use crate::cpu::{Sse42, Token};
use core::arch::x86_64::*;

// SAFETY of every block in this file: everything is reached from inside the `vectorize` of a token
// with SSE4.2.

/// One step. Registers are kept in 64 bits, as the instruction has them.
#[inline(always)]
pub(super) fn word(crc: u64, word: u64) -> u64 {
    // SAFETY: see above.
    unsafe { _mm_crc32_u64(crc, word) }
}

/// The register after fewer than eight bytes.
#[inline(always)]
fn tail(mut crc: u32, data: &[u8]) -> u32 {
    let (fours, rest) = data.as_chunks::<4>();
    for four in fours {
        // SAFETY: see above.
        crc = unsafe { _mm_crc32_u32(crc, u32::from_le_bytes(*four)) };
    }
    let (twos, rest) = rest.as_chunks::<2>();
    for two in twos {
        // SAFETY: see above.
        crc = unsafe { _mm_crc32_u16(crc, u16::from_le_bytes(*two)) };
    }
    for byte in rest {
        // SAFETY: see above.
        crc = unsafe { _mm_crc32_u8(crc, *byte) };
    }
    crc
}

/// A polynomial that the instruction reduces to `crc` times x^`BITS`.
#[inline(always)]
fn product<const BITS: usize>(crc: u64) -> u64 {
    let factor = const { power_of_x(BITS - 33, Castagnoli::REFLECTED) };
    let mut product = 0;
    for bit in 0..32 {
        if factor & (1 << bit) != 0 {
            product ^= crc << bit;
        }
    }
    product
}

/// The register after as many times three parts of `BITS` bits as there are; the rest is left.
#[inline(always)]
fn three_parts<const BITS: usize, const TWICE: usize>(mut crc: u64, data: &mut &[u8]) -> u64 {
    const { assert!(TWICE == 2 * BITS) };
    let part = BITS / 8;
    while let Some((parts, rest)) = data.split_at_checked(3 * part) {
        *data = rest;
        let (first, parts) = parts.split_at(part);
        let (second, third) = parts.split_at(part);
        let (first, second, third) = (first.as_chunks::<8>().0, second.as_chunks::<8>().0, third.as_chunks::<8>().0);
        let mut crcs = [crc, 0, 0];
        for ((a, b), c) in first.iter().zip(second).zip(third) {
            crcs[0] = word(crcs[0], u64::from_le_bytes(*a));
            crcs[1] = word(crcs[1], u64::from_le_bytes(*b));
            crcs[2] = word(crcs[2], u64::from_le_bytes(*c));
        }
        crc = word(0, product::<TWICE>(crcs[0]) ^ product::<BITS>(crcs[1])) ^ crcs[2];
    }
    crc
}

#[inline(always)]
pub(super) fn update(crc: u32, mut data: &[u8]) -> u32 {
    let mut crc = u64::from(crc);
    crc = three_parts::<{ 8 * 1352 }, { 16 * 1352 }>(crc, &mut data);
    crc = three_parts::<{ 8 * 296 }, { 16 * 296 }>(crc, &mut data);
    crc = three_parts::<{ 8 * 56 }, { 16 * 56 }>(crc, &mut data);
    let (words, rest) = data.as_chunks::<8>();
    for bytes in words {
        crc = word(crc, u64::from_le_bytes(*bytes));
    }
    tail(crc as u32, rest)
}

impl Update<Castagnoli> for Sse42 {
    fn update(self, crc: u32, data: &[u8]) -> u32 {
        self.vectorize(
            #[inline(always)]
            || update(crc, data),
        )
    }
}

//! CRC-32C by the `crc32` instruction of x86.
//!
//! The instruction takes eight bytes per cycle and has a latency of three cycles. So three parts of the message are
//! processed in parallel, each in a register of its own. To join them, a register is moved past the parts behind it: it
//! is multiplied by x^n modulo P, for a constant n.
//!
//! That needs no table and no other instruction. The product of two polynomials of degree 31 has degree 62, and is
//! computed by one shift and xor for each term of the constant. The instruction itself reduces a 64-bit polynomial a to
//! a x^32 modulo P. In reflected bits, the product of two 32-bit registers in a 64-bit one stands for a b x, so the
//! constant is x^(n - 33). The lengths of the parts are chosen so that the constants have few terms.

use super::{Castagnoli, Polynomial, Update, power_of_x};
use crate::cpu::{HasSse42, Sse42, Token};
use core::arch::x86_64::*;

/// The `crc32` instruction for one width of data.
macro_rules! step {
    ($(#[$doc:meta])* $name:ident, $Crc:ty, $Data:ty, $instruction:ident) => {
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name(_: impl HasSse42, crc: $Crc, data: $Data) -> $Crc {
            // SAFETY: the token proves that the CPU has the instruction, which accesses only registers.
            unsafe { $instruction(crc, data) }
        }
    };
}
step!(/// One step on eight bytes. The register has 64 bits, as the instruction wants it.
    word, u64, u64, _mm_crc32_u64);
step!(four, u32, u32, _mm_crc32_u32);
step!(two, u32, u16, _mm_crc32_u16);
step!(one, u32, u8, _mm_crc32_u8);

/// The register after `data`, which has fewer than eight bytes.
#[inline(always)]
fn tail(token: impl HasSse42, mut crc: u32, data: &[u8]) -> u32 {
    let (fours, rest) = data.as_chunks();
    for bytes in fours {
        crc = four(token, crc, u32::from_le_bytes(*bytes));
    }
    let (twos, rest) = rest.as_chunks();
    for bytes in twos {
        crc = two(token, crc, u16::from_le_bytes(*bytes));
    }
    for byte in rest {
        crc = one(token, crc, *byte);
    }
    crc
}

/// A 64-bit polynomial that the instruction reduces to `crc` times x^`BITS`.
#[inline(always)]
fn product<const BITS: usize>(crc: u64) -> u64 {
    let factor = const { power_of_x(BITS - 33, Castagnoli::REFLECTED) };
    let mut product = 0;
    // Written out, because the compiler does not always unroll a loop.
    macro_rules! terms {
        ($($i:literal)*) => {$(
            if factor & (1 << $i) != 0 {
                product ^= crc << $i;
            }
        )*};
    }
    terms!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    product
}

#[inline(always)]
pub(super) fn update(token: impl HasSse42, crc: u32, mut data: &[u8]) -> u32 {
    let mut crc = u64::from(crc);
    loop {
        let part = match data.len() {
            4056.. => 1352,
            888.. => 296,
            168.. => 56,
            _ => break,
        };
        let (first, rest) = data.split_at(part);
        let (second, rest) = rest.split_at(part);
        let (third, rest) = rest.split_at(part);
        data = rest;
        let (first, second, third) = (first.as_chunks::<8>().0, second.as_chunks::<8>().0, third.as_chunks::<8>().0);
        let mut crcs = [crc, 0, 0];
        for ((a, b), c) in first.iter().zip(second).zip(third) {
            crcs[0] = word(token, crcs[0], u64::from_le_bytes(*a));
            crcs[1] = word(token, crcs[1], u64::from_le_bytes(*b));
            crcs[2] = word(token, crcs[2], u64::from_le_bytes(*c));
        }
        let sum = match part {
            1352 => product::<{ 16 * 1352 }>(crcs[0]) ^ product::<{ 8 * 1352 }>(crcs[1]),
            296 => product::<{ 16 * 296 }>(crcs[0]) ^ product::<{ 8 * 296 }>(crcs[1]),
            _ => product::<{ 16 * 56 }>(crcs[0]) ^ product::<{ 8 * 56 }>(crcs[1]),
        };
        crc = word(token, 0, sum) ^ crcs[2];
    }
    let (words, rest) = data.as_chunks::<8>();
    for bytes in words {
        crc = word(token, crc, u64::from_le_bytes(*bytes));
    }
    tail(token, crc as u32, rest)
}

impl Update<Castagnoli> for Sse42 {
    fn update(self, crc: u32, data: &[u8]) -> u32 {
        self.vectorize(
            #[inline(always)]
            || update(self, crc, data),
        )
    }
}

//! PMULL and PMULL2: the product of the low halves, and of the high halves, of two vectors.
//!
//! The cross terms want one factor with its halves swapped; one EXT serves both.

use super::clmul::{C, ClmulToken, ClmulVector};
use crate::cpu::ArmCe;
use crate::simd::{B128, Blocks};
use core::arch::aarch64::*;

impl ClmulToken for ArmCe {
    type V = B128;
}

// SAFETY of every block in this file: a vector exists only where its token does, so the CPU has the
// instructions; loads are within arrays whose lengths are known or asserted.

#[inline(always)]
fn low(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    // SAFETY: see above.
    unsafe {
        let [a, b] = [vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)];
        vreinterpretq_u8_p128(vmull_p64(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b)))
    }
}

#[inline(always)]
fn high(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    // SAFETY: see above.
    unsafe { vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b))) }
}

#[inline(always)]
fn swap(a: uint8x16_t) -> uint8x16_t {
    // SAFETY: see above.
    unsafe { vextq_u8::<8>(a, a) }
}

/// 16 bytes of ones, then 16 of zeros: the mask of the first n bytes begins at 16 - n.
static FIRST_BYTES: [[u8; 16]; 2] = [[0xff; 16], [0; 16]];

impl ClmulVector for B128 {
    type Powers = [[u8; 16]; 16];
    const NO_POWERS: Self::Powers = [[0; 16]; 16];

    #[inline(always)]
    fn load_first(token: ArmCe, block: &[u8; 16]) -> Self {
        Self::load(token, block)
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        let mask = &FIRST_BYTES.as_flattened()[16 - n..];
        assert!(mask.len() >= 16);
        // SAFETY: see above.
        Self(unsafe { vandq_u8(self.0, vld1q_u8(mask.as_ptr())) })
    }

    #[inline(always)]
    fn multiply(self, other: Self) -> [Self; 3] {
        let [a, b] = [self.0, other.0];
        let swapped = swap(a);
        // SAFETY: see above.
        let mi = unsafe { veorq_u8(low(swapped, b), high(swapped, b)) };
        [Self(low(a, b)), Self(mi), Self(high(a, b))]
    }

    #[inline(always)]
    fn fold(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(swap(self.0), low(self.0, vreinterpretq_u8_u64(vdupq_n_u64(C)))) })
    }

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        self
    }
}

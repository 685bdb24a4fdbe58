//! PMULL and PMULL2: the product of the low halves, and of the high halves, of two vectors.

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
    const BATCH: usize = 8;
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
    fn add_halves(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(self.0, swap(self.0)) })
    }

    #[inline(always)]
    fn multiply(self, b: Self, b_sum: Self) -> [Self; 3] {
        [Self(low(self.0, b.0)), Self(low(self.add_halves().0, b_sum.0)), Self(high(self.0, b.0))]
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

    /// Left to the compiler: between AESE and AESMC of one round and AESE of the next, which takes
    /// the key, a pin would cost an instruction.
    #[inline(always)]
    fn pin(self) -> Self {
        self
    }
}

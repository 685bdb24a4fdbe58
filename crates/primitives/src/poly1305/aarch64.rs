//! 128-bit vectors of AArch64 CPUs.

use super::lanes::{self, Lanes64};
use super::{Accumulator, Poly1305Token};
use crate::cpu::{Neon, Token};
use core::arch::aarch64::*;

impl Poly1305Token for Neon {
    fn absorb_lanes<'a>(self, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
        if blocks.len() < 256 {
            return blocks;
        }
        self.vectorize(
            #[inline(always)]
            || lanes::absorb::<L128>(self, accumulator, blocks),
        )
    }
}

/// Two lanes.
///
/// The multiplier takes halves of vectors, so both factors are narrowed first: the constant ones
/// once, outside of the loop. The sum of a product and what there was is one instruction.
#[derive(Clone, Copy)]
struct L128(uint64x2_t);

// SAFETY of every block in this file: a vector exists only where its token does, so the CPU has the
// instructions; loads are within the slices, whose lengths are asserted.

impl Lanes64 for L128 {
    type Token = Neon;
    const LANES: usize = 2;

    #[inline(always)]
    fn splat(_: Neon, word: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { vdupq_n_u64(word) })
    }

    #[inline(always)]
    fn first(_: Neon, word: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { vsetq_lane_u64::<0>(word, vdupq_n_u64(0)) })
    }

    #[inline(always)]
    fn widen(_: Neon, words: &[u32; 8]) -> Self {
        // SAFETY: see above; 8 of the array's 32 bytes are read.
        Self(unsafe { vmovl_u32(vld1_u32(words.as_ptr())) })
    }

    #[inline(always)]
    fn load_blocks(_: Neon, src: &[u8]) -> (Self, Self) {
        assert!(src.len() >= 32);
        // SAFETY: see above.
        unsafe {
            let front = vreinterpretq_u64_u8(vld1q_u8(src.as_ptr()));
            let back = vreinterpretq_u64_u8(vld1q_u8(src.as_ptr().add(16)));
            (Self(vzip1q_u64(front, back)), Self(vzip2q_u64(front, back)))
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vaddq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vmull_u32(vmovn_u64(self.0), vmovn_u64(other.0)) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vandq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vorrq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vshlq_n_u64::<N>(self.0) })
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vshrq_n_u64::<N>(self.0) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: see above.
        unsafe { vaddvq_u64(self.0) }
    }
}

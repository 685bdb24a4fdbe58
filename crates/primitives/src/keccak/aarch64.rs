//! Keccak with the SHA-3 instructions of Armv8.2: EOR3, RAX1, XAR and BCAX.

use super::Permute;
use super::lanes::{Lane, Single, absorb, driver, permute};
use crate::cpu::{ArmSha3, Token};
use core::arch::aarch64::*;

/// One lane, twice.
#[derive(Clone, Copy)]
struct Doubled(uint64x2_t);

// SAFETY of every block in this file: `Doubled` is used inside `ArmSha3::vectorize` alone, so the
// CPU has the instructions.

impl Single for Doubled {
    #[inline(always)]
    fn get(self) -> u64 {
        // SAFETY: see above.
        unsafe { vgetq_lane_u64::<0>(self.0) }
    }
}

impl Lane for Doubled {
    #[inline(always)]
    fn new(lane: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { vdupq_n_u64(lane) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veor3q_u64(veor3q_u64(self.0, a.0, b.0), c.0, d.0) })
    }

    #[inline(always)]
    fn xor_rotated(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vrax1q_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate_xor<const RIGHT: i32>(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vxarq_u64::<RIGHT>(self.0, other.0) })
    }

    #[inline(always)]
    fn chi(self, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vbcaxq_u64(self.0, b.0, a.0) })
    }
}

driver!(ArmSha3, Doubled);

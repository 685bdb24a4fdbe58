//! Keccak with the SHA-3 instructions of Armv8.2: EOR3, RAX1, XAR and BCAX.

use super::Permute;
use super::lanes::{Lane, Single, absorb, driver, permute};
use crate::cpu::{ArmSha3, Token};
use crate::simd::aarch64::V128;

/// One 64-bit lane of the state, in both halves of the vector.
impl Single<ArmSha3> for V128<ArmSha3> {
    #[inline(always)]
    fn get(self) -> u64 {
        self.low64()
    }
}

impl Lane<ArmSha3> for V128<ArmSha3> {
    type Theta = Self;

    #[inline(always)]
    fn new(token: ArmSha3, lane: u64) -> Self {
        Self::splat64(token, lane)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.xor(other)
    }

    #[inline(always)]
    fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self {
        self.xor3_sha3(a, b).xor3_sha3(c, d)
    }

    #[inline(always)]
    fn theta(self, other: Self) -> Self {
        self.xor_rol1(other)
    }

    #[inline(always)]
    fn rotate_xor<const RIGHT: i32>(self, theta: Self) -> Self {
        self.xor_ror64::<RIGHT>(theta)
    }

    #[inline(always)]
    fn chi(self, a: Self, b: Self) -> Self {
        self.xor_andnot(b, a)
    }
}

driver!(ArmSha3, V128<ArmSha3>);

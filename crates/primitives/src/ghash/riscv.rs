//! CLMUL and CLMULH: the lower and the upper half of a product of two 64-bit polynomials.

use super::{
    clmul::{C, ClmulToken},
    portable::Multiplier,
};
use crate::{
    cpu::Zbkc,
    simd::{Integer, riscv::instructions},
};

instructions! { Zbkc, "zbkc";
    clmul(a, b) = "clmul {result}, {a}, {b}";
    clmulh(a, b) = "clmulh {result}, {a}, {b}";
}

impl Zbkc {
    #[inline(always)]
    fn product(self, a: u64, b: u64) -> Integer<Self> {
        Integer::of_halves(self, [self.clmul(a, b), self.clmulh(a, b)])
    }
}

impl ClmulToken for Zbkc {
    type V = Integer<Zbkc>;
}

impl Multiplier for Zbkc {
    const BATCH: usize = 8;
    type Powers = [[u8; 16]; 16];
    const NO_POWERS: Self::Powers = [[0; 16]; 16];

    #[inline(always)]
    fn multiply(self, a: Integer<Self>, b: Integer<Self>, b_sum: Integer<Self>) -> [Integer<Self>; 3] {
        let ([a0, a1], [b0, b1], [b_sum, _]) = (a.halves(), b.halves(), b_sum.halves());
        [self.product(a0, b0), self.product(a0 ^ a1, b_sum), self.product(a1, b1)]
    }

    #[inline(always)]
    fn fold(self, value: Integer<Self>) -> Integer<Self> {
        let [low, high] = value.halves();
        Integer::of_halves(self, [high ^ self.clmul(low, C), low ^ self.clmulh(low, C)])
    }
}

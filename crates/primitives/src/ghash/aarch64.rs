//! PMULL and PMULL2: the products of the low halves and of the high halves of two vectors.

use super::clmul::{C, ClmulToken, ClmulVector};
use crate::cpu::{ArmCe, HasArmAes, HasNeon};
use crate::simd::aarch64::V128;

impl ClmulToken for ArmCe {
    type V = V128<ArmCe>;
}

/// 16 bytes of ones, then 16 of zeros: the mask of the first n bytes begins at offset 16 - n.
static FIRST_BYTES: [[u8; 16]; 2] = [[0xff; 16], [0; 16]];

impl<T: HasNeon> V128<T> {
    #[inline(always)]
    pub(super) fn swap_halves(self) -> Self {
        self.align_bytes::<8>(self)
    }

    /// [`ClmulVector::keep`].
    #[inline(always)]
    pub(super) fn first_bytes(self, n: usize) -> Self {
        assert!(n <= 16);
        let mask = FIRST_BYTES.as_flattened()[16 - n..].first_chunk::<16>().expect("a mask of 16 bytes");
        self.and(Self::load(self.token(), mask))
    }
}

impl<T: HasArmAes> ClmulVector for V128<T> {
    const BATCH: usize = 8;
    type Powers = [[u8; 16]; 16];
    const NO_POWERS: Self::Powers = [[0; 16]; 16];

    #[inline(always)]
    fn load_first(token: T, block: &[u8; 16]) -> Self {
        Self::load(token, block)
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        self.first_bytes(n)
    }

    #[inline(always)]
    fn add_halves(self) -> Self {
        self.xor(self.swap_halves())
    }

    #[inline(always)]
    fn multiply(self, b: Self, b_sum: Self) -> [Self; 3] {
        [self.clmul_low(b), self.add_halves().clmul_low(b_sum), self.clmul_high(b)]
    }

    #[inline(always)]
    fn fold(self) -> Self {
        self.swap_halves().xor(self.clmul_low(Self::splat64(self.token(), C)))
    }

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        self
    }

    /// No pin: it would cost an instruction. AESE takes the key itself, so a pin between AESMC of one round and AESE of
    /// the next would need the sum in a register.
    #[inline(always)]
    fn pin(self) -> Self {
        self
    }
}

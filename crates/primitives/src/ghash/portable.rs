//! Carry-less multiplication with the integer multiplier, in constant time.
//!
//! An integer product is a carry-less one except for the carries. Keep every fourth bit of both factors, with zeros in
//! the holes between. The bits of the integer product at every fourth place then count the pairs that meet there. The
//! lowest bit of the count is the carry-less product; the others go into the hole above, and are masked away. A count
//! of up to 15 fits into its place and the three holes. Four residues times four residues make 16 multiplications.
//!
//! A 64-bit factor has 16 bits of each residue, and in the middle of the product all 16 pairs can meet, which is one
//! too many. So one factor gives up its top four bits, which are multiplied separately: the product of four
//! neighbouring bits with bits that are four apart is a row of copies that do not touch.

use super::clmul::{ClmulToken, ClmulVector};
use crate::cpu::{Portable, Token};
use crate::simd::{Blocks, Integer};

/// A token whose CPU multiplies blocks that are integers, and how.
pub trait Multiplier: Token {
    /// [`ClmulVector::BATCH`].
    const BATCH: usize;

    /// [`ClmulVector::Powers`].
    type Powers: AsRef<[[u8; 16]]> + AsMut<[[u8; 16]]> + Clone + Send + Sync + 'static;

    /// [`ClmulVector::NO_POWERS`].
    const NO_POWERS: Self::Powers;

    /// [`ClmulVector::WHOLE`].
    const WHOLE: bool = false;

    /// [`ClmulVector::multiply`].
    fn multiply(self, a: Integer<Self>, b: Integer<Self>, b_sum: Integer<Self>) -> [Integer<Self>; 3];

    /// [`ClmulVector::fold`].
    #[inline(always)]
    fn fold(self, value: Integer<Self>) -> Integer<Self> {
        let low = value.value & u128::from(u64::MAX);
        Integer::new(self, value.value.rotate_left(64) ^ low << 63 ^ low << 62 ^ low << 57)
    }

    /// [`ClmulVector::hash`].
    #[inline(always)]
    fn hash<const BIG_ENDIAN: bool>(
        self,
        _acc: Integer<Self>,
        _powers: &Self::Powers,
        _sums: &Self::Powers,
        _blocks: &[[u8; 16]],
    ) -> Integer<Self> {
        unreachable!("`WHOLE` is false")
    }
}

impl<T: Multiplier> ClmulVector for Integer<T> {
    const BATCH: usize = T::BATCH;
    type Powers = T::Powers;
    const NO_POWERS: Self::Powers = T::NO_POWERS;
    const WHOLE: bool = T::WHOLE;

    #[inline(always)]
    fn hash<const BIG_ENDIAN: bool>(self, powers: &Self::Powers, sums: &Self::Powers, blocks: &[[u8; 16]]) -> Self {
        self.token.hash::<BIG_ENDIAN>(self, powers, sums, blocks)
    }

    #[inline(always)]
    fn load_first(token: T, block: &[u8; 16]) -> Self {
        Self::splat(token, block)
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        assert!(n <= 16);
        Self::new(self.token, self.value & 1u128.unbounded_shl(8 * n as u32).wrapping_sub(1))
    }

    #[inline(always)]
    fn add_halves(self) -> Self {
        Self::new(self.token, self.value ^ self.value.rotate_left(64))
    }

    #[inline(always)]
    fn multiply(self, b: Self, b_sum: Self) -> [Self; 3] {
        self.token.multiply(self, b, b_sum)
    }

    #[inline(always)]
    fn fold(self) -> Self {
        self.token.fold(self)
    }

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        self
    }

    #[inline(always)]
    fn pin(self) -> Self {
        self
    }
}

/// The carry-less product of two 64-bit polynomials.
#[inline(always)]
fn clmul64(a: u64, b: u64) -> u128 {
    const EVERY_FOURTH: u128 = 0x1111_1111_1111_1111_1111_1111_1111_1111;
    let a_at: [u64; 4] = core::array::from_fn(|i| a & (EVERY_FOURTH << i) as u64);
    let b_at: [u64; 4] = core::array::from_fn(|i| b << 4 >> 4 & (EVERY_FOURTH << i) as u64);
    let mut product = 0;
    for place in 0..4 {
        let mut counts = 0;
        for i in 0..4 {
            counts ^= u128::from(a_at[i]) * u128::from(b_at[(4 + place - i) % 4]);
        }
        product |= counts & (EVERY_FOURTH << place);
    }
    for a in a_at {
        product ^= (u128::from(a) * u128::from(b >> 60)) << 60;
    }
    product
}

impl ClmulToken for Portable {
    type V = Integer<Portable>;
}

impl Multiplier for Portable {
    const BATCH: usize = 1;
    /// More powers would save only a few shifts per block.
    type Powers = [[u8; 16]; 1];
    const NO_POWERS: Self::Powers = [[0; 16]; 1];

    #[inline(always)]
    fn multiply(self, a: Integer<Self>, b: Integer<Self>, b_sum: Integer<Self>) -> [Integer<Self>; 3] {
        let [low, high] = [|v: Integer<Self>| v.value as u64, |v: Integer<Self>| (v.value >> 64) as u64];
        let product = |a, b| Integer::new(self, clmul64(a, b));
        [product(low(a), low(b)), product(low(a.add_halves()), low(b_sum)), product(high(a), high(b))]
    }
}

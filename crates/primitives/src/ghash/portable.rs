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

use super::clmul::ClmulVector;
use crate::cpu::Portable;
use crate::simd::{Blocks, load_partial_block, store_partial_block};

/// One block as an integer, on any CPU.
#[derive(Clone, Copy)]
pub struct Soft(u128);

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

impl crate::sealed::Sealed for Soft {}

impl Blocks for Soft {
    type Token = Portable;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn zero(_: Portable) -> Self {
        Self(0)
    }

    #[inline(always)]
    fn splat(_: Portable, block: &[u8; 16]) -> Self {
        Self(u128::from_le_bytes(*block))
    }

    #[inline(always)]
    fn load(token: Portable, src: &[u8]) -> Self {
        Self::splat(token, src.first_chunk().expect("16 bytes"))
    }

    #[inline(always)]
    fn load_partial(_: Portable, src: &[u8]) -> Self {
        assert!(src.len() <= 16);
        Self(load_partial_block(src))
    }

    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        dst[..16].copy_from_slice(&self.first());
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        assert!(dst.len() <= 16);
        store_partial_block(self.0, dst);
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        self.first()
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        Self(self.0.swap_bytes())
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        const ODD: u128 = 0xffff_ffff_0000_0000_ffff_ffff_0000_0000;
        let even = (self.0 & !ODD).wrapping_add(other.0 & !ODD) & !ODD;
        let odd = (self.0 & ODD).wrapping_add(other.0 & ODD) & ODD;
        Self(even | odd)
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        const HIGH: u128 = !0 << 64;
        let low = self.0.wrapping_add(other.0) & !HIGH;
        let high = (self.0 & HIGH).wrapping_add(other.0 & HIGH);
        Self(low | high)
    }
}

impl ClmulVector for Soft {
    const BATCH: usize = 1;
    /// More powers would save only a few shifts per block.
    type Powers = [[u8; 16]; 1];
    const NO_POWERS: Self::Powers = [[0; 16]; 1];

    #[inline(always)]
    fn load_first(token: Portable, block: &[u8; 16]) -> Self {
        Self::splat(token, block)
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        assert!(n <= 16);
        Self(self.0 & 1u128.unbounded_shl(8 * n as u32).wrapping_sub(1))
    }

    #[inline(always)]
    fn add_halves(self) -> Self {
        Self(self.0 ^ self.0.rotate_left(64))
    }

    #[inline(always)]
    fn multiply(self, b: Self, b_sum: Self) -> [Self; 3] {
        let [low, high] = [|v: Self| v.0 as u64, |v: Self| (v.0 >> 64) as u64];
        [
            Self(clmul64(low(self), low(b))),
            Self(clmul64(low(self.add_halves()), low(b_sum))),
            Self(clmul64(high(self), high(b))),
        ]
    }

    #[inline(always)]
    fn fold(self) -> Self {
        let low = self.0 & u128::from(u64::MAX);
        Self(self.0.rotate_left(64) ^ low << 63 ^ low << 62 ^ low << 57)
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

//! One block as an integer, on any CPU.

use super::{Blocks, load_partial_block, store_partial_block};
use crate::cpu::Token;

/// One block, read as a little-endian integer. It begins where the vectors of PowerPC can be loaded.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Integer<T> {
    pub(crate) value: u128,
    pub(crate) token: T,
}

impl<T> Integer<T> {
    #[inline(always)]
    pub(crate) fn new(token: T, value: u128) -> Self {
        Self { value, token }
    }
}

impl<T: Token> crate::sealed::Sealed for Integer<T> {}

impl<T: Token> Blocks for Integer<T> {
    type Token = T;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn zero(token: T) -> Self {
        Self::new(token, 0)
    }

    #[inline(always)]
    fn splat(token: T, block: &[u8; 16]) -> Self {
        Self::new(token, u128::from_le_bytes(*block))
    }

    #[inline(always)]
    fn load(token: T, src: &[u8]) -> Self {
        Self::splat(token, src.first_chunk().expect("16 bytes"))
    }

    #[inline(always)]
    fn load_partial(token: T, src: &[u8]) -> Self {
        assert!(src.len() <= 16);
        Self::new(token, load_partial_block(src))
    }

    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        dst[..16].copy_from_slice(&self.first());
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        assert!(dst.len() <= 16);
        store_partial_block(self.value, dst);
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        self.value.to_le_bytes()
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        self.first()
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self::new(self.token, self.value ^ other.value)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        Self::new(self.token, self.value.swap_bytes())
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        const ODD: u128 = 0xffff_ffff_0000_0000_ffff_ffff_0000_0000;
        let even = (self.value & !ODD).wrapping_add(other.value & !ODD) & !ODD;
        let odd = (self.value & ODD).wrapping_add(other.value & ODD) & ODD;
        Self::new(self.token, even | odd)
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        const HIGH: u128 = !0 << 64;
        let low = self.value.wrapping_add(other.value) & !HIGH;
        let high = (self.value & HIGH).wrapping_add(other.value & HIGH);
        Self::new(self.token, low | high)
    }
}

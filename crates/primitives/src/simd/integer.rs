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

    /// The lower and the upper half.
    #[cfg_attr(not(target_arch = "riscv64"), allow(dead_code, reason = "whose registers are halves"))]
    #[inline(always)]
    pub(crate) fn halves(self) -> [u64; 2] {
        [self.value as u64, (self.value >> 64) as u64]
    }

    #[cfg_attr(not(target_arch = "riscv64"), allow(dead_code, reason = "as above"))]
    #[inline(always)]
    pub(crate) fn of_halves(token: T, [low, high]: [u64; 2]) -> Self {
        Self::new(token, u128::from(low) | u128::from(high) << 64)
    }
}

/// A block as a little-endian integer.
///
/// RISC-V need not load words from every address, so the compiler loads the bytes one by one: 16 loads, 14 shifts and as
/// many additions. Most blocks are where words can be loaded, which takes two instructions to find out.
#[inline(always)]
fn load_block(block: &[u8; 16]) -> u128 {
    #[cfg(target_arch = "riscv64")]
    {
        #[cold]
        #[inline(never)]
        fn by_bytes(block: &[u8; 16]) -> u128 {
            u128::from_le_bytes(*block)
        }
        let words: *const [u64; 2] = block.as_ptr().cast();
        if words.is_aligned() {
            // SAFETY: the words are aligned, and they are the bytes of `block`.
            Integer::of_halves((), unsafe { words.read() }).value
        } else {
            by_bytes(block)
        }
    }
    #[cfg(not(target_arch = "riscv64"))]
    u128::from_le_bytes(*block)
}

/// Writes a block, as [`load_block`] reads it.
#[inline(always)]
fn store_block(value: u128, block: &mut [u8; 16]) {
    #[cfg(target_arch = "riscv64")]
    {
        #[cold]
        #[inline(never)]
        fn by_bytes(value: u128, block: &mut [u8; 16]) {
            *block = value.to_le_bytes();
        }
        let words: *mut [u64; 2] = block.as_mut_ptr().cast();
        if words.is_aligned() {
            // SAFETY: the words are aligned, and they are the bytes of `block`.
            unsafe { words.write(Integer::new((), value).halves()) }
        } else {
            by_bytes(value, block);
        }
    }
    #[cfg(not(target_arch = "riscv64"))]
    {
        *block = value.to_le_bytes();
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
        Self::new(token, load_block(block))
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
        store_block(self.value, dst.first_chunk_mut().expect("16 bytes"));
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

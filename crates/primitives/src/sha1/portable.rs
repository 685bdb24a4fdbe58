//! SHA-1 in general registers.

use super::Compress;
use super::rounds::rounds;
use crate::cpu::Portable;
use crate::simd::from_fn;

/// Absorbs `blocks`, whose length is a multiple of 64 bytes.
#[inline(always)]
pub(super) fn compress(state: &mut [u32; 5], blocks: &[u8]) {
    for block in blocks.as_chunks::<64>().0 {
        let (words, _) = block.as_chunks::<4>();
        let mut w: [u32; 16] = from_fn(|i| u32::from_be_bytes(words[i]));
        let mut s = *state;
        rounds(
            &mut s,
            &mut w,
            #[inline(always)]
            |k| k,
        );
        for (state, s) in state.iter_mut().zip(s) {
            *state = state.wrapping_add(s);
        }
    }
}

impl Compress for Portable {
    #[inline(never)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        compress(state, blocks);
    }
}

//! SHA-2 in general registers.

use super::word::{Scalar, rounds};
use super::{Compress256, Compress512};
use crate::cpu::Portable;
use crate::simd::from_fn;

/// Absorbs `blocks`, which are whole blocks.
#[inline(always)]
pub(super) fn compress<W: Scalar>(state: &mut [W; 8], blocks: &[u8]) {
    for block in blocks.chunks_exact(16 * size_of::<W>()) {
        let mut w: [W; 16] = from_fn(|i| W::load(block, i));
        let mut s = *state;
        rounds(
            &mut s,
            &mut w,
            W::K,
            #[inline(always)]
            |k| k,
        );
        for (state, s) in state.iter_mut().zip(s) {
            *state = state.add(s);
        }
    }
}

impl Compress256 for Portable {
    #[inline(never)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        compress(state, blocks);
    }
}

impl Compress512 for Portable {
    #[inline(never)]
    fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
        compress(state, blocks);
    }
}

//! SHA-2 in general registers.

use super::word::{Scalar, rounds};
use super::{Compress256, Compress512};
use crate::cpu::Portable;
use crate::lanes::Word;
use crate::simd::{each, from_fn};

/// Absorbs `blocks`, which are whole blocks.
#[inline(always)]
pub(super) fn compress<W: Scalar>(state: &mut [W; 8], blocks: &[u8]) {
    compress_by(
        state,
        blocks,
        #[inline(always)]
        |w| w,
        #[inline(always)]
        |w| w,
    );
}

/// The same with words of another type: `to` converts a word to it, and `from` converts one back.
#[inline(always)]
pub(super) fn compress_by<W: Scalar, V: Word>(
    state: &mut [W; 8],
    blocks: &[u8],
    to: impl Fn(W) -> V,
    from: impl Fn(V) -> W,
) {
    for block in blocks.chunks_exact(16 * size_of::<W>()) {
        let mut w: [V; 16] = from_fn(
            #[inline(always)]
            |i| to(W::load(block, i)),
        );
        let mut s = each(*state, &to);
        rounds(&mut s, &mut w, W::K, &to);
        for (state, s) in state.iter_mut().zip(s) {
            *state = state.add(from(s));
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

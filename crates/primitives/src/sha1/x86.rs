//! SHA-1 with the SHA extensions of x86.

use super::lanes::InLanes;
use super::words::{self, Group};
use super::{Chain160, Compress, portable};
use crate::cpu::{Avx2, Avx512, ShaNi, ShaNiAvx512, Token};
use crate::hash::Queue;
use crate::lanes::{U32x8, U32x16};
use core::arch::x86_64::*;

/// (a, b, c, d) with a in the highest lane, and where e comes from: between blocks e itself, in the
/// highest lane, and within a block the (a, b, c, d) of four rounds ago, whose a, rotated, is e.
#[derive(Clone, Copy)]
struct Halves {
    abcd: __m128i,
    e: __m128i,
}

// SAFETY of every block in this file: `Halves` is used inside `ShaNi::vectorize` alone, so the CPU
// has SHA, SSE4.1 and SSSE3; loads and stores are within the arrays they are given.

impl words::State for Halves {
    type Words = __m128i;

    #[inline(always)]
    fn load(state: &[u32; 5]) -> Self {
        // SAFETY: see above.
        unsafe {
            let abcd = _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state.as_ptr().cast()));
            Self { abcd, e: _mm_set_epi32(state[4].cast_signed(), 0, 0, 0) }
        }
    }

    #[inline(always)]
    fn store(self, state: &mut [u32; 5]) {
        // SAFETY: see above.
        unsafe {
            _mm_storeu_si128(state.as_mut_ptr().cast(), _mm_shuffle_epi32::<0x1b>(self.abcd));
            state[4] = _mm_extract_epi32::<3>(self.e).cast_unsigned();
        }
    }

    #[inline(always)]
    fn add(self, start: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self { abcd: _mm_add_epi32(self.abcd, start.abcd), e: _mm_sha1nexte_epu32(self.e, start.e) } }
    }

    #[inline(always)]
    fn words(block: &[u8; 16]) -> __m128i {
        // SAFETY: see above.
        unsafe {
            let reverse = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm_shuffle_epi8(_mm_loadu_si128(block.as_ptr().cast()), reverse)
        }
    }

    #[inline(always)]
    fn schedule([w0, w1, w2, w3]: [__m128i; 4]) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(w0, w1), w2), w3) }
    }

    #[inline(always)]
    fn rounds4<const F: i32, const FIRST: bool>(self, w: __m128i) -> Self {
        // SAFETY: see above.
        unsafe {
            let ew = if FIRST { _mm_add_epi32(self.e, w) } else { _mm_sha1nexte_epu32(self.e, w) };
            Self { abcd: _mm_sha1rnds4_epu32::<F>(self.abcd, ew), e: self.abcd }
        }
    }
}

impl Compress for ShaNi {
    const LANES: usize = 3;

    #[inline(never)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || words::compress::<Halves, 1>([state], [blocks]),
        );
    }

    #[inline(never)]
    fn compress_many(self, queue: &mut Queue<'_, '_, Chain160>) {
        self.vectorize(
            #[inline(always)]
            || queue.side_by_side(Group::<Halves, 3>::new(), 2),
        );
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

/// Sixteen messages, as long as there are `worth` of them.
#[inline(never)]
fn sixteen(token: Avx512, queue: &mut Queue<'_, '_, Chain160>, worth: usize) {
    token.vectorize(
        #[inline(always)]
        || queue.side_by_side(InLanes::<U32x16>::new(token), worth),
    );
}

impl Compress for ShaNiAvx512 {
    const LANES: usize = 16;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        ShaNi::from(self).compress(state, blocks);
    }

    fn compress_many(self, queue: &mut Queue<'_, '_, Chain160>) {
        sixteen(self.into(), queue, 11);
        ShaNi::from(self).compress_many(queue);
    }
}

/// CPUs without instructions for SHA-1: one message in general registers.
impl Compress for Avx2 {
    const LANES: usize = 8;

    #[inline(never)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || portable::compress(state, blocks),
        );
    }

    #[inline(never)]
    fn compress_many(self, queue: &mut Queue<'_, '_, Chain160>) {
        self.vectorize(
            #[inline(always)]
            || queue.side_by_side(InLanes::<U32x8>::new(self), 3),
        );
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

impl Compress for Avx512 {
    const LANES: usize = 16;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        Avx2::from(self).compress(state, blocks);
    }

    fn compress_many(self, queue: &mut Queue<'_, '_, Chain160>) {
        sixteen(self, queue, 8);
        Avx2::from(self).compress_many(queue);
    }
}

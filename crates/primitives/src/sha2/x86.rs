//! SHA-256 with the SHA extensions of x86.

use super::lanes::InLanes;
use super::words4::{self, Pair, State256};
use super::{Chain256, Compress256, portable};
use crate::cpu::{Avx2, Avx512, ShaNi, ShaNiAvx512, Token};
use crate::hash::Queue;
use crate::lanes::{U32x8, U32x16};
use core::arch::x86_64::*;

/// (a, b, e, f) and (c, d, g, h), each with its first word in the highest lane.
#[derive(Clone, Copy)]
struct Halves {
    abef: __m128i,
    cdgh: __m128i,
}

// SAFETY of every block in this file: `Halves` is used inside `ShaNi::vectorize` alone, so the CPU
// has SHA, SSE4.1 and SSSE3; loads and stores are within the arrays they are given.

impl State256 for Halves {
    type Words = __m128i;

    #[inline(always)]
    fn load(state: &[u32; 8]) -> Self {
        // SAFETY: see above.
        unsafe {
            let dcba = _mm_loadu_si128(state.as_ptr().cast());
            let hgfe = _mm_loadu_si128(state.as_ptr().add(4).cast());
            let (feba, hgdc) = (_mm_unpacklo_epi64(dcba, hgfe), _mm_unpackhi_epi64(dcba, hgfe));
            Self { abef: _mm_shuffle_epi32::<0x1b>(feba), cdgh: _mm_shuffle_epi32::<0x1b>(hgdc) }
        }
    }

    #[inline(always)]
    fn store(self, state: &mut [u32; 8]) {
        // SAFETY: see above.
        unsafe {
            let (feba, hgdc) = (_mm_shuffle_epi32::<0x1b>(self.abef), _mm_shuffle_epi32::<0x1b>(self.cdgh));
            _mm_storeu_si128(state.as_mut_ptr().cast(), _mm_unpacklo_epi64(feba, hgdc));
            _mm_storeu_si128(state.as_mut_ptr().add(4).cast(), _mm_unpackhi_epi64(feba, hgdc));
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self { abef: _mm_add_epi32(self.abef, other.abef), cdgh: _mm_add_epi32(self.cdgh, other.cdgh) } }
    }

    #[inline(always)]
    fn words(block: &[u8; 16]) -> __m128i {
        // SAFETY: see above.
        unsafe {
            let swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
            _mm_shuffle_epi8(_mm_loadu_si128(block.as_ptr().cast()), swap)
        }
    }

    #[inline(always)]
    fn schedule([w0, w1, w2, w3]: [__m128i; 4]) -> __m128i {
        // SAFETY: see above.
        unsafe {
            let sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8::<4>(w3, w2));
            _mm_sha256msg2_epu32(sum, w3)
        }
    }

    #[inline(always)]
    fn rounds4(self, w: __m128i, k: &[u32; 4]) -> Self {
        // SAFETY: see above.
        unsafe {
            let kw = _mm_add_epi32(w, _mm_loadu_si128(k.as_ptr().cast()));
            // After two rounds, what was (a, b, e, f) is (c, d, g, h).
            let abef = _mm_sha256rnds2_epu32(self.cdgh, self.abef, kw);
            let cdgh = self.abef;
            Self { abef: _mm_sha256rnds2_epu32(cdgh, abef, _mm_shuffle_epi32::<0x0e>(kw)), cdgh: abef }
        }
    }
}

impl Compress256 for ShaNi {
    const LANES: usize = 2;

    #[inline(never)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || words4::compress::<Halves, 1>([state], [blocks]),
        );
    }

    #[inline(never)]
    fn compress_many(self, queue: &mut Queue<'_, '_, Chain256>) {
        self.vectorize(
            #[inline(always)]
            || queue.side_by_side(Pair::<Halves>::new(), 2),
        );
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

/// Sixteen messages, as long as there are `worth` of them.
///
/// The SHA instructions give a pair of messages 64 bytes in 64 cycles, which is what `sha256rnds2` takes; sixteen
/// lanes take 28 operations a round, measured as 1060 cycles for 16 × 64 bytes on Zen 4. Both at once would gain little:
/// with its schedule, a block by instructions costs the four vector pipes as much as one in a lane.
#[inline(never)]
fn sixteen(token: Avx512, queue: &mut Queue<'_, '_, Chain256>, worth: usize) {
    token.vectorize(
        #[inline(always)]
        || queue.side_by_side(InLanes::<U32x16>::new(token), worth),
    );
}

impl Compress256 for ShaNiAvx512 {
    const LANES: usize = 16;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        ShaNi::from(self).compress(state, blocks);
    }

    fn compress_many(self, queue: &mut Queue<'_, '_, Chain256>) {
        sixteen(self.into(), queue, 14);
        ShaNi::from(self).compress_many(queue);
    }
}

/// CPUs without instructions for SHA-256: one message in general registers.
impl Compress256 for Avx2 {
    const LANES: usize = 8;

    #[inline(never)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || portable::compress(state, blocks),
        );
    }

    #[inline(never)]
    fn compress_many(self, queue: &mut Queue<'_, '_, Chain256>) {
        self.vectorize(
            #[inline(always)]
            || queue.side_by_side(InLanes::<U32x8>::new(self), 3),
        );
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

impl Compress256 for Avx512 {
    const LANES: usize = 16;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        Avx2::from(self).compress(state, blocks);
    }

    fn compress_many(self, queue: &mut Queue<'_, '_, Chain256>) {
        sixteen(self, queue, 8);
        Avx2::from(self).compress_many(queue);
    }
}

//! SHA-1 with the SHA instructions of Armv8.

use super::words::{self, Group};
use super::{Chain160, Compress, K};
use crate::cpu::{ArmSha2, Token};
use crate::hash::Queue;
use core::arch::aarch64::*;

/// (a, b, c, d) with a in lane 0, and e.
#[derive(Clone, Copy)]
struct Halves {
    abcd: uint32x4_t,
    e: u32,
}

// SAFETY of every block in this file: `Halves` is used inside `ArmSha2::vectorize` alone, so the
// CPU has the instructions; loads and stores are within the arrays they are given.

impl words::State for Halves {
    type Words = uint32x4_t;

    #[inline(always)]
    fn load(state: &[u32; 5]) -> Self {
        // SAFETY: see above.
        Self { abcd: unsafe { vld1q_u32(state.as_ptr()) }, e: state[4] }
    }

    #[inline(always)]
    fn store(self, state: &mut [u32; 5]) {
        // SAFETY: see above.
        unsafe { vst1q_u32(state.as_mut_ptr(), self.abcd) };
        state[4] = self.e;
    }

    #[inline(always)]
    fn add(self, start: Self) -> Self {
        // SAFETY: see above.
        Self { abcd: unsafe { vaddq_u32(self.abcd, start.abcd) }, e: self.e.wrapping_add(start.e) }
    }

    #[inline(always)]
    fn words(block: &[u8; 16]) -> uint32x4_t {
        // SAFETY: see above.
        unsafe { vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block.as_ptr()))) }
    }

    #[inline(always)]
    fn schedule([w0, w1, w2, w3]: [uint32x4_t; 4]) -> uint32x4_t {
        // SAFETY: see above.
        unsafe { vsha1su1q_u32(vsha1su0q_u32(w0, w1, w2), w3) }
    }

    #[inline(always)]
    fn rounds4<const F: i32, const FIRST: bool>(self, w: uint32x4_t) -> Self {
        // SAFETY: see above.
        unsafe {
            let kw = vaddq_u32(w, vdupq_n_u32(K[F as usize]));
            let e = vsha1h_u32(vgetq_lane_u32::<0>(self.abcd));
            let abcd = match F {
                0 => vsha1cq_u32(self.abcd, self.e, kw),
                2 => vsha1mq_u32(self.abcd, self.e, kw),
                _ => vsha1pq_u32(self.abcd, self.e, kw),
            };
            Self { abcd, e }
        }
    }
}

impl Compress for ArmSha2 {
    const LANES: usize = 2;

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
            || queue.side_by_side(Group::<Halves, 2>::new(), 2),
        );
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

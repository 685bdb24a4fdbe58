//! SHA-1 with the SHA extensions of x86.

use super::words::{self, Group, alone};
use super::{Chain160, Compress, portable};
use crate::cpu::{Avx2, Avx512, ShaNi, ShaNiAvx2, ShaNiAvx512, Token};
use crate::hash::{Queue, in_lanes};
use crate::lanes::{U32x8, U32x16};
use crate::simd::x86::V128;

/// (a, b, c, d) with a in the highest lane, and the source of e. Between blocks that is e itself, in the highest lane.
/// Within a block it is (a, b, c, d) of four rounds ago, whose a, rotated, is e.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    abcd: V128<ShaNi>,
    e: V128<ShaNi>,
}

impl words::State for Halves {
    type Token = ShaNi;
    type Words = V128<ShaNi>;

    #[inline(always)]
    fn load(token: ShaNi, state: &[u32; 5]) -> Self {
        let [a, b, c, d, e] = *state;
        let abcd = &[a, b, c, d];
        Self { abcd: V128::load(token, abcd).shuffle32::<0x1b>(), e: V128::of32(token, [0, 0, 0, e]) }
    }

    #[inline(always)]
    fn store(self, state: &mut [u32; 5]) {
        state[4] = self.e.word32::<3>();
        if let Some(abcd) = state.first_chunk_mut::<4>() {
            self.abcd.shuffle32::<0x1b>().store(abcd);
        }
    }

    #[inline(always)]
    fn add(self, start: Self) -> Self {
        Self { abcd: self.abcd.add32(start.abcd), e: self.e.sha1_next_e(start.e) }
    }

    #[inline(always)]
    fn words(token: ShaNi, block: &[u8; 16]) -> V128<ShaNi> {
        let reverse = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0u8];
        V128::load(token, block).shuffle_bytes(V128::load(token, &reverse))
    }

    #[inline(always)]
    fn schedule([w0, w1, w2, w3]: [V128<ShaNi>; 4]) -> V128<ShaNi> {
        w0.sha1_message1(w1).xor(w2).sha1_message2(w3)
    }

    #[inline(always)]
    fn rounds4<const F: i32, const FIRST: bool>(self, w: V128<ShaNi>) -> Self {
        let ew = if FIRST { self.e.add32(w) } else { self.e.sha1_next_e(w) };
        Self { abcd: self.abcd.sha1_rounds4::<F>(ew), e: self.abcd }
    }
}

impl Compress for ShaNi {
    const LANES: usize = 4;
    const ALONE: bool = true;

    #[inline(never)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || words::compress::<Halves, 1>(self, [state], [blocks], alone),
        );
    }

    #[inline(never)]
    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain160>) {
        self.vectorize(
            #[inline(always)]
            || queue.side_by_side(Group::<Halves, 4>::new(self), 2),
        );
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

impl Compress for ShaNiAvx2 {
    const LANES: usize = 8;
    const ALONE: bool = true;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        ShaNi::from(self).compress(state, blocks);
    }

    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain160>) {
        // Eight lanes take the time of six messages with SHA instructions on Granite Rapids, and of more than seven on
        // Zen 4.
        in_lanes::<U32x8, _, _>(self.into(), queue, 8);
        ShaNi::from(self).compress_queue(queue);
    }
}

impl Compress for ShaNiAvx512 {
    const LANES: usize = 16;
    const ALONE: bool = true;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        ShaNi::from(self).compress(state, blocks);
    }

    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain160>) {
        in_lanes::<U32x16, _, _>(self.into(), queue, 11);
        ShaNi::from(self).compress_queue(queue);
    }
}

/// For CPUs without SHA-1 instructions, which hash a single message in general registers.
impl Compress for Avx2 {
    const LANES: usize = 8;

    #[inline(never)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || portable::compress(state, blocks),
        );
    }

    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain160>) {
        in_lanes::<U32x8, _, _>(self, queue, 3);
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

impl Compress for Avx512 {
    const LANES: usize = 16;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]) {
        Avx2::from(self).compress(state, blocks);
    }

    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain160>) {
        in_lanes::<U32x16, _, _>(self, queue, 8);
        Avx2::from(self).compress_queue(queue);
    }
}

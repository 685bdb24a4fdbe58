//! SHA-256 with the SHA extensions of x86.

use super::words4::{self, State256, alone};
use super::{Chain256, Compress256, portable};
use crate::cpu::{Avx2, Avx512, ShaNi, ShaNiAvx512, Token};
use crate::hash::{Queue, in_lanes};
use crate::lanes::{U32x8, U32x16};
use crate::simd::x86::V128;

/// The state as (a, b, e, f) and (c, d, g, h), each with its first word in the highest lane.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    abef: V128<ShaNi>,
    cdgh: V128<ShaNi>,
}

impl State256 for Halves {
    type Token = ShaNi;
    type Words = V128<ShaNi>;

    #[inline(always)]
    fn load(token: ShaNi, state: &[u32; 8]) -> Self {
        let halves = state.as_chunks::<4>().0;
        let (dcba, hgfe) = (V128::load(token, &halves[0]), V128::load(token, &halves[1]));
        let (feba, hgdc) = (dcba.unpack_low64(hgfe), dcba.unpack_high64(hgfe));
        Self { abef: feba.shuffle32::<0x1b>(), cdgh: hgdc.shuffle32::<0x1b>() }
    }

    #[inline(always)]
    fn store(self, state: &mut [u32; 8]) {
        let (feba, hgdc) = (self.abef.shuffle32::<0x1b>(), self.cdgh.shuffle32::<0x1b>());
        let halves = state.as_chunks_mut::<4>().0;
        feba.unpack_low64(hgdc).store(&mut halves[0]);
        feba.unpack_high64(hgdc).store(&mut halves[1]);
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { abef: self.abef.add32(other.abef), cdgh: self.cdgh.add32(other.cdgh) }
    }

    #[inline(always)]
    fn words(token: ShaNi, block: &[u8; 16]) -> V128<ShaNi> {
        let swap = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12u8];
        V128::load(token, block).shuffle_bytes(V128::load(token, &swap))
    }

    #[inline(always)]
    fn schedule([w0, w1, w2, w3]: [V128<ShaNi>; 4]) -> V128<ShaNi> {
        w0.sha256_message1(w1).add32(w3.align_bytes::<4>(w2)).sha256_message2(w3)
    }

    #[inline(always)]
    fn rounds4(self, w: V128<ShaNi>, k: &[u32; 4]) -> Self {
        let kw = w.add32(V128::load(w.token(), k));
        // After two rounds, the old (a, b, e, f) is the new (c, d, g, h).
        let abef = self.cdgh.sha256_rounds2(self.abef, kw);
        let cdgh = self.abef;
        Self { abef: cdgh.sha256_rounds2(abef, kw.shuffle32::<0x0e>()), cdgh: abef }
    }

    #[inline(always)]
    fn pin(self, w: &mut V128<ShaNi>) -> Self {
        *w = w.pin();
        Self { abef: self.abef.pin(), cdgh: self.cdgh }
    }
}

impl Compress256 for ShaNi {
    const LANES: usize = 2;
    const ALONE: bool = true;

    #[inline(never)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || words4::compress::<Halves, 1, 1>(self, [state], [[blocks]], alone),
        );
    }

    #[inline(never)]
    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain256>) {
        self.vectorize(
            #[inline(always)]
            || {
                queue.in_pairs(
                    #[inline(always)]
                    |chains: [&mut Chain256; 2], parts| {
                        words4::compress::<Halves, 2, 2>(self, chains.map(|chain| &mut chain.0), parts, alone)
                    },
                )
            },
        );
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

impl Compress256 for ShaNiAvx512 {
    const LANES: usize = 16;
    const ALONE: bool = true;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        ShaNi::from(self).compress(state, blocks);
    }

    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain256>) {
        // The SHA instructions take 64 cycles for 64 bytes of two messages, which is the throughput of `sha256rnds2`.
        // Sixteen lanes take 28 operations a round; measured on Zen 4, that is 1060 cycles for 16 × 64 bytes. Doing both at
        // once would gain little: with its schedule, a block by instructions costs the four vector pipes as much as one in a
        // lane.
        in_lanes::<U32x16, _, _>(self.into(), queue, 14);
        ShaNi::from(self).compress_queue(queue);
    }
}

/// For CPUs without SHA-256 instructions, which hash a single message in general registers.
impl Compress256 for Avx2 {
    const LANES: usize = 8;

    #[inline(never)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || portable::compress(state, blocks),
        );
    }

    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain256>) {
        in_lanes::<U32x8, _, _>(self, queue, 3);
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

impl Compress256 for Avx512 {
    const LANES: usize = 16;

    #[inline(always)]
    fn compress(self, state: &mut [u32; 8], blocks: &[u8]) {
        Avx2::from(self).compress(state, blocks);
    }

    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain256>) {
        in_lanes::<U32x16, _, _>(self, queue, 8);
        Avx2::from(self).compress_queue(queue);
    }
}

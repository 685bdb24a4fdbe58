//! SHA-1 with the SHA instructions of Armv8.

use super::words::{self, Group, alone};
use super::{Chain160, Compress, K};
use crate::cpu::{ArmSha2, Token};
use crate::hash::Queue;
use crate::simd::aarch64::V128;

/// The state as (a, b, c, d), with a in lane 0, and e.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    abcd: V128<ArmSha2>,
    e: u32,
}

impl words::State for Halves {
    type Token = ArmSha2;
    type Words = V128<ArmSha2>;

    #[inline(always)]
    fn load(token: ArmSha2, state: &[u32; 5]) -> Self {
        let [a, b, c, d, e] = *state;
        Self { abcd: V128::load(token, &[a, b, c, d]), e }
    }

    #[inline(always)]
    fn store(self, state: &mut [u32; 5]) {
        state[4] = self.e;
        if let Some(abcd) = state.first_chunk_mut::<4>() {
            self.abcd.store(abcd);
        }
    }

    #[inline(always)]
    fn add(self, start: Self) -> Self {
        Self { abcd: self.abcd.add32(start.abcd), e: self.e.wrapping_add(start.e) }
    }

    #[inline(always)]
    fn words(token: ArmSha2, block: &[u8; 16]) -> V128<ArmSha2> {
        V128::load(token, block).reverse_bytes32()
    }

    #[inline(always)]
    fn schedule([w0, w1, w2, w3]: [V128<ArmSha2>; 4]) -> V128<ArmSha2> {
        w0.sha1_schedule0(w1, w2).sha1_schedule1(w3)
    }

    #[inline(always)]
    fn rounds4<const F: i32, const FIRST: bool>(self, w: V128<ArmSha2>) -> Self {
        let kw = w.add32(V128::splat32(w.token(), K[F as usize]));
        let abcd = match F {
            0 => self.abcd.sha1_choose4(self.e, kw),
            2 => self.abcd.sha1_majority4(self.e, kw),
            _ => self.abcd.sha1_parity4(self.e, kw),
        };
        Self { abcd, e: self.abcd.sha1_next_e() }
    }
}

impl Compress for ArmSha2 {
    const LANES: usize = 2;

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
            || queue.side_by_side(Group::<Halves, 2>::new(self), 2),
        );
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

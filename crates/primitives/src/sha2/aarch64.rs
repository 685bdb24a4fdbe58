//! SHA-256 and SHA-512 with the instructions of Armv8 and Armv8.2.

use super::word::CBRT_PRIMES;
use super::words4::{self, Pair, State256};
use super::{Chain256, Compress256, Compress512};
use crate::cpu::{ArmSha2, ArmSha3, Token};
use crate::hash::Queue;
use core::arch::aarch64::*;

// SAFETY of every block in this file: `Halves` is used inside `ArmSha2::vectorize` alone, and the
// SHA-512 functions inside `ArmSha3::vectorize`, so the CPU has the instructions; loads and stores
// are within the arrays they are given.

/// (a, b, c, d) and (e, f, g, h), each with its first word in lane 0.
#[derive(Clone, Copy)]
struct Halves {
    abcd: uint32x4_t,
    efgh: uint32x4_t,
}

impl State256 for Halves {
    type Words = uint32x4_t;

    #[inline(always)]
    fn load(state: &[u32; 8]) -> Self {
        // SAFETY: see above.
        unsafe { Self { abcd: vld1q_u32(state.as_ptr()), efgh: vld1q_u32(state.as_ptr().add(4)) } }
    }

    #[inline(always)]
    fn store(self, state: &mut [u32; 8]) {
        // SAFETY: see above.
        unsafe {
            vst1q_u32(state.as_mut_ptr(), self.abcd);
            vst1q_u32(state.as_mut_ptr().add(4), self.efgh);
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self { abcd: vaddq_u32(self.abcd, other.abcd), efgh: vaddq_u32(self.efgh, other.efgh) } }
    }

    #[inline(always)]
    fn words(block: &[u8; 16]) -> uint32x4_t {
        // SAFETY: see above.
        unsafe { vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block.as_ptr()))) }
    }

    #[inline(always)]
    fn schedule([w0, w1, w2, w3]: [uint32x4_t; 4]) -> uint32x4_t {
        // SAFETY: see above.
        unsafe { vsha256su1q_u32(vsha256su0q_u32(w0, w1), w2, w3) }
    }

    #[inline(always)]
    fn rounds4(self, w: uint32x4_t, k: &[u32; 4]) -> Self {
        // SAFETY: see above.
        unsafe {
            let kw = vaddq_u32(w, vld1q_u32(k.as_ptr()));
            Self { abcd: vsha256hq_u32(self.abcd, self.efgh, kw), efgh: vsha256h2q_u32(self.efgh, self.abcd, kw) }
        }
    }
}

impl Compress256 for ArmSha2 {
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

/// (a, b), (c, d), (e, f), (g, h) of SHA-512, each with its first word in lane 0.
type Pairs = [uint64x2_t; 4];

#[inline(always)]
fn load(words: &[u64; 2]) -> uint64x2_t {
    // SAFETY: see above.
    unsafe { vld1q_u64(words.as_ptr()) }
}

/// Two rounds of SHA-512: SHA512H makes the two t1 sums, and adding them to (c, d) and to what
/// SHA512H2 makes of (a, b) moves every pair one place.
#[inline(always)]
fn rounds2([ab, cd, ef, gh]: Pairs, w: uint64x2_t, k: &[u64; 2]) -> Pairs {
    // SAFETY: see above.
    unsafe {
        let kw = vaddq_u64(w, load(k));
        let sum = vaddq_u64(vextq_u64::<1>(kw, kw), gh);
        let t1 = vsha512hq_u64(sum, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
        [vsha512h2q_u64(t1, cd, ab), ab, vaddq_u64(cd, t1), ef]
    }
}

#[inline(always)]
fn compress512(state: &mut [u64; 8], blocks: &[u8]) {
    let (k, _) = CBRT_PRIMES.as_chunks::<2>();
    let (first, rest) = k.split_at(8);
    let (pairs, _) = state.as_chunks::<2>();
    let mut s: Pairs = [load(&pairs[0]), load(&pairs[1]), load(&pairs[2]), load(&pairs[3])];
    for block in blocks.as_chunks::<128>().0 {
        let (b, _) = block.as_chunks::<16>();
        let mut w = [load(&[0; 2]); 8];
        for i in 0..8 {
            // SAFETY: see above.
            w[i] = unsafe { vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(b[i].as_ptr()))) };
        }
        let before = s;
        for i in 0..8 {
            s = rounds2(s, w[i], &first[i]);
        }
        for k in rest.as_chunks::<8>().0 {
            for i in 0..8 {
                // SAFETY: see above.
                unsafe {
                    let middle = vextq_u64::<1>(w[(i + 4) % 8], w[(i + 5) % 8]);
                    w[i] = vsha512su1q_u64(vsha512su0q_u64(w[i], w[(i + 1) % 8]), w[(i + 7) % 8], middle);
                }
                s = rounds2(s, w[i], &k[i]);
            }
        }
        for i in 0..4 {
            // SAFETY: see above.
            s[i] = unsafe { vaddq_u64(s[i], before[i]) };
        }
    }
    for (pair, s) in state.as_chunks_mut::<2>().0.iter_mut().zip(s) {
        // SAFETY: see above.
        unsafe { vst1q_u64(pair.as_mut_ptr(), s) };
    }
}

impl Compress512 for ArmSha3 {
    #[inline(never)]
    fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || compress512(state, blocks),
        );
    }
}

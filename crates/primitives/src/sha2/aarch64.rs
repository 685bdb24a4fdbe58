//! SHA-256 and SHA-512 with the instructions of Armv8 and Armv8.2.

use super::word::CBRT_PRIMES;
use super::words4::{self, State256, alone};
use super::{Chain256, Compress256, Compress512};
use crate::cpu::{ArmSha2, ArmSha3, Token};
use crate::hash::Queue;
use crate::simd::{aarch64::V128, each};

/// The state as (a, b, c, d) and (e, f, g, h), each with its first word in lane 0.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    abcd: V128<ArmSha2>,
    efgh: V128<ArmSha2>,
}

impl State256 for Halves {
    type Token = ArmSha2;
    type Words = V128<ArmSha2>;

    #[inline(always)]
    fn load(token: ArmSha2, state: &[u32; 8]) -> Self {
        let halves = state.as_chunks::<4>().0;
        Self { abcd: V128::load(token, &halves[0]), efgh: V128::load(token, &halves[1]) }
    }

    #[inline(always)]
    fn store(self, state: &mut [u32; 8]) {
        let halves = state.as_chunks_mut::<4>().0;
        self.abcd.store(&mut halves[0]);
        self.efgh.store(&mut halves[1]);
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { abcd: self.abcd.add32(other.abcd), efgh: self.efgh.add32(other.efgh) }
    }

    #[inline(always)]
    fn words(token: ArmSha2, block: &[u8; 16]) -> V128<ArmSha2> {
        V128::load(token, block).reverse_bytes32()
    }

    #[inline(always)]
    fn schedule([w0, w1, w2, w3]: [V128<ArmSha2>; 4]) -> V128<ArmSha2> {
        w0.sha256_schedule0(w1).sha256_schedule1(w2, w3)
    }

    #[inline(always)]
    fn rounds4(self, w: V128<ArmSha2>, k: &[u32; 4]) -> Self {
        let kw = w.add32(V128::load(w.token(), k));
        Self { abcd: self.abcd.sha256_abcd(self.efgh, kw), efgh: self.efgh.sha256_efgh(self.abcd, kw) }
    }
}

impl Compress256 for ArmSha2 {
    const LANES: usize = 2;

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

/// The state of SHA-512 as (a, b), (c, d), (e, f), (g, h), each with its first word in lane 0.
type Twos = [V128<ArmSha3>; 4];

/// The second word of `a`, then the first word of `b`.
#[inline(always)]
fn middle(a: V128<ArmSha3>, b: V128<ArmSha3>) -> V128<ArmSha3> {
    a.align_bytes::<8>(b)
}

/// Two rounds of SHA-512. SHA512H computes both sums t1. Adding them to (c, d), and to what SHA512H2 makes of (a, b),
/// moves every pair of words by one place.
#[inline(always)]
fn rounds2([ab, cd, ef, gh]: Twos, w: V128<ArmSha3>, k: &[u64; 2]) -> Twos {
    let kw = w.add64(V128::load(w.token(), k));
    let sum = middle(kw, kw).add64(gh);
    let t1 = sum.sha512_rounds(middle(ef, gh), middle(cd, ef));
    [t1.sha512_rounds2(cd, ab), ab, cd.add64(t1), ef]
}

#[inline(always)]
fn compress512(token: ArmSha3, state: &mut [u64; 8], blocks: &[u8]) {
    let (k, _) = CBRT_PRIMES.as_chunks::<2>();
    let (first, rest) = k.split_at(8);
    let (twos, _) = state.as_chunks_mut::<2>();
    let mut s: Twos = each([0, 1, 2, 3], |i| V128::load(token, &twos[i]));
    for block in blocks.as_chunks::<128>().0 {
        let (b, _) = block.as_chunks::<16>();
        let mut w = [V128::zero(token); 8];
        for i in 0..8 {
            w[i] = V128::load(token, &b[i]).reverse_bytes64();
        }
        let before = s;
        for i in 0..8 {
            s = rounds2(s, w[i], &first[i]);
        }
        for k in rest.as_chunks::<8>().0 {
            for i in 0..8 {
                let between = middle(w[(i + 4) % 8], w[(i + 5) % 8]);
                w[i] = w[i].sha512_schedule0(w[(i + 1) % 8]).sha512_schedule1(w[(i + 7) % 8], between);
                s = rounds2(s, w[i], &k[i]);
            }
        }
        for i in 0..4 {
            s[i] = s[i].add64(before[i]);
        }
    }
    for (two, s) in twos.iter_mut().zip(s) {
        s.store(two);
    }
}

impl Compress512 for ArmSha3 {
    #[inline(never)]
    fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || compress512(self, state, blocks),
        );
    }
}

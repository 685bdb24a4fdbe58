//! SHA-512 on x86: the rounds in general registers, the schedule in vectors beside them.
//!
//! Most x86 CPUs have no SHA-512 instructions. The eighty rounds take about twenty instructions each in general
//! registers and leave the vector units idle, so these compute the schedule. A vector holds two words of a block: word
//! t needs word t-2, so only two can be computed at once. The upper half of a 256-bit vector holds a second block,
//! whose schedule then costs nothing more. The rounds of the first block run beside the schedule; those of the second
//! read what was stored. A last block without a neighbour takes itself as the second.
//!
//! A round is written in assembly. Its speed depends on the order of its instructions, which the compiler changes. With
//! a, b and c in vectors, where AVX-512 needs fewer operations for them, a round took 5.9 cycles on Zen 4, but 8.1 on
//! Zen 5, whose vector operations take two cycles each.

use super::word::{CBRT_PRIMES, times16};
#[cfg(miri)]
use super::word::{big_sigma0, big_sigma1};
use super::{Chain512, Compress512};
use crate::cpu::{Avx2, Avx512, HasAvx2, Token};
use crate::hash::{Queue, in_lanes};
use crate::lanes::{Lanes, U64x4, U64x8, Word};
use crate::simd::x86::{V128, V256};
use crate::simd::{each, opaque64};
use core::marker::PhantomData;

/// A state in general registers. In round t its words are not moved but renamed: (a, …, h) = s[-t..], indices modulo 8.
struct State<T> {
    token: PhantomData<T>,
    s: [u64; 8],
    /// b ^ c, which the majority of the next round needs.
    bc: u64,
}

impl<T: HasAvx2> State<T> {
    #[inline(always)]
    fn new(_: T, s: &[u64; 8]) -> Self {
        Self { token: PhantomData, s: *s, bc: s[1] ^ s[2] }
    }

    /// [`round`](super::word::round) t, with its instructions in an order that the compiler keeps.
    ///
    /// Otherwise the compiler gathers the schedule's vectors in one place and postpones the new a of four rounds. Σ1 is
    /// added to d and to h: with `d += h` after it, a round had one addition fewer, but the next e waited for both. Σ0 and
    /// the majority follow, because only the next a waits for them. This order was found by moving instructions and
    /// measuring: on Granite Rapids, a round takes 6.1 cycles in a loop of rounds, and 7.0 in an order that was found on
    /// Zen 4, where Σ1 was added to h alone.
    #[inline(always)]
    fn round(&mut self, t: usize, kw: u64) {
        let at = |i: usize| (i + 7 * t) % 8;
        let [a, b, e, f, g] = each([0, 1, 4, 5, 6], |i| self.s[at(i)]);
        let (mut d, mut h) = (self.s[at(3)], Word::add(self.s[at(7)], kw));
        // SAFETY: the instructions access only registers. Those of BMI1 and BMI2 exist because the token proves AVX2,
        // which is detected only together with them (see `Feature::Avx2`).
        #[cfg(not(miri))]
        unsafe {
            core::arch::asm!(
                "rorx {x}, {e}, 14",
                "mov {y}, {e}",
                "rorx {z}, {e}, 18",
                "and {y}, {f}",
                "add {h}, {y}",
                "xor {x}, {z}",
                "andn {y}, {e}, {g}",
                "rorx {z}, {e}, 41",
                "add {h}, {y}",
                "xor {x}, {z}",
                "add {d}, {h}",
                "add {d}, {x}",
                "rorx {y}, {a}, 28",
                "mov {z}, {a}",
                "xor {z}, {b}",
                "add {h}, {x}",
                "and {bc}, {z}",
                "rorx {x}, {a}, 34",
                "xor {y}, {x}",
                "rorx {x}, {a}, 39",
                "xor {bc}, {b}",
                "add {h}, {bc}",
                "xor {y}, {x}",
                "add {h}, {y}",
                a = in(reg) a, b = in(reg) b, e = in(reg) e, f = in(reg) f, g = in(reg) g,
                d = inout(reg) d, h = inout(reg) h, bc = inout(reg) self.bc => _,
                x = out(reg) _, y = out(reg) _, z = out(reg) self.bc,
                options(nomem, nostack)
            );
        }
        #[cfg(miri)]
        {
            h = Word::add(h.add_choice(e, f, g), big_sigma1(e));
            d = Word::add(d, h);
            h = Word::add(Word::add(h, a.majority(b, b ^ self.bc)), big_sigma0(a));
            self.bc = a ^ b;
        }
        (self.s[at(3)], self.s[at(7)]) = (d, h);
    }

    /// Adds the state after a number of rounds that is a multiple of eight to `state`.
    #[inline(always)]
    fn add_to(&self, state: &mut [u64; 8]) {
        for (state, s) in state.iter_mut().zip(self.s) {
            *state = Word::add(*state, opaque64(s));
        }
    }
}

/// k + w of sixteen rounds, in pairs of rounds, for a block and for its neighbour.
type Sixteen = [[[u64; 2]; 2]; 8];

/// k + w of all rounds, aligned so that no vector straddles two cache lines.
#[repr(align(32))]
struct Schedule([Sixteen; 5]);

/// Absorbs `blocks`, whose length is a multiple of 128 bytes.
#[inline(always)]
fn compress<T: HasAvx2>(token: T, state: &mut [u64; 8], blocks: &[u8]) {
    let (k, _) = CBRT_PRIMES.as_chunks::<2>();
    let Schedule(kw) = &mut Schedule([[[[0; 2]; 2]; 8]; 5]);
    for pair in blocks.as_chunks::<128>().0.chunks(2) {
        let (words, neighbours) = (pair[0].as_chunks::<16>().0, pair[pair.len() - 1].as_chunks::<16>().0);
        let mut w = [TwoWords::load(token, &words[0], &neighbours[0]); 8];
        for i in 0..8 {
            w[i] = TwoWords::load(token, &words[i], &neighbours[i]);
            w[i].add(TwoWords::splat(token, &k[i])).store(&mut kw[0][i]);
        }
        let mut s = State::new(token, state);
        for i in 0..4 {
            let (kw, next) = kw.split_at_mut(i + 1);
            let (kw, next) = (&kw[i], &mut next[0]);
            times16!(I => {
                const J: usize = I / 2;
                if I.is_multiple_of(2) {
                    let sum = w[J].add(w[(J + 4) % 8].middle(w[(J + 5) % 8]));
                    let sum = sum.add(w[J].middle(w[(J + 1) % 8]).small_sigma0());
                    w[J] = sum.add(w[(J + 7) % 8].small_sigma1());
                    w[J].add(TwoWords::splat(token, &k[8 * i + 8 + J])).store(&mut next[J]);
                }
                s.round(I, kw[J][0][I % 2]);
            });
        }
        times16!(I => s.round(I, kw[4][I / 2][0][I % 2]));
        s.add_to(state);

        if pair.len() == 2 {
            let mut s = State::new(token, state);
            for kw in &*kw {
                times16!(I => s.round(I, kw[I / 2][1][I % 2]));
            }
            s.add_to(state);
        }
    }
}

/// Two words of a block's schedule, and the same two words of its neighbour's.
#[derive(Clone, Copy)]
struct TwoWords<T>(V256<T>);

impl<T: HasAvx2> TwoWords<T> {
    /// Loads two big-endian words of each block.
    #[inline(always)]
    fn load(token: T, words: &[u8; 16], neighbours: &[u8; 16]) -> Self {
        const SWAP: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];
        let both = V256::of_halves(token, V128::load(token, words), V128::load(token, neighbours));
        Self(both.shuffle_bytes(V256::splat_block(token, &SWAP)))
    }

    /// The same two words for both blocks.
    #[inline(always)]
    fn splat(token: T, words: &[u64; 2]) -> Self {
        Self(V256::splat_block(token, words))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add64(other.0))
    }

    /// The second word of `self`, then the first word of `next`.
    #[inline(always)]
    fn middle(self, next: Self) -> Self {
        Self(next.0.align_bytes::<8>(self.0))
    }

    #[inline(always)]
    fn small_sigma0(self) -> Self {
        self.sigma::<1, 63, 8, 56, 7>()
    }

    #[inline(always)]
    fn small_sigma1(self) -> Self {
        self.sigma::<19, 45, 61, 3, 6>()
    }

    /// The words rotated right by `R1` and by `R2` and shifted right by `S`, all three xored. `L1` and `L2` are 64
    /// minus the rotations, for CPUs where a rotation is two shifts.
    #[inline(always)]
    fn sigma<const R1: i32, const L1: i32, const R2: i32, const L2: i32, const S: i32>(self) -> Self {
        let v = self.0;
        let shifted = v.shr64::<S>();
        Self(match v.token().avx512() {
            Some(token) => {
                let v = v.proven_by(token);
                let sum = v.ror64::<R1>().xor3(v.ror64::<R2>(), shifted.proven_by(token));
                sum.proven_by(self.0.token())
            }
            None => {
                let one = v.shr64::<R1>().xor(v.shl64::<L1>());
                let two = v.shr64::<R2>().xor(v.shl64::<L2>());
                one.xor(shifted).xor(two)
            }
        })
    }

    /// Stores the words of both blocks.
    #[inline(always)]
    fn store(self, to: &mut [[u64; 2]; 2]) {
        self.0.store(to);
    }
}

macro_rules! driver {
    ($Token:ty, $V:ty, $worth:literal) => {
        impl Compress512 for $Token {
            const LANES: usize = <$V>::COUNT;

            #[inline(never)]
            fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
                self.vectorize(
                    #[inline(always)]
                    || compress(self, state, blocks),
                );
            }

            fn compress_queue(self, queue: &mut Queue<'_, '_, Chain512>) {
                in_lanes::<$V, _, _>(self, queue, $worth);
                queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
            }
        }
    };
}
driver!(Avx2, U64x4, 3);
driver!(Avx512, U64x8, 3);

//! SHA-512 on x86: the rounds in general registers, the schedule in vectors beside them.
//!
//! x86 has no SHA-512 instructions in most CPUs. The eighty rounds take some twenty instructions
//! each in general registers and leave the vector units idle, so those compute the schedule. A
//! vector holds two words of a block, because word t needs word t-2 and two is all that can be
//! computed at once; with a second block in the upper half of a 256-bit vector, its schedule costs
//! nothing more. The rounds of the first block run beside the schedule, those of the second read
//! what was stored. A last block without a neighbour is its own.
//!
//! The order of additions is what the compiler likes to change, and pins keep: an empty `asm!` that a value
//! passes through.

use super::lanes::InLanes;
use super::word::{CBRT_PRIMES, big_sigma1, round, times16};
use super::{Chain512, Compress512};
use crate::cpu::{Avx2, Avx512, HasAvx2, Token};
use crate::hash::Queue;
use crate::lanes::{Lanes, U64x4, U64x8, Word};
use crate::simd::x86::{V128, V256};
use crate::simd::{each, maybe_written, opaque};

/// The working state of the rounds.
trait Working<T>: Copy {
    fn new(token: T, state: &[u64; 8]) -> Self;

    /// Round t on a state whose words have moved t places, as in [`round`], of the block `BLOCK` of two.
    fn round<const BLOCK: usize>(&mut self, t: usize, kw: &mut Sixteen);

    /// Adds what the rounds, a multiple of eight, have made of the state.
    fn add_to(&self, state: &mut [u64; 8]);
}

impl<T> Working<T> for [u64; 8] {
    #[inline(always)]
    fn new(_: T, state: &[u64; 8]) -> Self {
        each(*state, pin)
    }

    #[inline(always)]
    fn round<const BLOCK: usize>(&mut self, t: usize, kw: &mut Sixteen) {
        round(self, t, kw[t / 2][BLOCK][t % 2]);
    }

    #[inline(always)]
    fn add_to(&self, state: &mut [u64; 8]) {
        for (state, s) in state.iter_mut().zip(self) {
            *state = Word::add(*state, pin(*s));
        }
    }
}

/// Half a state in vectors, AVX-512: Σ0 and maj of a, b and c are four operations there instead of eight and
/// keep off the ports of the general registers, which are what the rounds wait for.
///
/// With e' = d + t1 the new a is e' + Σ0(a) + (maj(a, b, c) - d), so that e' is all that goes over to the vectors. It
/// waits for e no longer than for Σ1 and an addition, or ch and two. The new a comes back and has three rounds' time until
/// it is d. Measured on Zen 4, of the 7.4 cycles a round that t1 going over took: this order 6.7, e' going by way of
/// memory (see [`through_memory`]) 6.3, and 5.9 with a state that the compiler does not gather into a vector between
/// sixteen rounds and the next.
#[derive(Clone, Copy)]
struct Mixed {
    /// (a, b, c, d), in the first lane of vectors and in general registers.
    vectors: [V128<Avx512>; 4],
    abcd: [u64; 4],
    efgh: [u64; 4],
}

impl Working<Avx512> for Mixed {
    #[inline(always)]
    fn new(token: Avx512, state: &[u64; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = each(*state, pin);
        let vectors = each([a, b, c, d], |word| V128::first64(token, word));
        Self { vectors, abcd: [a, b, c, d], efgh: [e, f, g, h] }
    }

    #[inline(always)]
    fn round<const BLOCK: usize>(&mut self, t: usize, kw: &mut Sixteen) {
        let [first, second, third, last] = each([0, 1, 2, 3], |i| (i + 3 * t) % 4);
        let [e, f, g, h] = each([first, second, third, last], |i| self.efgh[i]);
        let [a, b, c, d] = each([first, second, third, last], |i| self.vectors[i]);
        let early = pin(h.add(kw[t / 2][BLOCK][t % 2]).add(self.abcd[last]));
        let next = pin(early.add(((f ^ g) & e) ^ g)).add(big_sigma1(e));
        self.efgh[last] = next;
        let majority = a.ternary::<MAJORITY>(b, c).sub64(d);
        let sigma0 = a.ror64::<28>().xor3(a.ror64::<34>(), a.ror64::<39>());
        let next = through_memory(a.token(), kw, 4 * (t / 2) + 2 * BLOCK + t % 2, next);
        let a = next.add64(majority).opaque().add64(sigma0);
        self.vectors[last] = a;
        self.abcd[last] = a.low64();
    }

    #[inline(always)]
    fn add_to(&self, state: &mut [u64; 8]) {
        for (state, s) in state.iter_mut().zip(self.abcd.iter().chain(&self.efgh)) {
            *state = Word::add(*state, pin(*s));
        }
    }
}

/// The truth table of the majority.
const MAJORITY: i32 = 0xe8;

/// `word`, as one that the compiler knows nothing about.
#[inline(always)]
fn pin(word: u64) -> u64 {
    opaque(word as usize) as u64
}

/// `word` as a vector, by way of word `i` of `kw`, which has been used.
///
/// A store and a load take longer than the instruction from one kind of register to the other, but leave alone the
/// ports that the rotations of vectors wait for, and there is time: rounds take 5.7 cycles in place of 6.1.
#[inline(always)]
fn through_memory(token: Avx512, kw: &mut Sixteen, i: usize, word: u64) -> V128<Avx512> {
    let words = kw.as_flattened_mut().as_flattened_mut();
    words[i] = word;
    maybe_written(words);
    V128::first64(token, words[i])
}

/// k + w of sixteen rounds, two rounds at a time, of a block and of its neighbour.
type Sixteen = [[[u64; 2]; 2]; 8];

/// Those of all rounds, where no vector crosses a line of the cache.
#[repr(align(32))]
struct Schedule([Sixteen; 5]);

/// Absorbs `blocks`, a multiple of 128 bytes, by vectors that rotate in one instruction (AVX-512) or not.
#[inline(always)]
fn compress<T: HasAvx2, S: Working<T>>(token: T, state: &mut [u64; 8], blocks: &[u8]) {
    let (k, _) = CBRT_PRIMES.as_chunks::<2>();
    let Schedule(kw) = &mut Schedule([[[[0; 2]; 2]; 8]; 5]);
    for pair in blocks.as_chunks::<128>().0.chunks(2) {
        let (words, neighbours) = (pair[0].as_chunks::<16>().0, pair[pair.len() - 1].as_chunks::<16>().0);
        let mut w = [TwoWords::load(token, &words[0], &neighbours[0]); 8];
        for i in 0..8 {
            w[i] = TwoWords::load(token, &words[i], &neighbours[i]);
            w[i].add(TwoWords::splat(token, &k[i])).store(&mut kw[0][i]);
        }
        let mut s = S::new(token, state);
        for i in 0..4 {
            let (kw, next) = kw.split_at_mut(i + 1);
            let (kw, next) = (&mut kw[i], &mut next[0]);
            times16!(I => {
                const J: usize = I / 2;
                if I.is_multiple_of(2) {
                    let sum = w[J].add(w[(J + 4) % 8].middle(w[(J + 5) % 8]));
                    let sum = sum.add(w[J].middle(w[(J + 1) % 8]).small_sigma0());
                    w[J] = sum.add(w[(J + 7) % 8].small_sigma1());
                    w[J].add(TwoWords::splat(token, &k[8 * i + 8 + J])).store(&mut next[J]);
                }
                s.round::<0>(I, kw);
            });
        }
        times16!(I => s.round::<0>(I, &mut kw[4]));
        s.add_to(state);

        if pair.len() == 2 {
            let mut s = S::new(token, state);
            for kw in &mut *kw {
                times16!(I => s.round::<1>(I, kw));
            }
            s.add_to(state);
        }
    }
}

/// Two words of the schedule of a block, and the same two of its neighbour.
#[derive(Clone, Copy)]
struct TwoWords<T>(V256<T>);

impl<T: HasAvx2> TwoWords<T> {
    /// Two big-endian words of each block.
    #[inline(always)]
    fn load(token: T, words: &[u8; 16], neighbours: &[u8; 16]) -> Self {
        const SWAP: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];
        let both = V256::of_halves(token, V128::load(token, words), V128::load(token, neighbours));
        Self(both.shuffle_bytes(V256::splat_block(token, &SWAP)))
    }

    /// The same two words for each block.
    #[inline(always)]
    fn splat(token: T, words: &[u64; 2]) -> Self {
        Self(V256::splat_block(token, words))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add64(other.0))
    }

    /// The second word of `self` and the first of `next`.
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

    /// Words rotated right by `R1` and by `R2`, and shifted right by `S`, xored; `L1` and `L2` are
    /// 64 less the rotations, for shifts the other way.
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

    /// Writes the words of both blocks.
    #[inline(always)]
    fn store(self, to: &mut [[u64; 2]; 2]) {
        self.0.store(to);
    }
}

macro_rules! driver {
    ($Token:ty, $Working:ty, $V:ty, $worth:literal) => {
        impl Compress512 for $Token {
            const LANES: usize = <$V>::COUNT;

            #[inline(never)]
            fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
                self.vectorize(
                    #[inline(always)]
                    || compress::<_, $Working>(self, state, blocks),
                );
            }

            #[inline(never)]
            fn compress_many(self, queue: &mut Queue<'_, '_, Chain512>) {
                self.vectorize(
                    #[inline(always)]
                    || queue.side_by_side(InLanes::<$V>::new(self), $worth),
                );
                queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
            }
        }
    };
}
driver!(Avx2, [u64; 8], U64x4, 3);
driver!(Avx512, Mixed, U64x8, 3);

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
use crate::cpu::{Avx2, Avx512, Token};
use crate::hash::Queue;
use crate::lanes::{Lanes, U64x4, U64x8, Word};
use crate::simd::each;
use core::arch::{asm, x86_64::*};

/// The working state of the rounds.
trait Working: Copy {
    fn new(state: &[u64; 8]) -> Self;

    /// Round t on a state whose words have moved t places, as in [`round`], of the block `BLOCK` of two.
    fn round<const BLOCK: usize>(&mut self, t: usize, kw: &mut Sixteen);

    /// Adds what the rounds, a multiple of eight, have made of the state.
    fn add_to(&self, state: &mut [u64; 8]);
}

impl Working for [u64; 8] {
    #[inline(always)]
    fn new(state: &[u64; 8]) -> Self {
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
    vectors: [__m128i; 4],
    abcd: [u64; 4],
    efgh: [u64; 4],
}

impl Working for Mixed {
    #[inline(always)]
    fn new(state: &[u64; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = each(*state, pin);
        // SAFETY: see the end of this file.
        let vectors = unsafe { each([a, b, c, d], |word| _mm_cvtsi64_si128(word.cast_signed())) };
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
        // SAFETY: see the end of this file. 0x96 is the truth table of three-way xor, 0xe8 that of the majority.
        unsafe {
            let majority = _mm_sub_epi64(_mm_ternarylogic_epi64::<0xe8>(a, b, c), d);
            let sigma0 =
                _mm_ternarylogic_epi64::<0x96>(_mm_ror_epi64::<28>(a), _mm_ror_epi64::<34>(a), _mm_ror_epi64::<39>(a));
            let next = through_memory(kw, 4 * (t / 2) + 2 * BLOCK + t % 2, next);
            let a = _mm_add_epi64(pin_vector(_mm_add_epi64(next, majority)), sigma0);
            self.vectors[last] = a;
            self.abcd[last] = _mm_cvtsi128_si64(a).cast_unsigned();
        }
    }

    #[inline(always)]
    fn add_to(&self, state: &mut [u64; 8]) {
        for (state, s) in state.iter_mut().zip(self.abcd.iter().chain(&self.efgh)) {
            *state = Word::add(*state, pin(*s));
        }
    }
}

/// `word`, as one that the compiler knows nothing about.
#[inline(always)]
fn pin(mut word: u64) -> u64 {
    // SAFETY: no instruction.
    #[cfg(not(miri))]
    unsafe {
        asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags))
    };
    word
}

/// The same for a vector.
#[inline]
#[target_feature(enable = "sse2")]
fn pin_vector(mut vector: __m128i) -> __m128i {
    // SAFETY: no instruction.
    #[cfg(not(miri))]
    unsafe {
        asm!("/* {0} */", inout(xmm_reg) vector, options(pure, nomem, nostack, preserves_flags))
    };
    vector
}

/// `word` as a vector, by way of word `i` of `kw`, which has been used.
///
/// A store and a load take longer than the instruction from one kind of register to the other, but leave alone the
/// ports that the rotations of vectors wait for, and there is time: rounds take 5.7 cycles in place of 6.1.
#[inline]
#[target_feature(enable = "sse2")]
fn through_memory(kw: &mut Sixteen, i: usize, word: u64) -> __m128i {
    let words = kw.as_flattened_mut().as_flattened_mut();
    words[i] = word;
    let words = words.as_mut_ptr();
    // SAFETY: no instruction, but as far as the compiler knows it may write to `kw`, where word `i` is.
    unsafe {
        #[cfg(not(miri))]
        asm!("/* {0} */", in(reg) words, options(nostack, preserves_flags));
        _mm_loadl_epi64(words.add(i).cast())
    }
}

/// k + w of sixteen rounds, two rounds at a time, of a block and of its neighbour.
type Sixteen = [[[u64; 2]; 2]; 8];

/// Those of all rounds, where no vector crosses a line of the cache.
#[repr(align(32))]
struct Schedule([Sixteen; 5]);

/// Absorbs `blocks`, a multiple of 128 bytes, by vectors that rotate in one instruction (AVX-512) or not.
#[inline(always)]
fn compress<S: Working, const ROTATES: bool>(state: &mut [u64; 8], blocks: &[u8]) {
    let (k, _) = CBRT_PRIMES.as_chunks::<2>();
    let Schedule(kw) = &mut Schedule([[[[0; 2]; 2]; 8]; 5]);
    for pair in blocks.as_chunks::<128>().0.chunks(2) {
        let (words, neighbours) = (pair[0].as_chunks::<16>().0, pair[pair.len() - 1].as_chunks::<16>().0);
        let mut w = [Pairs::<ROTATES>::load(&words[0], &neighbours[0]); 8];
        for i in 0..8 {
            w[i] = Pairs::load(&words[i], &neighbours[i]);
            w[i].add(Pairs::splat(&k[i])).store(&mut kw[0][i]);
        }
        let mut s = S::new(state);
        for i in 0..4 {
            let (kw, next) = kw.split_at_mut(i + 1);
            let (kw, next) = (&mut kw[i], &mut next[0]);
            times16!(I => {
                const J: usize = I / 2;
                if I.is_multiple_of(2) {
                    let sum = w[J].add(w[(J + 4) % 8].middle(w[(J + 5) % 8]));
                    let sum = sum.add(w[J].middle(w[(J + 1) % 8]).small_sigma0());
                    w[J] = sum.add(w[(J + 7) % 8].small_sigma1());
                    w[J].add(Pairs::splat(&k[8 * i + 8 + J])).store(&mut next[J]);
                }
                s.round::<0>(I, kw);
            });
        }
        times16!(I => s.round::<0>(I, &mut kw[4]));
        s.add_to(state);

        if pair.len() == 2 {
            let mut s = S::new(state);
            for kw in &mut *kw {
                times16!(I => s.round::<1>(I, kw));
            }
            s.add_to(state);
        }
    }
}

/// Two words of the schedule of a block, and the same two of its neighbour.
#[derive(Clone, Copy)]
struct Pairs<const ROTATES: bool>(__m256i);

// SAFETY of every block in this file: `Pairs` and `Mixed` are used inside the `vectorize` of a token with AVX2, and with
// AVX-512 if they rotate; loads and stores are within the arrays they are given.

impl<const ROTATES: bool> Pairs<ROTATES> {
    /// Two big-endian words of each block.
    #[inline(always)]
    fn load(words: &[u8; 16], neighbours: &[u8; 16]) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let (first, second) = (_mm_loadu_si128(words.as_ptr().cast()), _mm_loadu_si128(neighbours.as_ptr().cast()));
            let swap = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
            _mm256_shuffle_epi8(_mm256_set_m128i(second, first), _mm256_broadcastsi128_si256(swap))
        })
    }

    /// The same two words for each block.
    #[inline(always)]
    fn splat(words: &[u64; 2]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(words.as_ptr().cast())) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    /// The second word of `self` and the first of `next`.
    #[inline(always)]
    fn middle(self, next: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_alignr_epi8::<8>(next.0, self.0) })
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
        // SAFETY: see above. 0x96 is the truth table of three-way xor.
        Self(unsafe {
            if ROTATES {
                let (one, two) = (_mm256_ror_epi64::<R1>(v), _mm256_ror_epi64::<R2>(v));
                _mm256_ternarylogic_epi64::<0x96>(one, two, _mm256_srli_epi64::<S>(v))
            } else {
                let one = _mm256_xor_si256(_mm256_srli_epi64::<R1>(v), _mm256_slli_epi64::<L1>(v));
                let two = _mm256_xor_si256(_mm256_srli_epi64::<R2>(v), _mm256_slli_epi64::<L2>(v));
                _mm256_xor_si256(_mm256_xor_si256(one, _mm256_srli_epi64::<S>(v)), two)
            }
        })
    }

    /// Writes the words of both blocks.
    #[inline(always)]
    fn store(self, to: &mut [[u64; 2]; 2]) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) };
    }
}

macro_rules! driver {
    ($Token:ty, $Working:ty, $rotates:literal, $V:ty, $worth:literal) => {
        impl Compress512 for $Token {
            const LANES: usize = <$V>::COUNT;

            #[inline(never)]
            fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
                self.vectorize(
                    #[inline(always)]
                    || compress::<$Working, $rotates>(state, blocks),
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
driver!(Avx2, [u64; 8], false, U64x4, 3);
driver!(Avx512, Mixed, true, U64x8, 3);

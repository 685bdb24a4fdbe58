//! SHA-512 on x86: the rounds in general registers, the schedule in vectors beside them.
//!
//! x86 has no SHA-512 instructions in most CPUs. The eighty rounds take some twenty instructions
//! each in general registers and leave the vector units idle, so those compute the schedule. A
//! vector holds two words of each of `BLOCKS` blocks, because word t needs word t-2 and two is all
//! that can be computed at once; with two blocks in a 256-bit vector, the second block's schedule
//! costs nothing more. The rounds of the first block run beside the schedule, those of the second
//! read what was stored.

use super::Compress512;
use super::portable::{round, times16};
use super::word::{CBRT_PRIMES, Word};
use crate::cpu::{Avx2, Avx512, Token};
use core::arch::x86_64::*;

/// Two words of the schedule of each of `BLOCKS` blocks.
///
/// Implementations are used inside the `vectorize` of a token that has their instructions.
trait Pairs: Copy {
    const BLOCKS: usize;

    /// Words 2i and 2i+1 of each block; `blocks` holds them one after another.
    fn load(blocks: &[u8], i: usize) -> Self;

    /// The same two words for each block.
    fn splat(words: &[u64; 2]) -> Self;

    fn add(self, other: Self) -> Self;

    /// The second word of `self` and the first of `next`.
    fn middle(self, next: Self) -> Self;

    fn small_sigma0(self) -> Self;

    fn small_sigma1(self) -> Self;

    /// Writes the words of the first block to `first`, and those of a second to `second`.
    fn store(self, first: &mut [u64; 2], second: &mut [u64; 2]);
}

/// Absorbs whole groups of `V::BLOCKS` blocks, and returns the rest.
#[inline(always)]
fn compress<'a, V: Pairs>(state: &mut [u64; 8], mut blocks: &'a [u8]) -> &'a [u8] {
    if blocks.len() < 128 * V::BLOCKS {
        return blocks;
    }
    let (k, _) = CBRT_PRIMES.as_chunks::<2>();
    // k + w of all rounds, in pairs.
    let (mut first, mut second) = ([[0; 2]; 40], [[0; 2]; 40]);
    while let Some((group, rest)) = blocks.split_at_checked(128 * V::BLOCKS) {
        blocks = rest;
        let mut w = [V::load(group, 0); 8];
        for i in 0..8 {
            w[i] = V::load(group, i);
            w[i].add(V::splat(&k[i])).store(&mut first[i], &mut second[i]);
        }
        let mut s = *state;
        for now in (0..32).step_by(8) {
            let next = now + 8;
            times16!(I => {
                const J: usize = I / 2;
                if I % 2 == 0 {
                    let sum = w[J].add(w[(J + 4) % 8].middle(w[(J + 5) % 8]));
                    let sum = sum.add(w[J].middle(w[(J + 1) % 8]).small_sigma0());
                    w[J] = sum.add(w[(J + 7) % 8].small_sigma1());
                    w[J].add(V::splat(&k[next + J])).store(&mut first[next + J], &mut second[next + J]);
                }
                round(&mut s, I, first[now + J][I % 2]);
            });
        }
        times16!(I => round(&mut s, I, first[32 + I / 2][I % 2]));
        add(state, s);

        if V::BLOCKS == 2 {
            let mut s = *state;
            for kw in second.as_chunks::<8>().0 {
                times16!(I => round(&mut s, I, kw[I / 2][I % 2]));
            }
            add(state, s);
        }
    }
    blocks
}

#[inline(always)]
fn add(state: &mut [u64; 8], s: [u64; 8]) {
    for (state, s) in state.iter_mut().zip(s) {
        *state = Word::add(*state, s);
    }
}

// SAFETY of every block below: `Pairs` is used inside the `vectorize` of a token with AVX2, or with
// AVX-512 for the vectors that rotate by it; loads and stores are within the arrays they are given.

/// One block; `ROTATES` where the CPU has AVX-512.
#[derive(Clone, Copy)]
struct One<const ROTATES: bool>(__m128i);

/// Two blocks; `ROTATES` where the CPU has AVX-512.
#[derive(Clone, Copy)]
struct Two<const ROTATES: bool>(__m256i);

/// σ0 and σ1 by two rotations and a shift, or by five shifts.
macro_rules! sigmas {
    ($xor:ident, $srl:ident, $sll:ident, $ror:ident, $ternary:ident) => {
        #[inline(always)]
        fn small_sigma0(self) -> Self {
            sigma!(self, 1, 63, 8, 56, 7; $xor, $srl, $sll, $ror, $ternary)
        }

        #[inline(always)]
        fn small_sigma1(self) -> Self {
            sigma!(self, 19, 45, 61, 3, 6; $xor, $srl, $sll, $ror, $ternary)
        }
    };
}

macro_rules! sigma {
    ($v:expr, $r1:literal, $l1:literal, $r2:literal, $l2:literal, $s:literal;
     $xor:ident, $srl:ident, $sll:ident, $ror:ident, $ternary:ident) => {{
        let v = $v.0;
        // SAFETY: see above. 0x96 is the truth table of three-way xor.
        Self(unsafe {
            if ROTATES {
                $ternary::<0x96>($ror::<$r1>(v), $ror::<$r2>(v), $srl::<$s>(v))
            } else {
                let one = $xor($srl::<$r1>(v), $sll::<$l1>(v));
                $xor($xor(one, $srl::<$s>(v)), $xor($srl::<$r2>(v), $sll::<$l2>(v)))
            }
        })
    }};
}

/// The bytes of two big-endian words, in the order of the machine.
#[inline(always)]
fn swap() -> __m128i {
    // SAFETY: see above.
    unsafe { _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7) }
}

impl<const ROTATES: bool> Pairs for One<ROTATES> {
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn load(blocks: &[u8], i: usize) -> Self {
        let words = &blocks.as_chunks::<16>().0[i];
        // SAFETY: see above.
        Self(unsafe { _mm_shuffle_epi8(_mm_loadu_si128(words.as_ptr().cast()), swap()) })
    }

    #[inline(always)]
    fn splat(words: &[u64; 2]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn middle(self, next: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_alignr_epi8::<8>(next.0, self.0) })
    }

    sigmas!(_mm_xor_si128, _mm_srli_epi64, _mm_slli_epi64, _mm_ror_epi64, _mm_ternarylogic_epi64);

    #[inline(always)]
    fn store(self, first: &mut [u64; 2], _: &mut [u64; 2]) {
        // SAFETY: see above.
        unsafe { _mm_storeu_si128(first.as_mut_ptr().cast(), self.0) };
    }
}

impl<const ROTATES: bool> Pairs for Two<ROTATES> {
    const BLOCKS: usize = 2;

    #[inline(always)]
    fn load(blocks: &[u8], i: usize) -> Self {
        let (words, _) = blocks.as_chunks::<16>();
        // SAFETY: see above.
        Self(unsafe {
            let first = _mm_loadu_si128(words[i].as_ptr().cast());
            let second = _mm_loadu_si128(words[8 + i].as_ptr().cast());
            _mm256_shuffle_epi8(_mm256_set_m128i(second, first), _mm256_broadcastsi128_si256(swap()))
        })
    }

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

    #[inline(always)]
    fn middle(self, next: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_alignr_epi8::<8>(next.0, self.0) })
    }

    sigmas!(_mm256_xor_si256, _mm256_srli_epi64, _mm256_slli_epi64, _mm256_ror_epi64, _mm256_ternarylogic_epi64);

    #[inline(always)]
    fn store(self, first: &mut [u64; 2], second: &mut [u64; 2]) {
        // SAFETY: see above.
        unsafe {
            _mm_storeu_si128(first.as_mut_ptr().cast(), _mm256_castsi256_si128(self.0));
            _mm_storeu_si128(second.as_mut_ptr().cast(), _mm256_extracti128_si256::<1>(self.0));
        }
    }
}

impl Compress512 for Avx2 {
    #[inline(never)]
    fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || {
                let rest = compress::<Two<false>>(state, blocks);
                compress::<One<false>>(state, rest);
            },
        );
    }
}

impl Compress512 for Avx512 {
    #[inline(never)]
    fn compress(self, state: &mut [u64; 8], blocks: &[u8]) {
        self.vectorize(
            #[inline(always)]
            || {
                let rest = compress::<Two<true>>(state, blocks);
                compress::<One<true>>(state, rest);
            },
        );
    }
}

//! 256- and 512-bit vectors of x86-64.
//!
//! Zen 4 does a 512-bit operation in two cycles of one of four pipes, and rotates in two of the pipes. 256-bit
//! vectors with AVX-512's rotations and logic could be as fast there: with half the messages in flight the latency of
//! the rounds shows, and SHA-256 was 7 % slower (SHA-1 6 %, SHA-512 7 %, SHA3-256 2 %), so that 512 bits it is,
//! which CPUs with wider pipes like better anyway.

use super::{Lanes, Runs, Word};
use crate::cpu::{Avx2, Avx512};
use core::arch::x86_64::*;

/// Eight words, AVX2.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U32x8(pub __m256i);

/// Four words, AVX2.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U64x4(pub __m256i);

/// Sixteen words, AVX-512.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U32x16(pub __m512i);

/// Eight words, AVX-512.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U64x8(pub __m512i);

// SAFETY of every block in this file: a vector is made by `splat` or `read`, which take its token, or of
// other vectors, so the CPU has the instructions; reads and writes are within what was asserted to be there.

/// [`Word`] with AVX2, which rotates by two shifts and has logic of two operands.
macro_rules! avx2 {
    ($V:ident, $bits:literal, $add:ident, $sll:ident, $srl:ident) => {
        impl Word for $V {
            const BITS: u32 = $bits;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { _mm256_xor_si256(self.0, other.0) })
            }

            #[inline(always)]
            fn add_choice(self, mask: Self, a: Self, b: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe {
                    let choice = _mm256_xor_si256(b.0, _mm256_and_si256(mask.0, _mm256_xor_si256(a.0, b.0)));
                    $add(self.0, choice)
                })
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                // As of one word: the compiler keeps a ^ b for the next round.
                // SAFETY: see above.
                Self(unsafe {
                    let differ = _mm256_and_si256(_mm256_xor_si256(self.0, a.0), _mm256_xor_si256(a.0, b.0));
                    _mm256_xor_si256(a.0, differ)
                })
            }

            #[inline(always)]
            fn rotr<const N: i32>(self) -> Self {
                // Counts in registers, because a constant cannot be computed of another; the compiler folds them.
                // SAFETY: see above.
                Self(unsafe {
                    let (right, left) = (_mm_cvtsi32_si128(N), _mm_cvtsi32_si128($bits - N));
                    _mm256_or_si256($srl(self.0, right), $sll(self.0, left))
                })
            }

            #[inline(always)]
            fn shr<const N: i32>(self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $srl(self.0, _mm_cvtsi32_si128(N)) })
            }
        }
    };
}
avx2!(U32x8, 32, _mm256_add_epi32, _mm256_sll_epi32, _mm256_srl_epi32);
avx2!(U64x4, 64, _mm256_add_epi64, _mm256_sll_epi64, _mm256_srl_epi64);

/// [`Word`] with AVX-512. The constants are the truth tables of three-way logic.
macro_rules! avx512 {
    ($V:ident, $bits:literal, $add:ident, $ror:ident, $srl:ident, $logic:ident) => {
        impl Word for $V {
            const BITS: u32 = $bits;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { _mm512_xor_si512(self.0, other.0) })
            }

            #[inline(always)]
            fn xor3(self, a: Self, b: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $logic::<0x96>(self.0, a.0, b.0) })
            }

            #[inline(always)]
            fn add_choice(self, mask: Self, a: Self, b: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $add(self.0, $logic::<0xca>(mask.0, a.0, b.0)) })
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $logic::<0xe8>(self.0, a.0, b.0) })
            }

            #[inline(always)]
            fn rotr<const N: i32>(self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $ror::<N>(self.0) })
            }

            #[inline(always)]
            fn shr<const N: i32>(self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $srl(self.0, _mm_cvtsi32_si128(N)) })
            }
        }
    };
}
avx512!(U32x16, 32, _mm512_add_epi32, _mm512_ror_epi32, _mm512_srl_epi32, _mm512_ternarylogic_epi32);
avx512!(U64x8, 64, _mm512_add_epi64, _mm512_ror_epi64, _mm512_srl_epi64, _mm512_ternarylogic_epi64);

/// The 16 bytes at `at` of the runs `first`, `first + step`, …, in as many quarters of a vector. Bytes within
/// words of 2^`log` bytes are reversed unless `LITTLE`.
///
/// # Safety
/// The runs have 16 bytes there.
macro_rules! rows {
    ($row512:ident, $row256:ident, $log:literal) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq")]
        unsafe fn $row512<const LITTLE: bool>(runs: &Runs<'_>, at: usize, first: usize, step: usize) -> __m512i {
            // SAFETY: the caller's.
            let quarter = |i: usize| unsafe { _mm_loadu_si128(runs.starts[first + i * step].add(at).cast()) };
            let low = _mm512_castsi256_si512(_mm256_set_m128i(quarter(1), quarter(0)));
            let row = _mm512_inserti64x4::<1>(low, _mm256_set_m128i(quarter(3), quarter(2)));
            if LITTLE { row } else { _mm512_shuffle_epi8(row, _mm512_broadcast_i32x4(swap($log))) }
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn $row256<const LITTLE: bool>(runs: &Runs<'_>, at: usize, first: usize, step: usize) -> __m256i {
            // SAFETY: the caller's.
            let half = |i: usize| unsafe { _mm_loadu_si128(runs.starts[first + i * step].add(at).cast()) };
            let row = _mm256_set_m128i(half(1), half(0));
            if LITTLE { row } else { _mm256_shuffle_epi8(row, _mm256_broadcastsi128_si256(swap($log))) }
        }
    };
}
rows!(row512_of_32, row256_of_32, 2);
rows!(row512_of_64, row256_of_64, 3);

/// The shuffle that reverses the bytes of words of 2^`log`.
#[inline]
#[target_feature(enable = "sse2")]
fn swap(log: u32) -> __m128i {
    match log {
        2 => _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3),
        _ => _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7),
    }
}

/// What the vectors have in common as [`Lanes`].
macro_rules! lanes {
    ($Word:ty, $Token:ty, $count:literal, $set1:ident) => {
        type Token = $Token;
        type Word = $Word;
        const COUNT: usize = $count;

        #[inline(always)]
        fn splat(_: $Token, word: $Word) -> Self {
            // SAFETY: see above.
            Self(unsafe { $set1(word.cast_signed()) })
        }

        #[inline(always)]
        fn lane(&self, lane: usize) -> $Word {
            assert!(lane < $count);
            // SAFETY: see above; a vector is an array of its lanes.
            unsafe { core::ptr::from_ref(self).cast::<$Word>().add(lane).read() }
        }

        #[inline(always)]
        fn set_lane(&mut self, lane: usize, word: $Word) {
            assert!(lane < $count);
            // SAFETY: see above; a vector is an array of its lanes.
            unsafe { core::ptr::from_mut(self).cast::<$Word>().add(lane).write(word) };
        }
    };
}

/// [`Lanes`] of 32 bits. A row has 16 bytes of every fourth message, beginning with message 0, 1, 2 or 3, so
/// that a 4 × 4 transposition within each quarter makes a column of all messages in order.
macro_rules! of_32 {
    ($V:ident, $Token:ty, $count:literal, $row:ident, $set1:ident, $lo32:ident, $hi32:ident, $lo64:ident, $hi64:ident) => {
        impl Lanes for $V {
            lanes!(u32, $Token, $count, $set1);
            type Column = [Self; 4];

            #[inline(always)]
            fn read<const LITTLE: bool>(_: $Token, runs: &Runs<'_>, at: usize) -> [Self; 4] {
                assert!(at + 16 <= runs.len);
                // SAFETY: see above.
                unsafe {
                    let (a, b) = ($row::<LITTLE>(runs, at, 0, 4), $row::<LITTLE>(runs, at, 1, 4));
                    let (c, d) = ($row::<LITTLE>(runs, at, 2, 4), $row::<LITTLE>(runs, at, 3, 4));
                    let (ab, ab2) = ($lo32(a, b), $hi32(a, b));
                    let (cd, cd2) = ($lo32(c, d), $hi32(c, d));
                    [Self($lo64(ab, cd)), Self($hi64(ab, cd)), Self($lo64(ab2, cd2)), Self($hi64(ab2, cd2))]
                }
            }
        }
    };
}
of_32!(
    U32x8,
    Avx2,
    8,
    row256_of_32,
    _mm256_set1_epi32,
    _mm256_unpacklo_epi32,
    _mm256_unpackhi_epi32,
    _mm256_unpacklo_epi64,
    _mm256_unpackhi_epi64
);
of_32!(
    U32x16,
    Avx512,
    16,
    row512_of_32,
    _mm512_set1_epi32,
    _mm512_unpacklo_epi32,
    _mm512_unpackhi_epi32,
    _mm512_unpacklo_epi64,
    _mm512_unpackhi_epi64
);

/// [`Lanes`] of 64 bits: the same, with every second message and 2 × 2 transpositions.
macro_rules! of_64 {
    ($V:ident, $Token:ty, $count:literal, $row:ident, $set1:ident, $lo64:ident, $hi64:ident) => {
        impl Lanes for $V {
            lanes!(u64, $Token, $count, $set1);
            type Column = [Self; 2];

            #[inline(always)]
            fn read<const LITTLE: bool>(_: $Token, runs: &Runs<'_>, at: usize) -> [Self; 2] {
                assert!(at + 16 <= runs.len);
                // SAFETY: see above.
                unsafe {
                    let (a, b) = ($row::<LITTLE>(runs, at, 0, 2), $row::<LITTLE>(runs, at, 1, 2));
                    [Self($lo64(a, b)), Self($hi64(a, b))]
                }
            }
        }
    };
}
of_64!(U64x4, Avx2, 4, row256_of_64, _mm256_set1_epi64x, _mm256_unpacklo_epi64, _mm256_unpackhi_epi64);
of_64!(U64x8, Avx512, 8, row512_of_64, _mm512_set1_epi64, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64);

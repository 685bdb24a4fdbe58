//! 256- and 512-bit vectors of x86-64 CPUs.

use super::lanes::{self, Lanes64};
use super::{Accumulator, Poly1305Token};
use crate::cpu::{Avx2, Avx512, Token};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// Four lanes, AVX2.
#[derive(Clone, Copy)]
struct L256<T>(__m256i, PhantomData<T>);

/// Eight lanes, AVX-512.
#[derive(Clone, Copy)]
struct L512(__m512i);

/// Tokens that include AVX2.
trait HasAvx2: Token {}
impl HasAvx2 for Avx2 {}
impl HasAvx2 for Avx512 {}

/// Four lanes for messages that are worth the powers of *r*, or shorter ones when these are there.
#[inline(always)]
fn absorb_four<'a, T: HasAvx2>(token: T, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
    let enough = if accumulator.powers.is_some() { 192 } else { 384 };
    if blocks.len() < enough {
        return blocks;
    }
    token.vectorize(
        #[inline(always)]
        || lanes::absorb::<L256<T>>(token, accumulator, blocks),
    )
}

impl Poly1305Token for Avx2 {
    fn absorb_lanes<'a>(self, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
        absorb_four(self, accumulator, blocks)
    }
}

// Eight lanes have twice the powers to make and more to add up: on Zen 4, where 512 bits take two
// turns of a 256-bit unit, they only pay for long messages (by 5 % at 16 KiB; four lanes are faster
// by 16 % at 1350 bytes).
impl Poly1305Token for Avx512 {
    fn absorb_lanes<'a>(self, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
        if blocks.len() < 4096 {
            return absorb_four(self, accumulator, blocks);
        }
        self.vectorize(
            #[inline(always)]
            || lanes::absorb::<L512>(self, accumulator, blocks),
        )
    }
}

impl<T> L256<T> {
    #[inline(always)]
    fn of(v: __m256i) -> Self {
        Self(v, PhantomData)
    }
}

impl L512 {
    #[inline(always)]
    fn of(v: __m512i) -> Self {
        Self(v)
    }
}

/// The methods that differ between the widths in their intrinsics' names alone.
///
/// SAFETY of every block in here: a vector exists only where its token does, so the CPU has the
/// instructions; loads are within the slices, whose lengths are asserted.
macro_rules! common {
    ($load:ident, $set1:ident, $lo:ident, $hi:ident, $add:ident, $mul:ident, $and:ident, $or:ident, $shl:ident, $shr:ident) => {
        #[inline(always)]
        fn splat(_: Self::Token, word: u64) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $set1(word as i64) })
        }

        #[inline(always)]
        fn load_blocks(_: Self::Token, src: &[u8]) -> (Self, Self) {
            assert!(src.len() >= 16 * Self::LANES);
            // SAFETY: see the macro.
            unsafe {
                let front = $load(src.as_ptr().cast());
                let back = $load(src.as_ptr().add(8 * Self::LANES).cast());
                (Self::of($lo(front, back)), Self::of($hi(front, back)))
            }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $add(self.0, other.0) })
        }

        #[inline(always)]
        fn mul32(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $mul(self.0, other.0) })
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $and(self.0, other.0) })
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $or(self.0, other.0) })
        }

        // Counts in a register, because the immediates' types differ; the compiler folds them.
        #[inline(always)]
        fn shl<const N: i32>(self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $shl(self.0, _mm_cvtsi32_si128(N)) })
        }

        #[inline(always)]
        fn shr<const N: i32>(self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $shr(self.0, _mm_cvtsi32_si128(N)) })
        }
    };
}

impl<T: HasAvx2> Lanes64 for L256<T> {
    type Token = T;
    const LANES: usize = 4;

    common!(
        _mm256_loadu_si256,
        _mm256_set1_epi64x,
        _mm256_unpacklo_epi64,
        _mm256_unpackhi_epi64,
        _mm256_add_epi64,
        _mm256_mul_epu32,
        _mm256_and_si256,
        _mm256_or_si256,
        _mm256_sll_epi64,
        _mm256_srl_epi64
    );

    #[inline(always)]
    fn first(_: T, word: u64) -> Self {
        // SAFETY: the token includes AVX2.
        Self::of(unsafe { _mm256_zextsi128_si256(_mm_cvtsi64_si128(word as i64)) })
    }

    #[inline(always)]
    fn widen(_: T, words: &[u32; 8]) -> Self {
        // SAFETY: the token includes AVX2; 16 of the array's 32 bytes are read.
        Self::of(unsafe { _mm256_cvtepu32_epi64(_mm_loadu_si128(words.as_ptr().cast())) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: the token includes AVX2.
        unsafe {
            let pair = _mm_add_epi64(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
            _mm_cvtsi128_si64(_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair))) as u64
        }
    }
}

impl Lanes64 for L512 {
    type Token = Avx512;
    const LANES: usize = 8;

    common!(
        _mm512_loadu_si512,
        _mm512_set1_epi64,
        _mm512_unpacklo_epi64,
        _mm512_unpackhi_epi64,
        _mm512_add_epi64,
        _mm512_mul_epu32,
        _mm512_and_si512,
        _mm512_or_si512,
        _mm512_sll_epi64,
        _mm512_srl_epi64
    );

    #[inline(always)]
    fn first(_: Avx512, word: u64) -> Self {
        // SAFETY: the token includes AVX-512.
        Self::of(unsafe { _mm512_zextsi128_si512(_mm_cvtsi64_si128(word as i64)) })
    }

    #[inline(always)]
    fn widen(_: Avx512, words: &[u32; 8]) -> Self {
        // SAFETY: the token includes AVX-512; the array has 32 bytes.
        Self::of(unsafe { _mm512_cvtepu32_epi64(_mm256_loadu_si256(words.as_ptr().cast())) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: the token includes AVX-512.
        unsafe { _mm512_reduce_add_epi64(self.0) as u64 }
    }
}

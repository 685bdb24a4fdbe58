//! The four lanes of XXH64 in a vector of 256 bits, with the 64-bit products of AVX-512.
//!
//! In general registers a stripe is eight products, one a cycle. In a vector it is two, of which one waits for the stripe
//! before: a product, an addition and a rotation. On Zen 4, where `vpmullq` takes three cycles, these are five cycles, and
//! a message of 256 bytes takes 10 ns in place of 24. Intel's take fifteen, so that general registers are faster there.

use super::{Lanes, P1, P2, P4, Stripes, finish};
use crate::cpu::{Avx512Mullq, Token};
use core::arch::x86_64::*;

// SAFETY of every block in this file: everything is reached from inside the `vectorize` of a token with AVX-512 F, VL and
// DQ. Loads and stores are of arrays as long as a vector.

#[inline(always)]
fn load(lanes: &Lanes) -> __m256i {
    // SAFETY: see above.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

#[inline(always)]
fn round(lanes: __m256i, input: __m256i) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let sum = _mm256_add_epi64(lanes, _mm256_mullo_epi64(input, _mm256_set1_epi64x(P2.cast_signed())));
        _mm256_mullo_epi64(_mm256_rol_epi64::<31>(sum), _mm256_set1_epi64x(P1.cast_signed()))
    }
}

/// Absorbs stripes.
#[inline(always)]
fn absorb(lanes: __m256i, stripes: &[[u8; 32]]) -> __m256i {
    // SAFETY: see above.
    stripes.iter().fold(lanes, |lanes, stripe| round(lanes, unsafe { _mm256_loadu_si256(stripe.as_ptr().cast()) }))
}

/// One number of the four lanes, and as much more as `length` is.
#[inline(always)]
fn merge(lanes: __m256i, length: u64) -> u64 {
    // SAFETY: see above.
    unsafe {
        let words = |x: __m128i| [_mm_cvtsi128_si64(x).cast_unsigned(), _mm_extract_epi64::<1>(x).cast_unsigned()];
        let turned = _mm256_rolv_epi64(lanes, _mm256_set_epi64x(18, 12, 7, 1));
        let [a, b] = words(_mm_add_epi64(_mm256_castsi256_si128(turned), _mm256_extracti128_si256::<1>(turned)));
        let each = round(_mm256_setzero_si256(), lanes);
        let each = [words(_mm256_castsi256_si128(each)), words(_mm256_extracti128_si256::<1>(each))];
        let each = each.as_flattened().iter();
        each.fold(a.wrapping_add(b), |h, lane| (h ^ lane).wrapping_mul(P1).wrapping_add(P4)).wrapping_add(length)
    }
}

impl Stripes for Avx512Mullq {
    fn absorb(self, lanes: &mut Lanes, data: &[u8]) {
        self.vectorize_with(
            lanes,
            data,
            (),
            #[inline(always)]
            |lanes, data, ()| {
                let after = absorb(load(lanes), data.as_chunks().0);
                // SAFETY: see above.
                unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), after) };
            },
        );
    }

    #[inline(always)]
    fn digest(self, lanes: &Lanes, message: &[u8], out: &mut [u8; 8]) {
        self.vectorize_with(
            lanes,
            message,
            out,
            #[inline(always)]
            |lanes, message, out| {
                let (stripes, rest) = message.as_chunks();
                finish(merge(absorb(load(lanes), stripes), message.len() as u64), rest, out);
            },
        );
    }
}

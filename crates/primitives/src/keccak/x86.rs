//! Keccak on x86.

use super::Permute;
use super::lanes::{Lane, Single, absorb, driver, permute};
use super::many::InLanes;
use crate::cpu::{Avx2, Avx512, Token};
use crate::hash::Queue;
use crate::lanes::{Lanes, U64x4, U64x8, Word};
use core::arch::x86_64::*;

driver!(
    /// One message in general registers all the same, but with `andn`, and with rotations that do not
    /// overwrite their source.
    Avx2,
    u64,
    many: U64x4
);

/// One lane, in the low half of a 128-bit vector.
///
/// A lane to a register uses an eighth of the machine's width and is good all the same: rotations
/// are by constants, nothing is ever shuffled, 32 registers hold the whole state, and ternary logic
/// makes a round of 95 operations, where general registers need some 150. Whole rows of lanes in
/// 512-bit vectors would need about 20 shuffles across lanes in every round; that was not tried.
#[derive(Clone, Copy)]
struct Low(__m128i);

// SAFETY of every block in this file: `Low` is used inside `Avx512::vectorize` alone, so the CPU
// has the instructions.

impl Single for Low {
    #[inline(always)]
    fn get(self) -> u64 {
        // SAFETY: see above.
        unsafe { _mm_cvtsi128_si64(self.0).cast_unsigned() }
    }
}

impl Lane for Low {
    #[inline(always)]
    fn new(lane: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_cvtsi64_si128(lane.cast_signed()) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self {
        // SAFETY: see above. 0x96 is the truth table of three-way xor.
        Self(unsafe { _mm_ternarylogic_epi64::<0x96>(_mm_ternarylogic_epi64::<0x96>(self.0, a.0, b.0), c.0, d.0) })
    }

    #[inline(always)]
    fn xor_rotated(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_xor_si128(self.0, _mm_rol_epi64::<1>(other.0)) })
    }

    #[inline(always)]
    fn rotate_xor<const RIGHT: i32>(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_ror_epi64::<RIGHT>(_mm_xor_si128(self.0, other.0)) })
    }

    #[inline(always)]
    fn chi(self, a: Self, b: Self) -> Self {
        // SAFETY: see above. 0xd2 is the truth table of self ^ (!a & b).
        Self(unsafe { _mm_ternarylogic_epi64::<0xd2>(self.0, a.0, b.0) })
    }
}

driver!(
    Avx512,
    Low,
    many: U64x8
);

// SAFETY of every block below: the vectors prove their instructions, but for `new`; states are made inside
// the `vectorize` of the vectors' tokens alone.

impl Lane for U64x4 {
    #[inline(always)]
    fn new(lane: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_set1_epi64x(lane.cast_signed()) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Word::xor(self, other)
    }

    #[inline(always)]
    fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self {
        self.xor3(a, b).xor3(c, d)
    }

    #[inline(always)]
    fn xor_rotated(self, other: Self) -> Self {
        Word::xor(self, other.rotr::<63>())
    }

    #[inline(always)]
    fn rotate_xor<const RIGHT: i32>(self, other: Self) -> Self {
        Word::xor(self, other).rotr::<RIGHT>()
    }

    #[inline(always)]
    fn chi(self, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_andnot_si256(a.0, b.0)) })
    }
}

impl Lane for U64x8 {
    #[inline(always)]
    fn new(lane: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_epi64(lane.cast_signed()) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Word::xor(self, other)
    }

    #[inline(always)]
    fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self {
        self.xor3(a, b).xor3(c, d)
    }

    #[inline(always)]
    fn xor_rotated(self, other: Self) -> Self {
        Word::xor(self, other.rotr::<63>())
    }

    #[inline(always)]
    fn rotate_xor<const RIGHT: i32>(self, other: Self) -> Self {
        Word::xor(self, other).rotr::<RIGHT>()
    }

    #[inline(always)]
    fn chi(self, a: Self, b: Self) -> Self {
        // SAFETY: see above. 0xd2 is the truth table of self ^ (!a & b).
        Self(unsafe { _mm512_ternarylogic_epi64::<0xd2>(self.0, a.0, b.0) })
    }
}

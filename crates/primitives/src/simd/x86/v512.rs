//! Vectors of 512 bits.

use super::*;
use crate::cpu::{HasIfma, HasVaes, HasVpclmul};

makers! {
    V512, HasAvx512 = "avx512f";

    fn zero() -> V512 { _mm512_setzero_si512() }

    /// The same number in every word.
    fn splat32(word: u32) -> V512 { _mm512_set1_epi32(word.cast_signed()) }
    fn splat64(word: u64) -> V512 { _mm512_set1_epi64(word.cast_signed()) }

    /// The given words, the first in the lowest place.
    fn of64(words: [u64; 8]) -> V512 {
        let [a, b, c, d, e, f, g, h] = words;
        _mm512_setr_epi64(
            a.cast_signed(), b.cast_signed(), c.cast_signed(), d.cast_signed(),
            e.cast_signed(), f.cast_signed(), g.cast_signed(), h.cast_signed(),
        )
    }

    /// The two halves put together.
    fn of_halves(low: V256, high: V256) -> V512 { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high) }
    /// `block` in all four places.
    fn four_times(block: V128) -> V512 { _mm512_broadcast_i32x4(block) }
    /// `block` in the lowest place, then zeros.
    fn first_block(block: V128) -> V512 { _mm512_zextsi128_si512(block) }
    /// The low 64 bits of `word` in every place.
    fn splat_low64(word: V128) -> V512 { _mm512_broadcastq_epi64(word) }
    /// `word` where the bit of `mask` is set, zero elsewhere.
    fn splat64_where(mask: u8, word: u64) -> V512 { _mm512_maskz_set1_epi64(mask, word.cast_signed()) }
    /// Words of 32 bits, zero-extended to 64.
    fn widened32(words: V256) -> V512 { _mm512_cvtepu32_epi64(words) }
}

methods! {
    V512, HasAvx512 = "avx512f,avx512bw,avx512dq";

    fn xor(a, b: V512) -> V512 { _mm512_xor_si512(a, b) }
    fn and(a, b: V512) -> V512 { _mm512_and_si512(a, b) }
    fn or(a, b: V512) -> V512 { _mm512_or_si512(a, b) }
    /// `!self & b`.
    fn andnot(a, b: V512) -> V512 { _mm512_andnot_si512(a, b) }
    fn add32(a, b: V512) -> V512 { _mm512_add_epi32(a, b) }
    fn add64(a, b: V512) -> V512 { _mm512_add_epi64(a, b) }
    fn sub64(a, b: V512) -> V512 { _mm512_sub_epi64(a, b) }
    /// The 64-bit products of the lower halves of each 64-bit word.
    fn mul32(a, b: V512) -> V512 { _mm512_mul_epu32(a, b) }
    /// See [`V128::ternary`].
    fn ternary<const TABLE>(a, b: V512, c: V512) -> V512 { _mm512_ternarylogic_epi64::<TABLE>(a, b, c) }

    // Counts are in registers, because the immediates of these intrinsics have another type; the compiler makes
    // immediates of them.
    fn shl32<const N>(a) -> V512 { _mm512_sll_epi32(a, _mm_cvtsi32_si128(N)) }
    fn shr32<const N>(a) -> V512 { _mm512_srl_epi32(a, _mm_cvtsi32_si128(N)) }
    fn shl64<const N>(a) -> V512 { _mm512_sll_epi64(a, _mm_cvtsi32_si128(N)) }
    fn shr64<const N>(a) -> V512 { _mm512_srl_epi64(a, _mm_cvtsi32_si128(N)) }
    /// Each word shifted by the number of bits in the same word of `n`; 64 or more give zero.
    fn shl64_each(a, n: V512) -> V512 { _mm512_sllv_epi64(a, n) }
    fn shr64_each(a, n: V512) -> V512 { _mm512_srlv_epi64(a, n) }
    fn ror32<const N>(a) -> V512 { _mm512_ror_epi32::<N>(a) }
    fn rol32<const N>(a) -> V512 { _mm512_rol_epi32::<N>(a) }
    fn ror64<const N>(a) -> V512 { _mm512_ror_epi64::<N>(a) }
    fn rol64<const N>(a) -> V512 { _mm512_rol_epi64::<N>(a) }
    /// Each block shifted by `N` bytes.
    fn shl_bytes<const N>(a) -> V512 { _mm512_bslli_epi128::<N>(a) }
    fn shr_bytes<const N>(a) -> V512 { _mm512_bsrli_epi128::<N>(a) }
    /// Of each block, the topmost 32 bits of `self` and of `b` as words of 64 bits.
    fn tops_with(a, b: V512) -> V512 {
        _mm512_castps_si512(_mm512_maskz_shuffle_ps::<0xff>(0x5555, _mm512_castsi512_ps(a), _mm512_castsi512_ps(b)))
    }

    /// Within each block, word i of the result is the word whose number is in bits 2i and 2i + 1 of `FROM`.
    fn shuffle32<const FROM>(a) -> V512 { _mm512_shuffle_epi32::<FROM>(a) }
    /// Within each block, byte i of the result is byte number `from[i] % 16`, or zero if the top bit of `from[i]` is
    /// set.
    fn shuffle_bytes(a, from: V512) -> V512 { _mm512_shuffle_epi8(a, from) }
    /// Of each block, bytes `N` to `N` + 15 of the 32 bytes of `low`'s block followed by that of `self`.
    fn align_bytes<const N>(a, low: V512) -> V512 { _mm512_alignr_epi8::<N>(a, low) }
    /// Of each block, the lower words of `self` and `b`, interleaved; the first is from `self`.
    fn unpack_low32(a, b: V512) -> V512 { _mm512_unpacklo_epi32(a, b) }
    fn unpack_high32(a, b: V512) -> V512 { _mm512_unpackhi_epi32(a, b) }
    fn unpack_low64(a, b: V512) -> V512 { _mm512_unpacklo_epi64(a, b) }
    fn unpack_high64(a, b: V512) -> V512 { _mm512_unpackhi_epi64(a, b) }
    /// Two blocks of `self`, then two of `b`. Each pair of bits of `FROM`, from the lowest, is the number of a block.
    fn choose_blocks<const FROM>(a, b: V512) -> V512 { _mm512_shuffle_i32x4::<FROM>(a, b) }
    /// Words `N` to `N` + 7 of the sixteen words of `low` followed by `self`.
    fn align64<const N>(a, low: V512) -> V512 { _mm512_alignr_epi64::<N>(a, low) }
    /// Words of `b` where the bit of `mask` is set, and of `self` elsewhere.
    fn blend64(a, mask: u8, b: V512) -> V512 { _mm512_mask_blend_epi64(mask, a, b) }
    /// Bytes whose bit of `mask` is set; the others become zero.
    fn keep_bytes(a, mask: u64) -> V512 { _mm512_maskz_mov_epi8(mask, a) }

    fn low(a) -> V256 { _mm512_castsi512_si256(a) }
    fn high(a) -> V256 { _mm512_extracti64x4_epi64::<1>(a) }
    fn low_block(a) -> V128 { _mm512_castsi512_si128(a) }
    fn block<const I>(a) -> V128 { _mm512_extracti32x4_epi32::<I>(a) }
    /// The vector with block `I` replaced by `block`.
    fn with_block<const I>(a, block: V128) -> V512 { _mm512_inserti32x4::<I>(a, block) }
    /// The sum of the 64-bit words, modulo 2^64.
    fn sum64(a) -> u64 { _mm512_reduce_add_epi64(a).cast_unsigned() }
}

methods! {
    V512, HasIfma = "avx512f,avx512ifma";

    /// Adds to each word of `self` the lower 52 bits of the product of the lower 52 bits of the words of `a` and `b`.
    fn add_mul52_low(sum, a: V512, b: V512) -> V512 { _mm512_madd52lo_epu64(sum, a, b) }
    /// Adds the upper 52 bits of the same products.
    fn add_mul52_high(sum, a: V512, b: V512) -> V512 { _mm512_madd52hi_epu64(sum, a, b) }
}

methods! {
    V512, HasVpclmul + HasAvx512 = "vpclmulqdq,avx512f";

    /// See [`V128::clmul`].
    fn clmul<const HALVES>(a, b: V512) -> V512 { _mm512_clmulepi64_epi128::<HALVES>(a, b) }
}

methods! {
    V512, HasVaes + HasAvx512 = "vaes,avx512f";

    fn aes_enc(a, key: V512) -> V512 { _mm512_aesenc_epi128(a, key) }
    fn aes_enc_last(a, key: V512) -> V512 { _mm512_aesenclast_epi128(a, key) }
    fn aes_dec(a, key: V512) -> V512 { _mm512_aesdec_epi128(a, key) }
    fn aes_dec_last(a, key: V512) -> V512 { _mm512_aesdeclast_epi128(a, key) }
}

/// The mask of the first `n` of 64 bytes, for `n` of at most 64.
#[inline(always)]
pub(crate) fn first_bytes(n: usize) -> u64 {
    assert!(n <= 64);
    // With BMI2 the compiler uses one instruction for this (BZHI).
    1u64.unbounded_shl(n as u32).wrapping_sub(1)
}

impl<T: HasAvx512> V512<T> {
    /// The 16 bytes of `block` in all four places.
    #[inline(always)]
    pub(crate) fn splat_block<P: Plain>(token: T, block: &P) -> Self {
        Self::four_times(token, V128::load(token, block))
    }

    /// Loads all of `from`, at most 64 bytes, and fills the rest with zeros.
    ///
    /// # Panics
    /// If `from` is longer.
    #[inline(always)]
    pub(crate) fn load_first(token: T, from: &[u8]) -> Self {
        let mask = first_bytes(from.len());
        // SAFETY: the token proves that the CPU has the instruction. It reads only bytes whose bit of the mask is set,
        // which are those of `from`.
        Self { raw: unsafe { _mm512_maskz_loadu_epi8(mask, from.as_ptr().cast()) }, token }
    }

    /// Loads all of `from`, at most 64 bytes, to the end of the vector, with zeros before.
    ///
    /// # Panics
    /// If `from` is longer.
    #[inline(always)]
    pub(crate) fn load_last(token: T, from: &[u8]) -> Self {
        assert!(from.len() <= 64);
        let missing = 64 - from.len();
        let (mask, start) = (u64::MAX.unbounded_shl(missing as u32), from.as_ptr().wrapping_sub(missing));
        // SAFETY: the token proves that the CPU has the instruction. It reads only bytes whose bit of the mask is set,
        // which are those of `from`, and none of those before.
        Self { raw: unsafe { _mm512_maskz_loadu_epi8(mask, start.cast()) }, token }
    }

    /// Replaces the first bytes of the vector by `from`, at most 64 bytes.
    ///
    /// # Panics
    /// If `from` is longer.
    #[inline(always)]
    pub(crate) fn overlaid_with(self, from: &[u8]) -> Self {
        let mask = first_bytes(from.len());
        // SAFETY: the token proves that the CPU has the instruction. It reads only bytes whose bit of the mask is set,
        // which are those of `from`.
        Self { raw: unsafe { _mm512_mask_loadu_epi8(self.raw, mask, from.as_ptr().cast()) }, ..self }
    }

    /// Fills `to`, at most 64 bytes, with the first bytes of the vector.
    ///
    /// # Panics
    /// If `to` is longer.
    #[inline(always)]
    pub(crate) fn store_first(self, to: &mut [u8]) {
        let mask = first_bytes(to.len());
        // SAFETY: the token proves that the CPU has the instruction. It writes only bytes whose bit of the mask is set,
        // which are those of `to`.
        unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), mask, self.raw) }
    }
}

//! Vectors of 256 bits.

use super::*;
use crate::cpu::{HasVaes, HasVpclmul};

makers! {
    V256, HasAvx2 = "avx2";

    fn zero() -> V256 { _mm256_setzero_si256() }

    /// The same number in every word.
    fn splat32(word: u32) -> V256 { _mm256_set1_epi32(word.cast_signed()) }
    fn splat64(word: u64) -> V256 { _mm256_set1_epi64x(word.cast_signed()) }

    /// The given words, the first in the lowest place.
    fn of64(words: [u64; 4]) -> V256 {
        let [a, b, c, d] = words;
        _mm256_setr_epi64x(a.cast_signed(), b.cast_signed(), c.cast_signed(), d.cast_signed())
    }

    /// The two halves put together.
    fn of_halves(low: V128, high: V128) -> V256 { _mm256_set_m128i(high, low) }
    /// `block` in both places.
    fn twice(block: V128) -> V256 { _mm256_broadcastsi128_si256(block) }
    /// `low` in the lower half, and zeros above.
    fn first_half(low: V128) -> V256 { _mm256_zextsi128_si256(low) }
    /// Words of 32 bits, zero-extended to 64.
    fn widened32(words: V128) -> V256 { _mm256_cvtepu32_epi64(words) }
}

methods! {
    V256, HasAvx2 = "avx2";

    fn xor(a, b: V256) -> V256 { _mm256_xor_si256(a, b) }
    fn and(a, b: V256) -> V256 { _mm256_and_si256(a, b) }
    fn or(a, b: V256) -> V256 { _mm256_or_si256(a, b) }
    /// `!self & b`.
    fn andnot(a, b: V256) -> V256 { _mm256_andnot_si256(a, b) }
    fn add32(a, b: V256) -> V256 { _mm256_add_epi32(a, b) }
    fn add64(a, b: V256) -> V256 { _mm256_add_epi64(a, b) }
    fn sub64(a, b: V256) -> V256 { _mm256_sub_epi64(a, b) }
    /// The 64-bit products of the lower halves of each 64-bit word.
    fn mul32(a, b: V256) -> V256 { _mm256_mul_epu32(a, b) }

    fn shl32<const N>(a) -> V256 { _mm256_slli_epi32::<N>(a) }
    fn shr32<const N>(a) -> V256 { _mm256_srli_epi32::<N>(a) }
    fn shl64<const N>(a) -> V256 { _mm256_slli_epi64::<N>(a) }
    fn shr64<const N>(a) -> V256 { _mm256_srli_epi64::<N>(a) }
    /// Every word shifted by `n` bits; `n` of at least the word's size gives zero.
    fn shl32_by(a, n: u32) -> V256 { _mm256_sll_epi32(a, _mm_cvtsi32_si128(n.cast_signed())) }
    fn shl64_by(a, n: u32) -> V256 { _mm256_sll_epi64(a, _mm_cvtsi32_si128(n.cast_signed())) }
    /// Each word shifted by the number of bits in the same word of `n`; 64 or more give zero.
    fn shl64_each(a, n: V256) -> V256 { _mm256_sllv_epi64(a, n) }
    fn shr64_each(a, n: V256) -> V256 { _mm256_srlv_epi64(a, n) }
    /// Each block shifted by `N` bytes.
    fn shl_bytes<const N>(a) -> V256 { _mm256_bslli_epi128::<N>(a) }

    /// Word i of 32 bits is that of `b` if bit i of `FROM` is set, and that of `self` otherwise.
    fn blend32<const FROM>(a, b: V256) -> V256 { _mm256_blend_epi32::<FROM>(a, b) }
    /// Within each block, word i of the result is the word whose number is in bits 2i and 2i + 1 of `FROM`.
    fn shuffle32<const FROM>(a) -> V256 { _mm256_shuffle_epi32::<FROM>(a) }
    /// Within each block, byte i of the result is byte number `from[i] % 16`, or zero if the top bit of `from[i]` is
    /// set.
    fn shuffle_bytes(a, from: V256) -> V256 { _mm256_shuffle_epi8(a, from) }
    /// Of each block, bytes `N` to `N` + 15 of the 32 bytes of `low`'s block followed by that of `self`.
    fn align_bytes<const N>(a, low: V256) -> V256 { _mm256_alignr_epi8::<N>(a, low) }
    /// Of each block, the lower words of `self` and `b`, interleaved; the first is from `self`.
    fn unpack_low32(a, b: V256) -> V256 { _mm256_unpacklo_epi32(a, b) }
    fn unpack_high32(a, b: V256) -> V256 { _mm256_unpackhi_epi32(a, b) }
    fn unpack_low64(a, b: V256) -> V256 { _mm256_unpacklo_epi64(a, b) }
    fn unpack_high64(a, b: V256) -> V256 { _mm256_unpackhi_epi64(a, b) }
    /// Word i of the result is the word whose number is in bits 2i and 2i + 1 of `FROM`, from either block.
    fn permute64<const FROM>(a) -> V256 { _mm256_permute4x64_epi64::<FROM>(a) }
    /// Two of four blocks: 0 and 1 are those of `self`, 2 and 3 those of `b`. Bits 0 and 1 of `FROM` give the number of
    /// the lower block, bits 4 and 5 that of the upper.
    fn choose_blocks<const FROM>(a, b: V256) -> V256 { _mm256_permute2x128_si256::<FROM>(a, b) }

    fn low(a) -> V128 { _mm256_castsi256_si128(a) }
    fn high(a) -> V128 { _mm256_extracti128_si256::<1>(a) }
    /// The vector with block `I` replaced by `block`.
    fn with_block<const I>(a, block: V128) -> V256 { _mm256_inserti128_si256::<I>(a, block) }
}

methods! {
    V256, HasVpclmul = "vpclmulqdq,avx2";

    /// See [`V128::clmul`].
    fn clmul<const HALVES>(a, b: V256) -> V256 { _mm256_clmulepi64_epi128::<HALVES>(a, b) }
}

methods! {
    V256, HasVaes = "vaes,avx2";

    fn aes_enc(a, key: V256) -> V256 { _mm256_aesenc_epi128(a, key) }
    fn aes_enc_last(a, key: V256) -> V256 { _mm256_aesenclast_epi128(a, key) }
    fn aes_dec(a, key: V256) -> V256 { _mm256_aesdec_epi128(a, key) }
    fn aes_dec_last(a, key: V256) -> V256 { _mm256_aesdeclast_epi128(a, key) }
}

methods! {
    V256, HasAvx512 = "avx512f,avx512vl,avx512dq";

    /// See [`V128::ternary`].
    fn ternary<const TABLE>(a, b: V256, c: V256) -> V256 { _mm256_ternarylogic_epi64::<TABLE>(a, b, c) }
    fn ror32<const N>(a) -> V256 { _mm256_ror_epi32::<N>(a) }
    fn rol32<const N>(a) -> V256 { _mm256_rol_epi32::<N>(a) }
    fn ror64<const N>(a) -> V256 { _mm256_ror_epi64::<N>(a) }
    fn rol64<const N>(a) -> V256 { _mm256_rol_epi64::<N>(a) }
    /// Words `N` to `N` + 3 of the eight words of `low` followed by `self`.
    fn align64<const N>(a, low: V256) -> V256 { _mm256_alignr_epi64::<N>(a, low) }
}

impl<T: HasAvx2> V256<T> {
    /// The 16 bytes of `block` in both places.
    #[inline(always)]
    pub(crate) fn splat_block<P: Plain>(token: T, block: &P) -> Self {
        Self::twice(token, V128::load(token, block))
    }
}

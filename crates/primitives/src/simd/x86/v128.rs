//! Vectors of 128 bits.

use super::*;
use crate::cpu::{HasAes, HasAvx2, HasClmul, HasSha, HasSse41, HasSsse3};

makers! {
    V128, HasSse2 = "sse2";

    fn zero() -> V128 { _mm_setzero_si128() }

    /// The same number in every word.
    fn splat32(word: u32) -> V128 { _mm_set1_epi32(word.cast_signed()) }
    fn splat64(word: u64) -> V128 { _mm_set1_epi64x(word.cast_signed()) }

    /// The given words, the first in the lowest place.
    fn of32(words: [u32; 4]) -> V128 {
        let [a, b, c, d] = words;
        _mm_setr_epi32(a.cast_signed(), b.cast_signed(), c.cast_signed(), d.cast_signed())
    }
    fn of64(words: [u64; 2]) -> V128 { _mm_set_epi64x(words[1].cast_signed(), words[0].cast_signed()) }

    /// `word` in the lowest place, then zeros.
    fn first32(word: u32) -> V128 { _mm_cvtsi32_si128(word.cast_signed()) }
    fn first64(word: u64) -> V128 { _mm_cvtsi64_si128(word.cast_signed()) }
}

methods! {
    V128, HasSse2 = "sse2";

    fn xor(a, b: V128) -> V128 { _mm_xor_si128(a, b) }
    fn and(a, b: V128) -> V128 { _mm_and_si128(a, b) }
    fn or(a, b: V128) -> V128 { _mm_or_si128(a, b) }
    /// `!self & b`.
    fn andnot(a, b: V128) -> V128 { _mm_andnot_si128(a, b) }
    /// All ones in the bytes that are equal, zero in the others.
    fn equal8(a, b: V128) -> V128 { _mm_cmpeq_epi8(a, b) }
    /// The 64-bit products of the lower halves of each 64-bit word.
    fn mul32(a, b: V128) -> V128 { _mm_mul_epu32(a, b) }
    fn add32(a, b: V128) -> V128 { _mm_add_epi32(a, b) }
    fn add64(a, b: V128) -> V128 { _mm_add_epi64(a, b) }
    fn sub64(a, b: V128) -> V128 { _mm_sub_epi64(a, b) }

    fn shl32<const N>(a) -> V128 { _mm_slli_epi32::<N>(a) }
    fn shr32<const N>(a) -> V128 { _mm_srli_epi32::<N>(a) }
    fn shl64<const N>(a) -> V128 { _mm_slli_epi64::<N>(a) }
    fn shr64<const N>(a) -> V128 { _mm_srli_epi64::<N>(a) }
    /// Every word shifted by `n` bits; `n` of at least the word's size gives zero.
    fn shl64_by(a, n: u32) -> V128 { _mm_sll_epi64(a, _mm_cvtsi32_si128(n.cast_signed())) }
    fn shr64_by(a, n: u32) -> V128 { _mm_srl_epi64(a, _mm_cvtsi32_si128(n.cast_signed())) }
    /// The vector shifted by `N` bytes.
    fn shl_bytes<const N>(a) -> V128 { _mm_slli_si128::<N>(a) }
    fn shr_bytes<const N>(a) -> V128 { _mm_srli_si128::<N>(a) }

    /// Word i of the result is the word whose number is in bits 2i and 2i + 1 of `FROM`.
    fn shuffle32<const FROM>(a) -> V128 { _mm_shuffle_epi32::<FROM>(a) }
    /// The lower words of `self` and `b`, interleaved; the first is from `self`.
    fn unpack_low32(a, b: V128) -> V128 { _mm_unpacklo_epi32(a, b) }
    fn unpack_high32(a, b: V128) -> V128 { _mm_unpackhi_epi32(a, b) }
    fn unpack_low64(a, b: V128) -> V128 { _mm_unpacklo_epi64(a, b) }
    fn unpack_high64(a, b: V128) -> V128 { _mm_unpackhi_epi64(a, b) }

    fn low64(a) -> u64 { _mm_cvtsi128_si64(a).cast_unsigned() }
}

methods! {
    V128, HasSsse3 = "ssse3";

    /// Byte i of the result is byte number `from[i] % 16` of `self`, or zero if the top bit of `from[i]` is set.
    fn shuffle_bytes(a, from: V128) -> V128 { _mm_shuffle_epi8(a, from) }
    /// Bytes `N` to `N` + 15 of the 32 bytes of `low` followed by `self`.
    fn align_bytes<const N>(a, low: V128) -> V128 { _mm_alignr_epi8::<N>(a, low) }
}

methods! {
    V128, HasSse41 = "sse4.1";

    fn high64(a) -> u64 { _mm_extract_epi64::<1>(a).cast_unsigned() }
    fn word32<const I>(a) -> u32 { _mm_extract_epi32::<I>(a).cast_unsigned() }
    /// Bytes of `b` where the top bit of the byte of `mask` is set, and of `self` elsewhere.
    fn blend_bytes(a, b: V128, mask: V128) -> V128 { _mm_blendv_epi8(a, b, mask) }
}

methods! {
    V128, HasAvx2 = "avx2";

    /// Word i of 32 bits is that of `b` if bit i of `FROM` is set, and that of `self` otherwise.
    fn blend32<const FROM>(a, b: V128) -> V128 { _mm_blend_epi32::<FROM>(a, b) }
}

methods! {
    V128, HasClmul = "pclmulqdq";

    /// The carry-less product of two 64-bit halves: bit 0 of `HALVES` chooses the half of `self`, bit 4 that of `b`.
    fn clmul<const HALVES>(a, b: V128) -> V128 { _mm_clmulepi64_si128::<HALVES>(a, b) }
}

methods! {
    V128, HasAes = "aes";

    fn aes_enc(a, key: V128) -> V128 { _mm_aesenc_si128(a, key) }
    fn aes_enc_last(a, key: V128) -> V128 { _mm_aesenclast_si128(a, key) }
    fn aes_dec(a, key: V128) -> V128 { _mm_aesdec_si128(a, key) }
    fn aes_dec_last(a, key: V128) -> V128 { _mm_aesdeclast_si128(a, key) }
    fn aes_inv_mix_columns(a) -> V128 { _mm_aesimc_si128(a) }
}

methods! {
    V128, HasSha = "sha";

    fn sha1_message1(a, b: V128) -> V128 { _mm_sha1msg1_epu32(a, b) }
    fn sha1_message2(a, b: V128) -> V128 { _mm_sha1msg2_epu32(a, b) }
    fn sha1_next_e(a, b: V128) -> V128 { _mm_sha1nexte_epu32(a, b) }
    fn sha1_rounds4<const F>(a, b: V128) -> V128 { _mm_sha1rnds4_epu32::<F>(a, b) }
    fn sha256_message1(a, b: V128) -> V128 { _mm_sha256msg1_epu32(a, b) }
    fn sha256_message2(a, b: V128) -> V128 { _mm_sha256msg2_epu32(a, b) }
    fn sha256_rounds2(a, b: V128, kw: V128) -> V128 { _mm_sha256rnds2_epu32(a, b, kw) }
}

methods! {
    V128, HasAvx512 = "avx512f,avx512vl";

    /// A bitwise function of three bits: the bit of `TABLE` whose number is 4 `self` + 2 `b` + `c`.
    fn ternary<const TABLE>(a, b: V128, c: V128) -> V128 { _mm_ternarylogic_epi64::<TABLE>(a, b, c) }
    fn ror32<const N>(a) -> V128 { _mm_ror_epi32::<N>(a) }
    fn rol32<const N>(a) -> V128 { _mm_rol_epi32::<N>(a) }
    fn ror64<const N>(a) -> V128 { _mm_ror_epi64::<N>(a) }
    fn rol64<const N>(a) -> V128 { _mm_rol_epi64::<N>(a) }
}

impl<T: HasSse2> V128<T> {
    /// Loads the 16 bytes of `block`; wider vectors repeat them in each place.
    #[inline(always)]
    pub(crate) fn splat_block<P: Plain>(token: T, block: &P) -> Self {
        Self::load(token, block)
    }
}

//! 128-, 256- and 512-bit vectors of x86-64 CPUs.
//!
//! A vector is named after its width and takes the token as a parameter: code compiled for AVX-512
//! on 128 bits is the same text as code compiled for SSE2, and better instructions. Rotations are
//! written as two shifts and an `or`; the compiler knows them and makes what the token's features
//! have: `vprold`, or a byte shuffle where the distance allows one, or the two shifts.

use super::{Quads, Words32, ternary_by_gates, xor_pieces};
use crate::InOut;
use crate::cpu::{Avx2, Avx512, Sse2, Ssse3, Token};
#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// Tokens of CPUs with 128-bit vectors: all of x86-64.
pub trait HasSse2: Token {
    /// Whether they have ternary logic at every width.
    #[doc(hidden)]
    const TERNARY: bool = false;
}
impl HasSse2 for Sse2 {}
impl HasSse2 for Ssse3 {}
impl HasSse2 for Avx2 {}
impl HasSse2 for Avx512 {
    const TERNARY: bool = true;
}

/// Tokens that include AVX2.
pub trait HasAvx2: HasSse2 {}
impl HasAvx2 for Avx2 {}
impl HasAvx2 for Avx512 {}

/// The table of `a ^ b ^ c`.
const XOR3: i32 = 0x96;

/// One quad.
#[derive(Clone, Copy)]
pub struct W128<T>(__m128i, PhantomData<T>);

/// Two quads, AVX2.
#[derive(Clone, Copy)]
pub struct W256<T>(__m256i, PhantomData<T>);

/// Four quads, AVX-512.
#[derive(Clone, Copy)]
pub struct W512(__m512i);

impl<T> W128<T> {
    #[inline(always)]
    fn of(v: __m128i) -> Self {
        Self(v, PhantomData)
    }
}

impl<T> W256<T> {
    #[inline(always)]
    fn of(v: __m256i) -> Self {
        Self(v, PhantomData)
    }
}

impl<T: HasAvx2> W256<T> {
    /// The first quad from memory, the second zero.
    #[inline(always)]
    fn load_block(block: &[u8; 16]) -> Self {
        // SAFETY: the token includes AVX2; the array has 16 bytes.
        Self::of(unsafe { _mm256_zextsi128_si256(_mm_loadu_si128(block.as_ptr().cast())) })
    }
}

impl W512 {
    #[inline(always)]
    fn of(v: __m512i) -> Self {
        Self(v)
    }
}

/// The methods of `Words32` that differ between the widths in their intrinsics' names alone.
///
/// SAFETY of every block in here: a vector exists only where its token does, so the CPU has the
/// instructions; loads and stores are within the slices, whose lengths are asserted.
macro_rules! words {
    ($pin:ident, $set1:ident, $add:ident, $xor:ident, $and:ident, $or:ident, $load:ident, $store:ident) => {
        #[inline(always)]
        fn splat(_: Self::Token, word: u32) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $set1(word as i32) })
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $add(self.0, other.0) })
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $xor(self.0, other.0) })
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

        #[inline(always)]
        fn not(self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $xor(self.0, $set1(-1)) })
        }

        #[inline(always)]
        fn pin(self) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $pin(self.0) })
        }

        #[inline(always)]
        fn load_blocks(_: Self::Token, src: &[u8]) -> [Self; 4] {
            assert!(src.len() >= 4 * Self::BYTES);
            let src = src.as_ptr();
            // SAFETY: see the macro.
            Self::transpose(unsafe {
                [
                    Self::of($load(src.cast())),
                    Self::of($load(src.add(Self::BYTES).cast())),
                    Self::of($load(src.add(2 * Self::BYTES).cast())),
                    Self::of($load(src.add(3 * Self::BYTES).cast())),
                ]
            })
        }

        #[inline(always)]
        fn store_blocks(words: [Self; 4], dst: &mut [u8]) {
            assert!(dst.len() >= 4 * Self::BYTES);
            let dst = dst.as_mut_ptr();
            for (i, v) in Self::transpose(words).iter().enumerate() {
                // SAFETY: see the macro.
                unsafe { $store(dst.add(i * Self::BYTES).cast(), v.0) };
            }
        }

        #[inline(always)]
        fn xor_blocks(words: [Self; 4], mut data: InOut<'_>) {
            for row in Self::transpose(words) {
                row.xor_into(data.take(Self::BYTES).expect("all blocks"));
            }
        }
    };
}

/// The implementation of [`Words32::pin`]. It takes a target feature of its own, because `asm!` asks for
/// the registers' where it is written.
macro_rules! pin {
    ($name:ident, $features:literal, $register:ident, $vector:ty) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(mut vector: $vector) -> $vector {
            // SAFETY: no instruction; it only seems to change the register.
            #[cfg(not(miri))]
            unsafe {
                asm!("/* {0} */", inout($register) vector, options(nomem, nostack, preserves_flags))
            }
            vector
        }
    };
}
pin!(pin128, "sse2", xmm_reg, __m128i);
pin!(pin256, "avx2", ymm_reg, __m256i);
pin!(pin512, "avx512f", zmm_reg, __m512i);

/// `vpternlogd` with `a` in the register that it overwrites, and in the place of the source: the compiler takes whichever
/// operand is no longer needed, but a few blocks wait for the latest (see `serpent::ternary`).
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn ternary256<const TABLE: i32>(mut a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    // SAFETY: an instruction of the function's features, on registers.
    #[cfg(not(miri))]
    unsafe {
        asm!("vpternlogd {0}, {1}, {2}, {3}", inout(ymm_reg) a, in(ymm_reg) b, in(ymm_reg) c, const TABLE,
            options(nomem, nostack, preserves_flags));
    }
    #[cfg(miri)]
    {
        a = _mm256_ternarylogic_epi32::<TABLE>(a, b, c);
    }
    a
}

/// The methods of `Quads` that differ in their intrinsics' names alone. SAFETY: as `words`.
macro_rules! quads {
    ($xor:ident, $load:ident, $store:ident, $unpacklo32:ident, $unpackhi32:ident, $unpacklo64:ident, $unpackhi64:ident,
     $shuffle:ident, $multiply:ident, $add64:ident) => {
        #[inline(always)]
        fn from_words(_: Self::Token, words: &[u32; 16]) -> Self {
            // SAFETY: see the macro.
            Self::of(unsafe { $load(words.as_ptr().cast()) })
        }

        #[inline(always)]
        fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
            // SAFETY: see the macro.
            unsafe {
                let (ab, ab2) = ($unpacklo32(a.0, b.0), $unpackhi32(a.0, b.0));
                let (cd, cd2) = ($unpacklo32(c.0, d.0), $unpackhi32(c.0, d.0));
                [
                    Self::of($unpacklo64(ab, cd)),
                    Self::of($unpackhi64(ab, cd)),
                    Self::of($unpacklo64(ab2, cd2)),
                    Self::of($unpackhi64(ab2, cd2)),
                ]
            }
        }

        #[inline(always)]
        fn add_products(self, sums: Self) -> Self {
            // Words 0 and 1, and words 2 and 3, each in the lower half of a 64-bit lane.
            // SAFETY: see the macro.
            Self::of(unsafe {
                let (low, high) = ($shuffle::<0b01_01_00_00>(self.0), $shuffle::<0b11_11_10_10>(self.0));
                $add64(sums.0, $multiply(low, high))
            })
        }

        #[inline(always)]
        fn load(_: Self::Token, src: &[u8]) -> Self {
            assert!(src.len() >= Self::BYTES);
            // SAFETY: see the macro.
            Self::of(unsafe { $load(src.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, dst: &mut [u8]) {
            assert!(dst.len() >= Self::BYTES);
            // SAFETY: see the macro.
            unsafe { $store(dst.as_mut_ptr().cast(), self.0) };
        }

        #[inline(always)]
        fn xor_into(self, mut data: InOut<'_>) {
            assert!(data.len() >= Self::BYTES);
            // SAFETY: see the macro.
            unsafe {
                let src = $load(data.src().as_ptr().cast());
                $store(data.dst().as_mut_ptr().cast(), $xor(src, self.0));
            }
        }
    };
}

impl<T: HasSse2> Words32 for W128<T> {
    type Token = T;
    const LANES: usize = 4;

    words!(
        pin128,
        _mm_set1_epi32,
        _mm_add_epi32,
        _mm_xor_si128,
        _mm_and_si128,
        _mm_or_si128,
        _mm_loadu_si128,
        _mm_storeu_si128
    );

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // SAFETY: SSE2 is in every x86-64 CPU.
        Self::of(unsafe { _mm_slli_epi32::<N>(self.0) })
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        // SAFETY: SSE2 is in every x86-64 CPU.
        Self::of(unsafe { _mm_srli_epi32::<N>(self.0) })
    }

    const TERNARY: bool = T::TERNARY;

    #[inline(always)]
    fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self {
        if !T::TERNARY {
            return ternary_by_gates::<Self, TABLE>(self, b, c);
        }
        // SAFETY: the token includes AVX-512 VL.
        Self::of(unsafe { _mm_ternarylogic_epi32::<TABLE>(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        // SAFETY: SSE2 is in every x86-64 CPU.
        Self::of(unsafe { _mm_or_si128(_mm_slli_epi32::<L>(self.0), _mm_srli_epi32::<R>(self.0)) })
    }

    // rotl(x ^ y) = rotl(x) ^ (y << L) ^ (y >> R). A shift takes one cycle, `vprold` two: from y on it is two cycles in
    // place of three, and a round 12 in place of 16 (Zen 4). rotl(x), which is there by then, is two shifts as well:
    // with `vprold` in their places a round takes 14 to 15.5. The pin keeps it what it is.
    #[inline(always)]
    fn xor_rotl<const L: i32, const R: i32>(self, late: Self) -> Self {
        if !T::TERNARY {
            return self.xor(late).rotl::<L, R>();
        }
        // SAFETY: the token includes AVX-512 VL.
        Self::of(unsafe {
            let (left, right) = (pin128(_mm_slli_epi32::<L>(self.0)), _mm_srli_epi32::<R>(self.0));
            let early = _mm_or_si128(left, right);
            let (left, right) = (_mm_slli_epi32::<L>(late.0), _mm_srli_epi32::<R>(late.0));
            _mm_ternarylogic_epi32::<XOR3>(early, left, right)
        })
    }
}

impl<T: HasSse2> Quads for W128<T> {
    quads!(
        _mm_xor_si128,
        _mm_loadu_si128,
        _mm_storeu_si128,
        _mm_unpacklo_epi32,
        _mm_unpackhi_epi32,
        _mm_unpacklo_epi64,
        _mm_unpackhi_epi64,
        _mm_shuffle_epi32,
        _mm_mul_epu32,
        _mm_add_epi64
    );

    #[inline(always)]
    fn splat_quad(_: T, quad: [u32; 4]) -> Self {
        // SAFETY: SSE2 is in every x86-64 CPU; the array has 16 bytes.
        Self::of(unsafe { _mm_loadu_si128(quad.as_ptr().cast()) })
    }

    #[inline(always)]
    fn first_quad(self) -> [u32; 4] {
        let mut quad = [0; 4];
        // SAFETY: SSE2 is in every x86-64 CPU; the array has 16 bytes.
        unsafe { _mm_storeu_si128(quad.as_mut_ptr().cast(), self.0) };
        quad
    }

    #[inline(always)]
    fn rotate_quads<const N: i32>(self) -> Self {
        // SAFETY: SSE2 is in every x86-64 CPU.
        Self::of(unsafe {
            match N {
                1 => _mm_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm_shuffle_epi32::<0b01_00_11_10>(self.0),
                3 => _mm_shuffle_epi32::<0b10_01_00_11>(self.0),
                _ => self.0,
            }
        })
    }

    #[inline(always)]
    fn rows_to_blocks(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    fn xor_into_partial(self, data: InOut<'_>) {
        let mut keystream = [0; 64];
        // SAFETY: SSE2 is in every x86-64 CPU; the array has at least 16 bytes.
        unsafe { _mm_storeu_si128(keystream.as_mut_ptr().cast(), self.0) };
        xor_pieces(data, &keystream);
    }
}

impl<T: HasAvx2> Words32 for W256<T> {
    type Token = T;
    const LANES: usize = 8;

    words!(
        pin256,
        _mm256_set1_epi32,
        _mm256_add_epi32,
        _mm256_xor_si256,
        _mm256_and_si256,
        _mm256_or_si256,
        _mm256_loadu_si256,
        _mm256_storeu_si256
    );

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // SAFETY: the token includes AVX2.
        Self::of(unsafe { _mm256_slli_epi32::<N>(self.0) })
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        // SAFETY: the token includes AVX2.
        Self::of(unsafe { _mm256_srli_epi32::<N>(self.0) })
    }

    const TERNARY: bool = T::TERNARY;

    #[inline(always)]
    fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self {
        if !T::TERNARY {
            return ternary_by_gates::<Self, TABLE>(self, b, c);
        }
        // SAFETY: the token includes AVX-512 VL.
        Self::of(unsafe { ternary256::<TABLE>(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        // SAFETY: the token includes AVX2.
        Self::of(unsafe { _mm256_or_si256(_mm256_slli_epi32::<L>(self.0), _mm256_srli_epi32::<R>(self.0)) })
    }

    // One block alone is turned into place, which is as good as a transposition of it.
    #[inline(always)]
    fn load_few(token: T, src: &[u8]) -> [Self; 4] {
        assert!(!src.is_empty() && src.len() <= 4 * Self::BYTES && src.len().is_multiple_of(16));
        if let Ok(block) = src.try_into() {
            let v = Self::load_block(block);
            return [v, v.rotate_quads::<1>(), v.rotate_quads::<2>(), v.rotate_quads::<3>()];
        }
        let mut rows = [Self::splat(token, 0); 4];
        let (twos, last) = src.as_chunks::<32>();
        for (row, two) in rows.iter_mut().zip(twos) {
            *row = Self::load(token, two);
        }
        if let Ok(block) = last.try_into() {
            rows[twos.len()] = Self::load_block(block);
        }
        Self::transpose(rows)
    }

    #[inline(always)]
    fn store_few(words: [Self; 4], dst: &mut [u8]) {
        assert!(dst.len() <= 4 * Self::BYTES && dst.len().is_multiple_of(16));
        let rows = Self::transpose(words);
        let (twos, last) = dst.as_chunks_mut::<32>();
        let whole = twos.len();
        for (row, two) in rows.into_iter().zip(twos) {
            row.store(two);
        }
        if !last.is_empty() {
            super::portable::store_words(rows[whole].first_quad(), last);
        }
    }

    // As on 128 bits.
    #[inline(always)]
    fn xor_rotl<const L: i32, const R: i32>(self, late: Self) -> Self {
        if !T::TERNARY {
            return self.xor(late).rotl::<L, R>();
        }
        // SAFETY: the token includes AVX-512 VL.
        Self::of(unsafe {
            let (left, right) = (pin256(_mm256_slli_epi32::<L>(self.0)), _mm256_srli_epi32::<R>(self.0));
            let early = _mm256_or_si256(left, right);
            let (left, right) = (_mm256_slli_epi32::<L>(late.0), _mm256_srli_epi32::<R>(late.0));
            _mm256_ternarylogic_epi32::<XOR3>(early, left, right)
        })
    }
}

impl<T: HasAvx2> Quads for W256<T> {
    quads!(
        _mm256_xor_si256,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_unpacklo_epi32,
        _mm256_unpackhi_epi32,
        _mm256_unpacklo_epi64,
        _mm256_unpackhi_epi64,
        _mm256_shuffle_epi32,
        _mm256_mul_epu32,
        _mm256_add_epi64
    );

    #[inline(always)]
    fn splat_quad(_: T, quad: [u32; 4]) -> Self {
        // SAFETY: the token includes AVX2; the array has 16 bytes.
        Self::of(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(quad.as_ptr().cast())) })
    }

    #[inline(always)]
    fn first_quad(self) -> [u32; 4] {
        let mut quad = [0; 4];
        // SAFETY: the token includes AVX2; the array has 16 bytes.
        unsafe { _mm_storeu_si128(quad.as_mut_ptr().cast(), _mm256_castsi256_si128(self.0)) };
        quad
    }

    #[inline(always)]
    fn rotate_quads<const N: i32>(self) -> Self {
        // SAFETY: the token includes AVX2.
        Self::of(unsafe {
            match N {
                1 => _mm256_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm256_shuffle_epi32::<0b01_00_11_10>(self.0),
                3 => _mm256_shuffle_epi32::<0b10_01_00_11>(self.0),
                _ => self.0,
            }
        })
    }

    #[inline(always)]
    fn rows_to_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: the token includes AVX2.
        unsafe {
            [
                Self::of(_mm256_permute2x128_si256::<0x20>(a.0, b.0)),
                Self::of(_mm256_permute2x128_si256::<0x20>(c.0, d.0)),
                Self::of(_mm256_permute2x128_si256::<0x31>(a.0, b.0)),
                Self::of(_mm256_permute2x128_si256::<0x31>(c.0, d.0)),
            ]
        }
    }

    #[inline(always)]
    fn xor_into_partial(self, data: InOut<'_>) {
        let mut keystream = [0; 64];
        // SAFETY: the token includes AVX2; the array has at least 32 bytes.
        unsafe { _mm256_storeu_si256(keystream.as_mut_ptr().cast(), self.0) };
        xor_pieces(data, &keystream);
    }
}

impl Words32 for W512 {
    type Token = Avx512;
    const LANES: usize = 16;

    words!(
        pin512,
        _mm512_set1_epi32,
        _mm512_add_epi32,
        _mm512_xor_si512,
        _mm512_and_si512,
        _mm512_or_si512,
        _mm512_loadu_si512,
        _mm512_storeu_si512
    );

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // A count in a register, because the immediate's type differs; the compiler folds it.
        // SAFETY: the token includes AVX-512.
        Self(unsafe { _mm512_sll_epi32(self.0, _mm_cvtsi32_si128(N)) })
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        // SAFETY: the token includes AVX-512.
        Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(N)) })
    }

    const TERNARY: bool = true;

    #[inline(always)]
    fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self {
        // SAFETY: the token includes AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi32::<TABLE>(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        // SAFETY: the token includes AVX-512.
        Self(unsafe { _mm512_rol_epi32::<L>(self.0) })
    }
}

impl Quads for W512 {
    quads!(
        _mm512_xor_si512,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_unpacklo_epi32,
        _mm512_unpackhi_epi32,
        _mm512_unpacklo_epi64,
        _mm512_unpackhi_epi64,
        _mm512_shuffle_epi32,
        _mm512_mul_epu32,
        _mm512_add_epi64
    );

    #[inline(always)]
    fn splat_quad(_: Avx512, quad: [u32; 4]) -> Self {
        // SAFETY: the token includes AVX-512; the array has 16 bytes.
        Self(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(quad.as_ptr().cast())) })
    }

    #[inline(always)]
    fn first_quad(self) -> [u32; 4] {
        let mut quad = [0; 4];
        // SAFETY: the token includes AVX-512; the array has 16 bytes.
        unsafe { _mm_storeu_si128(quad.as_mut_ptr().cast(), _mm512_castsi512_si128(self.0)) };
        quad
    }

    #[inline(always)]
    fn rotate_quads<const N: i32>(self) -> Self {
        // SAFETY: the token includes AVX-512.
        Self(unsafe {
            match N {
                1 => _mm512_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm512_shuffle_epi32::<0b01_00_11_10>(self.0),
                3 => _mm512_shuffle_epi32::<0b10_01_00_11>(self.0),
                _ => self.0,
            }
        })
    }

    #[inline(always)]
    fn rows_to_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: the token includes AVX-512.
        unsafe {
            let (ab01, ab23) =
                (_mm512_shuffle_i32x4::<0b01_00_01_00>(a.0, b.0), _mm512_shuffle_i32x4::<0b11_10_11_10>(a.0, b.0));
            let (cd01, cd23) =
                (_mm512_shuffle_i32x4::<0b01_00_01_00>(c.0, d.0), _mm512_shuffle_i32x4::<0b11_10_11_10>(c.0, d.0));
            // ab01 = a0 a1 b0 b1, and so on.
            [
                Self(_mm512_shuffle_i32x4::<0b10_00_10_00>(ab01, cd01)),
                Self(_mm512_shuffle_i32x4::<0b11_01_11_01>(ab01, cd01)),
                Self(_mm512_shuffle_i32x4::<0b10_00_10_00>(ab23, cd23)),
                Self(_mm512_shuffle_i32x4::<0b11_01_11_01>(ab23, cd23)),
            ]
        }
    }

    #[inline(always)]
    fn xor_into_partial(self, mut data: InOut<'_>) {
        assert!(data.len() < 64);
        // SAFETY: the token includes AVX-512 BW and BMI2; bytes outside the mask are not touched.
        unsafe {
            let mask = _bzhi_u64(!0, data.len() as u32);
            let src = _mm512_maskz_loadu_epi8(mask, data.src().as_ptr().cast());
            _mm512_mask_storeu_epi8(data.dst().as_mut_ptr().cast(), mask, _mm512_xor_si512(src, self.0));
        }
    }
}

//! 128-, 256- and 512-bit vectors of x86-64 CPUs.

use super::{AesToken, AesVector, Blocks, load_partial_block, store_partial_block};
use crate::cpu::{AesNi, Vaes256, Vaes512};
use core::arch::x86_64::*;

impl AesToken for AesNi {
    type V = B128;
    type Narrow = AesNi;

    #[inline(always)]
    fn narrow(self) -> AesNi {
        self
    }

    type Pair = AesNi;

    #[inline(always)]
    fn pair(self) -> AesNi {
        self
    }
}
impl AesToken for Vaes256 {
    type V = B256;
    type Narrow = AesNi;

    #[inline(always)]
    fn narrow(self) -> AesNi {
        self.into()
    }

    type Pair = Vaes256;

    #[inline(always)]
    fn pair(self) -> Vaes256 {
        self
    }
}
impl AesToken for Vaes512 {
    type V = B512;
    type Narrow = AesNi;

    #[inline(always)]
    fn narrow(self) -> AesNi {
        self.into()
    }

    type Pair = Vaes256;

    #[inline(always)]
    fn pair(self) -> Vaes256 {
        self.into()
    }
}

/// One block, AES-NI.
#[derive(Clone, Copy)]
pub struct B128(pub(crate) __m128i);

/// Two blocks, VAES on 256-bit vectors.
#[derive(Clone, Copy)]
pub struct B256(pub(crate) __m256i);

/// Four blocks, VAES on 512-bit vectors.
#[derive(Clone, Copy)]
pub struct B512(pub(crate) __m512i);

/// The methods that differ between the widths in their intrinsics' names alone.
///
/// SAFETY of every block in here: a vector exists only where its token does, so the CPU has the
/// instructions; loads and stores are within the slices, whose lengths are asserted.
macro_rules! common {
    ($load:ident, $store:ident, $xor:ident, $add32:ident, $add64:ident, $zero:ident) => {
        #[inline(always)]
        fn zero(_: Self::Token) -> Self {
            // SAFETY: see the macro.
            Self(unsafe { $zero() })
        }

        #[inline(always)]
        fn load(_: Self::Token, src: &[u8]) -> Self {
            assert!(src.len() >= Self::BYTES);
            // SAFETY: see the macro.
            Self(unsafe { $load(src.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, dst: &mut [u8]) {
            assert!(dst.len() >= Self::BYTES);
            // SAFETY: see the macro.
            unsafe { $store(dst.as_mut_ptr().cast(), self.0) }
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self(unsafe { $xor(self.0, other.0) })
        }

        #[inline(always)]
        fn add32(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self(unsafe { $add32(self.0, other.0) })
        }

        #[inline(always)]
        fn add64(self, other: Self) -> Self {
            // SAFETY: see the macro.
            Self(unsafe { $add64(self.0, other.0) })
        }
    };
}

macro_rules! meet {
    ($name:ident, $vector:ty, $class:ident, $feature:literal) => {
        /// [`AesVector::meet`]: no instruction that has two results.
        #[inline]
        #[target_feature(enable = $feature)]
        fn $name(a: &mut $vector, b: &mut $vector) {
            // SAFETY: there is no instruction.
            #[cfg(not(miri))]
            unsafe {
                core::arch::asm!(
                    "/* {0} {1} */",
                    inout($class) * a,
                    inout($class) * b,
                    options(nomem, nostack, preserves_flags)
                );
            }
        }
    };
}

meet!(meet128, __m128i, xmm_reg, "sse2");
meet!(meet256, __m256i, ymm_reg, "avx");
meet!(meet512, __m512i, zmm_reg, "avx512f");

macro_rules! aes_rounds {
    ($enc:ident, $enc_last:ident, $dec:ident, $dec_last:ident, $meet:ident) => {
        #[inline(always)]
        fn meet(&mut self, other: &mut Self) {
            // SAFETY: as below.
            unsafe { $meet(&mut self.0, &mut other.0) }
        }

        #[inline(always)]
        fn enc(self, round_key: Self) -> Self {
            // SAFETY: the vector's token proves the instruction.
            Self(unsafe { $enc(self.0, round_key.0) })
        }

        #[inline(always)]
        fn enc_last(self, round_key: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $enc_last(self.0, round_key.0) })
        }

        #[inline(always)]
        fn dec(self, round_key: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $dec(self.0, round_key.0) })
        }

        #[inline(always)]
        fn dec_last(self, round_key: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $dec_last(self.0, round_key.0) })
        }
    };
}

const REVERSED: [i8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

#[inline(always)]
fn reversed() -> __m128i {
    // SAFETY: SSE2 is in every x86-64 CPU, and the array has 16 bytes.
    unsafe { _mm_loadu_si128(REVERSED.as_ptr().cast()) }
}

impl Blocks for B128 {
    type Token = AesNi;
    const BLOCKS: usize = 1;

    common!(_mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128, _mm_add_epi32, _mm_add_epi64, _mm_setzero_si128);

    #[inline(always)]
    fn splat(token: AesNi, block: &[u8; 16]) -> Self {
        Self::load(token, block)
    }

    #[inline(always)]
    fn load_partial(token: AesNi, src: &[u8]) -> Self {
        assert!(src.len() <= 16);
        Self::load(token, &load_partial_block(src).to_le_bytes())
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        assert!(dst.len() <= 16);
        store_partial_block(u128::from_le_bytes(self.first()), dst);
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        let mut block = [0; 16];
        self.store(&mut block);
        block
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        self.first()
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: the token includes SSSE3.
        Self(unsafe { _mm_shuffle_epi8(self.0, reversed()) })
    }
}

impl AesVector for B128 {
    aes_rounds!(_mm_aesenc_si128, _mm_aesenclast_si128, _mm_aesdec_si128, _mm_aesdeclast_si128, meet128);

    #[inline(always)]
    fn gather(token: AesNi, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
        Self::load(token, &block(0))
    }

    #[inline(always)]
    fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
        put(0, self.first());
    }

    #[inline(always)]
    fn next_key<const ROTATED: bool>(self, _: AesNi, last: Self, rcon: u32) -> Self {
        // By bytes 12 to 15 of `last`, or those rotated, in all four words. Shuffle, last round, xor: what is
        // between one key and the next takes six cycles; `aeskeygenassist` alone takes as many or more.
        // SAFETY: the token includes SSSE3 and AES-NI.
        Self(unsafe {
            let places = if ROTATED { 0x0c0f_0e0d } else { 0x0f0e_0d0c };
            let word = _mm_shuffle_epi8(last.0, _mm_set1_epi32(places));
            let word = _mm_aesenclast_si128(word, _mm_set1_epi32(rcon as i32));
            let sums = _mm_xor_si128(self.0, _mm_slli_si128::<4>(self.0));
            let sums = _mm_xor_si128(sums, _mm_slli_si128::<8>(sums));
            _mm_xor_si128(sums, word)
        })
    }

    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        // SAFETY: the token includes AES-NI.
        Self(unsafe { _mm_aesimc_si128(self.0) })
    }

    #[inline(always)]
    fn after(self, previous: Self) -> Self {
        previous
    }

    #[inline(always)]
    fn mul_x(self, n: usize) -> Self {
        assert!(n <= 56);
        // SAFETY: the token includes PCLMULQDQ.
        Self(unsafe {
            let up = _mm_sll_epi64(self.0, _mm_cvtsi32_si128(n as i32));
            let out = _mm_srl_epi64(self.0, _mm_cvtsi32_si128(64 - n as i32));
            let reduced = _mm_clmulepi64_si128::<0x01>(out, _mm_cvtsi32_si128(0x87));
            _mm_xor_si128(_mm_xor_si128(up, reduced), _mm_slli_si128::<8>(out))
        })
    }

    #[inline(always)]
    fn next_tweaks(_batch_ago: Self, before: Self) -> Self {
        // Doubling: the sign bits of both words as masks, crosswise, for what they turn into. One
        // shuffle, and no product, which would take a port from AES.
        // SAFETY: SSE2 is in every x86-64 CPU.
        Self(unsafe {
            let signs = _mm_shuffle_epi32::<0b00_01_00_11>(_mm_cmpgt_epi32(_mm_setzero_si128(), before.0));
            let carries = _mm_and_si128(signs, _mm_set_epi64x(1, 0x87));
            _mm_xor_si128(_mm_add_epi64(before.0, before.0), carries)
        })
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        self.mul_x(n)
    }
}

impl Blocks for B256 {
    type Token = Vaes256;
    const BLOCKS: usize = 2;

    common!(
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_xor_si256,
        _mm256_add_epi32,
        _mm256_add_epi64,
        _mm256_setzero_si256
    );

    #[inline(always)]
    fn splat(_: Vaes256, block: &[u8; 16]) -> Self {
        // SAFETY: the token includes AVX2; the array has 16 bytes.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(block.as_ptr().cast())) })
    }

    #[inline(always)]
    fn load_partial(token: Vaes256, src: &[u8]) -> Self {
        assert!(src.len() <= 32);
        let narrow = token.narrow();
        let (low, high) = match src.split_at_checked(16) {
            Some((low, high)) => (B128::load(narrow, low), B128::load_partial(narrow, high)),
            None => (B128::load_partial(narrow, src), B128::zero(narrow)),
        };
        // SAFETY: the token includes AVX2.
        Self(unsafe { _mm256_set_m128i(high.0, low.0) })
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        assert!(dst.len() <= 32);
        match dst.split_at_mut_checked(16) {
            Some((low, high)) => {
                low.copy_from_slice(&self.first());
                store_partial_block(u128::from_le_bytes(self.last()), high);
            }
            None => store_partial_block(u128::from_le_bytes(self.first()), dst),
        }
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        let mut block = [0; 16];
        // SAFETY: the token includes AVX2; the array has 16 bytes.
        unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), _mm256_castsi256_si128(self.0)) };
        block
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        let mut block = [0; 16];
        // SAFETY: the token includes AVX2; the array has 16 bytes.
        unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), _mm256_extracti128_si256::<1>(self.0)) };
        block
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: the token includes AVX2.
        Self(unsafe { _mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(reversed())) })
    }
}

impl B256 {
    /// Each word's block times x to the power in that word, at most `max`.
    #[inline(always)]
    fn mul_x_by(self, max: usize, n: __m256i) -> Self {
        assert!(max <= 56);
        // SAFETY: the token includes AVX2 and VPCLMULQDQ.
        Self(unsafe {
            let up = _mm256_sllv_epi64(self.0, n);
            let out = _mm256_srlv_epi64(self.0, _mm256_sub_epi64(_mm256_set1_epi64x(64), n));
            let reduced = _mm256_clmulepi64_epi128::<0x01>(out, _mm256_set1_epi64x(0x87));
            _mm256_xor_si256(_mm256_xor_si256(up, reduced), _mm256_bslli_epi128::<8>(out))
        })
    }
}

impl AesVector for B256 {
    aes_rounds!(
        _mm256_aesenc_epi128,
        _mm256_aesenclast_epi128,
        _mm256_aesdec_epi128,
        _mm256_aesdeclast_epi128,
        meet256
    );

    #[inline(always)]
    fn gather(token: Vaes256, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
        let narrow = token.narrow();
        let (low, high) = (B128::load(narrow, &block(0)), B128::load(narrow, &block(1)));
        // SAFETY: the token includes AVX2.
        Self(unsafe { _mm256_set_m128i(high.0, low.0) })
    }

    #[inline(always)]
    fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
        put(0, self.first());
        put(1, self.last());
    }

    #[inline(always)]
    fn splat_first(self) -> Self {
        // SAFETY: the token includes AVX2.
        Self(unsafe { _mm256_permute2x128_si256::<0>(self.0, self.0) })
    }

    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        // InvMixColumns is what a decryption round does to the output of an encryption's last round.
        // SAFETY: the token includes VAES.
        Self(unsafe {
            let zero = _mm256_setzero_si256();
            _mm256_aesdec_epi128(_mm256_aesenclast_epi128(self.0, zero), zero)
        })
    }

    #[inline(always)]
    fn after(self, previous: Self) -> Self {
        // SAFETY: the token includes AVX2.
        Self(unsafe { _mm256_permute2x128_si256::<0x21>(previous.0, self.0) })
    }

    #[inline(always)]
    fn mul_x(self, n: usize) -> Self {
        // SAFETY: the token includes AVX2.
        self.mul_x_by(n, unsafe { _mm256_set1_epi64x(n as i64) })
    }

    #[inline(always)]
    fn mul_x_bytes(self, n: usize) -> Self {
        assert!(n == 1, "a batch needs no more");
        // As in `next_tweaks`.
        // SAFETY: the token includes AVX2 and VPCLMULQDQ.
        Self(unsafe {
            let rotated = _mm256_alignr_epi8::<15>(self.0, self.0);
            let out = _mm256_and_si256(rotated, _mm256_set1_epi64x(0xff));
            _mm256_xor_si256(rotated, _mm256_clmulepi64_epi128::<0x00>(out, _mm256_set1_epi64x(0x86)))
        })
    }

    #[inline(always)]
    fn next_tweaks(batch_ago: Self, _before: Self) -> Self {
        // A rotation leaves what goes out at the top where its multiple belongs; it is there once
        // already, so that 0x86 remains of 0x87. One byte shuffle, where two shifts would be two.
        // SAFETY: the token includes AVX2 and VPCLMULQDQ.
        Self(unsafe {
            let by_two = _mm_setr_epi8(14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
            let rotated = _mm256_shuffle_epi8(batch_ago.0, _mm256_broadcastsi128_si256(by_two));
            let out = _mm256_and_si256(rotated, _mm256_set1_epi64x(0xffff));
            _mm256_xor_si256(rotated, _mm256_clmulepi64_epi128::<0x00>(out, _mm256_set1_epi64x(0x86)))
        })
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        let n64 = n as i64;
        // SAFETY: the token includes AVX2.
        self.mul_x_by(n + 1, unsafe { _mm256_setr_epi64x(n64, n64, n64 + 1, n64 + 1) })
    }
}

/// The mask that selects the first `n` bytes, `n` at most 64.
#[inline(always)]
fn first_bytes(n: usize) -> __mmask64 {
    assert!(n <= 64);
    // SAFETY: `_bzhi_u64` is BMI2, in every CPU with AVX-512.
    unsafe { _bzhi_u64(!0, n as u32) }
}

impl Blocks for B512 {
    type Token = Vaes512;
    const BLOCKS: usize = 4;

    common!(
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_xor_si512,
        _mm512_add_epi32,
        _mm512_add_epi64,
        _mm512_setzero_si512
    );

    #[inline(always)]
    fn splat(_: Vaes512, block: &[u8; 16]) -> Self {
        // SAFETY: the token includes AVX-512; the array has 16 bytes.
        Self(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(block.as_ptr().cast())) })
    }

    #[inline(always)]
    fn load_partial(_: Vaes512, src: &[u8]) -> Self {
        // SAFETY: the token includes AVX-512 BW; bytes outside the mask are not touched.
        Self(unsafe { _mm512_maskz_loadu_epi8(first_bytes(src.len()), src.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        // SAFETY: the token includes AVX-512 BW; bytes outside the mask are not touched.
        unsafe { _mm512_mask_storeu_epi8(dst.as_mut_ptr().cast(), first_bytes(dst.len()), self.0) }
    }

    #[inline(always)]
    fn overlaid(self, _: Vaes512, src: &[u8]) -> Self {
        assert!(src.len() <= 16);
        // SAFETY: the token includes AVX-512 BW; bytes outside the mask are not touched.
        Self(unsafe { _mm512_mask_loadu_epi8(self.0, first_bytes(src.len()), src.as_ptr().cast()) })
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        let mut block = [0; 16];
        // SAFETY: the token includes AVX-512; the array has 16 bytes.
        unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), _mm512_castsi512_si128(self.0)) };
        block
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        let mut block = [0; 16];
        // SAFETY: the token includes AVX-512; the array has 16 bytes.
        unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), _mm512_extracti32x4_epi32::<3>(self.0)) };
        block
    }

    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        // SAFETY: the token includes AVX-512; 0x96 is the truth table of three-way xor.
        Self(unsafe { _mm512_ternarylogic_epi64::<0x96>(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: the token includes AVX-512 BW.
        Self(unsafe { _mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(reversed())) })
    }
}

impl B512 {
    /// Each word's block times x to the power in that word, at most `max`.
    #[inline(always)]
    fn mul_x_by(self, max: usize, n: __m512i) -> Self {
        assert!(max <= 56);
        // SAFETY: the token includes AVX-512 and VPCLMULQDQ.
        unsafe {
            let up = _mm512_sllv_epi64(self.0, n);
            let out = _mm512_srlv_epi64(self.0, _mm512_sub_epi64(_mm512_set1_epi64(64), n));
            let reduced = _mm512_clmulepi64_epi128::<0x01>(out, _mm512_set1_epi64(0x87));
            Self(up).xor3(Self(reduced), Self(_mm512_bslli_epi128::<8>(out)))
        }
    }
}

impl AesVector for B512 {
    aes_rounds!(
        _mm512_aesenc_epi128,
        _mm512_aesenclast_epi128,
        _mm512_aesdec_epi128,
        _mm512_aesdeclast_epi128,
        meet512
    );

    #[inline(always)]
    fn gather(token: Vaes512, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
        let narrow = token.narrow();
        let (a, b) = (B128::load(narrow, &block(0)), B128::load(narrow, &block(1)));
        let (c, d) = (B128::load(narrow, &block(2)), B128::load(narrow, &block(3)));
        // SAFETY: the token includes AVX-512 and AVX2.
        Self(unsafe {
            let (low, high) = (_mm256_set_m128i(b.0, a.0), _mm256_set_m128i(d.0, c.0));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        })
    }

    #[inline(always)]
    fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
        put(0, self.first());
        // SAFETY: the token includes AVX-512 and AVX2.
        let blocks = unsafe {
            let (low, high) = (_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0));
            [_mm256_extracti128_si256::<1>(low), _mm256_castsi256_si128(high), _mm256_extracti128_si256::<1>(high)]
        };
        let [b, c, d] = blocks;
        put(1, B128(b).first());
        put(2, B128(c).first());
        put(3, B128(d).first());
    }

    #[inline(always)]
    fn splat_first(self) -> Self {
        // SAFETY: the token includes AVX-512.
        Self(unsafe { _mm512_shuffle_i32x4::<0>(self.0, self.0) })
    }

    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        // SAFETY: the token includes VAES. See `B256`.
        Self(unsafe {
            let zero = _mm512_setzero_si512();
            _mm512_aesdec_epi128(_mm512_aesenclast_epi128(self.0, zero), zero)
        })
    }

    #[inline(always)]
    fn after(self, previous: Self) -> Self {
        // SAFETY: the token includes AVX-512.
        Self(unsafe { _mm512_alignr_epi64::<6>(self.0, previous.0) })
    }

    #[inline(always)]
    fn mul_x(self, n: usize) -> Self {
        // SAFETY: the token includes AVX-512.
        self.mul_x_by(n, unsafe { _mm512_set1_epi64(n as i64) })
    }

    #[inline(always)]
    fn mul_x_bytes(self, n: usize) -> Self {
        // As in `B256`.
        // SAFETY: the token includes AVX-512 and VPCLMULQDQ.
        Self(unsafe {
            let rotated = match n {
                1 => _mm512_alignr_epi8::<15>(self.0, self.0),
                2 => _mm512_alignr_epi8::<14>(self.0, self.0),
                3 => _mm512_alignr_epi8::<13>(self.0, self.0),
                _ => panic!("a batch needs no more"),
            };
            let out = _mm512_and_si512(rotated, _mm512_set1_epi64((1 << (8 * n)) - 1));
            _mm512_xor_si512(rotated, _mm512_clmulepi64_epi128::<0x00>(out, _mm512_set1_epi64(0x86)))
        })
    }

    #[inline(always)]
    fn next_tweaks(batch_ago: Self, _before: Self) -> Self {
        // As in `B256`. With a ternary xor, the product is as cheap by doublings and a shift, and on
        // Zen 4 it then takes no cycle from AES: XTS-AES-256 ran at 95 % of AES alone, not 89 to 91 %.
        // SAFETY: the token includes AVX-512.
        unsafe {
            let rotated = _mm512_shuffle_epi32::<0b10_01_00_11>(batch_ago.0);
            let out = _mm512_and_si512(rotated, _mm512_set4_epi32(0, 0, 0, -1));
            let out2 = _mm512_add_epi64(out, out);
            let out4 = _mm512_add_epi64(out2, out2);
            Self(rotated).xor3(Self(out2), Self(out4)).xor(Self(_mm512_slli_epi64::<7>(out)))
        }
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        // SAFETY: the token includes AVX-512.
        let exponents =
            unsafe { _mm512_add_epi64(_mm512_set1_epi64(n as i64), _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3)) };
        self.mul_x_by(n + 3, exponents)
    }
}

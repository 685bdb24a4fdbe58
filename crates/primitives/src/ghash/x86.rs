//! PCLMULQDQ and VPCLMULQDQ: one 64×64-bit carry-less product in each 128-bit lane.

use super::clmul::{C, ClmulToken, ClmulVector};
use crate::cpu::{AesNi, Pclmul, Vaes256, Vaes512};
use crate::simd::{AesToken, B128, B256, B512, Blocks, load_partial_block, store_partial_block};
use core::arch::{asm, x86_64::*};

impl ClmulToken for Pclmul {
    type V = P128;
}
impl ClmulToken for AesNi {
    type V = B128;
}
impl ClmulToken for Vaes256 {
    type V = B256;
}
impl ClmulToken for Vaes512 {
    type V = B512;
}

// SAFETY of every block in this file: a vector exists only where its token does, so the CPU has the
// instructions; loads and stores are within slices and arrays whose lengths are known or asserted.

/// 32 bytes of ones, then 32 of zeros: the mask of the first n bytes begins at 32 - n.
static FIRST_BYTES: [[u8; 32]; 2] = [[0xff; 32], [0; 32]];

#[inline(always)]
fn first_bytes(n: usize) -> &'static [u8] {
    &FIRST_BYTES.as_flattened()[32 - n..]
}

macro_rules! pin {
    ($name:ident, $features:literal, $register:ident, $vector:ty) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(mut vector: $vector) -> $vector {
            // SAFETY: no instruction; it only seems to change the register.
            #[cfg(not(miri))]
            unsafe { asm!("/* {0} */", inout($register) vector, options(nomem, nostack, preserves_flags)) }
            vector
        }
    };
}
pin!(pin128, "sse2", xmm_reg, __m128i);
pin!(pin256, "avx2", ymm_reg, __m256i);
pin!(pin512, "avx512f", zmm_reg, __m512i);

/// The products and folds, which differ in the intrinsics' names alone.
macro_rules! multiply {
    ($clmul:ident, $xor:ident, $swap:ident, $c:expr, $pin:ident) => {
        #[inline(always)]
        fn pin(self) -> Self {
            // SAFETY: see above.
            Self(unsafe { $pin(self.0) })
        }

        #[inline(always)]
        fn add_halves(self) -> Self {
            // SAFETY: see above.
            Self(unsafe { $xor(self.0, $swap::<0x4e>(self.0)) })
        }

        #[inline(always)]
        fn multiply(self, b: Self, b_sum: Self) -> [Self; 3] {
            // SAFETY: see above.
            unsafe {
                [
                    Self($clmul::<0x00>(self.0, b.0)),
                    Self($clmul::<0x00>(self.add_halves().0, b_sum.0)),
                    Self($clmul::<0x11>(self.0, b.0)),
                ]
            }
        }

        #[inline(always)]
        fn fold(self) -> Self {
            // SAFETY: see above.
            Self(unsafe { $xor($swap::<0x4e>(self.0), $clmul::<0x00>(self.0, $c)) })
        }
    };
}

/// One block, PCLMULQDQ without AES-NI.
#[derive(Clone, Copy)]
pub struct P128(__m128i);

impl Blocks for P128 {
    type Token = Pclmul;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn zero(_: Pclmul) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_setzero_si128() })
    }

    #[inline(always)]
    fn splat(token: Pclmul, block: &[u8; 16]) -> Self {
        Self::load(token, block)
    }

    #[inline(always)]
    fn load(_: Pclmul, src: &[u8]) -> Self {
        assert!(src.len() >= 16);
        // SAFETY: see above.
        Self(unsafe { _mm_loadu_si128(src.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load_partial(token: Pclmul, src: &[u8]) -> Self {
        assert!(src.len() <= 16);
        Self::load(token, &load_partial_block(src).to_le_bytes())
    }

    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        assert!(dst.len() >= 16);
        // SAFETY: see above.
        unsafe { _mm_storeu_si128(dst.as_mut_ptr().cast(), self.0) }
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
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: see above; the token includes SSSE3.
        Self(unsafe {
            let reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm_shuffle_epi8(self.0, reversed)
        })
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_add_epi64(self.0, other.0) })
    }
}

/// What the two kinds of one-block vectors share.
macro_rules! one_block {
    ($vector:ident, $token:ident) => {
        impl ClmulVector for $vector {
            const BATCH: usize = 6;
            type Powers = [[u8; 16]; 16];
            const NO_POWERS: Self::Powers = [[0; 16]; 16];

            #[inline(always)]
            fn load_first(token: $token, block: &[u8; 16]) -> Self {
                Self::load(token, block)
            }

            #[inline(always)]
            fn keep(self, n: usize) -> Self {
                let mask = first_bytes(n);
                assert!(n <= 16);
                // SAFETY: see above.
                Self(unsafe { _mm_and_si128(self.0, _mm_loadu_si128(mask.as_ptr().cast())) })
            }

            multiply!(_mm_clmulepi64_si128, _mm_xor_si128, _mm_shuffle_epi32, _mm_set1_epi64x(C as i64), pin128);

            #[inline(always)]
            fn sum_blocks(self) -> Self {
                self
            }
        }
    };
}

one_block!(P128, Pclmul);
one_block!(B128, AesNi);

impl ClmulVector for B256 {
    const BATCH: usize = 6;
    type Powers = [[u8; 16]; 18 + 1];
    const NO_POWERS: Self::Powers = [[0; 16]; 18 + 1];

    #[inline(always)]
    fn load_first(_: Vaes256, block: &[u8; 16]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_zextsi128_si256(_mm_loadu_si128(block.as_ptr().cast())) })
    }

    #[inline(always)]
    fn with(self, token: Vaes256, place: usize, block: &[u8; 16]) -> Self {
        let block = B128::load(token.narrow(), block).0;
        // SAFETY: see above.
        Self(unsafe {
            match place {
                0 => _mm256_inserti128_si256::<0>(self.0, block),
                1 => _mm256_inserti128_si256::<1>(self.0, block),
                _ => panic!("there are two blocks"),
            }
        })
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        let mask = first_bytes(n);
        assert!(mask.len() >= 32);
        // SAFETY: see above.
        Self(unsafe { _mm256_and_si256(self.0, _mm256_loadu_si256(mask.as_ptr().cast())) })
    }

    multiply!(_mm256_clmulepi64_epi128, _mm256_xor_si256, _mm256_shuffle_epi32, _mm256_set1_epi64x(C as i64), pin256);

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let sum = _mm_xor_si128(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
            _mm256_zextsi128_si256(sum)
        })
    }
}

impl ClmulVector for B512 {
    const BATCH: usize = 8;
    type Powers = [[u8; 16]; 36 + 3];
    const NO_POWERS: Self::Powers = [[0; 16]; 36 + 3];

    #[inline(always)]
    fn load_first(_: Vaes512, block: &[u8; 16]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_zextsi128_si512(_mm_loadu_si128(block.as_ptr().cast())) })
    }

    #[inline(always)]
    fn with(self, token: Vaes512, place: usize, block: &[u8; 16]) -> Self {
        let block = B128::load(token.narrow(), block).0;
        // SAFETY: see above.
        Self(unsafe {
            match place {
                0 => _mm512_inserti32x4::<0>(self.0, block),
                1 => _mm512_inserti32x4::<1>(self.0, block),
                2 => _mm512_inserti32x4::<2>(self.0, block),
                3 => _mm512_inserti32x4::<3>(self.0, block),
                _ => panic!("there are four blocks"),
            }
        })
    }

    #[inline(always)]
    fn keep(self, n: usize) -> Self {
        assert!(n <= 64);
        let mask = 1u64.unbounded_shl(n as u32).wrapping_sub(1);
        // SAFETY: see above.
        Self(unsafe { _mm512_maskz_mov_epi8(mask, self.0) })
    }

    multiply!(_mm512_clmulepi64_epi128, _mm512_xor_si512, _mm512_shuffle_epi32, _mm512_set1_epi64(C as i64), pin512);

    #[inline(always)]
    fn sum_blocks(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let two = _mm256_xor_si256(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0));
            let one = _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two));
            _mm512_zextsi128_si512(one)
        })
    }
}

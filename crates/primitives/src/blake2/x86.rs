//! BLAKE2 in the vectors of x86: a row of BLAKE2b in 256 bits, of BLAKE2s in 128.
//!
//! AVX-512 rotates words in one instruction, and takes a round's words out of the message, which
//! fits two of its vectors or one, by two permutations or one; without it they are picked from memory.
//! G is one chain of dependent instructions, so latencies decide: on Zen 4 two cycles for a rotation
//! or a byte shuffle, one for all else.

use super::Compress;
use super::rows::{Order, Row, compress, words};
use crate::simd::anew;
use crate::cpu::{Avx2, Avx512, Token};
use core::arch::x86_64::*;

// SAFETY of every block in this file: the vectors are used inside the `vectorize` of a token with
// AVX2, or with AVX-512 where their names say so; loads and stores are within the arrays that they
// are given.

/// What the vectors with and without AVX-512 have in common.
macro_rules! common {
    ($word:ty, $load:ident, $store:ident, $add:ident, $xor:ident) => {
        #[inline(always)]
        fn load(words: &[$word; 4]) -> Self {
            // SAFETY: see above.
            Self(unsafe { $load(words.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self) -> [$word; 4] {
            let mut words = [0; 4];
            // SAFETY: see above.
            unsafe { $store(words.as_mut_ptr().cast(), self.0) };
            words
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { $add(self.0, other.0) })
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { $xor(self.0, other.0) })
        }
    };
}

/// Lane i takes what lane i + N had, by a shuffle with an immediate.
macro_rules! turn {
    ($shuffle:ident) => {
        #[inline(always)]
        fn turn<const N: i32>(self) -> Self {
            // SAFETY: see above.
            Self(unsafe {
                match N {
                    1 => $shuffle::<0b00_11_10_01>(self.0),
                    2 => $shuffle::<0b01_00_11_10>(self.0),
                    _ => $shuffle::<0b10_01_00_11>(self.0),
                }
            })
        }
    };
}

/// A row of BLAKE2b, AVX2.
#[derive(Clone, Copy)]
struct B(__m256i);

impl Row<u64> for B {
    type Message<'a> = [u64; 16];

    common!(u64, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi64, _mm256_xor_si256);
    turn!(_mm256_permute4x64_epi64);

    #[inline(always)]
    fn message(block: &[u8]) -> [u64; 16] {
        words(block)
    }

    #[inline(always)]
    fn rows(message: [u64; 16], order: &Order) -> [Self; 4] {
        macro_rules! row {
            ($($i:literal)*) => {
                // SAFETY: see above.
                Self(unsafe { _mm256_setr_epi64x($(message[usize::from(order[$i] % 16)].cast_signed()),*) })
            };
        }
        [row!(0 1 2 3), row!(4 5 6 7), row!(8 9 10 11), row!(12 13 14 15)]
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        let v = self.0;
        // SAFETY: see above.
        Self(unsafe {
            match I {
                0 => _mm256_shuffle_epi32::<0b10_11_00_01>(v),
                1 => {
                    let bytes = _mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10);
                    _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(bytes))
                }
                2 => {
                    let bytes = _mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9);
                    _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(bytes))
                }
                _ => _mm256_xor_si256(_mm256_srli_epi64::<63>(v), _mm256_add_epi64(v, v)),
            }
        })
    }
}

/// A row of BLAKE2b, AVX-512.
#[derive(Clone, Copy)]
struct B512(__m256i);

impl Row<u64> for B512 {
    type Message<'a> = &'a [u8; 128];

    common!(u64, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi64, _mm256_xor_si256);
    #[inline(always)]
    fn turn<const N: i32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_alignr_epi64::<N>(pin256(self.0), self.0) })
    }

    #[inline(always)]
    fn message(block: &[u8]) -> &[u8; 128] {
        block.try_into().expect("a block")
    }

    #[inline(always)]
    fn rows(message: &[u8; 128], order: &Order) -> [Self; 4] {
        let words = anew(message).as_chunks::<8>().0;
        let word = |i: usize| i64::from_le_bytes(words[usize::from(order[i] % 16)]);
        macro_rules! row {
            ($($i:literal)*) => {
                // SAFETY: see above.
                Self(unsafe { _mm256_setr_epi64x($(word($i)),*) })
            };
        }
        [row!(0 1 2 3), row!(4 5 6 7), row!(8 9 10 11), row!(12 13 14 15)]
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            match I {
                // The one rotation that a shuffle does in one cycle.
                0 => _mm256_shuffle_epi32::<0b10_11_00_01>(self.0),
                1 => _mm256_ror_epi64::<24>(self.0),
                2 => _mm256_ror_epi64::<16>(self.0),
                _ => _mm256_ror_epi64::<63>(self.0),
            }
        })
    }

    #[inline(always)]
    fn xor_rotate<const I: usize>(self, late: Self) -> Self {
        let (early, v) = (self.rotate::<I>().0, late.0);
        // SAFETY: see above. 0x96 is the truth table of three-way xor.
        Self(unsafe {
            match I {
                0 => return self.xor(late).rotate::<0>(),
                1 => _mm256_ternarylogic_epi64::<0x96>(early, _mm256_srli_epi64::<24>(v), _mm256_slli_epi64::<40>(v)),
                2 => _mm256_ternarylogic_epi64::<0x96>(early, _mm256_srli_epi64::<16>(v), _mm256_slli_epi64::<48>(v)),
                _ => _mm256_ternarylogic_epi64::<0x96>(early, _mm256_srli_epi64::<63>(v), _mm256_slli_epi64::<1>(v)),
            }
        })
    }
}

/// A row of BLAKE2s, AVX2.
#[derive(Clone, Copy)]
struct S(__m128i);

impl Row<u32> for S {
    type Message<'a> = [u32; 16];

    common!(u32, _mm_loadu_si128, _mm_storeu_si128, _mm_add_epi32, _mm_xor_si128);
    turn!(_mm_shuffle_epi32);

    #[inline(always)]
    fn message(block: &[u8]) -> [u32; 16] {
        words(block)
    }

    #[inline(always)]
    fn rows(message: [u32; 16], order: &Order) -> [Self; 4] {
        macro_rules! row {
            ($($i:literal)*) => {
                // SAFETY: see above.
                Self(unsafe { _mm_setr_epi32($(message[usize::from(order[$i] % 16)].cast_signed()),*) })
            };
        }
        [row!(0 1 2 3), row!(4 5 6 7), row!(8 9 10 11), row!(12 13 14 15)]
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        let v = self.0;
        // SAFETY: see above.
        Self(unsafe {
            match I {
                0 => _mm_shuffle_epi8(v, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)),
                1 => _mm_xor_si128(_mm_srli_epi32::<12>(v), _mm_slli_epi32::<20>(v)),
                2 => _mm_shuffle_epi8(v, _mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12)),
                _ => _mm_xor_si128(_mm_srli_epi32::<7>(v), _mm_slli_epi32::<25>(v)),
            }
        })
    }
}

/// A row of BLAKE2s, AVX-512.
#[derive(Clone, Copy)]
struct S512(__m128i);

impl Row<u32> for S512 {
    type Message<'a> = __m512i;

    common!(u32, _mm_loadu_si128, _mm_storeu_si128, _mm_add_epi32, _mm_xor_si128);
    turn!(_mm_shuffle_epi32);

    #[inline(always)]
    fn message(block: &[u8]) -> __m512i {
        let block: &[u8; 64] = block.try_into().expect("a block");
        // SAFETY: see above.
        unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
    }

    #[inline(always)]
    fn rows(message: __m512i, order: &Order) -> [Self; 4] {
        // SAFETY: see above.
        unsafe {
            let order = _mm512_cvtepu8_epi32(_mm_loadu_si128(order.as_ptr().cast()));
            let words = _mm512_permutexvar_epi32(order, message);
            [
                Self(_mm512_castsi512_si128(words)),
                Self(_mm512_extracti32x4_epi32::<1>(words)),
                Self(_mm512_extracti32x4_epi32::<2>(words)),
                Self(_mm512_extracti32x4_epi32::<3>(words)),
            ]
        }
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            match I {
                0 => _mm_ror_epi32::<16>(self.0),
                1 => _mm_ror_epi32::<12>(self.0),
                2 => _mm_ror_epi32::<8>(self.0),
                _ => _mm_ror_epi32::<7>(self.0),
            }
        })
    }

    #[inline(always)]
    fn xor_rotate<const I: usize>(self, late: Self) -> Self {
        let (early, v) = (self.rotate::<I>().0, late.0);
        // SAFETY: see above. 0x96 is the truth table of three-way xor.
        Self(unsafe {
            match I {
                0 => _mm_ternarylogic_epi64::<0x96>(early, _mm_srli_epi32::<16>(v), _mm_slli_epi32::<16>(v)),
                1 => _mm_ternarylogic_epi64::<0x96>(early, _mm_srli_epi32::<12>(v), _mm_slli_epi32::<20>(v)),
                2 => _mm_ternarylogic_epi64::<0x96>(early, _mm_srli_epi32::<8>(v), _mm_slli_epi32::<24>(v)),
                _ => _mm_ternarylogic_epi64::<0x96>(early, _mm_srli_epi32::<7>(v), _mm_slli_epi32::<25>(v)),
            }
        })
    }
}

macro_rules! pin {
    ($name:ident, $features:literal, $register:ident, $vector:ty) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(mut vector: $vector) -> $vector {
            // SAFETY: no instruction; it only seems to change the register.
            #[cfg(not(miri))]
            unsafe {
                core::arch::asm!("/* {0} */", inout($register) vector, options(pure, nomem, nostack, preserves_flags))
            }
            vector
        }
    };
}
pin!(pin256, "avx2", ymm_reg, __m256i);

macro_rules! driver {
    ($token:ty, $word:ty, $row:ty) => {
        impl Compress<$word> for $token {
            #[inline(never)]
            fn compress(self, state: &mut [$word; 8], blocks: &[u8], before: u64, last: Option<usize>) {
                self.vectorize(
                    #[inline(always)]
                    || compress::<$word, $row>(state, blocks, before, last),
                );
            }
        }
    };
}
driver!(Avx2, u64, B);
driver!(Avx512, u64, B512);
driver!(Avx2, u32, S);
driver!(Avx512, u32, S512);

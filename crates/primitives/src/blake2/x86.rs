//! BLAKE2 in the vectors of x86: a row of BLAKE2b in 256 bits, of BLAKE2s in 128.
//!
//! G is one chain of dependent instructions, so latencies decide: on Zen 4 two cycles for a rotation or a byte
//! shuffle, three or four for a shuffle across the halves of 256 bits, one for all else. AVX-512 shortens the chain by ternary
//! logic, see [`Row::xor_rotate`].
//!
//! A round's words are picked from memory, where the block is, word by word. Permutations of a block in registers,
//! which is what the compiler makes of it if it may, are fewer instructions, but shuffles on the ports that the chain
//! needs: BLAKE2s took 5.3 cycles a byte instead of 4.5.

use super::Compress;
use super::rows::{Order, Row, compress};
use crate::cpu::{Avx2, Avx512, Token};
use crate::simd::anew;
use core::arch::x86_64::*;

// SAFETY of every block in this file: the vectors are used inside the `vectorize` of a token with
// AVX2, or with AVX-512 where their names say so; loads and stores are within the arrays that they
// are given.

/// What the vectors with and without AVX-512 have in common.
macro_rules! common {
    ($word:ty, $bytes:literal, $load:ident, $store:ident, $set:ident, $add:ident, $xor:ident) => {
        type Message<'a> = &'a [[u8; $bytes]; 16];

        #[inline(always)]
        fn message(block: &[u8]) -> &[[u8; $bytes]; 16] {
            block.as_chunks().0.try_into().expect("a block")
        }

        #[inline(always)]
        fn rows(message: &[[u8; $bytes]; 16], order: &Order) -> [Self; 4] {
            // Each round reads the message anew.
            let message = anew(message);
            let word = |i: usize| <$word>::from_le_bytes(message[usize::from(order[i] % 16)]).cast_signed();
            let row = |i: usize| {
                // SAFETY: see above.
                Self(unsafe { $set(word(i), word(i + 1), word(i + 2), word(i + 3)) })
            };
            [row(0), row(4), row(8), row(12)]
        }

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
macro_rules! b {
    () => {
        common!(
            u64,
            8,
            _mm256_loadu_si256,
            _mm256_storeu_si256,
            _mm256_setr_epi64x,
            _mm256_add_epi64,
            _mm256_xor_si256
        );
    };
}
macro_rules! s {
    () => {
        common!(u32, 4, _mm_loadu_si128, _mm_storeu_si128, _mm_setr_epi32, _mm_add_epi32, _mm_xor_si128);
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
    b!();
    turn!(_mm256_permute4x64_epi64);

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
    b!();

    // `valignq` has a latency of 3, `vpermq` of 4, and a and d have no time to lose; without the pin the compiler
    // takes one for the other.
    #[inline(always)]
    fn turn<const N: i32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_alignr_epi64::<N>(pin(self.0), self.0) })
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
        let (early, late) = (self.rotate::<I>().0, late.0);
        // SAFETY: see above. 0x96 is the truth table of three-way xor.
        Self(unsafe {
            let (right, left) = match I {
                0 => return Self(_mm256_xor_si256(early, _mm256_shuffle_epi32::<0b10_11_00_01>(late))),
                1 => (_mm256_srli_epi64::<24>(late), _mm256_slli_epi64::<40>(late)),
                2 => (_mm256_srli_epi64::<16>(late), _mm256_slli_epi64::<48>(late)),
                _ => (_mm256_srli_epi64::<63>(late), _mm256_add_epi64(late, late)),
            };
            _mm256_ternarylogic_epi64::<0x96>(early, right, left)
        })
    }
}

/// A row of BLAKE2s, AVX2.
#[derive(Clone, Copy)]
struct S(__m128i);

impl Row<u32> for S {
    s!();
    turn!(_mm_shuffle_epi32);

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
    s!();
    turn!(_mm_shuffle_epi32);

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
        let (early, late) = (self.rotate::<I>().0, late.0);
        // SAFETY: see above. 0x96 is the truth table of three-way xor.
        Self(unsafe {
            let (right, left) = match I {
                0 => (_mm_srli_epi32::<16>(late), _mm_slli_epi32::<16>(late)),
                1 => (_mm_srli_epi32::<12>(late), _mm_slli_epi32::<20>(late)),
                2 => (_mm_srli_epi32::<8>(late), _mm_slli_epi32::<24>(late)),
                _ => (_mm_srli_epi32::<7>(late), _mm_slli_epi32::<25>(late)),
            };
            _mm_ternarylogic_epi32::<0x96>(early, right, left)
        })
    }
}

/// `vector`, as one that the compiler knows nothing about.
#[inline]
#[target_feature(enable = "avx2")]
fn pin(mut vector: __m256i) -> __m256i {
    // SAFETY: no instruction.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(ymm_reg) vector, options(pure, nomem, nostack, preserves_flags))
    };
    vector
}

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

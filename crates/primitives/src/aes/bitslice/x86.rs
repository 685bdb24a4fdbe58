//! Vectors of 128, 256 and 512 bits: 8, 16 and 32 blocks.

use super::BitsliceToken;
use super::word::{self, NUMBERS, Word, eight, lower};
use crate::aes::sbox::Gates;
use crate::cpu::{Avx2, Avx512, Ssse3, Token};
use core::arch::x86_64::*;
use core::marker::PhantomData;

impl BitsliceToken for Ssse3 {
    type Wide = W128<Self>;
    type Half = W128<Self>;
    type Quarter = W128<Self>;
}

impl BitsliceToken for Avx2 {
    type Wide = W256<Self>;
    type Half = W128<Self>;
    type Quarter = W128<Self>;
}

impl BitsliceToken for Avx512 {
    type Wide = W512<Self>;
    type Half = W256<Self>;
    type Quarter = W128<Self>;
}

/// Tokens that include SSSE3.
///
/// # Safety
/// The token must prove the feature.
pub unsafe trait HasSsse3: Token {}

/// Tokens that include AVX2.
///
/// # Safety
/// The token must prove the feature.
pub unsafe trait HasAvx2: HasSsse3 {}

/// Tokens that include AVX-512.
///
/// # Safety
/// The token must prove the feature.
pub unsafe trait HasAvx512: HasAvx2 {}

// SAFETY: the token is that feature.
unsafe impl HasSsse3 for Ssse3 {}
// SAFETY: no CPU has AVX2 and not SSSE3.
unsafe impl HasSsse3 for Avx2 {}
// SAFETY: nor AVX-512 and not SSSE3.
unsafe impl HasSsse3 for Avx512 {}
// SAFETY: the token is that feature.
unsafe impl HasAvx2 for Avx2 {}
// SAFETY: no CPU has AVX-512 and not AVX2.
unsafe impl HasAvx2 for Avx512 {}
// SAFETY: the token is that feature.
unsafe impl HasAvx512 for Avx512 {}

/// Shuffles: which byte goes to each position. `TURNS[rows - 1][cols]` is for [`Word::turn`].
static TURNS: [[u128; 4]; 2] = word::turns();
static REVERSE: u128 = word::REVERSE;
static SHIFT_ROWS_TWICE: u128 = word::shift_rows_twice();

#[inline(always)]
unsafe fn splat128(bytes: &u128) -> __m128i {
    const { assert!(align_of::<u128>() == 16) }
    // SAFETY: SSE2 is in every x86-64 CPU; a u128 has 16 bytes, aligned.
    unsafe { _mm_load_si128(core::ptr::from_ref(bytes).cast()) }
}

#[inline(always)]
unsafe fn splat256(bytes: &u128) -> __m256i {
    // SAFETY: the caller's token includes AVX2.
    unsafe { _mm256_broadcastsi128_si256(splat128(bytes)) }
}

#[inline(always)]
unsafe fn splat512(bytes: &u128) -> __m512i {
    // SAFETY: the caller's token includes AVX-512.
    unsafe { _mm512_broadcast_i32x4(splat128(bytes)) }
}

/// SAFETY of every block in here: a word exists only where a token of its bound does, so the CPU has the
/// instructions; loads and stores are within slices whose lengths are those of `as_chunks`.
macro_rules! word {
    (
        $(#[$doc:meta])* $word:ident($vector:ident), $bound:ident, $bytes:literal, $splat:ident,
        $load:ident, $store:ident, $xor:ident, $and:ident, $srl:ident, $sll:ident, $set1:ident, $shuffle:ident, $add:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $word<T>($vector, PhantomData<T>);

        impl<T: $bound> $word<T> {
            #[inline(always)]
            fn shuffle(self, from: &u128) -> Self {
                // SAFETY: see the macro.
                Self(unsafe { $shuffle(self.0, $splat(from)) }, PhantomData)
            }
        }

        impl<T: $bound> Gates for $word<T> {
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: see the macro.
                Self(unsafe { $xor(self.0, other.0) }, PhantomData)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: see the macro.
                Self(unsafe { $and(self.0, other.0) }, PhantomData)
            }
        }

        impl<T: $bound> Word for $word<T> {
            type Token = T;
            type Key = u128;
            type Pad = [u8; 8 * $bytes];

            const PAD: [u8; 8 * $bytes] = [0; 8 * $bytes];

            const BLOCKS: usize = $bytes / 2;
            const TURNS_ARE_CODE: bool = false;

            #[inline(always)]
            fn load(_: T, src: &[u8]) -> [Self; 8] {
                let chunks = src[..8 * $bytes].as_chunks::<$bytes>().0;
                eight(
                    #[inline(always)]
                    |i| {
                        // SAFETY: see the macro.
                        Self(unsafe { $load(chunks[i].as_ptr().cast()) }, PhantomData)
                    },
                )
            }

            #[inline(always)]
            fn store(words: [Self; 8], dst: &mut [u8]) {
                let chunks = dst[..8 * $bytes].as_chunks_mut::<$bytes>().0;
                for (chunk, word) in chunks.iter_mut().zip(words) {
                    // SAFETY: see the macro.
                    unsafe { $store(chunk.as_mut_ptr().cast(), word.0) }
                }
            }

            #[inline(always)]
            fn counters(token: T, first: u128) -> [Self; 8] {
                // One lane's sum does not carry into the next.
                if (first as u64).checked_add(Self::BLOCKS as u64).is_none() {
                    return word::stored_counters(token, first);
                }
                let numbers = NUMBERS[..Self::BLOCKS].as_chunks::<{ $bytes / 16 }>().0;
                eight(
                    #[inline(always)]
                    |i| {
                        // SAFETY: see the macro.
                        let counter = unsafe { $add($splat(&first), $load(numbers[i].as_ptr().cast())) };
                        Self(counter, PhantomData).shuffle(&REVERSE)
                    },
                )
            }

            #[inline(always)]
            fn swap<const N: i32>(_: T, a: Self, b: Self) -> (Self, Self) {
                // SAFETY: see the macro.
                unsafe {
                    let t = $and($xor(word!(@shift $srl, N, a.0), b.0), $set1(const { lower(N as u32) as i64 }));
                    (Self($xor(a.0, word!(@shift $sll, N, t)), PhantomData), Self($xor(b.0, t), PhantomData))
                }
            }

            #[inline(always)]
            fn turn(self, _: T, rows: usize, cols: usize) -> Self {
                self.shuffle(&TURNS[rows - 1][cols])
            }

            #[inline(always)]
            fn shift_rows_twice(self, _: T) -> Self {
                self.shuffle(&SHIFT_ROWS_TWICE)
            }

            #[inline(always)]
            fn slice_key(_: T, key: &[u8; 16]) -> [u128; 8] {
                word::spread_bits(key)
            }

            #[inline(always)]
            fn key(_: T, key: &u128) -> Self {
                // SAFETY: see the macro.
                Self(unsafe { $splat(key) }, PhantomData)
            }
        }
    };
    (@shift $shift:ident, $n:ident, $x:expr) => {
        // An intrinsic's immediate cannot be a generic constant of another type.
        match $n {
            1 => $shift::<1>($x),
            2 => $shift::<2>($x),
            _ => $shift::<4>($x),
        }
    };
}

word!(
    /// 8 blocks.
    W128(__m128i), HasSsse3, 16, splat128,
    _mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128, _mm_and_si128,
    _mm_srli_epi64, _mm_slli_epi64, _mm_set1_epi64x, _mm_shuffle_epi8, _mm_add_epi64
);

word!(
    /// 16 blocks.
    W256(__m256i), HasAvx2, 32, splat256,
    _mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256, _mm256_and_si256,
    _mm256_srli_epi64, _mm256_slli_epi64, _mm256_set1_epi64x, _mm256_shuffle_epi8, _mm256_add_epi64
);

word!(
    /// 32 blocks.
    W512(__m512i), HasAvx512, 64, splat512,
    _mm512_loadu_si512, _mm512_storeu_si512, _mm512_xor_si512, _mm512_and_si512,
    _mm512_srli_epi64, _mm512_slli_epi64, _mm512_set1_epi64, _mm512_shuffle_epi8, _mm512_add_epi64
);

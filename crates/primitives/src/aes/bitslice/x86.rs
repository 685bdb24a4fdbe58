//! Bit-sliced AES on vectors of 128, 256 and 512 bits: 8, 16 and 32 blocks at a time.

use super::BitsliceToken;
use super::word::{self, NUMBERS, Slice, Word, by_slices, eight, lower};
use crate::aes::sbox::Gates;
use crate::cpu::{Avx2, Avx512, HasAvx2, HasAvx512, HasSsse3, Ssse3};
use crate::simd::x86::{V128, V256, V512};

impl BitsliceToken for Ssse3 {
    type Wide = V128<Self>;
    type Half = V128<Self>;
    type Quarter = V128<Self>;
}

impl BitsliceToken for Avx2 {
    type Wide = V256<Self>;
    type Half = V128<Self>;
    type Quarter = V128<Self>;
}

impl BitsliceToken for Avx512 {
    type Wide = V512<Self>;
    type Half = V256<Self>;
    type Quarter = V128<Self>;
}

/// The byte shuffles of [`word`]; `TURNS[rows - 1][cols]` is for [`Slice::turn`].
static TURNS: [[u128; 4]; 2] = word::turns();
static REVERSE: u128 = word::REVERSE;
static SHIFT_ROWS_TWICE: u128 = word::shift_rows_twice();

macro_rules! word {
    ($V:ident, $Has:ident, $bytes:literal) => {
        impl<T: $Has> Gates for $V<T> {
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self.xor(other)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self.and(other)
            }
        }

        impl<T: $Has> Word for $V<T> {
            type Token = T;
            type Key = u128;
            type Pad = [u8; 8 * $bytes];

            const PAD: [u8; 8 * $bytes] = [0; 8 * $bytes];

            const BLOCKS: usize = $bytes / 2;

            #[inline(always)]
            fn load(token: T, src: &[u8]) -> [Self; 8] {
                let chunks = src[..8 * $bytes].as_chunks::<$bytes>().0;
                eight(
                    #[inline(always)]
                    |i| Self::load(token, &chunks[i]),
                )
            }

            #[inline(always)]
            fn store(words: [Self; 8], dst: &mut [u8]) {
                let chunks = dst[..8 * $bytes].as_chunks_mut::<$bytes>().0;
                for (chunk, word) in chunks.iter_mut().zip(words) {
                    word.store(chunk);
                }
            }

            #[inline(always)]
            fn counters(token: T, first: u128) -> [Self; 8] {
                // The additions below are on 64-bit lanes, so a carry out of the low lane would be lost.
                if (first as u64).checked_add(Self::BLOCKS as u64).is_none() {
                    return word::stored_counters(token, first);
                }
                let numbers = NUMBERS[..Self::BLOCKS].as_chunks::<{ $bytes / 16 }>().0;
                let reverse = Self::splat_block(token, &REVERSE);
                eight(
                    #[inline(always)]
                    |i| {
                        let counter = Self::splat_block(token, &first).add64(Self::load(token, &numbers[i]));
                        counter.shuffle_bytes(reverse)
                    },
                )
            }

            #[inline(always)]
            fn slice_key(_: T, key: &[u8; 16]) -> [u128; 8] {
                word::spread_bits(key)
            }

            by_slices!();
        }

        impl<T: $Has> Slice for $V<T> {
            const TURNS_ARE_CODE: bool = false;

            #[inline(always)]
            fn swap<const N: i32>(token: T, a: Self, b: Self) -> (Self, Self) {
                let t = a.shr64::<N>().xor(b).and(Self::splat64(token, const { lower(N as u32) }));
                (a.xor(t.shl64::<N>()), b.xor(t))
            }

            #[inline(always)]
            fn turn(self, token: T, rows: usize, cols: usize) -> Self {
                self.shuffle_bytes(Self::splat_block(token, &TURNS[rows - 1][cols]))
            }

            #[inline(always)]
            fn shift_rows_twice(self, token: T) -> Self {
                self.shuffle_bytes(Self::splat_block(token, &SHIFT_ROWS_TWICE))
            }

            #[inline(always)]
            fn key(token: T, key: &u128) -> Self {
                Self::splat_block(token, key)
            }
        }
    };
}

word!(V128, HasSsse3, 16);
word!(V256, HasAvx2, 32);
word!(V512, HasAvx512, 64);

//! Bit-sliced AES on vectors of 128 bits: 8 blocks at a time.

use super::BitsliceToken;
use super::word::{self, NUMBERS, Slice, Word, by_slices, eight, lower};
use crate::aes::sbox::Gates;
use crate::cpu::Neon;
use crate::simd::aarch64::V128;

impl BitsliceToken for Neon {
    type Wide = V128<Neon>;
    type Half = V128<Neon>;
    type Quarter = V128<Neon>;
}

static TURNS: [[u128; 4]; 2] = word::turns();
static REVERSE: u128 = word::REVERSE;
static SHIFT_ROWS_TWICE: u128 = word::shift_rows_twice();

impl Gates for V128<Neon> {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.xor(other)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.and(other)
    }
}

impl Word for V128<Neon> {
    type Token = Neon;
    type Key = u128;
    type Pad = [u8; 128];

    const PAD: [u8; 128] = [0; 128];

    const BLOCKS: usize = 8;

    #[inline(always)]
    fn load(token: Neon, src: &[u8]) -> [Self; 8] {
        let chunks = src[..128].as_chunks::<16>().0;
        eight(
            #[inline(always)]
            |i| Self::load(token, &chunks[i]),
        )
    }

    #[inline(always)]
    fn store(words: [Self; 8], dst: &mut [u8]) {
        let chunks = dst[..128].as_chunks_mut::<16>().0;
        for (chunk, word) in chunks.iter_mut().zip(words) {
            word.store(chunk);
        }
    }

    #[inline(always)]
    fn counters(token: Neon, first: u128) -> [Self; 8] {
        // The additions below are on 64-bit lanes, so a carry out of the low lane would be lost.
        if (first as u64).checked_add(Self::BLOCKS as u64).is_none() {
            return word::stored_counters(token, first);
        }
        let reverse = Self::load(token, &REVERSE);
        eight(
            #[inline(always)]
            |i| Self::load(token, &first).add64(Self::load(token, &NUMBERS[i])).shuffle_bytes(reverse),
        )
    }

    #[inline(always)]
    fn slice_key(_: Neon, key: &[u8; 16]) -> [u128; 8] {
        word::spread_bits(key)
    }

    by_slices!();
}

impl Slice for V128<Neon> {
    const TURNS_ARE_CODE: bool = false;

    #[inline(always)]
    fn swap<const N: i32>(token: Neon, a: Self, b: Self) -> (Self, Self) {
        let t = a.shr8::<N>().xor(b).and(Self::splat8(token, const { lower(N as u32) as u8 }));
        (a.xor(t.shl8::<N>()), b.xor(t))
    }

    #[inline(always)]
    fn turn(self, token: Neon, rows: usize, cols: usize) -> Self {
        self.shuffle_bytes(Self::load(token, &TURNS[rows - 1][cols]))
    }

    #[inline(always)]
    fn shift_rows_twice(self, token: Neon) -> Self {
        self.shuffle_bytes(Self::load(token, &SHIFT_ROWS_TWICE))
    }

    #[inline(always)]
    fn key(token: Neon, key: &u128) -> Self {
        Self::load(token, key)
    }
}

//! Vectors of 128 bits: 8 blocks.

use super::BitsliceToken;
use super::word::{self, NUMBERS, Word, eight, lower};
use crate::aes::sbox::Gates;
use crate::cpu::Neon;
use core::arch::aarch64::*;

impl BitsliceToken for Neon {
    type Wide = W128;
    type Half = W128;
    type Quarter = W128;
}

static TURNS: [[u128; 4]; 2] = word::turns();
static REVERSE: u128 = word::REVERSE;
static SHIFT_ROWS_TWICE: u128 = word::shift_rows_twice();

/// 8 blocks.
#[derive(Clone, Copy)]
pub struct W128(uint8x16_t);

// SAFETY of every block in this file: Advanced SIMD is part of the AArch64 baseline, and proven by the token
// besides; loads and stores are within slices whose lengths are those of `as_chunks`.

impl W128 {
    #[inline(always)]
    fn shuffle(self, from: &u128) -> Self {
        // SAFETY: see above.
        Self(unsafe { vqtbl1q_u8(self.0, vld1q_u8(core::ptr::from_ref(from).cast())) })
    }
}

impl Gates for W128 {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vandq_u8(self.0, other.0) })
    }
}

impl Word for W128 {
    type Token = Neon;
    type Key = u128;
    type Pad = [u8; 128];

    const PAD: [u8; 128] = [0; 128];

    const BLOCKS: usize = 8;
    const TURNS_ARE_CODE: bool = false;

    #[inline(always)]
    fn load(_: Neon, src: &[u8]) -> [Self; 8] {
        let chunks = src[..128].as_chunks::<16>().0;
        eight(
            #[inline(always)]
            |i| {
                // SAFETY: see above.
                Self(unsafe { vld1q_u8(chunks[i].as_ptr()) })
            },
        )
    }

    #[inline(always)]
    fn store(words: [Self; 8], dst: &mut [u8]) {
        let chunks = dst[..128].as_chunks_mut::<16>().0;
        for (chunk, word) in chunks.iter_mut().zip(words) {
            // SAFETY: see above.
            unsafe { vst1q_u8(chunk.as_mut_ptr(), word.0) }
        }
    }

    #[inline(always)]
    fn counters(token: Neon, first: u128) -> [Self; 8] {
        // One lane's sum does not carry into the next.
        if (first as u64).checked_add(Self::BLOCKS as u64).is_none() || cfg!(target_endian = "big") {
            return word::stored_counters(token, first);
        }
        eight(
            #[inline(always)]
            |i| {
                // SAFETY: see above.
                let counter = unsafe {
                    let first = vld1q_u64(core::ptr::from_ref(&first).cast());
                    vreinterpretq_u8_u64(vaddq_u64(first, vld1q_u64(core::ptr::from_ref(&NUMBERS[i]).cast())))
                };
                Self(counter).shuffle(&REVERSE)
            },
        )
    }

    #[inline(always)]
    fn swap<const N: i32>(_: Neon, a: Self, b: Self) -> (Self, Self) {
        // SAFETY: see above.
        unsafe {
            let lower = vdupq_n_u8(const { lower(N as u32) as u8 });
            let t = vandq_u8(veorq_u8(vshrq_n_u8::<N>(a.0), b.0), lower);
            (Self(veorq_u8(a.0, vshlq_n_u8::<N>(t))), Self(veorq_u8(b.0, t)))
        }
    }

    #[inline(always)]
    fn turn(self, _: Neon, rows: usize, cols: usize) -> Self {
        self.shuffle(&TURNS[rows - 1][cols])
    }

    #[inline(always)]
    fn shift_rows_twice(self, _: Neon) -> Self {
        self.shuffle(&SHIFT_ROWS_TWICE)
    }

    #[inline(always)]
    fn slice_key(_: Neon, key: &[u8; 16]) -> [u128; 8] {
        word::spread_bits(key)
    }

    #[inline(always)]
    fn key(_: Neon, key: &u128) -> Self {
        // SAFETY: see above.
        Self(unsafe { vld1q_u8(core::ptr::from_ref(key).cast()) })
    }
}

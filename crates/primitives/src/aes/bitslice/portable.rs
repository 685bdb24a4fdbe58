//! Bit-sliced AES on `u64`s, four blocks at a time: 4 bits a position, positions by rows.

use super::BitsliceToken;
use super::word::{Slice, Word, by_slices, lower, stored_counters, transpose};
use crate::aes::sbox::Gates;
use crate::cpu::Portable;

impl BitsliceToken for Portable {
    type Wide = u64;
    type Half = u64;
    type Quarter = u64;
}

impl crate::sealed::Sealed for u64 {}

impl Gates for u64 {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
}

impl Word for u64 {
    type Token = Portable;
    type Key = u64;
    type Pad = [u8; 64];

    const PAD: [u8; 64] = [0; 64];

    const BLOCKS: usize = 4;

    /// A block is two halves of 8 bytes. The higher bit of a byte's column, `c₁`, is the number of its half; the byte's
    /// number in the half is the lower bit of the column and the row, `c₀ r₁ r₀`. Three swaps turn `(c₁; c₀ r₁ r₀)`
    /// into `(c₀; r₁ r₀ c₁)`, and [`transpose`] moves `c₀` down, next to the block's number.
    #[inline(always)]
    fn load(token: Portable, src: &[u8]) -> [u64; 8] {
        let mut words = [0; 8];
        for b in 0..4 {
            let half = |h: usize| u64::from_le_bytes(src[16 * b + 8 * h..][..8].try_into().expect("8 bytes"));
            let (x, y) = (half(0), half(1));
            let (x, y) = u64::swap::<8>(token, x, y);
            let (x, y) = u64::swap::<16>(token, x, y);
            (words[b], words[b + 4]) = u64::swap::<32>(token, x, y);
        }
        words
    }

    #[inline(always)]
    fn store(words: [u64; 8], dst: &mut [u8]) {
        let token = Portable::new();
        for b in 0..4 {
            let (x, y) = u64::swap::<32>(token, words[b], words[b + 4]);
            let (x, y) = u64::swap::<16>(token, x, y);
            let (x, y) = u64::swap::<8>(token, x, y);
            dst[16 * b..][..8].copy_from_slice(&x.to_le_bytes());
            dst[16 * b + 8..][..8].copy_from_slice(&y.to_le_bytes());
        }
    }

    #[inline(always)]
    fn counters(token: Portable, first: u128) -> [u64; 8] {
        stored_counters(token, first)
    }

    #[inline(always)]
    fn slice_key(token: Portable, key: &[u8; 16]) -> [u64; 8] {
        transpose(token, u64::load(token, [*key; 4].as_flattened()))
    }

    by_slices!();
}

impl Slice for u64 {
    const TURNS_ARE_CODE: bool = true;

    #[inline(always)]
    fn swap<const N: i32>(_: Portable, a: u64, b: u64) -> (u64, u64) {
        let t = ((a >> N) ^ b) & lower(N as u32);
        (a ^ t << N, b ^ t)
    }

    /// The next row is 16 bits up. The next column is 4 bits up, or 12 bits down from the end of a row.
    #[inline(always)]
    fn turn(self, _: Portable, rows: usize, cols: usize) -> u64 {
        let inside = (0xffff >> (4 * cols)) * 0x0001_0001_0001_0001;
        let up = (16 * rows + 4 * cols) as u32;
        (self.rotate_right(up) & inside) | (self.rotate_right(up - 16) & !inside)
    }

    #[inline(always)]
    fn shift_rows_twice(self, _: Portable) -> u64 {
        self & 0x0000_ffff_0000_ffff | self >> 8 & 0x00ff_0000_00ff_0000 | self << 8 & 0xff00_0000_ff00_0000
    }

    #[inline(always)]
    fn key(_: Portable, key: &u64) -> u64 {
        *key
    }
}

//! Plain integers.

use super::{Quads, Words32, xor_pieces};
use crate::InOut;
use crate::cpu::Portable;
use core::array::from_fn;

/// One word.
impl Words32 for u32 {
    type Token = Portable;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(_: Portable, word: u32) -> Self {
        word
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn not(self) -> Self {
        !self
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        self << N
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        self >> N
    }

    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        self.rotate_left(L as u32)
    }

    #[inline(always)]
    fn pin(self) -> Self {
        self
    }

    #[inline(always)]
    fn load_blocks(_: Portable, src: &[u8]) -> [Self; 4] {
        let src = &src[..16];
        from_fn(|i| u32::from_le_bytes(src[4 * i..4 * i + 4].try_into().expect("4 bytes")))
    }

    #[inline(always)]
    fn store_blocks(words: [Self; 4], dst: &mut [u8]) {
        dst[..16].copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
    }

    #[inline(always)]
    fn xor_blocks(words: [Self; 4], mut data: InOut<'_>) {
        let src = Self::load_blocks(Portable::new(), data.src());
        Self::store_blocks(from_fn(|i| src[i] ^ words[i]), data.dst());
    }

    #[inline(always)]
    fn load_few(token: Portable, src: &[u8]) -> [Self; 4] {
        Self::load_blocks(token, src)
    }

    #[inline(always)]
    fn store_few(words: [Self; 4], dst: &mut [u8]) {
        Self::store_blocks(words, dst);
    }
}

/// One quad in four integers.
///
/// Where the compiler's target has vectors of 128 bits, it may well use them; where it has not,
/// `rotate_quads` and `transpose` are a matter of names.
#[derive(Clone, Copy)]
pub struct Quad([u32; 4]);

impl Words32 for Quad {
    type Token = Portable;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(_: Portable, word: u32) -> Self {
        Self([word; 4])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] ^ other.0[i]))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|w| !w))
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        Self(self.0.map(|w| w << N))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        Self(self.0.map(|w| w >> N))
    }

    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        Self(self.0.map(|w| w.rotate_left(L as u32)))
    }

    #[inline(always)]
    fn pin(self) -> Self {
        self
    }

    #[inline(always)]
    fn load_blocks(token: Portable, src: &[u8]) -> [Self; 4] {
        let src = &src[..64];
        Self::transpose(from_fn(|i| Self(u32::load_blocks(token, &src[16 * i..16 * i + 16]))))
    }

    #[inline(always)]
    fn store_blocks(words: [Self; 4], dst: &mut [u8]) {
        for (block, chunk) in Self::transpose(words).iter().zip(dst[..64].chunks_exact_mut(16)) {
            u32::store_blocks(block.0, chunk);
        }
    }

    #[inline(always)]
    fn xor_blocks(words: [Self; 4], mut data: InOut<'_>) {
        for row in Self::transpose(words) {
            row.xor_into(data.take(16).expect("four blocks"));
        }
    }
}

impl Quads for Quad {
    #[inline(always)]
    fn splat_quad(_: Portable, quad: [u32; 4]) -> Self {
        Self(quad)
    }

    #[inline(always)]
    fn from_words(_: Portable, words: &[u32; 16]) -> Self {
        Self([words[0], words[1], words[2], words[3]])
    }

    #[inline(always)]
    fn first_quad(self) -> [u32; 4] {
        self.0
    }

    #[inline(always)]
    fn load(_: Portable, src: &[u8]) -> Self {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(src[..16].as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        Self(words)
    }

    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        u32::store_blocks(self.0, dst);
    }

    #[inline(always)]
    fn rotate_quads<const N: i32>(self) -> Self {
        Self(from_fn(|i| self.0[(i + N as usize) % 4]))
    }

    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        from_fn(|i| Self(from_fn(|j| rows[j].0[i])))
    }

    #[inline(always)]
    fn rows_to_blocks(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    fn xor_into(self, mut data: InOut<'_>) {
        let src = u32::load_blocks(Portable::new(), data.src());
        u32::store_blocks(from_fn(|i| src[i] ^ self.0[i]), data.dst());
    }

    #[inline(always)]
    fn xor_into_partial(self, data: InOut<'_>) {
        let mut keystream = [0; 64];
        u32::store_blocks(self.0, &mut keystream);
        xor_pieces(data, &keystream);
    }
}

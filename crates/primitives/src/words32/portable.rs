//! Plain integers as words of 32 bits.

use super::{Quads, Words32, xor_pieces};
use crate::InOut;
use crate::cpu::{Portable, Token};
use crate::hash::wipe;
use crate::simd::{each, from_fn};
use core::marker::PhantomData;

/// One word, in code that is compiled for the CPU of a token. Operations stay in the order of the source. With one word
/// at a time each operation waits for the one before, and the compiler would reorder them to save registers.
#[derive(Clone, Copy)]
pub struct Word<T>(u32, PhantomData<T>);

impl<T> Word<T> {
    #[inline(always)]
    fn of(word: u32) -> Self {
        Self(word, PhantomData)
    }

    /// The word as an integer.
    #[inline(always)]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl<T: Token> Words32 for Word<T> {
    type Token = T;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(_: T, word: u32) -> Self {
        Self::of(word)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::of(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self::of(pin(self.0 ^ other.0))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self::of(pin(self.0 & other.0))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Self::of(pin(self.0 & !other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self::of(pin(self.0 | other.0))
    }

    #[inline(always)]
    fn not(self) -> Self {
        Self::of(pin(!self.0))
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // Pinning makes a copy, which is then shifted. Otherwise the compiler uses `lea` for both, which takes two
        // cycles.
        Self::of(pin(pin(self.0) << N))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        Self::of(pin(self.0 >> N))
    }

    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        Self::of(pin(self.0.rotate_left(L as u32)))
    }

    #[inline(always)]
    fn pin(self) -> Self {
        Self::of(pin(self.0))
    }

    #[inline(always)]
    fn load_blocks(_: T, src: &[u8]) -> [Self; 4] {
        each(load_words(src), |word| Self::of(pin(word)))
    }

    #[inline(always)]
    fn store_blocks(words: [Self; 4], dst: &mut [u8]) {
        store_words(each(words, |word| pin(word.0)), dst);
    }

    #[inline(always)]
    fn xor_blocks(words: [Self; 4], mut data: InOut<'_>) {
        let src = each(load_words(data.src()), pin);
        store_words(from_fn(|i| pin(src[i] ^ words[i].0)), data.dst());
    }

    #[inline(always)]
    fn load_partial(token: T, src: &[u8]) -> [Self; 4] {
        Self::load_blocks(token, src)
    }

    #[inline(always)]
    fn store_partial(words: [Self; 4], dst: &mut [u8]) {
        Self::store_blocks(words, dst);
    }
}

/// [`Words32::pin`].
#[inline(always)]
#[cfg_attr(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))), allow(unused_mut))]
fn pin(mut word: u32) -> u32 {
    // SAFETY: the assembly is a comment; it changes no register and no memory.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        core::arch::asm!("/* {0:e} */", inout(reg) word, options(nomem, nostack, preserves_flags));
    }
    // SAFETY: the assembly is a comment; it changes no register and no memory.
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    unsafe {
        core::arch::asm!("/* {0:w} */", inout(reg) word, options(nomem, nostack, preserves_flags));
    }
    word
}

/// Reads the four words of a block, little-endian.
#[inline(always)]
fn load_words(src: &[u8]) -> [u32; 4] {
    let src = &src[..16];
    from_fn(|i| u32::from_le_bytes(src[4 * i..4 * i + 4].try_into().expect("4 bytes")))
}

/// Writes the four words of a block, little-endian.
#[inline(always)]
pub(super) fn store_words(words: [u32; 4], dst: &mut [u8]) {
    dst[..16].copy_from_slice(each(words, u32::to_le_bytes).as_flattened());
}

/// One quad in four integers.
///
/// Where the compiler's target has 128-bit vectors, the compiler may use them, unless the quad is pinned: on x86 and AArch64, [`Words32::pin`] keeps
/// each word in a general register. Where the target has no vectors, `rotate_quads` and `transpose` only rename the integers.
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
        Self(each(self.0, |w| !w))
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        Self(each(self.0, |w| w << N))
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        Self(each(self.0, |w| w >> N))
    }

    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        Self(each(self.0, |w| w.rotate_left(L as u32)))
    }

    #[inline(always)]
    fn pin(self) -> Self {
        Self(each(self.0, pin))
    }

    #[inline(always)]
    fn load_blocks(_: Portable, src: &[u8]) -> [Self; 4] {
        let src = &src[..64];
        Self::transpose(from_fn(|i| Self(load_words(&src[16 * i..16 * i + 16]))))
    }

    #[inline(always)]
    fn store_blocks(words: [Self; 4], dst: &mut [u8]) {
        for (block, chunk) in Self::transpose(words).iter().zip(dst[..64].chunks_exact_mut(16)) {
            store_words(block.0, chunk);
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
        store_words(self.0, dst);
    }

    #[inline(always)]
    fn rotate_quads<const N: i32>(self) -> Self {
        Self(from_fn(|i| self.0[(i + N as usize) % 4]))
    }

    #[inline(always)]
    fn add_products(self, sums: Self) -> Self {
        let [a, b, c, d] = self.0;
        let [a_sum, b_sum] = [[sums.0[0], sums.0[1]], [sums.0[2], sums.0[3]]];
        let sum = |[low, high]: [u32; 2], x: u32, y: u32| {
            (u64::from(low) | u64::from(high) << 32).wrapping_add(u64::from(x) * u64::from(y))
        };
        let (ac, bd) = (sum(a_sum, a, c), sum(b_sum, b, d));
        Self([ac as u32, (ac >> 32) as u32, bd as u32, (bd >> 32) as u32])
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
        let src = load_words(data.src());
        store_words(from_fn(|i| src[i] ^ self.0[i]), data.dst());
    }

    #[inline(always)]
    fn xor_into_partial(self, data: InOut<'_>) {
        let mut keystream = [0; 64];
        store_words(self.0, &mut keystream);
        xor_pieces(data, &keystream);
        wipe(&mut keystream);
    }
}

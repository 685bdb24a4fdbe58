//! Vectors that hold one word from each of several messages.
//!
//! The rounds of a hash are one chain of dependent operations, but messages are independent of each other. With a
//! message in every lane of a vector, one chain does the work of many. Words are shuffled only when messages are
//! loaded, and the CPU's widest vectors are full.
//!
//! [`Word`] is the arithmetic of one word, in a general register or in every lane of a vector, so that rounds are
//! written once for both. [`Lanes`] has what only vectors can do. Every method is `#[inline(always)]` and must be
//! called from inside [`Token::vectorize`], except [`Lanes::lane`], which reads a word of a vector in memory.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use crate::cpu::Token;
use core::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::*;

/// The largest number of messages in parallel.
pub(crate) const MOST: usize = 16;

/// A word of 32 or 64 bits, or a vector of them.
pub(crate) trait Word: Copy {
    /// The number of bits in a word.
    const BITS: u32;

    fn add(self, other: Self) -> Self;

    fn xor(self, other: Self) -> Self;

    /// `self ^ a ^ b`.
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }

    /// `self` plus a bitwise choice: the bit of `a` where `mask` is 1, of `b` where it is 0.
    fn add_choice(self, mask: Self, a: Self, b: Self) -> Self;

    /// The bitwise majority of the three.
    fn majority(self, a: Self, b: Self) -> Self;

    /// The word rotated right by `N` bits.
    fn rotr<const N: i32>(self) -> Self;

    /// The word shifted right by `N` bits.
    fn shr<const N: i32>(self) -> Self;

    /// The xor of the word rotated right by `A`, by `B` and by `C` bits.
    #[inline(always)]
    fn rotations<const A: i32, const B: i32, const C: i32>(self) -> Self {
        self.rotr::<A>().xor3(self.rotr::<B>(), self.rotr::<C>())
    }

    /// The xor of the word rotated right by `A` and by `B` bits, and shifted right by `C`.
    #[inline(always)]
    fn rotations_and_shift<const A: i32, const B: i32, const C: i32>(self) -> Self {
        self.rotr::<A>().xor3(self.rotr::<B>(), self.shr::<C>())
    }

    /// The same word, as a sum that the compiler does not take apart to add in another order.
    #[inline(always)]
    fn pin(self) -> Self {
        self
    }
}

macro_rules! scalar {
    ($W:ty) => {
        impl Word for $W {
            const BITS: u32 = Self::BITS;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn add_choice(self, mask: Self, a: Self, b: Self) -> Self {
                // The two terms have no bit in common, so adding both is adding their union. `!mask & b` is one
                // instruction on many CPUs.
                self.wrapping_add(!mask & b).wrapping_add(mask & a)
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                // A round asks for the majority of (a, b, c), and the next one for that of (new, a, b): the compiler
                // keeps a ^ b from one for the other.
                a ^ ((self ^ a) & (a ^ b))
            }

            #[inline(always)]
            fn rotr<const N: i32>(self) -> Self {
                self.rotate_right(N.cast_unsigned())
            }

            #[inline(always)]
            fn shr<const N: i32>(self) -> Self {
                self.wrapping_shr(N.cast_unsigned())
            }
        }
    };
}
scalar!(u32);
scalar!(u64);

/// A vector with one word from each of `COUNT` messages.
pub(crate) trait Lanes: Word {
    /// The token that proves that the CPU has these vectors.
    type Token: Token;

    /// The word in a lane.
    type Word: Copy + Default;

    /// The words in 16 bytes of every message: two vectors of 64-bit words, or four of 32-bit words.
    type Column: AsRef<[Self]>;

    /// The number of lanes.
    const COUNT: usize;

    /// The same word in every lane.
    fn splat(token: Self::Token, word: Self::Word) -> Self;

    /// The word in lane `lane`.
    ///
    /// # Panics
    /// If there is no such lane.
    fn lane(&self, lane: usize) -> Self::Word;

    /// Replaces the word in lane `lane`.
    ///
    /// # Panics
    /// If there is no such lane.
    fn set_lane(&mut self, lane: usize, word: Self::Word);

    /// The 16 bytes at offset `at` of every run as words, little-endian if `LITTLE`, otherwise big-endian.
    ///
    /// # Panics
    /// If the runs end before `at + 16`.
    fn read<const LITTLE: bool>(token: Self::Token, runs: &Runs<'_>, at: usize) -> Self::Column;

    /// Sixteen words at offset `at` of every run, big-endian: a block of SHA-1 or SHA-2.
    ///
    /// # Panics
    /// If the runs end within the block or before it.
    fn read_block(token: Self::Token, runs: &Runs<'_>, at: usize) -> [Self; 16];
}

/// Runs of bytes, all of one length, one for each lane.
pub(crate) struct Runs<'a> {
    starts: [*const u8; MOST],
    len: usize,
    text: PhantomData<&'a [u8]>,
}

impl<'a> Runs<'a> {
    /// The beginnings of `texts`, as long as the shortest of them.
    #[inline(always)]
    pub fn new(texts: &[&'a [u8]; MOST]) -> Self {
        let mut runs = Self { starts: [core::ptr::null(); MOST], len: texts[0].len(), text: PhantomData };
        for (start, text) in runs.starts.iter_mut().zip(texts) {
            *start = text.as_ptr();
            runs.len = runs.len.min(text.len());
        }
        runs
    }

    /// The length of each run in bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The 16 bytes at offset `at` of a lane's run.
    ///
    /// # Panics
    /// If the run ends before `at + 16`.
    #[inline(always)]
    pub fn block(&self, lane: usize, at: usize) -> &'a [u8; 16] {
        assert!(at <= self.len && 16 <= self.len - at, "a run has 16 bytes there");
        // SAFETY: `starts[lane]` is the start of a slice that `new` was given, which is borrowed for 'a and has at
        // least `len` bytes.
        unsafe { &*self.starts[lane].add(at).cast() }
    }

    /// The whole run of a lane.
    #[inline(always)]
    pub fn run(&self, lane: usize) -> &'a [u8] {
        // SAFETY: `starts[lane]` is the start of a slice that `new` was given, which is borrowed for 'a and has at
        // least `len` bytes.
        unsafe { core::slice::from_raw_parts(self.starts[lane], self.len) }
    }
}

#[cfg(test)]
mod tests;

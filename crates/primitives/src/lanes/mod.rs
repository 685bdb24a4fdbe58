//! Vectors that hold one word of each of several messages.
//!
//! The rounds of a hash are one chain of operations, each waiting for the one before. Messages do not wait
//! for each other: with a message in every lane of a vector, one chain does the work of many, nothing is
//! ever shuffled but on the way in, and the CPU's widest vectors are full.
//!
//! [`Word`] is the arithmetic of one word, in a general register or in every lane of a vector, so that
//! rounds are one text for both; [`Lanes`] is what only vectors have. Everything is `#[inline(always)]`
//! and must be reached from inside [`Token::vectorize`].
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use crate::cpu::Token;
use core::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::*;

/// The most messages that go side by side.
pub(crate) const MOST: usize = 16;

/// A word of 32 or 64 bits, or a vector of them.
pub(crate) trait Word: Copy {
    /// Bits of a word.
    const BITS: u32;

    fn add(self, other: Self) -> Self;

    fn xor(self, other: Self) -> Self;

    /// `self ^ a ^ b`.
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }

    /// `self` plus, bit by bit, `a` where `mask` is 1 and `b` where it is 0.
    fn add_choice(self, mask: Self, a: Self, b: Self) -> Self;

    /// The bits that two of the three or all have.
    fn majority(self, a: Self, b: Self) -> Self;

    /// Rotated right.
    fn rotr<const N: i32>(self) -> Self;

    /// Shifted right.
    fn shr<const N: i32>(self) -> Self;
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
                // The terms never share a bit, so that their sum is their union; !mask & b is one
                // instruction on many CPUs.
                self.wrapping_add(!mask & b).wrapping_add(mask & a)
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                // Where it is asked of (a, b, c), then of (new, a, b), the compiler keeps a ^ b.
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

/// A word of each of `COUNT` messages.
pub(crate) trait Lanes: Word {
    /// What proves that the CPU has these vectors.
    type Token: Token;

    /// A lane.
    type Word: Copy;

    /// The words that 16 bytes of every message make: two or four vectors.
    type Column: AsRef<[Self]>;

    /// Lanes.
    const COUNT: usize;

    /// The same word everywhere.
    fn splat(token: Self::Token, word: Self::Word) -> Self;

    /// The word in a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    fn lane(&self, lane: usize) -> Self::Word;

    /// Changes a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    fn set_lane(&mut self, lane: usize, word: Self::Word);

    /// The 16 bytes at offset `at` of every run, as words, little-endian or else big-endian.
    ///
    /// # Panics
    /// If the runs end before.
    fn read<const LITTLE: bool>(token: Self::Token, runs: &Runs<'_>, at: usize) -> Self::Column;
}

/// Runs of text that have one length, one for each lane.
pub(crate) struct Runs<'a> {
    starts: [*const u8; MOST],
    len: usize,
    text: PhantomData<&'a [u8]>,
}

impl<'a> Runs<'a> {
    /// The beginnings of texts, as much as all of them have.
    #[inline(always)]
    pub fn new(texts: &[&'a [u8]; MOST]) -> Self {
        let mut runs = Self { starts: [core::ptr::null(); MOST], len: texts[0].len(), text: PhantomData };
        for (start, text) in runs.starts.iter_mut().zip(texts) {
            *start = text.as_ptr();
            runs.len = runs.len.min(text.len());
        }
        runs
    }

    /// Bytes of each run.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The 16 bytes at `at` of a lane's run.
    ///
    /// # Panics
    /// If the run ends before.
    #[inline(always)]
    pub fn block(&self, lane: usize, at: usize) -> &'a [u8; 16] {
        assert!(at <= self.len && 16 <= self.len - at, "a run has 16 bytes there");
        // SAFETY: `new` was given a slice that starts here, lives as long and is not shorter.
        unsafe { &*self.starts[lane].add(at).cast() }
    }

    /// The run of a lane.
    #[inline(always)]
    pub fn run(&self, lane: usize) -> &'a [u8] {
        // SAFETY: `new` was given a slice that starts here, lives as long and is not shorter.
        unsafe { core::slice::from_raw_parts(self.starts[lane], self.len) }
    }
}

#[cfg(test)]
mod tests;

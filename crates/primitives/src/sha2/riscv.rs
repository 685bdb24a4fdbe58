//! The SHA-2 instructions of 64-bit RISC-V (Zknh): each of the functions Σ0, Σ1, σ0 and σ1 of a word is one.

use super::{Compress256, Compress512, portable::compress_by};
use crate::{
    cpu::{Token, Zknh},
    lanes::Word,
    simd::riscv::instructions,
};

instructions! { Zknh, "zknh";
    sha256sum0(w) = "sha256sum0 {result}, {w}";
    sha256sum1(w) = "sha256sum1 {result}, {w}";
    sha256sig0(w) = "sha256sig0 {result}, {w}";
    sha256sig1(w) = "sha256sig1 {result}, {w}";
    sha512sum0(w) = "sha512sum0 {result}, {w}";
    sha512sum1(w) = "sha512sum1 {result}, {w}";
    sha512sig0(w) = "sha512sig0 {result}, {w}";
    sha512sig1(w) = "sha512sig1 {result}, {w}";
}

/// A word, and the token of its CPU.
#[derive(Clone, Copy)]
struct Proven<W> {
    word: W,
    token: Zknh,
}

macro_rules! word {
    (
        $W:ty, $Compress:ident,
        $($sum:ident: $a:literal $b:literal $c:literal),*;
        $($sig:ident: $a2:literal $b2:literal $c2:literal),*
    ) => {
        impl Proven<$W> {
            #[inline(always)]
            fn with(self, word: $W) -> Self {
                Self { word, ..self }
            }

            /// Applies an instruction, which reads the lowest bits of a register. A word of 32 bits is sign-extended to the
            /// register's width, as the CPU keeps such words.
            #[inline(always)]
            fn by(self, instruction: impl Fn(Zknh, u64) -> u64) -> Self {
                self.with(instruction(self.token, self.word.cast_signed() as u64) as $W)
            }
        }

        impl Word for Proven<$W> {
            const BITS: u32 = <$W>::BITS;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.with(self.word.add(other.word))
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self.with(self.word.xor(other.word))
            }

            #[inline(always)]
            fn add_choice(self, mask: Self, a: Self, b: Self) -> Self {
                self.with(self.word.add_choice(mask.word, a.word, b.word))
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                self.with(self.word.majority(a.word, b.word))
            }

            #[inline(always)]
            fn rotr<const N: i32>(self) -> Self {
                self.with(self.word.rotr::<N>())
            }

            #[inline(always)]
            fn shr<const N: i32>(self) -> Self {
                self.with(self.word.shr::<N>())
            }

            #[inline(always)]
            fn rotations<const A: i32, const B: i32, const C: i32>(self) -> Self {
                match (A, B, C) {
                    $(($a, $b, $c) => self.by(Zknh::$sum),)*
                    _ => unreachable!("SHA-2 has no such function"),
                }
            }

            #[inline(always)]
            fn rotations_and_shift<const A: i32, const B: i32, const C: i32>(self) -> Self {
                match (A, B, C) {
                    $(($a2, $b2, $c2) => self.by(Zknh::$sig),)*
                    _ => unreachable!("SHA-2 has no such function"),
                }
            }
        }

        impl $Compress for Zknh {
            #[inline(never)]
            fn compress(self, state: &mut [$W; 8], blocks: &[u8]) {
                self.vectorize(
                    #[inline(always)]
                    || {
                        compress_by(
                            state,
                            blocks,
                            #[inline(always)]
                            |word| Proven { word, token: self },
                            #[inline(always)]
                            |proven| proven.word,
                        )
                    },
                );
            }
        }
    };
}
word!(u32, Compress256, sha256sum0: 2 13 22, sha256sum1: 6 11 25; sha256sig0: 7 18 3, sha256sig1: 17 19 10);
word!(u64, Compress512, sha512sum0: 28 34 39, sha512sum1: 14 18 41; sha512sig0: 1 8 7, sha512sig1: 19 61 6);

//! The 256- and 512-bit vectors of x86-64 as lanes of messages.
//!
//! Zen 4 does a 512-bit operation in two cycles of one of four pipes, and rotates in two of the pipes. 256-bit vectors
//! with AVX-512's rotations and logic could be as fast there. But with half as many messages the latency of the rounds
//! shows: SHA-256 was 7 % slower, SHA-1 6 %, SHA-512 7 % and SHA3-256 2 %. So AVX-512 means 512 bits, which also suits
//! CPUs with wider pipes better.

use super::{Lanes, Runs, Word};
use crate::cpu::{Avx2, Avx512, HasAvx2, HasAvx512};
use crate::simd::from_fn;
use crate::simd::x86::{V128, V256, V512};

/// Eight words of 32 bits, with AVX2.
#[derive(Clone, Copy)]
pub(crate) struct U32x8(pub V256<Avx2>);

/// Four words of 64 bits, with AVX2.
#[derive(Clone, Copy)]
pub(crate) struct U64x4(pub V256<Avx2>);

/// Sixteen words of 32 bits, with AVX-512.
#[derive(Clone, Copy)]
pub(crate) struct U32x16(pub V512<Avx512>);

/// Eight words of 64 bits, with AVX-512.
#[derive(Clone, Copy)]
pub(crate) struct U64x8(pub V512<Avx512>);

/// [`Word`] with AVX2, where a rotation is two shifts and logic has two operands.
macro_rules! avx2 {
    ($V:ident, $bits:literal, $add:ident, $shl_by:ident, $shr:ident) => {
        impl Word for $V {
            const BITS: u32 = $bits;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(self.0.$add(other.0))
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(self.0.xor(other.0))
            }

            #[inline(always)]
            fn add_choice(self, mask: Self, a: Self, b: Self) -> Self {
                Self(self.0.$add(b.0.xor(mask.0.and(a.0.xor(b.0)))))
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                // The same formula as for one word: the compiler keeps a ^ b for the next round.
                Self(a.0.xor(self.0.xor(a.0).and(a.0.xor(b.0))))
            }

            #[inline(always)]
            fn rotr<const N: i32>(self) -> Self {
                // A const argument cannot be computed from another one, so this shift takes its count in a register;
                // the compiler makes a constant of it.
                Self(self.0.$shr::<N>().or(self.0.$shl_by(($bits - N).cast_unsigned())))
            }

            #[inline(always)]
            fn shr<const N: i32>(self) -> Self {
                Self(self.0.$shr::<N>())
            }
        }
    };
}
avx2!(U32x8, 32, add32, shl32_by, shr32);
avx2!(U64x4, 64, add64, shl64_by, shr64);

/// [`Word`] with AVX-512. The constants are the truth tables of three-way logic.
macro_rules! avx512 {
    ($V:ident, $bits:literal, $add:ident, $ror:ident, $shr:ident) => {
        impl Word for $V {
            const BITS: u32 = $bits;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(self.0.$add(other.0))
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(self.0.xor(other.0))
            }

            #[inline(always)]
            fn xor3(self, a: Self, b: Self) -> Self {
                Self(self.0.xor3(a.0, b.0))
            }

            #[inline(always)]
            fn add_choice(self, mask: Self, a: Self, b: Self) -> Self {
                Self(self.0.$add(mask.0.ternary::<0xca>(a.0, b.0)))
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                Self(self.0.ternary::<0xe8>(a.0, b.0))
            }

            #[inline(always)]
            fn rotr<const N: i32>(self) -> Self {
                Self(self.0.$ror::<N>())
            }

            #[inline(always)]
            fn shr<const N: i32>(self) -> Self {
                Self(self.0.$shr::<N>())
            }

            #[inline(always)]
            fn pin(self) -> Self {
                Self(self.0.pin())
            }
        }
    };
}
avx512!(U32x16, 32, add32, ror32, shr32);
avx512!(U64x8, 64, add64, ror64, shr64);

/// Byte shuffles that reverse the bytes in words of 32 and of 64 bits.
const SWAP32: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
const SWAP64: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];

/// The 16 bytes at offset `at` of the runs `first`, `first + step`, …, in the blocks of a vector. Unless `LITTLE`, the
/// shuffle `swap` reverses the bytes in words.
#[inline(always)]
fn row256<T: HasAvx2, const LITTLE: bool>(
    token: T,
    runs: &Runs<'_>,
    at: usize,
    [first, step]: [usize; 2],
    swap: &[u8; 16],
) -> V256<T> {
    let block = |i: usize| V128::load(token, runs.block(first + i * step, at));
    let row = V256::of_halves(token, block(0), block(1));
    if LITTLE { row } else { row.shuffle_bytes(V256::splat_block(token, swap)) }
}

/// The same for four runs, in a vector of 512 bits.
#[inline(always)]
fn row512<T: HasAvx512, const LITTLE: bool>(
    token: T,
    runs: &Runs<'_>,
    at: usize,
    [first, step]: [usize; 2],
    swap: &[u8; 16],
) -> V512<T> {
    let block = |i: usize| V128::load(token, runs.block(first + i * step, at));
    let half = |i: usize| V256::of_halves(token, block(i), block(i + 1));
    let row = V512::of_halves(token, half(0), half(2));
    if LITTLE { row } else { row.shuffle_bytes(V512::splat_block(token, swap)) }
}

/// The methods of [`Lanes`] that all vectors share.
macro_rules! lanes {
    ($R:ident, $Word:ty, $Token:ty, $count:literal, $splat:ident) => {
        type Token = $Token;
        type Word = $Word;
        const COUNT: usize = $count;

        #[inline(always)]
        fn splat(token: $Token, word: $Word) -> Self {
            Self($R::$splat(token, word))
        }

        #[inline(always)]
        fn lane(&self, lane: usize) -> $Word {
            self.0.as_words::<[$Word; $count]>()[lane]
        }

        #[inline(always)]
        fn set_lane(&mut self, lane: usize, word: $Word) {
            self.0.as_words_mut::<[$Word; $count]>()[lane] = word;
        }
    };
}

/// [`Lanes`] of 32-bit words. A row holds 16 bytes of every fourth message, beginning with message 0, 1, 2 or 3. So a 4
/// × 4 transposition within each block gives columns with the messages in order.
macro_rules! of_32 {
    ($V:ident($R:ident), $Token:ident, $count:literal, $row:ident) => {
        impl Lanes for $V {
            lanes!($R, u32, $Token, $count, splat32);
            type Column = [Self; 4];

            #[inline(always)]
            fn read<const LITTLE: bool>(token: $Token, runs: &Runs<'_>, at: usize) -> [Self; 4] {
                let row = |first: usize| $row::<_, LITTLE>(token, runs, at, [first, 4], &SWAP32);
                let (a, b, c, d) = (row(0), row(1), row(2), row(3));
                let (ab, ab2) = (a.unpack_low32(b), a.unpack_high32(b));
                let (cd, cd2) = (c.unpack_low32(d), c.unpack_high32(d));
                [
                    Self(ab.unpack_low64(cd)),
                    Self(ab.unpack_high64(cd)),
                    Self(ab2.unpack_low64(cd2)),
                    Self(ab2.unpack_high64(cd2)),
                ]
            }

            #[inline(always)]
            fn read_block(token: $Token, runs: &Runs<'_>, at: usize) -> [Self; 16] {
                let column = |i: usize| Self::read::<false>(token, runs, at + 16 * i);
                // A loop over the columns would leave them in memory: the rounds took two to three times as long.
                let columns = [column(0), column(1), column(2), column(3)];
                from_fn(|i| columns[i / 4][i % 4])
            }
        }
    };
}
of_32!(U32x8(V256), Avx2, 8, row256);
of_32!(U32x16(V512), Avx512, 16, row512);

/// [`Lanes`] of 64-bit words. A row holds every second message, and the transpositions are 2 × 2.
macro_rules! of_64 {
    ($V:ident($R:ident), $Token:ident, $count:literal, $row:ident) => {
        impl Lanes for $V {
            lanes!($R, u64, $Token, $count, splat64);
            type Column = [Self; 2];

            #[inline(always)]
            fn read<const LITTLE: bool>(token: $Token, runs: &Runs<'_>, at: usize) -> [Self; 2] {
                let row = |first: usize| $row::<_, LITTLE>(token, runs, at, [first, 2], &SWAP64);
                let (a, b) = (row(0), row(1));
                [Self(a.unpack_low64(b)), Self(a.unpack_high64(b))]
            }

            #[inline(always)]
            fn read_block(token: $Token, runs: &Runs<'_>, at: usize) -> [Self; 16] {
                let column = |i: usize| Self::read::<false>(token, runs, at + 16 * i);
                // Not a loop, as for words of 32 bits.
                let columns = [column(0), column(1), column(2), column(3), column(4), column(5), column(6), column(7)];
                from_fn(|i| columns[i / 2][i % 2])
            }
        }
    };
}
of_64!(U64x4(V256), Avx2, 4, row256);
of_64!(U64x8(V512), Avx512, 8, row512);

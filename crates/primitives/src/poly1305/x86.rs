//! Poly1305 on the 256- and 512-bit vectors of x86-64.

use super::lanes::{self, Lanes64};
use super::{Accumulator, Poly1305Token};
use crate::cpu::{Avx2, Avx512, HasAvx2, HasAvx512, Token};
use crate::simd::x86::{V128, V256, V512};

/// Absorbs `blocks` on four lanes, if there are enough to make up for the powers of *r*; fewer will do if the powers
/// exist.
#[inline(always)]
fn absorb_four<'a, T: HasAvx2>(token: T, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
    let enough = if accumulator.powers.is_some() { 192 } else { 384 };
    if blocks.len() < enough {
        return blocks;
    }
    token.vectorize(
        #[inline(always)]
        || lanes::absorb::<V256<T>>(token, accumulator, blocks),
    )
}

impl Poly1305Token for Avx2 {
    fn absorb_lanes<'a>(self, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
        absorb_four(self, accumulator, blocks)
    }
}

// Eight lanes need twice as many powers and more additions at the end, so only long messages gain from them.
impl Poly1305Token for Avx512 {
    fn absorb_lanes<'a>(self, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
        if blocks.len() < 4096 {
            return absorb_four(self, accumulator, blocks);
        }
        self.vectorize(
            #[inline(always)]
            || lanes::absorb::<V512<Self>>(self, accumulator, blocks),
        )
    }
}

/// The methods of [`Lanes64`] that are the same at both widths.
macro_rules! lanes {
    ($V:ident, $lanes:literal) => {
        type Token = T;
        const LANES: usize = $lanes;

        #[inline(always)]
        fn splat(token: T, word: u64) -> Self {
            $V::splat64(token, word)
        }

        #[inline(always)]
        fn load_blocks(token: T, src: &[u8]) -> (Self, Self) {
            let [front, back, ..] = src.as_chunks::<{ 8 * $lanes }>().0 else { panic!("fewer blocks than lanes") };
            let (front, back) = ($V::load(token, front), $V::load(token, back));
            (front.unpack_low64(back), front.unpack_high64(back))
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.add64(other)
        }

        #[inline(always)]
        fn mul32(self, other: Self) -> Self {
            $V::mul32(self, other)
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            $V::and(self, other)
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            $V::or(self, other)
        }

        #[inline(always)]
        fn shl<const N: i32>(self) -> Self {
            self.shl64::<N>()
        }

        #[inline(always)]
        fn shr<const N: i32>(self) -> Self {
            self.shr64::<N>()
        }
    };
}

impl<T: HasAvx2> Lanes64 for V256<T> {
    lanes!(V256, 4);

    #[inline(always)]
    fn first(token: T, word: u64) -> Self {
        Self::first_half(token, V128::first64(token, word))
    }

    #[inline(always)]
    fn widen(token: T, words: &[u32; 8]) -> Self {
        Self::widened32(token, V128::load(token, words.first_chunk::<4>().expect("8 words")))
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        let two = self.low().add64(self.high());
        two.add64(two.unpack_high64(two)).low64()
    }
}

impl<T: HasAvx512> Lanes64 for V512<T> {
    lanes!(V512, 8);

    #[inline(always)]
    fn first(token: T, word: u64) -> Self {
        Self::first_block(token, V128::first64(token, word))
    }

    #[inline(always)]
    fn widen(token: T, words: &[u32; 8]) -> Self {
        Self::widened32(token, V256::load(token, words))
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        self.sum64()
    }
}

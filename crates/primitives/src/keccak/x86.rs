//! Keccak on x86.

use super::Permute;
use super::in_lanes::InLanes;
use super::lanes::{Lane, Single, absorb, driver, permute};
use crate::cpu::{Avx2, Avx512, Token};
use crate::hash::Queue;
use crate::lanes::{Lanes, U64x4, U64x8, Word};
use crate::simd::x86::V128;

driver!(
    /// A single message goes through general registers here too, but with `andn`, and with rotations that do not
    /// overwrite their source.
    Avx2,
    u64,
    lanes: U64x4
);

/// The truth table of `a ^ b ^ c`.
const XOR3: i32 = 0x96;
/// The truth table of `a ^ (!b & c)`.
const CHI: i32 = 0xd2;

/// One lane of the state, in the low half of the vector.
///
/// A lane per register uses an eighth of the machine's width, and is fast all the same: rotations are by constants,
/// there are no shuffles, 32 registers hold the whole state, and ternary logic makes a round of 90 operations, where
/// general registers need about 150. Whole rows of lanes in 512-bit vectors would need about 20 shuffles across lanes
/// in every round; that was not tried.
impl Single<Avx512> for V128<Avx512> {
    #[inline(always)]
    fn get(self) -> u64 {
        self.low64()
    }
}

impl Lane<Avx512> for V128<Avx512> {
    /// Both parts, which one ternary operation adds to a lane. With their sum, a round has five operations more, and a longer chain.
    type Theta = [Self; 2];

    #[inline(always)]
    fn new(token: Avx512, lane: u64) -> Self {
        Self::first64(token, lane)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.xor(other)
    }

    #[inline(always)]
    fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self {
        self.ternary::<XOR3>(a, b).ternary::<XOR3>(c, d)
    }

    #[inline(always)]
    fn theta(self, other: Self) -> [Self; 2] {
        [self, other.rol64::<1>()]
    }

    #[inline(always)]
    fn rotate_xor<const RIGHT: i32>(self, theta: [Self; 2]) -> Self {
        self.ternary::<XOR3>(theta[0], theta[1]).ror64::<RIGHT>()
    }

    #[inline(always)]
    fn chi(self, a: Self, b: Self) -> Self {
        self.ternary::<CHI>(a, b)
    }
}

driver!(
    Avx512,
    V128<Avx512>,
    lanes: U64x8
);

/// The same lane of several states.
macro_rules! lane {
    ($V:ident, $Token:ident, |$this:ident, $a:ident, $b:ident| $chi:expr) => {
        impl Lane<$Token> for $V {
            /// The sum. Both parts, in ten registers, make 512-bit vectors only 1 % faster, and would need another text for AVX2.
            type Theta = Self;

            #[inline(always)]
            fn new(token: $Token, lane: u64) -> Self {
                Self::splat(token, lane)
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Word::xor(self, other)
            }

            #[inline(always)]
            fn xor5(self, a: Self, b: Self, c: Self, d: Self) -> Self {
                self.xor3(a, b).xor3(c, d)
            }

            #[inline(always)]
            fn theta(self, other: Self) -> Self {
                Word::xor(self, other.rotr::<63>())
            }

            #[inline(always)]
            fn rotate_xor<const RIGHT: i32>(self, theta: Self) -> Self {
                Word::xor(self, theta).rotr::<RIGHT>()
            }

            #[inline(always)]
            fn chi(self, $a: Self, $b: Self) -> Self {
                let $this = self;
                Self($chi)
            }
        }
    };
}
lane!(U64x4, Avx2, |this, a, b| this.0.xor(a.0.andnot(b.0)));
lane!(U64x8, Avx512, |this, a, b| this.0.ternary::<CHI>(a.0, b.0));

//! AES for 64-bit PowerPC: with the instructions of POWER8, and with AltiVec alone.
//!
//! Stable Rust has assembly for PowerPC and no type for its vectors. So a vector is an [`Integer`] in memory between two
//! blocks of assembly, and one such block does all rounds of several AES blocks.
//!
//! A vector register that LVX has loaded holds the same number as the integer, on both byte orders. The block's first
//! byte is the number's lowest, which the instructions call byte 15.

mod altivec;
mod power8;

use crate::{
    cpu::Token,
    simd::{AesToken, AesVector, Blocks, Integer},
};

/// What the vectors of AES differ in.
pub trait Rounds: Token {
    /// Adds `first` to each block and does all rounds but for the last key: as many as `inner` has keys, then the last
    /// round. There is at least one block, and at least one key; all are aligned to 16 bytes.
    fn all_rounds<const ENC: bool>(self, blocks: &mut [Integer<Self>], first: Integer<Self>, inner: &[[u8; 16]]);

    /// One round of the cipher, or of the equivalent inverse cipher, without its key.
    fn round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self>;

    /// The last round, without its key.
    fn last_round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self>;
}

macro_rules! tokens {
    ($($Token:ident),*) => {$(
        impl AesToken for crate::cpu::$Token {
            type V = Integer<Self>;
            type Narrow = Self;

            #[inline(always)]
            fn narrow(self) -> Self {
                self
            }

            type TwoBlocks = Self;

            #[inline(always)]
            fn two_blocks(self) -> Self {
                self
            }
        }
    )*};
}
tokens!(Altivec, Power8);

impl<T: Rounds> AesVector for Integer<T> {
    const CHAINS: usize = 8;
    const AT_ONCE: bool = true;

    #[inline(always)]
    fn all_rounds<const ENC: bool, const N: usize>(blocks: &mut [Self; N], first: Self, inner: &[[u8; 16]]) {
        const { assert!(N > 0) }
        assert!(inner.as_ptr().cast::<Self>().is_aligned(), "a schedule begins at a multiple of 16");
        assert!(!inner.is_empty(), "AES has more than one round");
        first.token.all_rounds::<ENC>(blocks, first, inner);
    }

    #[inline(always)]
    fn finish<const ENC: bool>(self, _: T, _: &[[u8; 16]], last: Self) -> Self {
        self.xor(last)
    }

    #[inline(always)]
    fn enc(self, round_key: Self) -> Self {
        self.token.round::<true>(self).xor(round_key)
    }

    #[inline(always)]
    fn enc_last(self, round_key: Self) -> Self {
        self.token.last_round::<true>(self).xor(round_key)
    }

    #[inline(always)]
    fn dec(self, round_key: Self) -> Self {
        self.token.round::<false>(self).xor(round_key)
    }

    #[inline(always)]
    fn dec_last(self, round_key: Self) -> Self {
        self.token.last_round::<false>(self).xor(round_key)
    }

    /// A round of the inverse cipher undoes SubBytes and ShiftRows of the last round before InvMixColumns.
    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        self.token.round::<false>(self.token.last_round::<true>(self))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self::new(self.token, self.value & other.value)
    }

    #[inline(always)]
    fn gather(token: T, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
        Self::load(token, &block(0))
    }

    #[inline(always)]
    fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
        put(0, self.first());
    }

    #[inline(always)]
    fn meet(&mut self, _: &mut Self) {}

    #[inline(always)]
    fn after(self, previous: Self) -> Self {
        previous
    }

    #[inline(always)]
    fn mul_x(self, n: usize) -> Self {
        assert!(n <= 56);
        let out = self.value.unbounded_shr(128 - n as u32);
        Self::new(self.token, self.value << n ^ out ^ out << 1 ^ out << 2 ^ out << 7)
    }

    #[inline(always)]
    fn next_tweaks(batch: &[Self; 8], _before: Self, i: usize) -> Self {
        batch[i].mul_x(8)
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        self.mul_x(n)
    }
}

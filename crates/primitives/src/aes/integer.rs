//! AES on blocks that are integers, for the CPUs whose instructions stable Rust has in assembly alone: 32-bit Arm
//! and PowerPC, whose vectors have no type, and RISC-V, whose instructions work on general registers.

use crate::{
    cpu::Token,
    simd::{self, AesVector, Blocks, Integer, one_block_token},
};

/// What the CPUs differ in.
pub trait Rounds: Token {
    /// Adds `first` to each block and does all rounds but for the last key: as many as `inner` has keys, then the last
    /// round. There is at least one block, and at least one key; all are aligned to 16 bytes.
    fn all_rounds<const ENC: bool, const N: usize>(
        self,
        blocks: &mut [Integer<Self>; N],
        first: Integer<Self>,
        inner: &[[u8; 16]],
    );

    /// [`AesVector::IN_CHAINS`]: whether a call has much to load, or the blocks are in memory between two calls.
    const IN_CHAINS: bool = true;

    /// Encrypts as [`Rounds::all_rounds`] does, but adds `state` to the first block before that, and the result of each
    /// block to the next. A chain of blocks needs the constants in registers once.
    #[inline(always)]
    fn chain(self, blocks: &mut [Integer<Self>], mut state: Integer<Self>, first: Integer<Self>, inner: &[[u8; 16]]) {
        for block in blocks {
            *block = block.xor(state);
            self.all_rounds::<true, 1>(core::array::from_mut(block), first, inner);
            state = *block;
        }
    }

    /// One round of the cipher, or of the equivalent inverse cipher, without its key.
    fn round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self>;

    /// The last round, without its key.
    fn last_round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self>;

    /// [`AesVector::inv_mix_columns`]. A round of the inverse cipher undoes SubBytes and ShiftRows of the last round
    /// before InvMixColumns.
    #[inline(always)]
    fn inv_mix_columns(self, key: Integer<Self>) -> Integer<Self> {
        self.round::<false>(self.last_round::<true>(key))
    }

    /// [`AesVector::next_key`].
    #[inline(always)]
    fn next_key<const ROTATED: bool>(self, before: Integer<Self>, last: Integer<Self>, rcon: u32) -> Integer<Self> {
        simd::next_key::<_, ROTATED>(self, before, last, rcon)
    }
}

#[cfg(all(target_arch = "arm", unix))]
one_block_token!(crate::cpu::ArmCe: Integer<Self>);
#[cfg(target_arch = "powerpc64")]
one_block_token!(crate::cpu::Altivec: Integer<Self>);
#[cfg(target_arch = "powerpc64")]
one_block_token!(crate::cpu::Power8: Integer<Self>);
#[cfg(target_arch = "riscv64")]
one_block_token!(crate::cpu::Zkned: Integer<Self>);

impl<T: Rounds> AesVector for Integer<T> {
    const CHAINS: usize = 8;
    const AT_ONCE: bool = true;
    const IN_CHAINS: bool = T::IN_CHAINS;

    #[inline(always)]
    fn all_rounds<const ENC: bool, const N: usize>(blocks: &mut [Self; N], first: Self, inner: &[[u8; 16]]) {
        const { assert!(N > 0) }
        assert!(inner.as_ptr().cast::<Self>().is_aligned(), "a schedule begins at a multiple of 16");
        assert!(!inner.is_empty(), "AES has more than one round");
        first.token.all_rounds::<ENC, N>(blocks, first, inner);
    }

    #[inline(always)]
    fn chain(blocks: &mut [Self], state: Self, first: Self, inner: &[[u8; 16]]) {
        assert!(inner.as_ptr().cast::<Self>().is_aligned(), "a schedule begins at a multiple of 16");
        assert!(!inner.is_empty(), "AES has more than one round");
        assert!(!blocks.is_empty(), "there is at least one block");
        first.token.chain(blocks, state, first, inner);
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

    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        self.token.inv_mix_columns(self)
    }

    #[inline(always)]
    fn next_key<const ROTATED: bool>(self, token: T, last: Self, rcon: u32) -> Self {
        token.next_key::<ROTATED>(self, last, rcon)
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

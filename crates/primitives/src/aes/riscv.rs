//! The AES instructions of 64-bit RISC-V (Zkne, Zknd).
//!
//! A block is in two general registers, with its first byte in the lowest bits of the first one. An instruction does
//! ShiftRows, SubBytes and MixColumns of a whole block, and gives the first two columns. With its operands exchanged, it
//! gives the other two. The round key is added by itself, so a round of a block takes four instructions.

use super::integer::Rounds;
use crate::{
    cpu::Zkned,
    simd::{Blocks, Integer, riscv::instructions},
};

instructions! { Zkned, "zkne";
    aes64esm(first, second) = "aes64esm {result}, {first}, {second}";
    aes64es(first, second) = "aes64es {result}, {first}, {second}";
    /// SubWord of the upper word, in both words.
    aes64ks1i_sub(word) = "aes64ks1i {result}, {word}, 10";
    /// SubWord of RotWord of the upper word, plus the first round constant, in both words.
    aes64ks1i_rot_sub(word) = "aes64ks1i {result}, {word}, 0";
    /// `sum` in its upper word, added to the lower word of `before`; and that added to the upper word of `before`.
    aes64ks2(sum, before) = "aes64ks2 {result}, {sum}, {before}";
}

instructions! { Zkned, "zknd";
    aes64dsm(first, second) = "aes64dsm {result}, {first}, {second}";
    aes64ds(first, second) = "aes64ds {result}, {first}, {second}";
    aes64im(columns) = "aes64im {result}, {columns}";
}

/// A block of what `instruction` makes of the halves of `state`.
#[inline(always)]
fn both(state: Integer<Zkned>, instruction: impl Fn(Zkned, u64, u64) -> u64) -> Integer<Zkned> {
    let [first, second] = state.halves();
    let token = state.token;
    Integer::of_halves(token, [instruction(token, first, second), instruction(token, second, first)])
}

impl Rounds for Zkned {
    // Each instruction is assembly by itself, and blocks stay in registers.
    const IN_CHAINS: bool = false;

    #[inline(always)]
    fn all_rounds<const ENC: bool, const N: usize>(
        self,
        blocks: &mut [Integer<Self>; N],
        first: Integer<Self>,
        inner: &[[u8; 16]],
    ) {
        let mut states = *blocks;
        for state in &mut states {
            *state = state.xor(first);
        }
        for key in inner {
            let key = Integer::splat(self, key);
            for state in &mut states {
                *state = self.round::<ENC>(*state).xor(key);
            }
        }
        for state in &mut states {
            *state = self.last_round::<ENC>(*state);
        }
        *blocks = states;
    }

    #[inline(always)]
    fn round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self> {
        if ENC { both(state, Self::aes64esm) } else { both(state, Self::aes64dsm) }
    }

    #[inline(always)]
    fn last_round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self> {
        if ENC { both(state, Self::aes64es) } else { both(state, Self::aes64ds) }
    }

    #[inline(always)]
    fn inv_mix_columns(self, key: Integer<Self>) -> Integer<Self> {
        let [first, second] = key.halves();
        Integer::of_halves(self, [self.aes64im(first), self.aes64im(second)])
    }

    #[inline(always)]
    fn next_key<const ROTATED: bool>(self, before: Integer<Self>, last: Integer<Self>, rcon: u32) -> Integer<Self> {
        let ([first, second], [_, last]) = (before.halves(), last.halves());
        let word = if ROTATED {
            // The instruction's own constant is a part of its code. So it is always the first, which is 1.
            self.aes64ks1i_rot_sub(last) ^ u64::from(rcon ^ 1) << 32
        } else {
            self.aes64ks1i_sub(last) ^ u64::from(rcon) << 32
        };
        let first = self.aes64ks2(word, first);
        Integer::of_halves(self, [first, self.aes64ks2(first, second)])
    }
}

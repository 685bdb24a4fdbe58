//! The AES instructions of 32-bit programs on Armv8: AESE and AESD, AESMC and AESIMC.
//!
//! AESE adds its key before SubBytes. So the key of a round is an operand of the next round's first instruction, and a
//! round is two instructions.

use super::integer::Rounds;
use crate::{
    cpu::{ArmCe, armv8},
    simd::Integer,
};
use core::arch::asm;

/// All rounds of an array of blocks, each in one of the registers that are listed. q8 is the key.
macro_rules! all_rounds {
    ($round:literal, $mix:literal, $blocks:expr, $first:ident, $inner:ident, $($q:literal)*) => {{
        let blocks: &mut [Integer<ArmCe>; const { [$($q),*].len() }] = $blocks;
        let blocks = blocks.as_mut_ptr();
        // SAFETY: `first` was made with the token, so the CPU has the instructions. They read and write the blocks, which
        // are as many as the registers listed, and read the keys in `inner`, of which there is at least one.
        unsafe {
            asm!(
                armv8!(begin),
                $(concat!("vld1.64 {{q", $q, "}}, [{from}]!"),)*
                "vld1.64 {{q8}}, [{first}]",
                "2:",
                $(concat!($round, " q", $q, ", q8\n", $mix, " q", $q, ", q", $q),)*
                "vld1.64 {{q8}}, [{key}]!",
                "subs {left}, {left}, #1",
                "bne 2b",
                $(concat!($round, " q", $q, ", q8"),)*
                $(concat!("vst1.64 {{q", $q, "}}, [{to}]!"),)*
                armv8!(end),
                from = inout(reg) blocks => _,
                to = inout(reg) blocks => _,
                first = in(reg) &raw const $first,
                key = inout(reg) $inner.as_ptr() => _,
                left = inout(reg) $inner.len() => _,
                out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _, out("d14") _,
                out("d15") _, out("q8") _,
                options(nostack),
            );
        }
    }};
}

/// An AES instruction with a zero key, and perhaps a second instruction after it.
macro_rules! one {
    ($state:ident, $($instruction:literal),*) => {{
        let mut state: Integer<ArmCe> = $state;
        // SAFETY: `state` was made with the token, so the CPU has the instructions, which read and write the state.
        unsafe {
            asm!(
                armv8!(begin),
                "vld1.64 {{q0}}, [{state}]",
                "vmov.i8 q1, #0",
                $($instruction,)*
                "vst1.64 {{q0}}, [{state}]",
                armv8!(end),
                state = in(reg) &raw mut state,
                out("d0") _, out("d1") _, out("d2") _, out("d3") _,
                options(nostack, preserves_flags),
            );
        }
        state
    }};
}

impl Rounds for ArmCe {
    #[inline(always)]
    fn all_rounds<const ENC: bool, const N: usize>(
        self,
        blocks: &mut [Integer<Self>; N],
        first: Integer<Self>,
        inner: &[[u8; 16]],
    ) {
        macro_rules! crypt {
            ($blocks:expr, $($q:literal)*) => {
                if ENC {
                    all_rounds!("aese.8", "aesmc.8", $blocks, first, inner, $($q)*);
                } else {
                    all_rounds!("aesd.8", "aesimc.8", $blocks, first, inner, $($q)*);
                }
            };
        }
        let (eights, rest) = blocks.as_chunks_mut();
        for eight in eights {
            crypt!(eight, 0 1 2 3 4 5 6 7);
        }
        let (fours, rest) = rest.as_chunks_mut();
        for four in fours {
            crypt!(four, 0 1 2 3);
        }
        let (twos, rest) = rest.as_chunks_mut();
        for two in twos {
            crypt!(two, 0 1);
        }
        for one in rest {
            crypt!(core::array::from_mut(one), 0);
        }
    }

    #[inline(always)]
    fn round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self> {
        if ENC {
            one!(state, "aese.8 q0, q1", "aesmc.8 q0, q0")
        } else {
            one!(state, "aesd.8 q0, q1", "aesimc.8 q0, q0")
        }
    }

    #[inline(always)]
    fn last_round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self> {
        if ENC { one!(state, "aese.8 q0, q1") } else { one!(state, "aesd.8 q0, q1") }
    }
}

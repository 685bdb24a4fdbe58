//! The AES instructions of POWER8: VCIPHER and VNCIPHER.
//!
//! Their operands have a block's first byte as byte 0. So the bytes of a state are reversed before the rounds and after
//! them. A round key that LVX has loaded from memory is in that order on a big-endian CPU, and reversed on a
//! little-endian one.
//!
//! VNCIPHER adds its key before InvMixColumns. The keys of the equivalent inverse cipher are added after it, so it gets a
//! zero key, and an addition follows.

use super::super::integer::Rounds;
use crate::{aligned::Aligned, cpu::Power8, simd::Integer};
use core::arch::asm;

/// The byte numbers 15 to 0.
static REVERSE: Aligned<u128> = Aligned(0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100);

macro_rules! reverse {
    ($v:literal) => {
        concat!("vperm ", $v, ", ", $v, ", ", $v, ", 9")
    };
}

#[cfg(target_endian = "little")]
macro_rules! key_in_order {
    () => {
        reverse!(8)
    };
}
#[cfg(target_endian = "big")]
macro_rules! key_in_order {
    () => {
        ""
    };
}

macro_rules! encrypt {
    ($v:literal) => {
        concat!("vcipher ", $v, ", ", $v, ", 8")
    };
}

macro_rules! decrypt {
    ($v:literal) => {
        concat!("vncipher ", $v, ", ", $v, ", 11\nvxor ", $v, ", ", $v, ", 8")
    };
}

/// All rounds of an array of blocks, each in one of the registers that are listed. v8 is the round key, v9 the byte
/// numbers, v10 the first key, v11 zero.
macro_rules! all_rounds {
    ($round:ident, $last:literal, $blocks:expr, $first:ident, $inner:ident, $($v:literal)*) => {{
        let blocks: &mut [Integer<Power8>; const { [$($v),*].len() }] = $blocks;
        let blocks = blocks.as_mut_ptr();
        // SAFETY: `first` was made with the token, so the CPU has the instructions. They read and write the blocks, which
        // are as many as the registers listed, and read the keys in `inner`, of which there is at least one. All are
        // aligned to 16 bytes.
        unsafe {
            asm!(
                "lvx 9, 0, {reverse}",
                "lvx 10, 0, {first}",
                "vxor 11, 11, 11",
                "mtctr {rounds}",
                $(
                    concat!("lvx ", $v, ", 0, {from}"),
                    "addi {from}, {from}, 16",
                    concat!("vxor ", $v, ", ", $v, ", 10"),
                    reverse!($v),
                )*
                "2:",
                "lvx 8, 0, {key}",
                "addi {key}, {key}, 16",
                key_in_order!(),
                $($round!($v),)*
                "bdnz 2b",
                $(
                    concat!($last, " ", $v, ", ", $v, ", 11"),
                    reverse!($v),
                    concat!("stvx ", $v, ", 0, {to}"),
                    "addi {to}, {to}, 16",
                )*
                reverse = in(reg) &raw const REVERSE,
                first = in(reg) &raw const $first,
                rounds = in(reg) $inner.len(),
                key = inout(reg_nonzero) $inner.as_ptr() => _,
                from = inout(reg_nonzero) blocks => _,
                to = inout(reg_nonzero) blocks => _,
                out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                out("v8") _, out("v9") _, out("v10") _, out("v11") _, out("ctr") _,
                options(nostack, preserves_flags),
            );
        }
    }};
}

/// One instruction with a zero key.
macro_rules! one {
    ($instruction:literal, $state:ident) => {{
        let mut state: Integer<Power8> = $state;
        // SAFETY: `state` was made with the token, so the CPU has the instructions. They read and write the state, which
        // is aligned to 16 bytes.
        unsafe {
            asm!(
                "lvx 9, 0, {reverse}",
                "lvx 0, 0, {state}",
                "vxor 1, 1, 1",
                reverse!(0),
                concat!($instruction, " 0, 0, 1"),
                reverse!(0),
                "stvx 0, 0, {state}",
                reverse = in(reg) &raw const REVERSE,
                state = in(reg) &raw mut state,
                out("v0") _, out("v1") _, out("v9") _,
                options(nostack, preserves_flags),
            );
        }
        state
    }};
}

impl Rounds for Power8 {
    #[inline(always)]
    fn all_rounds<const ENC: bool, const N: usize>(
        self,
        blocks: &mut [Integer<Self>; N],
        first: Integer<Self>,
        inner: &[[u8; 16]],
    ) {
        macro_rules! crypt {
            ($blocks:expr, $($v:literal)*) => {
                if ENC {
                    all_rounds!(encrypt, "vcipherlast", $blocks, first, inner, $($v)*);
                } else {
                    all_rounds!(decrypt, "vncipherlast", $blocks, first, inner, $($v)*);
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
        if ENC { one!("vcipher", state) } else { one!("vncipher", state) }
    }

    #[inline(always)]
    fn last_round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self> {
        if ENC { one!("vcipherlast", state) } else { one!("vncipherlast", state) }
    }
}

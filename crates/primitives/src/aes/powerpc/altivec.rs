//! AES by table look-up in registers, for AltiVec alone: the PowerPC 970, the Cell, POWER6 and POWER7, and Freescale's
//! e6500.
//!
//! The S-box fills 16 registers. VPERM looks up bytes in two of them by the lowest five bits, so a byte is looked up in
//! all eight pairs. Its three highest bits, each spread over a byte, select among the eight results. The table is in
//! registers, so the time does not depend on the bytes: this is constant time, unlike a table in memory.
//!
//! A round of one block is ShiftRows (a VPERM), 20 instructions of SubBytes, 9 of MixColumns and the key. The eight
//! look-ups of SubBytes do not wait for each other. The CPU is idle at times all the same, but there are no registers for a
//! second block.

use super::super::{
    integer::Rounds,
    sbox::{INV_SBOX, SBOX},
};
use crate::{aligned::Aligned, cpu::Altivec, simd::Integer};
use core::arch::asm;

/// What the registers v0 to v18 hold, in this order.
type Constants = [u128; 19];

static ENCRYPT: Aligned<Constants> = constants(&SBOX, 1);
static DECRYPT: Aligned<Constants> = constants(&INV_SBOX, 3);

/// The S-box, the byte numbers of ShiftRows (by `columns` times the row), 0x1b in every byte, and the byte numbers 15 to
/// 0. Byte 0 of a register is the last of a block.
const fn constants(sbox: &[u8; 256], columns: usize) -> Aligned<Constants> {
    let mut all = [0; 19];
    let mut i = 0;
    while i < 256 {
        all[i / 16] = all[i / 16] << 8 | sbox[i] as u128;
        i += 1;
    }
    let mut at = 16;
    while at > 0 {
        at -= 1;
        let from = (at + 4 * columns * (at % 4)) % 16;
        all[16] = all[16] << 8 | (15 - from) as u128;
        all[18] = all[18] << 8 | at as u128;
    }
    all[17] = u128::from_ne_bytes([0x1b; 16]);
    Aligned(all)
}

/// Loads the constants, and v19: the number 7 in every byte; v20 and v21: 16 and 24 in every word.
macro_rules! load_constants {
    () => {
        load_constants!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18)
    };
    ($($v:literal)*) => {
        concat!(
            $("lvx ", $v, ", 0, {constants}\naddi {constants}, {constants}, 16\n",)*
            "vspltisb 19, 7\nvspltisw 20, -16\nvspltisw 21, -8"
        )
    };
}

/// ShiftRows and SubBytes of v22. v23, v24 and v31 become the bits of value 128, 64 and 32, each in all bits of its byte.
/// Each selects as soon as it has been computed. Look-ups stand where a CPU that issues in order would otherwise wait for
/// a result, which takes the Cell four cycles.
macro_rules! shift_and_substitute {
    () => {
        "vperm 22, 22, 22, 16
        vperm 25, 0, 1, 22
        vaddubm 24, 22, 22
        vperm 26, 8, 9, 22
        vsrab 23, 22, 19
        vperm 27, 2, 3, 22
        vperm 28, 10, 11, 22
        vsel 25, 25, 26, 23
        vaddubm 31, 24, 24
        vperm 26, 4, 5, 22
        vsrab 24, 24, 19
        vsel 27, 27, 28, 23
        vperm 28, 12, 13, 22
        vsrab 31, 31, 19
        vsel 26, 26, 28, 23
        vperm 28, 6, 7, 22
        vperm 22, 14, 15, 22
        vsel 25, 25, 26, 24
        vsel 28, 28, 22, 23
        vsel 27, 27, 28, 24
        vsel 22, 25, 27, 31"
    };
}

/// MixColumns of v22: s + (a + s)⟨1⟩ where s = 2a + a⟨2⟩ and a⟨n⟩ are the rows moved up by n. A word is a column, with
/// row 0 in its lowest byte, so the rows move by a rotation of words. A round key in v31 is added to s.
macro_rules! mix_columns {
    () => {
        mix_columns!("", "23")
    };
    (with_key) => {
        mix_columns!("vxor 31, 31, 23", "31")
    };
    ($add_key:literal, $sum:literal) => {
        concat!(
            "vsrab 24, 22, 19
            vaddubm 23, 22, 22
            vrlw 25, 22, 20
            vand 24, 24, 17
            vxor 23, 23, 25
            vxor 23, 23, 24
            ",
            $add_key,
            "
            vxor 22, 22, 23
            vrlw 22, 22, 21
            vxor 22, 22, ",
            $sum
        )
    };
}

/// InvMixColumns of v22: MixColumns of a + 4·b where b = a + a⟨2⟩. In 4·b, bit 6 of b becomes x^8, which is
/// x^4 + x^3 + x + 1 (0x1b), and bit 7 becomes x times that.
macro_rules! inv_mix_columns {
    ($($with_key:ident)?) => {
        concat!(
            "vrlw 23, 22, 20
            vxor 23, 23, 22
            vaddubm 24, 23, 23
            vsrab 23, 23, 19
            vsrab 25, 24, 19
            vaddubm 24, 24, 24
            vand 23, 23, 17
            vand 25, 25, 17
            vxor 22, 22, 24
            vaddubm 23, 23, 23
            vxor 22, 22, 25
            vxor 22, 22, 23
            ",
            mix_columns!($($with_key)?)
        )
    };
}

/// Puts the round key in v31, as it is in memory, in the order of a state.
#[cfg(target_endian = "little")]
macro_rules! key_in_order {
    () => {
        ""
    };
}
#[cfg(target_endian = "big")]
macro_rules! key_in_order {
    () => {
        "vperm 31, 31, 31, 18"
    };
}

/// Assembly with the constants in their registers. v22 is the state, and v29 the first key.
macro_rules! with_constants {
    ($constants:ident, [$($line:expr),*], $($operands:tt)*) => {
        // SAFETY: the blocks were made with the token, so the CPU has the instructions. They read the constants, and what
        // the caller of the macro says of its operands. All are aligned to 16 bytes.
        unsafe {
            asm!(
                load_constants!(),
                $($line,)*
                constants = inout(reg_nonzero) $constants.as_ptr() => _,
                $($operands)*
                out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                out("v8") _, out("v9") _, out("v10") _, out("v11") _, out("v12") _, out("v13") _, out("v14") _,
                out("v15") _, out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _, out("v21") _,
                out("v22") _, out("v23") _, out("v24") _, out("v25") _, out("v26") _, out("v27") _, out("v28") _,
                out("v29") _, out("v30") _, out("v31") _, out("ctr") _, out("cr0") _,
                options(nostack),
            );
        }
    };
}

/// All rounds: reads the first key and the keys in `inner`, and reads and writes the blocks. There is at least one key,
/// and at least one block. In a chain, `state` is added to the first block, and the result of each block to the next.
macro_rules! all_rounds {
    ($constants:ident, $mix_columns:ident, $blocks:ident, $first:ident, $inner:ident $(, chain $state:ident)?) => {
        with_constants!(
            $constants,
            [
                "lvx 29, 0, {first}",
                $(all_rounds!(@ $state "lvx 30, 0, {state}"),)?
                "2:",
                "lvx 22, 0, {block}",
                "mr {key}, {inner}",
                "mtctr {rounds}",
                "vxor 22, 22, 29",
                $(all_rounds!(@ $state "vxor 22, 22, 30"),)?
                "3:",
                shift_and_substitute!(),
                "lvx 31, 0, {key}",
                "addi {key}, {key}, 16",
                key_in_order!(),
                $mix_columns!(with_key),
                "bdnz 3b",
                shift_and_substitute!(),
                "stvx 22, 0, {block}",
                $(all_rounds!(@ $state "vor 30, 22, 22"),)?
                "addi {block}, {block}, 16",
                "addi {left}, {left}, -1",
                "cmpdi {left}, 0",
                "bne 2b"
            ],
            first = in(reg) &raw const $first,
            $(state = in(reg) &raw const $state,)?
            inner = in(reg) $inner.as_ptr(),
            key = out(reg_nonzero) _,
            rounds = in(reg) $inner.len(),
            left = inout(reg_nonzero) $blocks.len() => _,
            block = inout(reg_nonzero) $blocks.as_mut_ptr() => _,
        )
    };
    // A line that only a chain has.
    (@ $state:ident $line:literal) => {
        $line
    };
}

/// One round without a key: reads and writes the state.
macro_rules! one_round {
    ($constants:ident, $state:ident, $($mix_columns:expr)?) => {{
        let mut state: Integer<Altivec> = $state;
        with_constants!(
            $constants,
            ["lvx 22, 0, {state}", shift_and_substitute!(), $($mix_columns,)? "stvx 22, 0, {state}"],
            state = in(reg) &raw mut state,
        );
        state
    }};
}

impl Rounds for Altivec {
    #[inline(always)]
    fn all_rounds<const ENC: bool, const N: usize>(
        self,
        blocks: &mut [Integer<Self>; N],
        first: Integer<Self>,
        inner: &[[u8; 16]],
    ) {
        if ENC {
            all_rounds!(ENCRYPT, mix_columns, blocks, first, inner);
        } else {
            all_rounds!(DECRYPT, inv_mix_columns, blocks, first, inner);
        }
    }

    #[inline(always)]
    fn chain(self, blocks: &mut [Integer<Self>], state: Integer<Self>, first: Integer<Self>, inner: &[[u8; 16]]) {
        all_rounds!(ENCRYPT, mix_columns, blocks, first, inner, chain state);
    }

    #[inline(always)]
    fn round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self> {
        if ENC { one_round!(ENCRYPT, state, mix_columns!()) } else { one_round!(DECRYPT, state, inv_mix_columns!()) }
    }

    #[inline(always)]
    fn last_round<const ENC: bool>(self, state: Integer<Self>) -> Integer<Self> {
        if ENC { one_round!(ENCRYPT, state,) } else { one_round!(DECRYPT, state,) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::sbox::sub_word,
        cpu::{CpuFeatures, Token},
        simd::Blocks,
    };

    /// All 256 bytes in every place, against the circuit. ShiftRows moves no byte of a block of equal columns.
    #[test]
    fn every_byte_in_every_place() {
        let Some(token) = Altivec::detect(CpuFeatures::detect()) else { return };
        for byte in 0..=255_u8 {
            let column: [u8; 4] = core::array::from_fn(|row| byte.wrapping_add(77 * row as u8));
            let block: [u8; 16] = [column; 4].as_flattened().try_into().expect("16 bytes");
            let there = token.last_round::<true>(Integer::splat(token, &block));
            assert_eq!(there.first().as_chunks().0, [sub_word(column); 4]);
            assert_eq!(token.last_round::<false>(there).first(), block);
        }
    }
}

//! Bit-sliced AES for 32-bit Arm with NEON: 8 blocks at a time.
//!
//! Stable Rust has no type for these vectors, so a batch is eight integers in memory between two blocks of assembly, and
//! one such block does all rounds. The rounds are those of [the generic text](super::encrypt). What differs is that a
//! word stays in one of the sixteen registers q0 to q15 all the time:
//!
//! * The S-box has [the same circuit](crate::aes::sbox). Its inputs are in q0 to q7, bit 0 in q0. A search found
//!   an order of the gates for which sixteen registers are almost enough. Some values are computed a second time, which
//!   costs a gate, and some wait in the memory of the batch. So the circuit has 118 gates and 4 loads to encrypt, and 120
//!   gates and 4 loads to decrypt.
//! * MixColumns takes each word where the S-box has left it and writes bit `i` to `q`*i*.

use super::{
    BitsliceToken, SlicedKeys,
    word::{self, Word, eight},
};
use crate::{
    aes::sbox::Gates,
    cpu::Neon,
    simd::{Blocks, Integer},
};
use core::arch::asm;

impl BitsliceToken for Neon {
    type Wide = Integer<Neon>;
    type Half = Integer<Neon>;
    type Quarter = Integer<Neon>;
}

/// The byte shuffles of MixColumns in rounds 1 to 13: `ρ`, and `ρ²`.
static TURNS: [[u128; 2]; 13] = {
    let turns = word::turns();
    let mut rounds = [[0; 2]; 13];
    let mut i = 0;
    while i < 13 {
        rounds[i] = [turns[0][(i + 1) % 4], turns[1][2 * (i + 1) % 4]];
        i += 1;
    }
    rounds
};

/// The byte shuffle for the part of ShiftRows that the rounds have put off: no move, or ShiftRows twice.
static SHIFT_ROWS: [u128; 2] = [0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100, word::shift_rows_twice()];

/// [`sub_bytes`](crate::aes::sbox::sub_bytes) of q0 to q7. The results are in q2, q5, q13, q8, q10, q11, q12, q9.
macro_rules! sub_bytes {
    () => {
        "veor q12, q6, q5; veor q13, q7, q4; vst1.64 {{q13}}, [{state}]; veor q14, q4, q2; veor q9, q7, q1
        veor q10, q9, q14; vst1.64 {{q10}}, [{slot1}]; veor q8, q7, q2; veor q15, q3, q10; veor q11, q12, q0
        veor q7, q15, q6; veor q3, q11, q1; veor q5, q3, q8; veor q6, q7, q13; veor q1, q15, q2
        veor q15, q1, q0; vand q10, q10, q1; veor q2, q1, q12; veor q1, q2, q6; vst1.64 {{q1}}, [{slot2}]
        veor q4, q11, q4; vst1.64 {{q4}}, [{slot3}]; vand q5, q5, q15; vand q4, q4, q0; veor q15, q12, q6
        vand q12, q13, q6; veor q13, q5, q10; vand q5, q9, q15; vand q6, q3, q11; vand q14, q14, q1
        vand q1, q8, q2; veor q14, q14, q12; veor q6, q6, q5; veor q13, q13, q14; veor q14, q6, q14
        veor q1, q1, q12; veor q6, q4, q10; veor q13, q13, q7; veor q10, q6, q1; veor q7, q2, q8
        veor q12, q10, q7; veor q6, q9, q3; veor q7, q11, q15; vand q4, q6, q7; veor q4, q4, q5; veor q5, q7, q6
        veor q10, q9, q15; veor q10, q14, q10; veor q1, q4, q1; vand q4, q13, q10; veor q14, q12, q4
        veor q5, q1, q5; veor q1, q10, q5; veor q4, q5, q4; vand q14, q14, q1; veor q1, q14, q5
        veor q14, q4, q1; vand q14, q5, q14; veor q13, q13, q12; vand q5, q13, q4; veor q5, q5, q12
        veor q12, q4, q14; vand q12, q5, q12; veor q4, q13, q12; veor q12, q5, q4; vand q9, q12, q9
        vand q15, q12, q15; vand q13, q5, q6; veor q6, q10, q1; vand q10, q4, q11; veor q12, q14, q6
        veor q14, q15, q10; veor q6, q5, q1; veor q15, q8, q3; vand q15, q12, q15; vand q5, q5, q7
        vand q3, q4, q3; veor q5, q5, q10; veor q7, q7, q0; vand q7, q6, q7; veor q4, q4, q12; veor q10, q1, q12
        veor q11, q11, q2; vand q12, q12, q11; veor q11, q11, q0; vand q11, q10, q11; veor q7, q7, q14
        veor q14, q11, q14; vand q0, q1, q0; veor q11, q6, q4; veor q0, q0, q14; veor q12, q12, q14
        vld1.64 {{q14}}, [{slot1}]; vand q14, q10, q14; vld1.64 {{q10}}, [{state}]; vand q6, q6, q10
        veor q5, q5, q0; veor q10, q8, q10; vand q10, q11, q10; vand q2, q4, q2; veor q6, q6, q10
        veor q9, q9, q6; vand q4, q4, q8; veor q8, q3, q9; veor q3, q13, q9; vld1.64 {{q13}}, [{slot2}]
        vand q11, q11, q13; veor q9, q7, q11; vld1.64 {{q7}}, [{slot3}]; vand q13, q1, q7; veor q11, q2, q11
        veor q7, q11, q0; veor q1, q4, q10; veor q2, q14, q6; veor q0, q3, q7; veor q4, q2, q15; veor q2, q8, q5
        veor q14, q1, q9; veor q6, q13, q15; veor q10, q12, q4; veor q13, q6, q0; veor q8, q10, q5
        veor q5, q7, q2; veor q11, q14, q0; veor q9, q4, q9; veor q12, q12, q9"
    };
}

/// MixColumns of what `sub_bytes` leaves, and the addition of a round key, to q0 to q7. Word `i` is s + ρa + ρ²(a + ρa).
/// There s is 2(a + ρa): word `i - 1` of a + ρa, plus its word 7 where the field's polynomial has a bit.
macro_rules! mix_columns_and_add_key {
    () => {
        "vld1.64 {{d28-d31}}, [{turns}], {step}; vtbl.8 d6, {{d18-d19}}, d28; vtbl.8 d7, {{d18-d19}}, d29
        veor q9, q9, q3; vtbl.8 d14, {{d18-d19}}, d30; vtbl.8 d15, {{d18-d19}}, d31; veor q7, q7, q3
        vtbl.8 d2, {{d4-d5}}, d28; vtbl.8 d3, {{d4-d5}}, d29; veor q2, q2, q1; vtbl.8 d0, {{d4-d5}}, d30
        vtbl.8 d1, {{d4-d5}}, d31; veor q0, q0, q1; veor q0, q0, q9; vld1.64 {{d2-d3}}, [{keys}]!
        veor q0, q0, q1; vtbl.8 d6, {{d10-d11}}, d28; vtbl.8 d7, {{d10-d11}}, d29; veor q5, q5, q3
        vtbl.8 d2, {{d10-d11}}, d30; vtbl.8 d3, {{d10-d11}}, d31; veor q1, q1, q3; veor q1, q1, q2
        veor q1, q1, q9; vld1.64 {{d12-d13}}, [{keys}]!; veor q1, q1, q6; vtbl.8 d6, {{d26-d27}}, d28
        vtbl.8 d7, {{d26-d27}}, d29; veor q13, q13, q3; vtbl.8 d4, {{d26-d27}}, d30; vtbl.8 d5, {{d26-d27}}, d31
        veor q2, q2, q3; veor q2, q2, q5; vld1.64 {{d8-d9}}, [{keys}]!; veor q2, q2, q4
        vtbl.8 d10, {{d16-d17}}, d28; vtbl.8 d11, {{d16-d17}}, d29; veor q8, q8, q5; vtbl.8 d6, {{d16-d17}}, d30
        vtbl.8 d7, {{d16-d17}}, d31; veor q3, q3, q5; veor q3, q3, q13; veor q3, q3, q9
        vld1.64 {{d26-d27}}, [{keys}]!; veor q3, q3, q13; vtbl.8 d26, {{d20-d21}}, d28
        vtbl.8 d27, {{d20-d21}}, d29; veor q10, q10, q13; vtbl.8 d8, {{d20-d21}}, d30
        vtbl.8 d9, {{d20-d21}}, d31; veor q4, q4, q13; veor q4, q4, q8; veor q4, q4, q9
        vld1.64 {{d18-d19}}, [{keys}]!; veor q4, q4, q9; vtbl.8 d18, {{d22-d23}}, d28
        vtbl.8 d19, {{d22-d23}}, d29; veor q11, q11, q9; vtbl.8 d10, {{d22-d23}}, d30
        vtbl.8 d11, {{d22-d23}}, d31; veor q5, q5, q9; veor q5, q5, q10; vld1.64 {{d20-d21}}, [{keys}]!
        veor q5, q5, q10; vtbl.8 d20, {{d24-d25}}, d28; vtbl.8 d21, {{d24-d25}}, d29; veor q12, q12, q10
        vtbl.8 d12, {{d24-d25}}, d30; vtbl.8 d13, {{d24-d25}}, d31; veor q6, q6, q10; veor q6, q6, q11
        vld1.64 {{d22-d23}}, [{keys}]!; veor q6, q6, q11; veor q7, q7, q12; vld1.64 {{d16-d17}}, [{keys}]!
        veor q7, q7, q8"
    };
}

/// [`inv_sub_bytes`](crate::aes::sbox::inv_sub_bytes) of q0 to q7. The results are in q12, q4, q6, q11, q13, q9, q8, q10.
macro_rules! inv_sub_bytes {
    () => {
        "veor q12, q7, q6; veor q8, q3, q0; veor q0, q4, q8; veor q10, q7, q2; veor q2, q1, q0; veor q1, q6, q4
        veor q6, q5, q10; veor q9, q4, q12; vst1.64 {{q9}}, [{state}]; veor q3, q3, q9; veor q13, q3, q2
        vst1.64 {{q13}}, [{slot1}]; veor q11, q7, q4; veor q14, q12, q3; veor q15, q11, q13
        vst1.64 {{q15}}, [{slot2}]; veor q10, q9, q0; veor q4, q9, q6; vst1.64 {{q4}}, [{slot3}]
        vand q7, q12, q10; vand q10, q15, q6; vand q12, q13, q4; veor q5, q5, q14; veor q13, q14, q15
        veor q10, q10, q12; vand q11, q11, q9; veor q15, q5, q13; vand q9, q13, q15; veor q6, q15, q6
        veor q13, q0, q15; vand q0, q1, q0; veor q12, q11, q12; vand q11, q2, q13; veor q4, q13, q4
        veor q0, q0, q11; veor q9, q9, q11; vand q11, q14, q6; veor q7, q7, q11; veor q10, q10, q7
        veor q9, q9, q7; veor q5, q9, q5; veor q7, q13, q2; veor q8, q10, q8; vand q9, q3, q4; veor q9, q9, q11
        veor q10, q0, q9; veor q9, q12, q9; veor q10, q10, q7; veor q11, q14, q6; veor q9, q9, q11
        vand q12, q9, q10; veor q0, q5, q12; veor q7, q8, q12; veor q12, q10, q5; veor q9, q9, q8
        vand q12, q7, q12; veor q7, q12, q5; vand q11, q9, q0; veor q12, q10, q7; veor q10, q0, q7
        vand q10, q5, q10; veor q5, q0, q10; veor q8, q11, q8; veor q0, q10, q12; veor q10, q1, q2
        vand q11, q8, q10; vand q12, q8, q5; veor q9, q9, q12; veor q10, q8, q7; veor q12, q8, q9
        vand q5, q12, q13; vand q2, q12, q2; veor q12, q9, q0; vand q1, q9, q1; veor q13, q15, q13
        vand q9, q9, q13; vand q13, q8, q15; veor q9, q9, q5; veor q8, q15, q6; vand q8, q7, q8
        veor q13, q13, q5; veor q5, q14, q3; vand q15, q12, q5; veor q5, q4, q6; vand q5, q12, q5
        veor q12, q10, q12; vand q14, q10, q14; vand q3, q12, q3; vand q4, q12, q4; vand q10, q10, q6
        veor q12, q7, q0; veor q2, q2, q3; veor q2, q2, q14; veor q10, q10, q2; veor q10, q10, q1
        veor q6, q9, q10; vld1.64 {{q9}}, [{slot3}]; vand q9, q12, q9; veor q9, q9, q13; veor q4, q4, q6
        veor q10, q5, q10; veor q10, q10, q13; vld1.64 {{q13}}, [{state}]; vand q13, q0, q13; veor q5, q13, q5
        veor q5, q5, q9; veor q9, q8, q9; vld1.64 {{q8}}, [{slot1}]; vand q13, q12, q8; veor q12, q13, q14
        vld1.64 {{q13}}, [{slot2}]; vand q14, q7, q13; veor q6, q5, q6; veor q5, q8, q13; vand q5, q0, q5
        veor q8, q5, q9; veor q14, q14, q8; veor q13, q10, q9; veor q0, q11, q14; veor q11, q15, q14
        veor q3, q3, q4; veor q7, q12, q8; veor q14, q0, q6; veor q12, q7, q11; veor q9, q2, q14
        veor q11, q3, q11; veor q8, q9, q12; veor q9, q1, q14"
    };
}

/// The addition of a round key to what `inv_sub_bytes` leaves, and InvMixColumns, to q0 to q7: a + 4·(a + ρ²a), word 7
/// first, then MixColumns.
macro_rules! add_key_and_inv_mix_columns {
    () => {
        "vld1.64 {{d28-d31}}, [{turns}], {step}; vldmdb {keys}!, {{d10-d11}}; veor q10, q10, q5
        vtbl.8 d4, {{d20-d21}}, d30; vtbl.8 d5, {{d20-d21}}, d31; veor q2, q2, q10; vldmdb {keys}!, {{d6-d7}}
        veor q8, q8, q3; vtbl.8 d6, {{d16-d17}}, d30; vtbl.8 d7, {{d16-d17}}, d31; veor q3, q3, q8
        vldmdb {keys}!, {{d2-d3}}; veor q9, q9, q1; vtbl.8 d10, {{d18-d19}}, d30; vtbl.8 d11, {{d18-d19}}, d31
        veor q5, q5, q9; veor q10, q10, q5; vldmdb {keys}!, {{d0-d1}}; veor q13, q13, q0
        vtbl.8 d14, {{d26-d27}}, d30; vtbl.8 d15, {{d26-d27}}, d31; veor q7, q7, q13; veor q8, q8, q7
        vldmdb {keys}!, {{d2-d3}}; veor q11, q11, q1; vtbl.8 d0, {{d22-d23}}, d30; vtbl.8 d1, {{d22-d23}}, d31
        veor q0, q0, q11; veor q9, q9, q0; veor q9, q9, q2; vldmdb {keys}!, {{d2-d3}}; veor q6, q6, q1
        veor q5, q2, q3; vtbl.8 d0, {{d12-d13}}, d30; vtbl.8 d1, {{d12-d13}}, d31; veor q0, q0, q6
        veor q13, q13, q0; veor q13, q13, q5; vldmdb {keys}!, {{d2-d3}}; veor q4, q4, q1
        vtbl.8 d2, {{d8-d9}}, d30; vtbl.8 d3, {{d8-d9}}, d31; veor q1, q1, q4; veor q11, q11, q1
        veor q11, q11, q3; vldmdb {keys}!, {{d14-d15}}; veor q12, q12, q7; vtbl.8 d2, {{d24-d25}}, d30
        vtbl.8 d3, {{d24-d25}}, d31; veor q1, q1, q12; veor q6, q6, q1; veor q6, q6, q2; veor q4, q4, q5
        veor q12, q12, q3; vtbl.8 d6, {{d20-d21}}, d28; vtbl.8 d7, {{d20-d21}}, d29; veor q10, q10, q3
        vtbl.8 d14, {{d20-d21}}, d30; vtbl.8 d15, {{d20-d21}}, d31; veor q7, q7, q3; vtbl.8 d2, {{d24-d25}}, d28
        vtbl.8 d3, {{d24-d25}}, d29; veor q12, q12, q1; vtbl.8 d0, {{d24-d25}}, d30; vtbl.8 d1, {{d24-d25}}, d31
        veor q0, q0, q1; veor q0, q0, q10; vtbl.8 d4, {{d8-d9}}, d28; vtbl.8 d5, {{d8-d9}}, d29; veor q4, q4, q2
        vtbl.8 d2, {{d8-d9}}, d30; vtbl.8 d3, {{d8-d9}}, d31; veor q1, q1, q2; veor q1, q1, q12
        veor q1, q1, q10; vtbl.8 d24, {{d12-d13}}, d28; vtbl.8 d25, {{d12-d13}}, d29; veor q6, q6, q12
        vtbl.8 d4, {{d12-d13}}, d30; vtbl.8 d5, {{d12-d13}}, d31; veor q2, q2, q12; veor q2, q2, q4
        vtbl.8 d24, {{d22-d23}}, d28; vtbl.8 d25, {{d22-d23}}, d29; veor q11, q11, q12
        vtbl.8 d6, {{d22-d23}}, d30; vtbl.8 d7, {{d22-d23}}, d31; veor q3, q3, q12; veor q3, q3, q6
        veor q3, q3, q10; vtbl.8 d24, {{d26-d27}}, d28; vtbl.8 d25, {{d26-d27}}, d29; veor q13, q13, q12
        vtbl.8 d8, {{d26-d27}}, d30; vtbl.8 d9, {{d26-d27}}, d31; veor q4, q4, q12; veor q4, q4, q11
        veor q4, q4, q10; vtbl.8 d24, {{d18-d19}}, d28; vtbl.8 d25, {{d18-d19}}, d29; veor q9, q9, q12
        vtbl.8 d10, {{d18-d19}}, d30; vtbl.8 d11, {{d18-d19}}, d31; veor q5, q5, q12; veor q5, q5, q13
        vtbl.8 d22, {{d16-d17}}, d28; vtbl.8 d23, {{d16-d17}}, d29; veor q8, q8, q11
        vtbl.8 d12, {{d16-d17}}, d30; vtbl.8 d13, {{d16-d17}}, d31; veor q6, q6, q11; veor q6, q6, q9
        veor q7, q7, q8"
    };
}

/// [`Slice::swap`](super::word::Slice::swap) of two registers, with the mask of the lower bits in q`$mask`.
macro_rules! swap {
    ($n:literal, $a:literal, $b:literal, $mask:literal, $t:literal, $u:literal) => {
        concat!(
            "vshl.i8 q",
            $t,
            ", q",
            $b,
            ", #",
            $n,
            "; vshr.u8 q",
            $u,
            ", q",
            $a,
            ", #",
            $n,
            "; ",
            "vbif q",
            $a,
            ", q",
            $t,
            ", q",
            $mask,
            "; vbit q",
            $b,
            ", q",
            $u,
            ", q",
            $mask,
            "\n",
        )
    };
}

/// [`transpose`](super::word::transpose) of eight registers, with three others.
macro_rules! transpose {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $m:literal $t:literal $u:literal $($more:literal)*) => {
        concat!(
            "vmov.i8 q",
            $m,
            ", #0x55\n",
            swap!(1, $a, $b, $m, $t, $u),
            swap!(1, $c, $d, $m, $t, $u),
            swap!(1, $e, $f, $m, $t, $u),
            swap!(1, $g, $h, $m, $t, $u),
            "vmov.i8 q",
            $m,
            ", #0x33\n",
            swap!(2, $a, $c, $m, $t, $u),
            swap!(2, $b, $d, $m, $t, $u),
            swap!(2, $e, $g, $m, $t, $u),
            swap!(2, $f, $h, $m, $t, $u),
            "vmov.i8 q",
            $m,
            ", #0x0f\n",
            swap!(4, $a, $e, $m, $t, $u),
            swap!(4, $b, $f, $m, $t, $u),
            swap!(4, $c, $g, $m, $t, $u),
            swap!(4, $d, $h, $m, $t, $u),
        )
    };
}

/// Adds the next round key to eight registers, by way of another.
macro_rules! add_key {
    ($load:literal $at:literal, $t:literal, $($a:literal)*) => {
        concat!($($load, " {{q", $t, "}}", $at, "; veor q", $a, ", q", $a, ", q", $t, "\n",)*)
    };
}

/// Where the circuits keep values: the places of blocks 1 and on in the batch.
macro_rules! slots {
    () => {
        "add {slot1}, {state}, #16; add {slot2}, {state}, #32; add {slot3}, {state}, #48"
    };
}

/// Reads a batch to q0 to q7, each block shuffled by q15.
macro_rules! shifted_load {
    ($($low:literal $high:literal),*) => {
        concat!($("vld1.64 {{q14}}, [{state}]!; vtbl.8 ", $low, ", {{q14}}, d30; vtbl.8 ", $high, ", {{q14}}, d31\n",)*)
    };
}

/// Writes registers, by way of the double registers `$t` and `$u`, each shuffled by `$low` and `$high`.
macro_rules! shifted_store {
    ($t:literal $u:literal, $low:literal $high:literal, $($a:literal)*) => {
        concat!($(
            "vtbl.8 d", $t, ", {{q", $a, "}}, d", $low, "; vtbl.8 d", $u, ", {{q", $a, "}}, d", $high, "; ",
            "vst1.64 {{d", $t, "-d", $u, "}}, [{state}]!\n",
        )*)
    };
}

/// Writes registers.
macro_rules! store {
    ($($a:literal)*) => { concat!($("vst1.64 {{q", $a, "}}, [{state}]!\n",)*) };
}

/// The rounds of either direction, with their operands: one round key more than there are rounds, `TURNS`, and the shuffle
/// after the last round.
macro_rules! crypt {
    ($state:ident, $keys:ident, $first:expr, $turn:expr, $step:literal, [$($text:expr),* $(,)?]) => {{
        let used = $keys.keys[..=$keys.rounds].as_flattened();
        let shift = &SHIFT_ROWS[usize::from(!$keys.rounds.is_multiple_of(4))];
        // SAFETY: the token of the batch proves that the CPU has the instructions. They read and write the batch. They
        // read `used`, forwards or backwards, `shift`, and an entry of `TURNS` for each round but the last. A schedule has
        // at most 15 keys, so these are at most the 13 entries that there are.
        unsafe {
            asm!(
                ".fpu neon",
                $($text,)*
                state = inout(reg) $state.as_mut_ptr() => _,
                keys = inout(reg) $first(used) => _,
                turns = inout(reg) $turn($keys.rounds) => _,
                step = in(reg) $step,
                rounds = inout(reg) $keys.rounds => _,
                shift = in(reg) shift,
                slot1 = out(reg) _, slot2 = out(reg) _, slot3 = out(reg) _,
                out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _, out("d14") _,
                out("d15") _, out("q8") _, out("q9") _, out("q10") _, out("q11") _, out("q12") _, out("q13") _,
                out("q14") _, out("q15") _,
                options(nostack),
            );
        }
        $state
    }};
}

impl Gates for Integer<Neon> {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Blocks::xor(self, other)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self::new(self.token, self.value & other.value)
    }
}

impl Word for Integer<Neon> {
    type Token = Neon;
    type Key = u128;
    type Pad = [u8; 128];

    const PAD: [u8; 128] = [0; 128];

    const BLOCKS: usize = 8;

    #[inline(always)]
    fn load(token: Neon, src: &[u8]) -> [Self; 8] {
        let chunks = src[..128].as_chunks::<16>().0;
        eight(
            #[inline(always)]
            |i| Self::splat(token, &chunks[i]),
        )
    }

    #[inline(always)]
    fn store(words: [Self; 8], dst: &mut [u8]) {
        let chunks = dst[..128].as_chunks_mut::<16>().0;
        for (chunk, word) in chunks.iter_mut().zip(words) {
            *chunk = word.first();
        }
    }

    #[inline(always)]
    fn counters(token: Neon, first: u128) -> [Self; 8] {
        eight(
            #[inline(always)]
            |i| Self::new(token, first.wrapping_add(i as u128).swap_bytes()),
        )
    }

    #[inline(always)]
    fn slice_key(_: Neon, key: &[u8; 16]) -> [u128; 8] {
        word::spread_bits(key)
    }

    #[inline(always)]
    fn encrypt(_: Neon, keys: &SlicedKeys<u128>, mut state: [Self; 8]) -> [Self; 8] {
        crypt!(
            state,
            keys,
            <[u128]>::as_ptr,
            |_| TURNS.as_ptr(),
            32,
            [
                "vldmia {state}, {{d0-d15}}",
                slots!(),
                transpose!(0 1 2 3 4 5 6 7, 8 9 10),
                add_key!("vld1.64" ", [{keys}]!", 8, 0 1 2 3 4 5 6 7),
                "2:",
                sub_bytes!(),
                "subs {rounds}, {rounds}, #1",
                "beq 3f",
                mix_columns_and_add_key!(),
                "b 2b",
                "3:",
                add_key!("vld1.64" ", [{keys}]!", 0, 2 5 13 8 10 11 12 9),
                transpose!(2 5 13 8 10 11 12 9, 0 1 3),
                "vld1.64 {{q0}}, [{shift}]",
                shifted_store!(2 3, 0 1, 2 5 13 8 10 11 12 9),
            ]
        )
    }

    #[inline(always)]
    fn decrypt(_: Neon, keys: &SlicedKeys<u128>, mut state: [Self; 8]) -> [Self; 8] {
        crypt!(
            state,
            keys,
            |used: &[u128]| used.as_ptr_range().end,
            |rounds| TURNS.as_ptr().wrapping_add(rounds).wrapping_sub(2),
            -32,
            [
                "vld1.64 {{q15}}, [{shift}]",
                shifted_load!("d0" "d1", "d2" "d3", "d4" "d5", "d6" "d7", "d8" "d9", "d10" "d11", "d12" "d13", "d14" "d15"),
                "sub {state}, {state}, #128",
                slots!(),
                transpose!(0 1 2 3 4 5 6 7, 8 9 10),
                add_key!("vldmdb {keys}!," "", 8, 7 6 5 4 3 2 1 0),
                "2:",
                inv_sub_bytes!(),
                "subs {rounds}, {rounds}, #1",
                "beq 3f",
                add_key_and_inv_mix_columns!(),
                "b 2b",
                "3:",
                add_key!("vldmdb {keys}!," "", 0, 10 8 9 13 11 6 4 12),
                transpose!(12 4 6 11 13 9 8 10, 0 1 2),
                store!(12 4 6 11 13 9 8 10),
            ]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::sbox::{INV_SBOX, SBOX},
        cpu::{CpuFeatures, Token},
    };

    /// A circuit on a batch of words, with the results in the order of the registers that are listed.
    macro_rules! circuit {
        ($name:ident, $text:ident, $($out:literal)*) => {
            fn $name(mut words: [Integer<Neon>; 8]) -> [Integer<Neon>; 8] {
                // SAFETY: the token of `words` proves that the CPU has the instructions, which read and write `words`.
                unsafe {
                    asm!(
                        ".fpu neon",
                        "vldmia {state}, {{d0-d15}}",
                        slots!(),
                        $text!(),
                        store!($($out)*),
                        state = inout(reg) words.as_mut_ptr() => _,
                        slot1 = out(reg) _, slot2 = out(reg) _, slot3 = out(reg) _,
                        out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _,
                        out("d7") _, out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _,
                        out("d14") _, out("d15") _, out("q8") _, out("q9") _, out("q10") _, out("q11") _, out("q12") _,
                        out("q13") _, out("q14") _, out("q15") _,
                        options(nostack),
                    );
                }
                words
            }
        };
    }
    circuit!(forward, sub_bytes, 2 5 13 8 10 11 12 9);
    circuit!(backward, inv_sub_bytes, 12 4 6 11 13 9 8 10);

    /// Every input in every one of 128 lanes.
    #[test]
    fn circuits() {
        let Some(token) = Neon::detect(CpuFeatures::detect()) else { return };
        let sliced = |bytes: [u8; 128]| {
            eight(|bit| {
                let bits = bytes.iter().enumerate().map(|(lane, byte)| u128::from(byte >> bit & 1) << lane);
                Integer::new(token, bits.sum())
            })
            .map(|word: Integer<Neon>| word)
        };
        let values = |words: [Integer<Neon>; 8]| words.map(|word| word.value);
        for shift in 0..=255u8 {
            let bytes: [u8; 128] = core::array::from_fn(|lane| (lane as u8).wrapping_mul(3).wrapping_add(shift));
            let (input, shifted) = (sliced(bytes), sliced(bytes.map(|byte| byte ^ 0x63)));
            assert_eq!(values(forward(input)), values(sliced(bytes.map(|byte| SBOX[usize::from(byte)] ^ 0x63))));
            assert_eq!(values(backward(shifted)), values(sliced(bytes.map(|byte| INV_SBOX[usize::from(byte)]))));
        }
    }
}

//! ChaCha for 32-bit Arm with NEON: three blocks by rows, in one piece of assembly.
//!
//! Twelve of the sixteen registers hold the rows of three blocks, q0 to q3, q4 to q7 and q8 to q11. The rest is for
//! rotations. (Four blocks by columns fill all sixteen, so that words would go by way of memory.)

use super::{BLOCK, CONSTANTS, ChaChaToken, xor};
use crate::{
    InOut,
    cpu::{Neon, Portable},
};
use core::arch::asm;
use zeroize::Zeroizing;

/// Blocks in a batch.
const BLOCKS: usize = 3;

/// `$x += $y`, and `$z` becomes the sum of both, not rotated yet, in `$to`.
macro_rules! step {
    ($($x:literal $y:literal $z:literal $to:literal),*) => {
        concat!($("vadd.i32 q", $x, ", q", $x, ", q", $y, "\n",)* $("veor q", $to, ", q", $z, ", q", $x, "\n",)*)
    };
}

/// Registers rotated by 16 bits, or `$z` becomes `$from` rotated by `$left` bits, or right by `$right`.
macro_rules! rotate {
    ($($z:literal),*) => { concat!($("vrev32.16 q", $z, ", q", $z, "\n",)*) };
    ($left:literal $right:literal: $($z:literal $from:literal),*) => {
        concat!(
            $("vshl.i32 q", $z, ", q", $from, ", #", $left, "\n",)*
            $("vsri.32 q", $z, ", q", $from, ", #", $right, "\n",)*
        )
    };
}

/// Four quarter rounds of three blocks.
macro_rules! round {
    () => {
        concat!(
            step!(0 1 3 3, 4 5 7 7, 8 9 11 11),
            rotate!(3, 7, 11),
            step!(2 3 1 12, 6 7 5 13, 10 11 9 14),
            rotate!("12" "20": 1 12, 5 13, 9 14),
            step!(0 1 3 12, 4 5 7 13, 8 9 11 14),
            rotate!("8" "24": 3 12, 7 13, 11 14),
            step!(2 3 1 12, 6 7 5 13, 10 11 9 14),
            rotate!("7" "25": 1 12, 5 13, 9 14),
        )
    };
}

/// Rotates rows b, c and d of three blocks by words.
macro_rules! turn {
    ($b:literal, $c:literal, $d:literal) => {
        concat!(
            turn!(@ $b, 1, 5, 9), turn!(@ $c, 2, 6, 10), turn!(@ $d, 3, 7, 11),
        )
    };
    (@ $bytes:literal, $($q:literal),*) => {
        concat!($("vext.8 q", $q, ", q", $q, ", q", $q, ", #", $bytes, "\n",)*)
    };
}

/// Xors two registers of keystream to the text.
macro_rules! output {
    ($($a:literal $b:literal),*) => {
        concat!($(
            "vld1.8 {{q12-q13}}, [{src}]!; veor q12, q12, q", $a, "; veor q13, q13, q", $b, "
            vst1.8 {{q12-q13}}, [{dst}]!\n",
        )*)
    };
}

/// Xors the keystream of three blocks to `data`, which has as many bytes.
fn three(_: Neon, first: &[[u32; 4]; 4], double_rounds: usize, mut data: InOut<'_>) {
    static ONE: [u32; 4] = [1, 0, 0, 0];
    assert!(data.len() == BLOCKS * BLOCK && double_rounds > 0);
    let (src, dst) = data.as_ptrs();
    // SAFETY: the token exists, so the CPU has the instructions. They read the first matrix, `ONE` and three blocks from
    // `src`, and write three blocks to `dst`, which is the same place or another: a pair of vectors is read before it is
    // written.
    unsafe {
        asm!(
            ".fpu neon",
            "vldmia {first}, {{d0-d7}}",
            "vld1.32 {{q12}}, [{one}]",
            "vmov q4, q0; vmov q5, q1; vmov q6, q2; vadd.i32 q7, q3, q12",
            "vmov q8, q0; vmov q9, q1; vmov q10, q2; vadd.i32 q11, q7, q12",
            "2:",
            round!(),
            turn!(4, 8, 12),
            round!(),
            turn!(12, 8, 4),
            "subs {left}, {left}, #1",
            "bne 2b",
            "vldmia {first}, {{d24-d31}}",
            "vadd.i32 q0, q0, q12; vadd.i32 q4, q4, q12; vadd.i32 q8, q8, q12",
            "vld1.32 {{q12}}, [{one}]",
            "vadd.i32 q1, q1, q13; vadd.i32 q5, q5, q13; vadd.i32 q9, q9, q13",
            "vadd.i32 q2, q2, q14; vadd.i32 q6, q6, q14; vadd.i32 q10, q10, q14",
            "vadd.i32 q3, q3, q15; vadd.i32 q15, q15, q12",
            "vadd.i32 q7, q7, q15; vadd.i32 q15, q15, q12; vadd.i32 q11, q11, q15",
            output!(0 1, 2 3, 4 5, 6 7, 8 9, 10 11),
            first = in(reg) first.as_ptr(),
            one = in(reg) ONE.as_ptr(),
            left = inout(reg) double_rounds => _,
            src = inout(reg) src => _,
            dst = inout(reg) dst => _,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
            out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _, out("d14") _,
            out("d15") _, out("q8") _, out("q9") _, out("q10") _, out("q11") _, out("q12") _, out("q13") _,
            out("q14") _, out("q15") _,
            options(nostack),
        );
    }
}

impl ChaChaToken for Neon {
    /// A single block is computed in general registers.
    fn xor(self, key: &[[u32; 4]; 2], state: &mut [u32; 4], double_rounds: usize, mut data: InOut<'_>) {
        let mut first = Zeroizing::new([CONSTANTS, key[0], key[1], *state]);
        while data.len() > BLOCK && double_rounds > 0 {
            first[3] = *state;
            let mut batch = data.take(data.len().min(BLOCKS * BLOCK)).expect("no more than there is");
            let len = batch.len();
            state[0] = state[0].wrapping_add(len.div_ceil(BLOCK) as u32);
            if len == BLOCKS * BLOCK {
                three(self, &first, double_rounds, batch);
            } else {
                let mut pad = Zeroizing::new([0; BLOCKS * BLOCK]);
                pad[..len].copy_from_slice(batch.src());
                three(self, &first, double_rounds, pad[..].as_mut().into());
                batch.dst().copy_from_slice(&pad[..len]);
            }
        }
        xor(Portable::new(), key, state, double_rounds, data);
    }
}

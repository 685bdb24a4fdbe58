//! 32-bit Arm: products of 64-bit polynomials where the CPU has them (PMULL of Armv8), and of 8-bit polynomials on NEON
//! alone. Each hashes whole blocks in one piece of assembly, so that nothing goes by way of memory but the message.
//!
//! The method from 8-bit products is that of D. Câmara, C. Gouvêa, J. López and R. Dahab, "Fast Software Polynomial
//! Multiplication on ARM Processors Using the NEON Engine" (2013): with a⟨n⟩ for a half whose bytes are rotated by n places,
//!
//! ```text
//! x0 = a·b
//! x1 = a·b⟨1⟩ + a⟨1⟩·b     x2 = a·b⟨2⟩ + a⟨2⟩·b     x3 = a·b⟨3⟩ + a⟨3⟩·b     x4 = a·b⟨4⟩
//! ```
//!
//! are all 64 products of bytes, and xn is to be moved up by n bytes. But the highest 2·n bytes of xn are products with
//! bytes that the rotation has brought back to the beginning, so they stand 8 bytes too high. They are added to the lower
//! half and cleared in the upper one, where a mask keeps 48, 32, 16 or 0 bits. Then xn is rotated.

use super::{clmul::ClmulToken, portable::Multiplier};
use crate::{
    cpu::{ArmCe, Neon, armv8},
    simd::Integer,
};
use core::arch::asm;

impl ClmulToken for Neon {
    type V = Integer<Neon>;
}

impl ClmulToken for ArmCe {
    type V = Integer<ArmCe>;
}

/// Loads a block of the message to q0, in POLYVAL's order of bytes.
macro_rules! load {
    (true) => {
        "vld1.64 {{q0}}, [{data}]!; vrev64.8 q0, q0; vswp d0, d1"
    };
    (false) => {
        "vld1.64 {{q0}}, [{data}]!"
    };
}

/// The assembly of [`Multiplier::hash`] for one order of bytes. All registers of vectors are overwritten.
macro_rules! hash {
    ($acc:ident, $powers:ident, $sums:ident, $blocks:ident, [$($text:expr),* $(,)?] $(, $name:ident = $value:expr)*) => {{
        assert!([$powers, $sums].iter().all(|table| table.as_ptr().cast::<u32>().is_aligned()), "VLDR and VLDM need words");
        // SAFETY: `acc` was made with the token, so the CPU has the instructions. They read as many blocks as there are,
        // and all powers and sums, which are aligned to words, and they read and write `acc`.
        unsafe {
            asm!(
                $($text,)*
                acc = in(reg) &raw mut $acc,
                powers = in(reg) $powers.as_ptr(),
                sums = in(reg) $sums.as_ptr(),
                data = inout(reg) $blocks.as_ptr() => _,
                left = inout(reg) $blocks.len() => _,
                $($name = in(reg) $value,)*
                out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _, out("d14") _,
                out("d15") _, out("q8") _, out("q9") _, out("q10") _, out("q11") _, out("q12") _, out("q13") _,
                out("q14") _, out("q15") _,
                options(nostack),
            );
        }
    }};
}

/// The key's registers: its lower half and that rotated by 1 to 4 bytes in d16 to d20, the same of its upper half in d21
/// to d25 and of the sum of both in d26 to d30. `{powers}` and `{sums}` are in memory. Also the three masks.
macro_rules! key {
    () => {
        "vld1.64 {{d16}}, [{powers}]; vldr d21, [{powers}, #8]; vld1.64 {{d26}}, [{sums}]
        vext.8 d17, d16, d16, #1; vext.8 d18, d16, d16, #2; vext.8 d19, d16, d16, #3; vext.8 d20, d16, d16, #4
        vext.8 d22, d21, d21, #1; vext.8 d23, d21, d21, #2; vext.8 d24, d21, d21, #3; vext.8 d25, d21, d21, #4
        vext.8 d27, d26, d26, #1; vext.8 d28, d26, d26, #2; vext.8 d29, d26, d26, #3; vext.8 d30, d26, d26, #4
        vmov.i64 d12, #0x0000ffffffffffff; vmov.i64 d13, #0x00000000ffffffff; vmov.i64 d14, #0x000000000000ffff"
    };
}

/// The product of `d$a` and the half whose rotations are in `d$b` and so on, in `q$out`. It overwrites q1 and q2.
macro_rules! product {
    ($out:literal, $a:literal, $b:literal $b1:literal $b2:literal $b3:literal $b4:literal) => {
        concat!(
            "vmull.p8 q", $out, ", d", $a, ", d", $b, "\n",
            product!(@ $out, $a, $b, $b1, "1", "15", "12"),
            product!(@ $out, $a, $b, $b2, "2", "14", "13"),
            product!(@ $out, $a, $b, $b3, "3", "13", "14"),
            "vmull.p8 q1, d", $a, ", d", $b4, "
            veor d2, d2, d3; vmov.i64 d3, #0; vext.8 q1, q1, q1, #12; veor q", $out, ", q", $out, ", q1\n",
        )
    };
    // x1 to x3: by n bytes, which is a rotation by 16 - n, and with a mask.
    (@ $out:literal, $a:literal, $b:literal, $bn:literal, $n:literal, $turn:literal, $mask:literal) => {
        concat!(
            "vmull.p8 q1, d", $a, ", d", $bn, "; vext.8 d4, d", $a, ", d", $a, ", #", $n, "
            vmull.p8 q2, d4, d", $b, "; veor q1, q1, q2
            veor d2, d2, d3; vand d3, d3, d", $mask, "; veor d2, d2, d3; vext.8 q1, q1, q1, #", $turn, "
            veor q", $out, ", q", $out, ", q1\n",
        )
    };
}

/// The three products of q0 and the key: q3 is that of the lower halves, q4 that of the sums, q5 that of the upper halves.
macro_rules! products {
    () => {
        concat!(
            "veor d15, d0, d1\n",
            product!(3, 0, 16 17 18 19 20),
            product!(4, 15, 26 27 28 29 30),
            product!(5, 1, 21 22 23 24 25),
        )
    };
}

/// Adds to `q$to` what [`ClmulVector::fold`](super::ClmulVector::fold) makes of `q$from`, whose lower half is `d$low`.
macro_rules! add_fold {
    ($to:literal, $from:literal, $low:literal) => {
        concat!(
            "vshl.i64 d2, d",
            $low,
            ", #57; vshr.u64 d3, d",
            $low,
            ", #7
            vshl.i64 d4, d",
            $low,
            ", #62; vshr.u64 d5, d",
            $low,
            ", #2; veor q1, q1, q2
            vshl.i64 d4, d",
            $low,
            ", #63; vshr.u64 d5, d",
            $low,
            ", #1; veor q1, q1, q2
            vext.8 q",
            $from,
            ", q",
            $from,
            ", q",
            $from,
            ", #8
            veor q",
            $to,
            ", q",
            $to,
            ", q",
            $from,
            "; veor q",
            $to,
            ", q",
            $to,
            ", q1\n",
        )
    };
}

/// Horner's rule, with the hash in q5.
macro_rules! by_bytes {
    ($big_endian:tt) => {
        concat!(
            ".fpu neon\n",
            key!(),
            "\nvld1.64 {{q5}}, [{acc}]
            2:\n",
            load!($big_endian),
            "\nveor q0, q0, q5\n",
            products!(),
            "veor q4, q4, q3; veor q4, q4, q5\n",
            add_fold!(4, 3, 6),
            add_fold!(5, 4, 8),
            "subs {left}, {left}, #1
            bne 2b
            vst1.64 {{q5}}, [{acc}]"
        )
    };
}

impl Multiplier for Neon {
    const BATCH: usize = 1;
    type Powers = [[u8; 16]; 1];
    const NO_POWERS: Self::Powers = [[0; 16]; 1];
    const WHOLE: bool = true;

    #[inline(always)]
    fn multiply(self, a: Integer<Self>, b: Integer<Self>, b_sum: Integer<Self>) -> [Integer<Self>; 3] {
        let mut out = [Integer::new(self, 0); 3];
        // SAFETY: the token exists, so the CPU has the instructions. They read the factors and write the three products.
        unsafe {
            asm!(
                ".fpu neon",
                key!(),
                "vld1.64 {{q0}}, [{a}]",
                products!(),
                "vstmia {out}, {{d6-d11}}",
                a = in(reg) &raw const a,
                powers = in(reg) &raw const b,
                sums = in(reg) &raw const b_sum,
                out = in(reg) out.as_mut_ptr(),
                out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _, out("d14") _,
                out("d15") _, out("q8") _, out("q9") _, out("q10") _, out("q11") _, out("q12") _, out("q13") _,
                out("q14") _, out("q15") _,
                options(nostack, preserves_flags),
            );
        }
        out
    }

    #[inline(always)]
    fn hash<const BIG_ENDIAN: bool>(
        self,
        mut acc: Integer<Self>,
        powers: &Self::Powers,
        sums: &Self::Powers,
        blocks: &[[u8; 16]],
    ) -> Integer<Self> {
        if blocks.is_empty() {
            return acc;
        }
        if BIG_ENDIAN {
            hash!(acc, powers, sums, blocks, [by_bytes!(true)]);
        } else {
            hash!(acc, powers, sums, blocks, [by_bytes!(false)]);
        }
        acc
    }
}

/// The three products of q0, the sum of whose halves is in d14, with a power and its sum, in q1, q2 and q3, or added to
/// them.
macro_rules! first_power {
    ($low:literal $high:literal, $sum:literal) => {
        concat!(
            "veor d14, d0, d1; vmull.p64 q1, d0, d",
            $low,
            "
            vmull.p64 q3, d1, d",
            $high,
            "; vmull.p64 q2, d14, d",
            $sum,
            "\n",
        )
    };
}
macro_rules! next_power {
    ($low:literal $high:literal, $sum:literal) => {
        concat!(
            "veor d14, d0, d1; vmull.p64 q4, d0, d",
            $low,
            "; vmull.p64 q5, d1, d",
            $high,
            "
            vmull.p64 q6, d14, d",
            $sum,
            "; veor q1, q1, q4; veor q3, q3, q5; veor q2, q2, q6\n",
        )
    };
}

/// The reduction of q1, q2 and q3 to q6, by two folds with c = x^63 + x^62 + x^57 in d15.
macro_rules! reduce {
    () => {
        "veor q2, q2, q1; veor q2, q2, q3
        vmull.p64 q4, d2, d15; vext.8 q1, q1, q1, #8; veor q2, q2, q1; veor q2, q2, q4
        vmull.p64 q4, d4, d15; vext.8 q2, q2, q2, #8; veor q6, q2, q3; veor q6, q6, q4\n"
    };
}

/// Four blocks at a time, then one by one, with the hash in q6. The powers are in q8 to q11, the highest first, and their
/// sums in q12 to q15.
macro_rules! by_fours {
    ($big_endian:tt) => {
        concat!(
            armv8!(begin),
            "\nvldmia {powers}, {{d16-d23}}
            vldmia {sums}, {{d24-d31}}
            vld1.64 {{q6}}, [{acc}]
            vld1.64 {{d15}}, [{c}]
            subs {left}, {left}, #4
            blo 3f
            2:\n",
            load!($big_endian), "\nveor q0, q0, q6\n", first_power!(16 17, 24),
            load!($big_endian), "\n", next_power!(18 19, 26),
            load!($big_endian), "\n", next_power!(20 21, 28),
            load!($big_endian), "\n", next_power!(22 23, 30),
            reduce!(),
            "subs {left}, {left}, #4
            bhs 2b
            3:
            adds {left}, {left}, #4
            beq 5f
            4:\n",
            load!($big_endian), "\nveor q0, q0, q6\n", first_power!(22 23, 30),
            reduce!(),
            "subs {left}, {left}, #1
            bne 4b
            5:
            vst1.64 {{q6}}, [{acc}]\n",
            armv8!(end),
        )
    };
}

impl Multiplier for ArmCe {
    const BATCH: usize = 4;
    type Powers = [[u8; 16]; 4];
    const NO_POWERS: Self::Powers = [[0; 16]; 4];
    const WHOLE: bool = true;

    #[inline(always)]
    fn multiply(self, a: Integer<Self>, b: Integer<Self>, b_sum: Integer<Self>) -> [Integer<Self>; 3] {
        let mut out = [Integer::new(self, 0); 3];
        // SAFETY: the token exists, so the CPU has the instructions. They read the factors and write the three products.
        unsafe {
            asm!(
                armv8!(begin),
                "vld1.64 {{q0}}, [{a}]",
                "vld1.64 {{q8}}, [{b}]",
                "vld1.64 {{q9}}, [{b_sum}]",
                first_power!(16 17, 18),
                "vstmia {out}, {{d2-d7}}",
                armv8!(end),
                a = in(reg) &raw const a,
                b = in(reg) &raw const b,
                b_sum = in(reg) &raw const b_sum,
                out = in(reg) out.as_mut_ptr(),
                out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                out("d14") _, out("d15") _, out("q8") _, out("q9") _,
                options(nostack, preserves_flags),
            );
        }
        out
    }

    #[inline(always)]
    fn hash<const BIG_ENDIAN: bool>(
        self,
        mut acc: Integer<Self>,
        powers: &Self::Powers,
        sums: &Self::Powers,
        blocks: &[[u8; 16]],
    ) -> Integer<Self> {
        if BIG_ENDIAN {
            hash!(acc, powers, sums, blocks, [by_fours!(true)], c = &C);
        } else {
            hash!(acc, powers, sums, blocks, [by_fours!(false)], c = &C);
        }
        acc
    }
}

/// x^63 + x^62 + x^57.
static C: u64 = super::clmul::C;

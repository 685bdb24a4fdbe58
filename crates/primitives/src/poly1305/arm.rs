//! Poly1305 for 32-bit Arm with NEON: two lanes, in one piece of assembly.
//!
//! The lanes and limbs are those of [`lanes`](super::lanes): lane 0 takes the blocks 0, 2, 4, … and lane 1 the blocks 1,
//! 3, 5, …, and both multiply by *r*². A limb is 32 bits of a double register, and 64 bits of a quadruple one between a
//! multiplication and its carries.

use super::{Accumulator, BLOCK, Poly1305Token, lanes::Powers, scalar::Element};
use crate::cpu::Neon;
use core::arch::asm;
use zeroize::Zeroizing;

/// The length in bytes from which on the lanes are faster, although *r*² has to be computed.
const LANES_FROM: usize = 8 * BLOCK;

/// Loads two blocks: their limbs, with the 1 bit, in d20 to d24. Word *i* of both is in d16 + *i*.
macro_rules! load {
    () => {
        "vld4.32 {{d16-d19}}, [{blocks}]!
        vand d20, d16, d14
        vshl.i32 d21, d17, #6; vshl.i32 d22, d18, #12; vshl.i32 d23, d19, #18; vshr.u32 d24, d19, #8
        vsri.32 d21, d16, #26; vsri.32 d22, d17, #20; vsri.32 d23, d18, #14; vorr d24, d24, d15
        vand d21, d21, d14; vand d22, d22, d14; vand d23, d23, d14"
    };
}

/// `$to = h · (…)`: the sum of the products of d0 to d4 and five of the factors in d8 to d12.
macro_rules! dot {
    ($to:literal, $a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "vmull.u32 q",
            $to,
            ", d0, ",
            $a,
            "; vmlal.u32 q",
            $to,
            ", d1, ",
            $b,
            "; vmlal.u32 q",
            $to,
            ", d2, ",
            $c,
            "
            vmlal.u32 q",
            $to,
            ", d3, ",
            $d,
            "; vmlal.u32 q",
            $to,
            ", d4, ",
            $e,
            "\n",
        )
    };
}

/// The upper bits of `$from` go to `$to`, by way of q`$t`. q15 is the mask.
macro_rules! carry {
    ($($from:literal $to:literal $t:literal),*) => {
        concat!(
            $("vshr.u64 q", $t, ", q", $from, ", #26; vand q", $from, ", q", $from, ", q15\n",)*
            $("vadd.i64 q", $to, ", q", $to, ", q", $t, "\n",)*
        )
    };
}

impl Poly1305Token for Neon {
    fn absorb_lanes<'a>(self, accumulator: &mut Accumulator, blocks: &'a [u8]) -> &'a [u8] {
        if blocks.len() < LANES_FROM {
            return blocks;
        }
        let (pairs, rest) = blocks.as_chunks::<{ 2 * BLOCK }>();
        let Accumulator { point, powers, value } = accumulator;
        let powers = powers.get_or_insert_with(|| Powers::new(*point, 2));
        let [r0, r1, r2, r3, r4] = powers.first();
        let factors = Zeroizing::new([r0, r1, r2, r3, r4, 5 * r1, 5 * r2, 5 * r3, 5 * r4, 0]);
        let mut lanes = Zeroizing::new(value.limbs().map(|limb| [limb, 0]));
        // SAFETY: the token exists, so the CPU has the instructions. They read the pairs, of which there is at least one,
        // and the factors, and they read and write the lanes.
        unsafe {
            asm!(
                ".fpu neon",
                "vldmia {lanes}, {{d0-d4}}",
                "vldmia {factors}, {{d8-d12}}",
                "vmvn.i32 d14, #0xfc000000",
                "vmov.i32 d15, #0x01000000",
                "vmov.i64 q15, #0x00000000ffffffff",
                "vshr.u64 q15, q15, #6",
                "2:",
                load!(),
                "vadd.i32 d0, d0, d20; vadd.i32 d1, d1, d21; vadd.i32 d2, d2, d22; vadd.i32 d3, d3, d23; vadd.i32 d4, d4, d24",
                "subs {left}, {left}, #1",
                "beq 3f",
                dot!(8, "d8[0]" "d12[0]" "d11[1]" "d11[0]" "d10[1]"),
                dot!(9, "d8[1]" "d8[0]" "d12[0]" "d11[1]" "d11[0]"),
                dot!(10, "d9[0]" "d8[1]" "d8[0]" "d12[0]" "d11[1]"),
                dot!(11, "d9[1]" "d9[0]" "d8[1]" "d8[0]" "d12[0]"),
                dot!(12, "d10[0]" "d9[1]" "d9[0]" "d8[1]" "d8[0]"),
                carry!(8 9 13, 11 12 14),
                carry!(9 10 13),
                // Five times the bits above the highest limb go to the lowest.
                "vshr.u64 q14, q12, #26; vand q12, q12, q15",
                "vadd.i64 q8, q8, q14; vshl.i64 q14, q14, #2; vadd.i64 q8, q8, q14",
                carry!(10 11 13, 8 9 14),
                carry!(11 12 13),
                "vmovn.i64 d0, q8; vmovn.i64 d1, q9; vmovn.i64 d2, q10; vmovn.i64 d3, q11; vmovn.i64 d4, q12",
                "b 2b",
                "3:",
                "vstmia {lanes}, {{d0-d4}}",
                lanes = in(reg) lanes.as_mut_ptr(),
                factors = in(reg) factors.as_ptr(),
                blocks = inout(reg) pairs.as_ptr() => _,
                left = inout(reg) pairs.len() => _,
                out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _, out("d14") _,
                out("d15") _, out("q8") _, out("q9") _, out("q10") _, out("q11") _, out("q12") _, out("q13") _,
                out("q14") _, out("q15") _,
                options(nostack),
            );
        }
        let [even, odd] = [0, 1].map(|lane| Element::from_limbs(lanes.map(|limb| limb[lane].into())));
        *value = even.times(*point).plus_element(odd).times(*point);
        rest
    }
}

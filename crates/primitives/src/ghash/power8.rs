//! VPMSUMD, which multiplies both halves of two vectors and adds the two products.
//!
//! For a = (a0, a1) and b = (b0, b1), it computes
//!
//! ```text
//! p = a0·b0 + a1·b1        of (a0, a1) and (b0, b1)
//! m = a0·b1 + a1·b0        of (a0, a1) and (b1, b0)
//! h = a1·b1 + 0·b0         of (a1, 0)  and (b1, b0)
//! ```
//!
//! The three products of [`ClmulVector::multiply`](super::ClmulVector::multiply) are p + h, p + m and h.

use super::{clmul::ClmulToken, portable::Multiplier};
use crate::{cpu::Power8, simd::Integer};
use core::arch::asm;

impl ClmulToken for Power8 {
    type V = Integer<Power8>;
}

impl Multiplier for Power8 {
    const BATCH: usize = 8;
    type Powers = [[u8; 16]; 16];
    const NO_POWERS: Self::Powers = [[0; 16]; 16];

    #[inline(always)]
    fn multiply(self, a: Integer<Self>, b: Integer<Self>, _: Integer<Self>) -> [Integer<Self>; 3] {
        let mut products = [Integer::new(self, 0); 3];
        // SAFETY: the token exists, so the CPU has the instructions. They read `a` and `b` and write the three products,
        // all of which are aligned to 16 bytes.
        unsafe {
            asm!(
                "lvx 0, 0, {a}",
                "lvx 1, 0, {b}",
                "vxor 2, 2, 2",
                "vsldoi 3, 1, 1, 8", // (b1, b0)
                "vsldoi 2, 2, 0, 8", // (a1, 0)
                "vpmsumd 1, 0, 1",
                "vpmsumd 0, 0, 3",
                "vpmsumd 2, 2, 3",
                "vxor 0, 0, 1",
                "vxor 1, 1, 2",
                "stvx 1, 0, {lo}",
                "stvx 0, 0, {mi}",
                "stvx 2, 0, {hi}",
                a = in(reg) &raw const a,
                b = in(reg) &raw const b,
                lo = in(reg) &raw mut products[0],
                mi = in(reg) &raw mut products[1],
                hi = in(reg) &raw mut products[2],
                out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                options(nostack, preserves_flags),
            );
        }
        products
    }
}

//! 128-bit vectors of AArch64 CPUs.

use super::{Quads, Words32, xor_pieces};
use crate::InOut;
use crate::cpu::Neon;
use core::arch::aarch64::*;

/// One quad.
#[derive(Clone, Copy)]
pub struct W128(uint32x4_t);

// SAFETY of every block in this file: a vector exists only where its token does, so the CPU has the
// instructions; loads and stores are within the slices, whose lengths are asserted.

impl Words32 for W128 {
    type Token = Neon;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(_: Neon, word: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { vdupq_n_u32(word) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vaddq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vandq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vorrq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vmvnq_u32(self.0) })
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vshlq_n_u32::<N>(self.0) })
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        // A count in a register, because NEON's own shift takes no 0; the compiler folds it.
        // SAFETY: see above.
        Self(unsafe { vshlq_u32(self.0, vdupq_n_s32(-N)) })
    }

    // REV32 and TBL rotate by 16 and 8 in one instruction, any other distance takes two: a shift,
    // and a shift that inserts.
    #[inline(always)]
    fn rotl<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        // SAFETY: see above.
        Self(unsafe {
            match L {
                16 => vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0))),
                8 => {
                    const LEFT8: [u8; 16] = [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14];
                    vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(self.0), vld1q_u8(LEFT8.as_ptr())))
                }
                _ => vsriq_n_u32::<R>(vshlq_n_u32::<L>(self.0), self.0),
            }
        })
    }

    #[inline(always)]
    fn pin(mut self) -> Self {
        // SAFETY: no instruction; it only seems to change the register.
        #[cfg(not(miri))]
        unsafe {
            core::arch::asm!("/* {0:v} */", inout(vreg) self.0, options(nomem, nostack, preserves_flags))
        }
        self
    }

    #[inline(always)]
    fn load_blocks(_: Neon, src: &[u8]) -> [Self; 4] {
        assert!(src.len() >= 64);
        let src = src.as_ptr();
        // SAFETY: see above.
        let load = |i: usize| Self(unsafe { vreinterpretq_u32_u8(vld1q_u8(src.add(16 * i))) });
        Self::transpose([load(0), load(1), load(2), load(3)])
    }

    #[inline(always)]
    fn store_blocks(words: [Self; 4], dst: &mut [u8]) {
        assert!(dst.len() >= 64);
        let dst = dst.as_mut_ptr();
        for (i, v) in Self::transpose(words).iter().enumerate() {
            // SAFETY: see above.
            unsafe { vst1q_u8(dst.add(16 * i), vreinterpretq_u8_u32(v.0)) };
        }
    }

    #[inline(always)]
    fn xor_blocks(words: [Self; 4], mut data: InOut<'_>) {
        for row in Self::transpose(words) {
            row.xor_into(data.take(16).expect("four blocks"));
        }
    }
}

impl Quads for W128 {
    #[inline(always)]
    fn splat_quad(_: Neon, quad: [u32; 4]) -> Self {
        // SAFETY: see above.
        Self(unsafe { vld1q_u32(quad.as_ptr()) })
    }

    #[inline(always)]
    fn from_words(_: Neon, words: &[u32; 16]) -> Self {
        // SAFETY: see above.
        Self(unsafe { vld1q_u32(words.as_ptr()) })
    }

    #[inline(always)]
    fn first_quad(self) -> [u32; 4] {
        let mut quad = [0; 4];
        // SAFETY: see above.
        unsafe { vst1q_u32(quad.as_mut_ptr(), self.0) };
        quad
    }

    #[inline(always)]
    fn load(_: Neon, src: &[u8]) -> Self {
        assert!(src.len() >= 16);
        // SAFETY: see above.
        Self(unsafe { vreinterpretq_u32_u8(vld1q_u8(src.as_ptr())) })
    }

    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        assert!(dst.len() >= 16);
        // SAFETY: see above.
        unsafe { vst1q_u8(dst.as_mut_ptr(), vreinterpretq_u8_u32(self.0)) };
    }

    #[inline(always)]
    fn rotate_quads<const N: i32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vextq_u32::<N>(self.0, self.0) })
    }

    #[inline(always)]
    fn add_products(self, sums: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let sums = vreinterpretq_u64_u32(sums.0);
            vreinterpretq_u32_u64(vmlal_u32(sums, vget_low_u32(self.0), vget_high_u32(self.0)))
        })
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: see above.
        unsafe {
            let zip = |x: uint32x4_t, y: uint32x4_t| {
                (vreinterpretq_u64_u32(vzip1q_u32(x, y)), vreinterpretq_u64_u32(vzip2q_u32(x, y)))
            };
            let ((ab, ab2), (cd, cd2)) = (zip(a.0, b.0), zip(c.0, d.0));
            [
                Self(vreinterpretq_u32_u64(vzip1q_u64(ab, cd))),
                Self(vreinterpretq_u32_u64(vzip2q_u64(ab, cd))),
                Self(vreinterpretq_u32_u64(vzip1q_u64(ab2, cd2))),
                Self(vreinterpretq_u32_u64(vzip2q_u64(ab2, cd2))),
            ]
        }
    }

    #[inline(always)]
    fn rows_to_blocks(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    fn xor_into(self, mut data: InOut<'_>) {
        assert!(data.len() >= 16);
        // SAFETY: see above.
        unsafe {
            let src = vld1q_u8(data.src().as_ptr());
            vst1q_u8(data.dst().as_mut_ptr(), veorq_u8(src, vreinterpretq_u8_u32(self.0)));
        }
    }

    #[inline(always)]
    fn xor_into_partial(self, data: InOut<'_>) {
        let mut keystream = [0; 64];
        // SAFETY: see above.
        unsafe { vst1q_u8(keystream.as_mut_ptr(), vreinterpretq_u8_u32(self.0)) };
        xor_pieces(data, &keystream);
    }
}

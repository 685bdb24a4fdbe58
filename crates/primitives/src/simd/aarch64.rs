//! 128-bit vectors of AArch64 CPUs with the AES and PMULL instructions.

use super::{AesToken, AesVector, Blocks};
use crate::cpu::ArmCe;
use core::arch::aarch64::*;

impl AesToken for ArmCe {
    type V = B128;
}

/// One block.
#[derive(Clone, Copy)]
pub struct B128(pub(crate) uint8x16_t);

// SAFETY of every block in this file: a vector exists only where its token does, so the CPU has the
// instructions; loads and stores are within the slices, whose lengths are asserted.

impl Blocks for B128 {
    type Token = ArmCe;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn zero(_: ArmCe) -> Self {
        // SAFETY: see above.
        Self(unsafe { vdupq_n_u8(0) })
    }

    #[inline(always)]
    fn splat(token: ArmCe, block: &[u8; 16]) -> Self {
        Self::load(token, block)
    }

    #[inline(always)]
    fn load(_: ArmCe, src: &[u8]) -> Self {
        assert!(src.len() >= 16);
        // SAFETY: see above.
        Self(unsafe { vld1q_u8(src.as_ptr()) })
    }

    #[inline(always)]
    fn load_partial(token: ArmCe, src: &[u8]) -> Self {
        let mut block = [0; 16];
        block[..src.len()].copy_from_slice(src);
        Self::load(token, &block)
    }

    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        assert!(dst.len() >= 16);
        // SAFETY: see above.
        unsafe { vst1q_u8(dst.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        let n = dst.len();
        dst.copy_from_slice(&self.first()[..n]);
    }

    #[inline(always)]
    fn first(self) -> [u8; 16] {
        let mut block = [0; 16];
        self.store(&mut block);
        block
    }

    #[inline(always)]
    fn last(self) -> [u8; 16] {
        self.first()
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let halves = vrev64q_u8(self.0);
            vextq_u8::<8>(halves, halves)
        })
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(self.0), vreinterpretq_u32_u8(other.0))) })
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0))) })
    }
}

// AESE adds its key before SubBytes, x86 after MixColumns. Written with a zero key and an xor
// behind, a chain of rounds is the same instructions: LLVM folds the xor of one round into the
// AESE of the next.
impl AesVector for B128 {
    #[inline(always)]
    fn enc(self, round_key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(vaesmcq_u8(vaeseq_u8(self.0, vdupq_n_u8(0))), round_key.0) })
    }

    #[inline(always)]
    fn enc_last(self, round_key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(vaeseq_u8(self.0, vdupq_n_u8(0)), round_key.0) })
    }

    #[inline(always)]
    fn dec(self, round_key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(vaesimcq_u8(vaesdq_u8(self.0, vdupq_n_u8(0))), round_key.0) })
    }

    #[inline(always)]
    fn dec_last(self, round_key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(vaesdq_u8(self.0, vdupq_n_u8(0)), round_key.0) })
    }

    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vaesimcq_u8(self.0) })
    }
}

//! 128-bit vectors of AArch64 CPUs with the AES and PMULL instructions.

use super::{AesToken, AesVector, Blocks, load_partial_block, opaque, store_partial_block};
use crate::cpu::ArmCe;
use core::arch::aarch64::*;

impl AesToken for ArmCe {
    type V = B128;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }
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
        assert!(src.len() <= 16);
        Self::load(token, &load_partial_block(src).to_le_bytes())
    }

    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        assert!(dst.len() >= 16);
        // SAFETY: see above.
        unsafe { vst1q_u8(dst.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        assert!(dst.len() <= 16);
        store_partial_block(u128::from_le_bytes(self.first()), dst);
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

// AESE adds its key before SubBytes, x86 after MixColumns; `enc` and its kin are the latter, written
// with a zero key and an xor behind. `rounds` and `finish` follow the instructions instead: each key
// goes into the AESE after it, so that a round is AESE and AESMC and nothing else.
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

    #[inline(always)]
    fn rounds<const ENC: bool, const N: usize>(token: ArmCe, blocks: &mut [Self; N], first: Self, inner: &[[u8; 16]]) {
        let [inner @ .., _] = inner else { return };
        for b in blocks.iter_mut() {
            *b = b.round::<ENC>(first);
        }
        let mut i = 0;
        while let Some(k) = inner.get(i) {
            let key = Self::load(token, k);
            for b in blocks.iter_mut() {
                *b = b.round::<ENC>(key);
            }
            i = opaque(i + 1);
        }
    }

    #[inline(always)]
    fn finish<const ENC: bool>(self, token: ArmCe, inner: &[[u8; 16]], last: Self) -> Self {
        let [.., key] = inner else { return self };
        let key = Self::load(token, key).0;
        // SAFETY: see above.
        Self(unsafe { if ENC { vaeseq_u8(self.0, key) } else { vaesdq_u8(self.0, key) } }).xor(last)
    }

    #[inline(always)]
    fn after(self, previous: Self) -> Self {
        previous
    }

    #[inline(always)]
    fn mul_x(self, n: usize) -> Self {
        assert!(n <= 56);
        // SAFETY: see above.
        Self(unsafe {
            let words = vreinterpretq_u64_u8(self.0);
            // A shift by a negative count is a shift to the right; one by 64 gives zero.
            let up = vreinterpretq_u8_u64(vshlq_u64(words, vdupq_n_s64(n as i64)));
            let out = vshlq_u64(words, vdupq_n_s64(n as i64 - 64));
            let reduced = vreinterpretq_u8_p128(vmull_p64(vgetq_lane_u64::<1>(out), 0x87));
            let carried = vextq_u8::<8>(vdupq_n_u8(0), vreinterpretq_u8_u64(out));
            veorq_u8(veorq_u8(up, reduced), carried)
        })
    }

    #[inline(always)]
    fn mul_x_batch(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let zero = vdupq_n_u8(0);
            let out = vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vextq_u8::<15>(self.0, zero)));
            veorq_u8(vextq_u8::<15>(zero, self.0), vreinterpretq_u8_p128(vmull_p64(out, 0x87)))
        })
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        self.mul_x(n)
    }
}

impl B128 {
    /// The key, SubBytes, ShiftRows and MixColumns, or their inverses.
    #[inline(always)]
    fn round<const ENC: bool>(self, key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { if ENC { vaesmcq_u8(vaeseq_u8(self.0, key.0)) } else { vaesimcq_u8(vaesdq_u8(self.0, key.0)) } })
    }
}

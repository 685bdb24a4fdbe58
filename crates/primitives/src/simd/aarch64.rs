//! 128-bit vectors of AArch64 CPUs with the AES and PMULL instructions.

use super::{AesToken, AesVector, Blocks, load_partial_block, store_partial_block};
use crate::cpu::ArmCe;
use core::arch::aarch64::*;

impl AesToken for ArmCe {
    type V = B128;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    type Pair = ArmCe;

    #[inline(always)]
    fn pair(self) -> ArmCe {
        self
    }
}

// The AES and PMULL instructions, in functions of their features: the intrinsics are inlined into
// these, and these into whatever a token's `vectorize` runs.

#[inline]
#[target_feature(enable = "neon,aes")]
fn aes_round<const ENC: bool>(state: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
    if ENC { vaesmcq_u8(vaeseq_u8(state, key)) } else { vaesimcq_u8(vaesdq_u8(state, key)) }
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn aes_last_round<const ENC: bool>(state: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
    if ENC { vaeseq_u8(state, key) } else { vaesdq_u8(state, key) }
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn aes_inv_mix_columns(state: uint8x16_t) -> uint8x16_t {
    vaesimcq_u8(state)
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn times_0x87(word: u64) -> uint8x16_t {
    vreinterpretq_u8_p128(vmull_p64(word, 0x87))
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
// with a zero key and an xor behind. `round` and `finish` follow the instructions instead: each key
// goes into the AESE after it, so that a round is AESE and AESMC and nothing else.
impl AesVector for B128 {
    #[inline(always)]
    fn enc(self, round_key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(aes_round::<true>(self.0, vdupq_n_u8(0)), round_key.0) })
    }

    #[inline(always)]
    fn enc_last(self, round_key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(aes_last_round::<true>(self.0, vdupq_n_u8(0)), round_key.0) })
    }

    #[inline(always)]
    fn dec(self, round_key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(aes_round::<false>(self.0, vdupq_n_u8(0)), round_key.0) })
    }

    #[inline(always)]
    fn dec_last(self, round_key: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { veorq_u8(aes_last_round::<false>(self.0, vdupq_n_u8(0)), round_key.0) })
    }

    #[inline(always)]
    fn gather(token: ArmCe, mut block: impl FnMut(usize) -> [u8; 16]) -> Self {
        Self::load(token, &block(0))
    }

    #[inline(always)]
    fn scatter(self, mut put: impl FnMut(usize, [u8; 16])) {
        put(0, self.first());
    }

    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { aes_inv_mix_columns(self.0) })
    }

    #[inline(always)]
    fn first_round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], first: Self, _: Option<Self>) {
        Self::round::<ENC, N>(blocks, first);
    }

    #[inline(always)]
    fn round_key(token: ArmCe, inner: &[[u8; 16]], i: usize) -> Option<Self> {
        Some(Self::load(token, inner.get(i.wrapping_sub(1))?))
    }

    #[inline(always)]
    fn round<const ENC: bool, const N: usize>(blocks: &mut [Self; N], key: Self) {
        for b in blocks.iter_mut() {
            // SAFETY: see above.
            b.0 = unsafe { aes_round::<ENC>(b.0, key.0) };
        }
    }

    #[inline(always)]
    fn finish<const ENC: bool>(self, token: ArmCe, inner: &[[u8; 16]], last: Self) -> Self {
        let [.., key] = inner else { return self };
        let key = Self::load(token, key).0;
        // SAFETY: see above.
        Self(unsafe { aes_last_round::<ENC>(self.0, key) }).xor(last)
    }

    #[inline(always)]
    fn meet(&mut self, other: &mut Self) {
        // SAFETY: there is no instruction.
        unsafe {
            core::arch::asm!("/* {0:v} {1:v} */", inout(vreg) self.0, inout(vreg) other.0, options(nomem, nostack, preserves_flags));
        }
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
            let reduced = times_0x87(vgetq_lane_u64::<1>(out));
            let carried = vextq_u8::<8>(vdupq_n_u8(0), vreinterpretq_u8_u64(out));
            veorq_u8(veorq_u8(up, reduced), carried)
        })
    }

    #[inline(always)]
    fn next_tweaks(batch_ago: Self, _before: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let zero = vdupq_n_u8(0);
            let out = vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vextq_u8::<15>(batch_ago.0, zero)));
            veorq_u8(vextq_u8::<15>(zero, batch_ago.0), times_0x87(out))
        })
    }

    #[inline(always)]
    fn mul_x_ramp(self, n: usize) -> Self {
        self.mul_x(n)
    }
}

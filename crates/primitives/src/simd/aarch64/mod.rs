//! The vector register of AArch64, and every instruction on it that this crate uses.
//!
//! [`V128`] holds a register and the token that proves its CPU's features, as the registers of x86 do. Words are
//! little-endian, so their order in the register is the order of their bytes in memory. That is so on big-endian CPUs
//! too, where integers are reversed when they are loaded and stored.
#![allow(dead_code, reason = "the methods that x86 has, whether or not a kernel uses them here")]

mod blocks;

pub(crate) use blocks::one_block;

use super::register::{Plain, makers, methods, proven, raw, registers, unwrap, wrap};
use crate::cpu::{HasArmAes, HasArmSha2, HasArmSha3, HasNeon};
use core::{arch::aarch64::*, mem::transmute};

/// A vector of 128 bits, and the token that proves its instructions.
#[derive(Clone, Copy)]
pub struct V128<T> {
    raw: uint8x16_t,
    token: T,
}

type Raw128 = uint8x16_t;

registers!(V128(uint8x16_t), HasNeon = "neon", 16, load, store, vreg, "/* {0:v} */", "/* {0:v} {1:v} */");

/// # Safety
/// `from` must point to 16 readable bytes.
#[inline(always)]
unsafe fn load(from: *const u8) -> uint8x16_t {
    // SAFETY: the caller guarantees 16 readable bytes.
    unsafe { vld1q_u8(from) }
}

/// # Safety
/// `to` must point to 16 writable bytes.
#[inline(always)]
unsafe fn store(to: *mut u8, vector: uint8x16_t) {
    // SAFETY: the caller guarantees 16 writable bytes.
    unsafe { vst1q_u8(to, vector) }
}

/// Reverses each word of `bytes` bytes on a big-endian CPU.
#[inline]
#[target_feature(enable = "neon")]
fn in_order(vector: uint8x16_t, bytes: usize) -> uint8x16_t {
    match bytes {
        _ if cfg!(target_endian = "little") => vector,
        1 => vector,
        2 => vrev16q_u8(vector),
        4 => vrev32q_u8(vector),
        8 => vrev64q_u8(vector),
        16 => vextq_u8::<8>(vrev64q_u8(vector), vrev64q_u8(vector)),
        _ => unreachable!("no such words"),
    }
}

/// Bytes as little-endian words and back. The intrinsics `vreinterpretq_…` do that too, except that what they do on a
/// big-endian CPU has changed from one version of Rust to another.
macro_rules! words {
    ($($to:ident, $from:ident: $Words:ident of $bytes:literal;)*) => {
        $(
            #[inline]
            #[target_feature(enable = "neon")]
            fn $to(bytes: uint8x16_t) -> $Words {
                // SAFETY: both have 16 bytes, and any bytes are a value of both.
                unsafe { transmute(in_order(bytes, $bytes)) }
            }

            #[inline]
            #[target_feature(enable = "neon")]
            fn $from(words: $Words) -> uint8x16_t {
                // SAFETY: both have 16 bytes, and any bytes are a value of both.
                in_order(unsafe { transmute::<$Words, uint8x16_t>(words) }, $bytes)
            }
        )*
    };
}
words! {
    to_i8, from_i8: int8x16_t of 1;
    to_p8, from_p8: poly8x16_t of 1;
    to_u16, from_u16: uint16x8_t of 2;
    to_p16, from_p16: poly16x8_t of 2;
    to_u32, from_u32: uint32x4_t of 4;
    to_u64, from_u64: uint64x2_t of 8;
    to_p64, from_p64: poly64x2_t of 8;
}

/// The bytes of what `vmull_p64` gives, the lowest first. It makes a number of them as they would be in memory.
#[inline]
#[target_feature(enable = "neon")]
fn from_p128(product: u128) -> uint8x16_t {
    // SAFETY: both have 16 bytes, and any bytes are a value of both.
    unsafe { transmute::<u128, uint8x16_t>(product) }
}

/// Calls an intrinsic on words of 32 (or 64) bits with vectors of bytes as arguments and result.
macro_rules! on32 {
    ($intrinsic:ident $(::<$N:tt>)?($($arg:expr),*)) => {
        from_u32($intrinsic$(::<$N>)?($(to_u32($arg)),*))
    };
}
macro_rules! on64 {
    ($intrinsic:ident $(::<$N:tt>)?($($arg:expr),*)) => {
        from_u64($intrinsic$(::<$N>)?($(to_u64($arg)),*))
    };
}

makers! {
    V128, HasNeon = "neon";

    fn zero() -> V128 { vdupq_n_u8(0) }

    /// The same number in every byte (or word).
    fn splat8(byte: u8) -> V128 { vdupq_n_u8(byte) }
    fn splat32(word: u32) -> V128 { from_u32(vdupq_n_u32(word)) }
    fn splat64(word: u64) -> V128 { from_u64(vdupq_n_u64(word)) }
}

methods! {
    V128, HasNeon = "neon";

    /// The words of `bytes` bytes from the order that they have in memory to little-endian, or back.
    fn in_order(a, bytes: usize) -> V128 { in_order(a, bytes) }

    fn xor(a, b: V128) -> V128 { veorq_u8(a, b) }
    fn and(a, b: V128) -> V128 { vandq_u8(a, b) }
    fn or(a, b: V128) -> V128 { vorrq_u8(a, b) }
    fn not(a) -> V128 { vmvnq_u8(a) }
    fn add8(a, b: V128) -> V128 { vaddq_u8(a, b) }
    fn add32(a, b: V128) -> V128 { on32!(vaddq_u32(a, b)) }
    fn add64(a, b: V128) -> V128 { on64!(vaddq_u64(a, b)) }
    /// Adds to the two words of 64 bits of `self`: to the lower the product of words 0 and 2 of `b`, to the upper that
    /// of words 1 and 3.
    fn add_products_of_halves(a, b: V128) -> V128 {
        let b = to_u32(b);
        from_u64(vmlal_u32(to_u64(a), vget_low_u32(b), vget_high_u32(b)))
    }

    /// 0xff where a byte's highest bit is 1, and 0 where it is 0.
    fn signs8(a) -> V128 { vcltzq_s8(to_i8(a)) }
    fn shl8<const N>(a) -> V128 { vshlq_n_u8::<N>(a) }
    fn shr8<const N>(a) -> V128 { vshrq_n_u8::<N>(a) }
    fn shl32<const N>(a) -> V128 { on32!(vshlq_n_u32::<N>(a)) }
    // A shift to the left by a negative count is a shift to the right.
    fn shr32<const N>(a) -> V128 { from_u32(vshlq_u32(to_u32(a), vdupq_n_s32(-N))) }
    /// Each word shifted to the left by `n` bits, or to the right if `n` is negative. 64 or more, in either direction,
    /// give zero.
    fn shl64_by(a, n: i64) -> V128 { from_u64(vshlq_u64(to_u64(a), vdupq_n_s64(n))) }
    /// The lower word shifted as in [`Self::shl64_by`] by `low` bits, and the upper one by `high`.
    fn shl64_each(a, low: i64, high: i64) -> V128 {
        from_u64(vshlq_u64(to_u64(a), vsetq_lane_s64::<1>(high, vdupq_n_s64(low))))
    }
    /// Each word of `b` shifted to the right by `R` bits, with the upper `R` bits of `self` above them.
    fn shr_insert32<const R>(a, b: V128) -> V128 { on32!(vsriq_n_u32::<R>(a, b)) }

    /// The carry-less products of the bytes of the lower halves, or of the upper halves, 16 bits each.
    fn clmul_bytes_low(a, b: V128) -> V128 {
        let [a, b] = [to_p8(a), to_p8(b)];
        from_p16(vmull_p8(vget_low_p8(a), vget_low_p8(b)))
    }
    fn clmul_bytes_high(a, b: V128) -> V128 {
        from_p16(vmull_high_p8(to_p8(a), to_p8(b)))
    }

    /// Reverses the order of bytes, or of 16-bit halves, within each word.
    fn reverse_bytes32(a) -> V128 { vrev32q_u8(a) }
    fn reverse_bytes64(a) -> V128 { vrev64q_u8(a) }
    fn reverse_halves32(a) -> V128 { from_u16(vrev32q_u16(to_u16(a))) }
    /// Byte i of the result is byte number `from[i]` of `self`, or zero if the number is above 15.
    fn shuffle_bytes(a, from: V128) -> V128 { vqtbl1q_u8(a, from) }
    /// Byte i of the result is byte number `from[i]` of `b`, or that of `self` if the number is above 15.
    fn or_lookup16(a, from: V128, b: V128) -> V128 { vqtbx1q_u8(a, b, from) }
    /// Byte i of the result is byte number `self[i]` of the 64 bytes of a table, or zero if the number is above 63.
    fn lookup(a, t0: V128, t1: V128, t2: V128, t3: V128) -> V128 { vqtbl4q_u8(uint8x16x4_t(t0, t1, t2, t3), a) }
    /// Byte i of the result is byte number `from[i]` of the 64 bytes of a table, or that of `self` if the number is
    /// above 63.
    fn or_lookup(a, from: V128, t0: V128, t1: V128, t2: V128, t3: V128) -> V128 {
        vqtbx4q_u8(a, uint8x16x4_t(t0, t1, t2, t3), from)
    }
    /// Bytes `N` to `N` + 15 of the 32 bytes of `self` followed by `high`.
    fn align_bytes<const N>(a, high: V128) -> V128 { vextq_u8::<N>(a, high) }
    /// The lower words of `self` and `b`, interleaved; the first is from `self`.
    fn unpack_low32(a, b: V128) -> V128 { on32!(vzip1q_u32(a, b)) }
    fn unpack_high32(a, b: V128) -> V128 { on32!(vzip2q_u32(a, b)) }
    fn unpack_low64(a, b: V128) -> V128 { on64!(vzip1q_u64(a, b)) }
    fn unpack_high64(a, b: V128) -> V128 { on64!(vzip2q_u64(a, b)) }

    fn low64(a) -> u64 { vgetq_lane_u64::<0>(to_u64(a)) }
    fn high64(a) -> u64 { vgetq_lane_u64::<1>(to_u64(a)) }
}

methods! {
    V128, HasArmAes = "neon,aes";

    /// AESE and AESMC: adds `key`, then ShiftRows, SubBytes and MixColumns.
    fn aes_enc(a, key: V128) -> V128 { vaesmcq_u8(vaeseq_u8(a, key)) }
    /// AESE: adds `key`, then ShiftRows and SubBytes.
    fn aes_enc_last(a, key: V128) -> V128 { vaeseq_u8(a, key) }
    /// AESD and AESIMC: adds `key`, then InvShiftRows, InvSubBytes and InvMixColumns.
    fn aes_dec(a, key: V128) -> V128 { vaesimcq_u8(vaesdq_u8(a, key)) }
    fn aes_dec_last(a, key: V128) -> V128 { vaesdq_u8(a, key) }
    fn aes_inv_mix_columns(a) -> V128 { vaesimcq_u8(a) }

    /// The carry-less product of the lower halves, or of the upper halves.
    fn clmul_low(a, b: V128) -> V128 {
        let [a, b] = [to_u64(a), to_u64(b)];
        from_p128(vmull_p64(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b)))
    }
    fn clmul_high(a, b: V128) -> V128 {
        from_p128(vmull_high_p64(to_p64(a), to_p64(b)))
    }
}

makers! {
    V128, HasArmAes = "neon,aes";

    /// The carry-less product of two 64-bit words.
    fn clmul_of(a: u64, b: u64) -> V128 { from_p128(vmull_p64(a, b)) }
}

methods! {
    V128, HasArmSha2 = "neon,sha2";

    /// Four rounds with the function Ch, Parity or Maj (FIPS 180-4 section 4.1.1). The words of `kw` are sums of
    /// constant and message word.
    fn sha1_choose4(abcd, e: u32, kw: V128) -> V128 { from_u32(vsha1cq_u32(to_u32(abcd), e, to_u32(kw))) }
    fn sha1_parity4(abcd, e: u32, kw: V128) -> V128 { from_u32(vsha1pq_u32(to_u32(abcd), e, to_u32(kw))) }
    fn sha1_majority4(abcd, e: u32, kw: V128) -> V128 { from_u32(vsha1mq_u32(to_u32(abcd), e, to_u32(kw))) }
    /// The value of e after four rounds: the low word (a) rotated to the left by 30 bits.
    fn sha1_next_e(abcd) -> u32 { vsha1h_u32(vgetq_lane_u32::<0>(to_u32(abcd))) }
    fn sha1_schedule0(w0, w1: V128, w2: V128) -> V128 { on32!(vsha1su0q_u32(w0, w1, w2)) }
    fn sha1_schedule1(sum, w3: V128) -> V128 { on32!(vsha1su1q_u32(sum, w3)) }

    /// Four rounds with `kw`, the sums of constants and message words. The first gives the new (a, b, c, d), the second
    /// the new (e, f, g, h) from the old `abcd`.
    fn sha256_abcd(abcd, efgh: V128, kw: V128) -> V128 { on32!(vsha256hq_u32(abcd, efgh, kw)) }
    fn sha256_efgh(efgh, abcd: V128, kw: V128) -> V128 { on32!(vsha256h2q_u32(efgh, abcd, kw)) }
    fn sha256_schedule0(w0, w1: V128) -> V128 { on32!(vsha256su0q_u32(w0, w1)) }
    fn sha256_schedule1(sum, w2: V128, w3: V128) -> V128 { on32!(vsha256su1q_u32(sum, w2, w3)) }
}

methods! {
    V128, HasArmSha3 = "neon,sha3";

    /// `self ^ b ^ c`, as one instruction (EOR3).
    fn xor3_sha3(a, b: V128, c: V128) -> V128 { on64!(veor3q_u64(a, b, c)) }
    /// `self ^ (b & !c)`.
    fn xor_andnot(a, b: V128, c: V128) -> V128 { on64!(vbcaxq_u64(a, b, c)) }
    /// `self ^ rotl64(b, 1)`.
    fn xor_rol1(a, b: V128) -> V128 { on64!(vrax1q_u64(a, b)) }
    /// `rotr64(self ^ b, N)`.
    fn xor_ror64<const N>(a, b: V128) -> V128 { on64!(vxarq_u64::<N>(a, b)) }

    fn sha512_rounds(sum, fg: V128, de: V128) -> V128 { on64!(vsha512hq_u64(sum, fg, de)) }
    fn sha512_rounds2(sum, cd: V128, ab: V128) -> V128 { on64!(vsha512h2q_u64(sum, cd, ab)) }
    fn sha512_schedule0(w0, w1: V128) -> V128 { on64!(vsha512su0q_u64(w0, w1)) }
    fn sha512_schedule1(sum, w7: V128, middle: V128) -> V128 { on64!(vsha512su1q_u64(sum, w7, middle)) }
}

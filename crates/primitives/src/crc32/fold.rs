//! CRC by carry-less multiplication: 128, 256 or 512 bits wide.
//!
//! A 128-bit register in reflected bits stands for H x^64 + L, with H in the *low* half. To move it
//! d bits forward, over data that is then xored to it, takes two multiplications:
//! H (x^(d+64) mod P) + L (x^d mod P), 96 bits each. The product of two reflected numbers of 64 bits
//! comes out as 127 bits, one place short of the 128-bit register, which multiplies it by x; so the
//! constants are x^(d+63) and x^(d-1), in the upper halves of 64-bit words. Four vectors side by side
//! hide the latency of the multiplication.
//!
//! At the end, A = H x^64 + L stands for the whole message, and its CRC is A x^32 mod P:
//!
//! 1. B = H (x^96 mod P) + L x^32 has 96 bits;
//! 2. B mod P by Barrett's method: with T = floor(B / x^32), the quotient is q = floor(T floor(x^96 / P) / x^64),
//!    exact because there are no carries, and the last 32 bits of B + q P are left.
//!
//! In 1 the missing place is made up for by the constant x^95. In 2 it is what makes floor(x^96 / P), of 65 bits, fit:
//! without its last bit it is floor(x^95 / P), and the product's lower half is q, since T has no more than 64 bits for that
//! bit to count. P has 33 bits in the second product, and nothing is missing. For Castagnoli's polynomial the `crc32`
//! instruction does it all.

use super::{Castagnoli, Ieee, Polynomial, Update, instruction, power_of_x};
use crate::cpu::{Pclmul, Token, Vpclmul256, Vpclmul512};
use crate::hash::little_endian;
use core::arch::x86_64::*;

/// The two constants that move a register `bits` forward.
const fn forward(bits: usize, reflected: u32) -> [i64; 2] {
    [(power_of_x(bits + 63, reflected) as i64) << 32, (power_of_x(bits - 1, reflected) as i64) << 32]
}

/// floor(x^95 / P), bit i for x^(63-i).
const fn barrett(reflected: u32) -> i64 {
    // Long division: x^63 is the first term, and leaves x^63 (x^32 mod P).
    let mut quotient = 1;
    let mut remainder = reflected;
    let mut i = 1;
    while i < 64 {
        // The coefficient of x^31 is what the next step divides by x^32.
        quotient |= ((remainder & 1) as i64) << i;
        remainder = super::times_x(remainder, reflected);
        i += 1;
    }
    quotient
}

// SAFETY of every block in this file: everything is reached from inside the `vectorize` of a token
// that has the instructions: SSE4.1 and PCLMULQDQ for 128 bits, AVX2 or AVX-512 with VPCLMULQDQ for
// more. Loads are within the slices they are given.

/// One or more 128-bit registers side by side.
trait Fold: Copy {
    const BYTES: usize;

    fn load(data: &[u8]) -> Self;

    /// Xors a CRC register into the first four bytes.
    fn xor_crc(self, crc: u32) -> Self;

    /// Moves each register forward by the constants, and adds `data`.
    fn fold(self, constants: [i64; 2], data: Self) -> Self;

    /// Moves each register to the place of the last, and adds them up.
    fn join<P: Polynomial>(self) -> __m128i;
}

#[derive(Clone, Copy)]
struct F128(__m128i);

#[derive(Clone, Copy)]
struct F256(__m256i);

#[derive(Clone, Copy)]
struct F512(__m512i);

impl Fold for F128 {
    const BYTES: usize = 16;

    #[inline(always)]
    fn load(data: &[u8]) -> Self {
        assert!(data.len() >= Self::BYTES);
        // SAFETY: see above.
        Self(unsafe { _mm_loadu_si128(data.as_ptr().cast()) })
    }

    #[inline(always)]
    fn xor_crc(self, crc: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_xor_si128(self.0, _mm_cvtsi32_si128(crc.cast_signed())) })
    }

    #[inline(always)]
    fn fold(self, [high, low]: [i64; 2], data: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let k = _mm_set_epi64x(low, high);
            let (h, l) = (_mm_clmulepi64_si128::<0x00>(self.0, k), _mm_clmulepi64_si128::<0x11>(self.0, k));
            _mm_xor_si128(_mm_xor_si128(h, l), data.0)
        })
    }

    #[inline(always)]
    fn join<P: Polynomial>(self) -> __m128i {
        self.0
    }
}

impl Fold for F256 {
    const BYTES: usize = 32;

    #[inline(always)]
    fn load(data: &[u8]) -> Self {
        assert!(data.len() >= Self::BYTES);
        // SAFETY: see above.
        Self(unsafe { _mm256_loadu_si256(data.as_ptr().cast()) })
    }

    #[inline(always)]
    fn xor_crc(self, crc: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_zextsi128_si256(_mm_cvtsi32_si128(crc.cast_signed()))) })
    }

    #[inline(always)]
    fn fold(self, [high, low]: [i64; 2], data: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let k = _mm256_set_epi64x(low, high, low, high);
            let h = _mm256_clmulepi64_epi128::<0x00>(self.0, k);
            let l = _mm256_clmulepi64_epi128::<0x11>(self.0, k);
            _mm256_xor_si256(_mm256_xor_si256(h, l), data.0)
        })
    }

    #[inline(always)]
    fn join<P: Polynomial>(self) -> __m128i {
        // SAFETY: see above.
        let (first, last) = unsafe { (_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0)) };
        F128(first).fold(const { forward(128, P::REFLECTED) }, F128(last)).0
    }
}

impl Fold for F512 {
    const BYTES: usize = 64;

    #[inline(always)]
    fn load(data: &[u8]) -> Self {
        assert!(data.len() >= Self::BYTES);
        // SAFETY: see above.
        Self(unsafe { _mm512_loadu_si512(data.as_ptr().cast()) })
    }

    #[inline(always)]
    fn xor_crc(self, crc: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_xor_si512(self.0, _mm512_zextsi128_si512(_mm_cvtsi32_si128(crc.cast_signed()))) })
    }

    #[inline(always)]
    fn fold(self, [high, low]: [i64; 2], data: Self) -> Self {
        // SAFETY: see above. 0x96 is the truth table of three-way xor.
        Self(unsafe {
            let k = _mm512_set_epi64(low, high, low, high, low, high, low, high);
            let h = _mm512_clmulepi64_epi128::<0x00>(self.0, k);
            let l = _mm512_clmulepi64_epi128::<0x11>(self.0, k);
            _mm512_ternarylogic_epi64::<0x96>(h, l, data.0)
        })
    }

    #[inline(always)]
    fn join<P: Polynomial>(self) -> __m128i {
        // SAFETY: see above.
        unsafe {
            let [a, b] = const { forward(384, P::REFLECTED) };
            let [c, d] = const { forward(256, P::REFLECTED) };
            let [e, f] = const { forward(128, P::REFLECTED) };
            let k = _mm512_set_epi64(0, 0, f, e, d, c, b, a);
            let (h, l) = (_mm512_clmulepi64_epi128::<0x00>(self.0, k), _mm512_clmulepi64_epi128::<0x11>(self.0, k));
            let sum = _mm512_xor_si512(h, l);
            let sum = _mm256_xor_si256(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum));
            let sum = _mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            _mm_xor_si128(sum, _mm512_extracti32x4_epi32::<3>(self.0))
        }
    }
}

/// A register for all of `data` but its last bytes, fewer than 16, which are returned.
///
/// `data` has at least 16 bytes.
#[inline(always)]
fn fold<P: Polynomial, V: Fold>(crc: u32, mut data: &[u8]) -> (F128, &[u8]) {
    let mut sum = if data.len() >= V::BYTES {
        let (first, rest) = data.split_at(V::BYTES);
        let mut sum = V::load(first).xor_crc(crc);
        data = rest;
        if data.len() >= 7 * V::BYTES {
            let mut sums = [sum, V::load(data), V::load(&data[V::BYTES..]), V::load(&data[2 * V::BYTES..])];
            data = &data[3 * V::BYTES..];
            while let Some((batch, rest)) = data.split_at_checked(4 * V::BYTES) {
                for i in 0..4 {
                    let next = V::load(&batch[i * V::BYTES..]);
                    sums[i] = sums[i].fold(const { forward(32 * V::BYTES, P::REFLECTED) }, next);
                }
                data = rest;
            }
            // Two and two, then the pairs.
            let by_one = const { forward(8 * V::BYTES, P::REFLECTED) };
            let by_two = const { forward(16 * V::BYTES, P::REFLECTED) };
            let (front, back) = (sums[0].fold(by_one, sums[1]), sums[2].fold(by_one, sums[3]));
            sum = front.fold(by_two, back);
        }
        while let Some((next, rest)) = data.split_at_checked(V::BYTES) {
            sum = sum.fold(const { forward(8 * V::BYTES, P::REFLECTED) }, V::load(next));
            data = rest;
        }
        F128(sum.join::<P>())
    } else {
        let (first, rest) = data.split_at(16);
        data = rest;
        F128::load(first).xor_crc(crc)
    };
    while let Some((next, rest)) = data.split_at_checked(16) {
        sum = sum.fold(const { forward(128, P::REFLECTED) }, F128::load(next));
        data = rest;
    }
    (sum, data)
}

/// The CRC register for what `a` stands for: A x^32 mod P.
#[inline(always)]
fn reduce<P: Polynomial>(a: __m128i) -> u32 {
    // SAFETY: see above.
    unsafe {
        let (x95, u) = const { (power_of_x(95, P::REFLECTED) as i64, barrett(P::REFLECTED)) };
        let p = const { ((P::REFLECTED as i64) << 1) | 1 };
        let k = _mm_set_epi64x(u, x95);
        let b = _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(a, k), _mm_srli_si128::<8>(a));
        let q = _mm_clmulepi64_si128::<0x10>(b, k);
        let r = _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(q, _mm_cvtsi64_si128(p)), b);
        _mm_extract_epi32::<2>(r).cast_unsigned()
    }
}

/// A byte shuffle by the 16 numbers from n on moves the first n bytes of a vector to its end, by those from 16 + n on the
/// others to its front; zeros, and a set top bit, where none goes.
static SHUFFLE: [u8; 48] = {
    let mut shuffle = [0x80; 48];
    let mut i = 0;
    while i < 16 {
        shuffle[16 + i] = i as u8;
        i += 1;
    }
    shuffle
};

/// The register after fewer than 16 bytes, and at least one.
///
/// They are moved to the end of a 128-bit register, before which zeros change nothing. Of fewer than
/// four, the rest of the CRC register sticks out, and is xored to the result.
#[inline(always)]
fn short<P: Polynomial>(crc: u32, data: &[u8]) -> u32 {
    let n = data.len();
    // SAFETY: see above; n is below 16.
    let aligned = unsafe {
        let to_end = F128::load(&SHUFFLE[n..]).0;
        let moved = |x: u64| _mm_shuffle_epi8(_mm_cvtsi64_si128(x.cast_signed()), to_end);
        // Of two loads that overlap, the second has the bytes at the end.
        let message = if let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) {
            _mm_or_si128(moved(u64::from_le_bytes(*first)), _mm_set_epi64x(i64::from_le_bytes(*last), 0))
        } else if let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) {
            let last = i32::from_le_bytes(*last);
            _mm_or_si128(moved(u32::from_le_bytes(*first).into()), _mm_set_epi32(last, 0, 0, 0))
        } else {
            moved(little_endian(data) as u64)
        };
        _mm_xor_si128(message, moved(crc.into()))
    };
    reduce::<P>(aligned) ^ (u64::from(crc) >> (8 * n).min(32)) as u32
}

/// The register after what `sum` stands for and fewer than 16 bytes more, `data` being the last 16
/// bytes of the message.
///
/// The first n of 16 + n bytes are moved forward by 128 bits to the last 16.
#[inline(always)]
fn finish<P: Polynomial>(sum: F128, n: usize, last: &[u8]) -> u32 {
    // SAFETY: see above; n is below 16.
    unsafe {
        let at = |i: usize| F128::load(&SHUFFLE[i..]).0;
        let front = F128(_mm_shuffle_epi8(sum.0, at(n)));
        let down = at(16 + n);
        let back = F128(_mm_blendv_epi8(_mm_shuffle_epi8(sum.0, down), F128::load(last).0, down));
        reduce::<P>(front.fold(const { forward(128, P::REFLECTED) }, back).0)
    }
}

#[inline(always)]
fn update<P: Polynomial, V: Fold>(crc: u32, data: &[u8]) -> u32 {
    match data.len() {
        0 => crc,
        1..16 => short::<P>(crc, data),
        len => match fold::<P, V>(crc, data) {
            (sum, []) => reduce::<P>(sum.0),
            (sum, rest) => finish::<P>(sum, rest.len(), &data[len - 16..]),
        },
    }
}

/// Below this many bytes the `crc32` instruction is faster than folding.
const INSTRUCTION_BELOW: usize = 256;

/// As [`update`], with the `crc32` instruction for what is short.
#[inline(always)]
fn update_castagnoli<V: Fold>(crc: u32, data: &[u8]) -> u32 {
    if data.len() < INSTRUCTION_BELOW {
        return instruction::update(crc, data);
    }
    let (sum, rest) = fold::<Castagnoli, V>(crc, data);
    // SAFETY: see above.
    let (high, low) = unsafe { (_mm_cvtsi128_si64(sum.0), _mm_extract_epi64::<1>(sum.0)) };
    let crc = instruction::word(instruction::word(0, high.cast_unsigned()), low.cast_unsigned());
    instruction::update(crc as u32, rest)
}

impl<P: Polynomial> Update<P> for Pclmul {
    #[inline(always)]
    fn update(self, crc: u32, data: &[u8]) -> u32 {
        self.vectorize_with(
            crc,
            data,
            (),
            #[inline(always)]
            |crc, data, ()| update::<P, F128>(crc, data),
        )
    }
}

macro_rules! wide {
    ($token:ty, $vector:ty) => {
        impl Update<Ieee> for $token {
            #[inline(always)]
            fn update(self, crc: u32, data: &[u8]) -> u32 {
                self.vectorize_with(
                    crc,
                    data,
                    (),
                    #[inline(always)]
                    |crc, data, ()| update::<Ieee, $vector>(crc, data),
                )
            }
        }

        impl Update<Castagnoli> for $token {
            #[inline(always)]
            fn update(self, crc: u32, data: &[u8]) -> u32 {
                self.vectorize_with(
                    crc,
                    data,
                    (),
                    #[inline(always)]
                    |crc, data, ()| update_castagnoli::<$vector>(crc, data),
                )
            }
        }
    };
}
wide!(Vpclmul256, F256);
wide!(Vpclmul512, F512);

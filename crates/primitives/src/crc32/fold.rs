//! CRC by carry-less multiplication, on vectors of 128, 256 or 512 bits.
//!
//! A 128-bit register with reflected bits stands for H x^64 + L, with H in the *low* half. Moving it forward by d bits,
//! to xor the data there, takes two multiplications: H (x^(d+64) mod P) + L (x^d mod P), of 96 bits each. The product
//! of two reflected 64-bit numbers has 127 bits and stands one place short of the end of the 128-bit register, which
//! multiplies it by x. So the constants are x^(d+63) and x^(d-1), in the upper halves of 64-bit words. Four independent
//! vectors hide the latency of the multiplication.
//!
//! At the end, A = H x^64 + L stands for the whole message, and its CRC is A x^32 mod P:
//!
//! 1. B = H (x^96 mod P) + L x^32 has 96 bits;
//! 2. B mod P by Barrett's method: with T = floor(B / x^32), the quotient is q = floor(T floor(x^96 / P) / x^64),
//!    exact because there are no carries, and the last 32 bits of B + q P are left.
//!
//! In step 1, the constant x^95 makes up for the missing place. In step 2, the missing place makes floor(x^96 / P),
//! which has 65 bits, fit into 64: without its last bit it is floor(x^95 / P). The lower half of the product is still
//! q, because T has no more than 64 bits and the lost bit does not reach q. In the second product P has 33 bits, and
//! nothing is missing. For Castagnoli's polynomial, the `crc32` instruction does both steps.

use super::{Castagnoli, Ieee, Polynomial, Update, instruction, power_of_x};
use crate::cpu::{HasAvx512, HasClmul, HasSse42, HasVpclmul, Pclmul, Token, Vpclmul256, Vpclmul512};
use crate::hash::little_endian;
use crate::simd::x86::{V128, V256, V512};

/// The two constants that move a register forward by `bits`.
const fn forward(bits: usize, reflected: u32) -> [u64; 2] {
    [(power_of_x(bits + 63, reflected) as u64) << 32, (power_of_x(bits - 1, reflected) as u64) << 32]
}

/// floor(x^95 / P); bit i stands for x^(63-i).
const fn barrett(reflected: u32) -> u64 {
    // Long division: the first term is x^63, and x^63 (x^32 mod P) remains.
    let mut quotient = 1;
    let mut remainder = reflected;
    let mut i = 1;
    while i < 64 {
        // The coefficient of x^31 is what the next step divides by x^32.
        quotient |= ((remainder & 1) as u64) << i;
        remainder = super::times_x(remainder, reflected);
        i += 1;
    }
    quotient
}

/// A vector of one or more 128-bit registers.
trait Fold: Copy {
    type Token: HasClmul;
    const BYTES: usize;

    /// Loads the first bytes of `data`.
    fn first(token: Self::Token, data: &[u8]) -> Self;

    /// Xors a CRC register into the first four bytes.
    fn xor_crc(self, crc: u32) -> Self;

    /// Moves each register forward by the distance of the constants and adds `data`.
    fn fold(self, constants: [u64; 2], data: Self) -> Self;

    /// Moves each register forward to the place of the last one and adds them.
    fn join<P: Polynomial>(self) -> V128<Self::Token>;
}

macro_rules! common {
    ($T:ident, $bytes:literal) => {
        type Token = $T;
        const BYTES: usize = $bytes;

        #[inline(always)]
        fn first(token: $T, data: &[u8]) -> Self {
            Self::load(token, data.first_chunk::<$bytes>().expect("as many bytes as a vector has"))
        }

        #[inline(always)]
        fn fold(self, constants: [u64; 2], data: Self) -> Self {
            let k = Self::splat_block(self.token(), &constants);
            self.clmul::<0x00>(k).xor3(self.clmul::<0x11>(k), data)
        }
    };
}

impl<T: HasClmul> Fold for V128<T> {
    common!(T, 16);

    #[inline(always)]
    fn xor_crc(self, crc: u32) -> Self {
        self.xor(Self::first32(self.token(), crc))
    }

    #[inline(always)]
    fn join<P: Polynomial>(self) -> V128<T> {
        self
    }
}

impl<T: HasVpclmul> Fold for V256<T> {
    common!(T, 32);

    #[inline(always)]
    fn xor_crc(self, crc: u32) -> Self {
        self.xor(Self::first_half(self.token(), V128::first32(self.token(), crc)))
    }

    #[inline(always)]
    fn join<P: Polynomial>(self) -> V128<T> {
        self.low().fold(const { forward(128, P::REFLECTED) }, self.high())
    }
}

impl<T: HasVpclmul + HasAvx512> Fold for V512<T> {
    common!(T, 64);

    #[inline(always)]
    fn xor_crc(self, crc: u32) -> Self {
        self.xor(Self::first_block(self.token(), V128::first32(self.token(), crc)))
    }

    #[inline(always)]
    fn join<P: Polynomial>(self) -> V128<T> {
        let [a, b] = const { forward(384, P::REFLECTED) };
        let [c, d] = const { forward(256, P::REFLECTED) };
        let [e, f] = const { forward(128, P::REFLECTED) };
        let k = Self::of64(self.token(), [a, b, c, d, e, f, 0, 0]);
        let sum = self.clmul::<0x00>(k).xor(self.clmul::<0x11>(k));
        let sum = sum.low().xor(sum.high());
        sum.low().xor3(sum.high(), self.block::<3>())
    }
}

/// The register for `data` without its last bytes, fewer than 16, which are returned.
///
/// `data` has at least 16 bytes.
#[inline(always)]
fn fold<P: Polynomial, V: Fold>(token: V::Token, crc: u32, mut data: &[u8]) -> (V128<V::Token>, &[u8]) {
    let mut sum = if data.len() >= V::BYTES {
        let (first, rest) = data.split_at(V::BYTES);
        let mut sum = V::first(token, first).xor_crc(crc);
        data = rest;
        if data.len() >= 7 * V::BYTES {
            let mut sums = [
                sum,
                V::first(token, data),
                V::first(token, &data[V::BYTES..]),
                V::first(token, &data[2 * V::BYTES..]),
            ];
            data = &data[3 * V::BYTES..];
            while let Some((batch, rest)) = data.split_at_checked(4 * V::BYTES) {
                for i in 0..4 {
                    let next = V::first(token, &batch[i * V::BYTES..]);
                    sums[i] = sums[i].fold(const { forward(32 * V::BYTES, P::REFLECTED) }, next);
                }
                data = rest;
            }
            // Joins the four vectors in two pairs, then the pairs.
            let by_one = const { forward(8 * V::BYTES, P::REFLECTED) };
            let by_two = const { forward(16 * V::BYTES, P::REFLECTED) };
            let (front, back) = (sums[0].fold(by_one, sums[1]), sums[2].fold(by_one, sums[3]));
            sum = front.fold(by_two, back);
        }
        while let Some((next, rest)) = data.split_at_checked(V::BYTES) {
            sum = sum.fold(const { forward(8 * V::BYTES, P::REFLECTED) }, V::first(token, next));
            data = rest;
        }
        sum.join::<P>()
    } else {
        let (first, rest) = data.split_at(16);
        data = rest;
        V128::first(token, first).xor_crc(crc)
    };
    while let Some((next, rest)) = data.split_at_checked(16) {
        sum = sum.fold(const { forward(128, P::REFLECTED) }, V128::first(token, next));
        data = rest;
    }
    (sum, data)
}

/// The CRC of what `a` stands for: A x^32 mod P.
#[inline(always)]
fn reduce<P: Polynomial, T: HasClmul>(a: V128<T>) -> u32 {
    let (x95, u) = const { (power_of_x(95, P::REFLECTED) as u64, barrett(P::REFLECTED)) };
    let p = const { ((P::REFLECTED as u64) << 1) | 1 };
    let k = V128::of64(a.token(), [x95, u]);
    let b = a.clmul::<0x00>(k).xor(a.shr_bytes::<8>());
    let q = b.clmul::<0x10>(k);
    q.clmul::<0x00>(V128::first64(a.token(), p)).xor(b).word32::<2>()
}

/// The 16 numbers from index n shuffle the first n bytes of a vector to its end, and those from index 16 + n shuffle
/// the other bytes to its front. Elsewhere they put zeros, since their top bit is set.
static SHUFFLE: [u8; 48] = {
    let mut shuffle = [0x80; 48];
    let mut i = 0;
    while i < 16 {
        shuffle[16 + i] = i as u8;
        i += 1;
    }
    shuffle
};

/// The CRC register after `data`, which has 1 to 15 bytes.
///
/// The bytes are moved to the end of a 128-bit register; zeros before them change nothing. If there are fewer than
/// four, a part of the old CRC register is not covered by them and is xored to the result.
#[inline(always)]
fn short<P: Polynomial, T: HasClmul>(token: T, crc: u32, data: &[u8]) -> u32 {
    let n = data.len();
    let to_end = V128::first(token, &SHUFFLE[n..]);
    let moved = |x: u64| V128::first64(token, x).shuffle_bytes(to_end);
    // Where the two loads overlap, the second provides the bytes at the end.
    let message = if let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) {
        moved(u64::from_le_bytes(*first)).or(V128::of64(token, [0, u64::from_le_bytes(*last)]))
    } else if let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) {
        let last = u32::from_le_bytes(*last);
        moved(u32::from_le_bytes(*first).into()).or(V128::of32(token, [0, 0, 0, last]))
    } else {
        moved(little_endian(data) as u64)
    };
    let aligned = message.xor(moved(crc.into()));
    reduce::<P, T>(aligned) ^ (u64::from(crc) >> (8 * n).min(32)) as u32
}

/// The CRC register after what `sum` stands for and `n` more bytes, fewer than 16. `last` are the last 16 bytes of the
/// message.
///
/// The first n of these 16 + n bytes are moved forward by 128 bits and added to the last 16.
#[inline(always)]
fn finish<P: Polynomial, T: HasClmul>(sum: V128<T>, n: usize, last: &[u8]) -> u32 {
    let at = |i: usize| V128::first(sum.token(), &SHUFFLE[i..]);
    let front = sum.shuffle_bytes(at(n));
    let down = at(16 + n);
    let back = sum.shuffle_bytes(down).blend_bytes(V128::first(sum.token(), last), down);
    reduce::<P, T>(front.fold(const { forward(128, P::REFLECTED) }, back))
}

#[inline(always)]
fn update<P: Polynomial, V: Fold>(token: V::Token, crc: u32, data: &[u8]) -> u32 {
    match data.len() {
        0 => crc,
        1..16 => short::<P, _>(token, crc, data),
        len => match fold::<P, V>(token, crc, data) {
            (sum, []) => reduce::<P, _>(sum),
            (sum, rest) => finish::<P, _>(sum, rest.len(), &data[len - 16..]),
        },
    }
}

/// The length in bytes below which the `crc32` instruction is faster than folding.
const INSTRUCTION_BELOW: usize = 256;

/// The same as [`update`], with the `crc32` instruction for short messages.
#[inline(always)]
fn update_castagnoli<V: Fold<Token: HasSse42>>(token: V::Token, crc: u32, data: &[u8]) -> u32 {
    if data.len() < INSTRUCTION_BELOW {
        return instruction::update(token, crc, data);
    }
    let (sum, rest) = fold::<Castagnoli, V>(token, crc, data);
    let crc = instruction::word(token, instruction::word(token, 0, sum.low64()), sum.high64());
    instruction::update(token, crc as u32, rest)
}

impl<P: Polynomial> Update<P> for Pclmul {
    #[inline(always)]
    fn update(self, crc: u32, data: &[u8]) -> u32 {
        self.vectorize_with(
            crc,
            data,
            (),
            #[inline(always)]
            move |crc, data, ()| update::<P, V128<Self>>(self, crc, data),
        )
    }
}

macro_rules! wide {
    ($token:ty, $V:ident) => {
        impl Update<Ieee> for $token {
            #[inline(always)]
            fn update(self, crc: u32, data: &[u8]) -> u32 {
                self.vectorize_with(
                    crc,
                    data,
                    (),
                    #[inline(always)]
                    move |crc, data, ()| update::<Ieee, $V<Self>>(self, crc, data),
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
                    move |crc, data, ()| update_castagnoli::<$V<Self>>(self, crc, data),
                )
            }
        }
    };
}
wide!(Vpclmul256, V256);
wide!(Vpclmul512, V512);

//! VMAC-64 (Krovetz, Dai: draft-krovetz-vmac-01): the sum of a universal hash, VHASH, and a pad, which is an encrypted
//! nonce.
//!
//! A message is cut into blocks of 128 bytes. The last block is padded with zeros to whole pairs of 64-bit words. NH
//! turns each block into a number of 126 bits; its words are little-endian, and sums of words are modulo 2⁶⁴:
//!
//! ```text
//! Σ (m₀ + k₀)·(m₁ + k₁)     modulo 2¹²⁶, over all pairs of the block
//! ```
//!
//! These numbers are the coefficients of a polynomial modulo 2¹²⁷ - 1, which is evaluated at a secret point. The value
//! is split in two and multiplied once more, modulo 2⁶⁴ - 257.

use crate::hash::{BlockBuffer, Hash, Reader, Writer, wipe};
use zeroize::{Zeroize, Zeroizing};

/// Length of a block, and of NH's key, in bytes.
const BLOCK: usize = 128;

/// 2¹²⁷ - 1, which is also the mask of the lower 127 bits.
const P127: u128 = (1 << 127) - 1;

/// The key of VHASH.
#[derive(Clone)]
pub struct Key {
    nh: Zeroizing<[[u64; 2]; BLOCK / 16]>,
    /// The point at which the polynomial is evaluated; each half has fewer than 62 bits.
    point: Zeroizing<u128>,
    /// The factors of the last multiplication, both below 2⁶⁴ - 257.
    last: Zeroizing<[u64; 2]>,
}

impl Key {
    /// The key of NH, the point, and two candidates for the last two factors, all from pseudorandom bytes. If the first
    /// candidate has a factor of 2⁶⁴ - 257 or more, which happens once in 2⁵⁵ keys, the second is used. The choice has
    /// no branch, and the second candidate is not checked.
    pub fn new(nh: &[[u8; 16]; BLOCK / 16], point: &[u8; 16], last: &[[u8; 16]; 2]) -> Self {
        let halves = |bytes: &[u8; 16]| {
            let both = u128::from_be_bytes(*bytes);
            [(both >> 64) as u64, both as u64]
        };
        let [first, second] = last.each_ref().map(halves);
        // Numbers of 2^64 - 257 and more overflow when 257 is added.
        let refused = first.map(|n| n.overflowing_add(257).1).into_iter().fold(false, |a, b| a | b);
        let mask = u64::from(refused).wrapping_neg();
        Self {
            nh: nh.each_ref().map(halves).into(),
            point: Zeroizing::new(u128::from_be_bytes(*point) & 0x1fff_ffff_1fff_ffff_1fff_ffff_1fff_ffff),
            last: [0, 1].map(|i| first[i] ^ mask & (first[i] ^ second[i])).into(),
        }
    }

    /// NH of a block, or of the whole pairs of words of the last one.
    fn nh(&self, block: &[u8]) -> u128 {
        let pairs = block.as_chunks().0.iter().zip(self.nh.iter());
        let sum = pairs.fold(0u128, |sum, (message, key)| {
            let message = u128::from_le_bytes(*message);
            let [a, b] = [(message as u64).wrapping_add(key[0]), ((message >> 64) as u64).wrapping_add(key[1])];
            sum.wrapping_add(u128::from(a) * u128::from(b))
        });
        sum & P127 >> 1
    }

    /// One step of Horner's rule: `value` times the point, plus `coefficient`. Values are at most 2¹²⁷.
    fn step(&self, value: u128, coefficient: u128) -> u128 {
        let [low, high] = [value as u64, (value >> 64) as u64].map(u128::from);
        let [point, point_high] = [*self.point as u64, (*self.point >> 64) as u64].map(u128::from);
        // 2^127 is congruent to 1. No sum reaches 2^128, because the halves of the point are short.
        let middle = low * point_high + high * point;
        let outer = low * point + 2 * (high * point_high) + (middle >> 63) + coefficient;
        fold(fold(outer) + ((middle << 64) & P127))
    }

    /// The 64-bit hash: the quotient and the remainder of the value by 2⁶⁴ - 2³², each added to a number of the key,
    /// and multiplied.
    fn finish(&self, value: u128) -> u64 {
        let value = fold(value);
        let value = (value + ((value + 1) >> 127)) & P127;
        // Division by 2⁶⁴ - 2³² is division by b - 1 without the last 32 bits, where b = 2³². The remainder by b - 1 is
        // that of the sum of the digits in base b.
        let digits = [value >> 32, value >> 64, value >> 96].map(|digit| digit as u64 & 0xffff_ffff);
        let [a0, a1, a2] = digits;
        let (mut quotient, mut rest) = ((a2 << 32) + a2 + a1, a0 + a1 + a2);
        for _ in 0..2 {
            let more = (rest + 1) >> 32;
            quotient += more;
            rest = rest + more - (more << 32);
        }
        let rest = rest << 32 | value as u64 & 0xffff_ffff;
        let [a, b] =
            [(quotient, self.last[0]), (rest, self.last[1])].map(|(n, k)| modulo(u128::from(n) + u128::from(k)));
        modulo(u128::from(a) * u128::from(b))
    }
}

/// A number congruent to `value` modulo 2¹²⁷ - 1, at most 2¹²⁷.
fn fold(value: u128) -> u128 {
    (value & P127) + (value >> 127)
}

/// The remainder of `value` by 2⁶⁴ - 257.
fn modulo(mut value: u128) -> u64 {
    for _ in 0..3 {
        value = u128::from(value as u64) + 257 * (value >> 64);
    }
    let less = value as u64;
    // If adding 257 reaches 2^64, `less` is at least the modulus.
    let (reduced, larger) = less.overflowing_add(257);
    less ^ u64::from(larger).wrapping_neg() & (less ^ reduced)
}

/// VMAC-64 of one message; the tag has 8 bytes.
#[derive(Clone)]
pub struct Vmac64 {
    key: Key,
    pad: u64,
    /// The value of the polynomial, and whether a block has been absorbed.
    value: u128,
    begun: bool,
    buffer: BlockBuffer<BLOCK>,
}

impl Vmac64 {
    /// An empty message, with the pad that was made from its nonce.
    pub fn new(key: Key, pad: u64) -> Self {
        Self { key, pad, value: 1, begun: false, buffer: BlockBuffer::default() }
    }
}

impl Hash for Vmac64 {
    fn digest_size(&self) -> usize {
        8
    }

    fn update(&mut self, data: &[u8]) {
        let Self { key, value, begun, buffer, .. } = self;
        buffer.absorb(data, |blocks| {
            *value = blocks.chunks_exact(BLOCK).fold(*value, |value, block| key.step(value, key.nh(block)));
            *begun = true;
        });
    }

    fn finish(&mut self, out: &mut [u8]) {
        let pending = self.buffer.pending();
        // An empty message counts as one block without words.
        if !pending.is_empty() || !self.begun {
            let mut last = [0; BLOCK];
            last[..pending.len()].copy_from_slice(pending);
            self.value = self.key.step(self.value, self.key.nh(&last[..pending.len().next_multiple_of(16)]));
            wipe(&mut last);
        }
        let hash = self.key.finish(self.value + ((8 * pending.len() as u128) << 64));
        out.copy_from_slice(&hash.wrapping_add(self.pad).to_be_bytes());
    }

    fn export(&self, to: &mut Writer<'_>) {
        to.numbers(&[self.value as u64, (self.value >> 64) as u64, u64::from(self.begun)]);
        to.buffered(self.buffer.pending());
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let [low, high, begun] = [from.number::<u64>()?, from.number()?, from.number()?];
        self.value = fold(u128::from(low) | u128::from(high) << 64);
        self.begun = begun > 0;
        self.buffer.import(from)
    }
}

impl Drop for Vmac64 {
    fn drop(&mut self) {
        self.pad.zeroize();
        self.value.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const P64: u128 = (1 << 64) - 257;

    /// The product modulo 2¹²⁷ - 1, computed bit by bit.
    fn product(a: u128, b: u128) -> u128 {
        (0..128).rev().fold(0, |sum, bit| (2 * sum % P127 + (b >> bit & 1) * (a % P127)) % P127)
    }

    /// Any number, or one whose 32-bit digits are 0, small or large, so that carries occur.
    fn number() -> impl Strategy<Value = u128> {
        let digit = prop_oneof![Just(0), Just(1), Just(u32::MAX), Just(u32::MAX - 1), Just(1 << 31), any::<u32>()];
        prop::array::uniform4(digit).prop_map(|digits| digits.into_iter().fold(0, |n, d| n << 32 | u128::from(d)))
    }

    fn key(point: u128, last: u128) -> Key {
        Key::new(&[[0; 16]; 8], &point.to_be_bytes(), &[last.to_be_bytes(), [0x5a; 16]])
    }

    proptest! {
        #[test]
        fn a_step_is_a_product_and_a_sum(value in number(), point in number(), coefficient in number()) {
            let (key, value, coefficient) = (key(point, 0), value.min(1 << 127), coefficient >> 2);
            let got = key.step(value, coefficient);
            prop_assert!(got <= 1 << 127);
            prop_assert_eq!(got % P127, (product(value, *key.point) + coefficient) % P127);
        }

        #[test]
        fn the_end_is_a_division_and_a_product(value in number(), last in number()) {
            let key = key(0, last);
            let divisor = (1 << 64) - (1 << 32);
            let reduced = value % P127;
            let [a, b] = [(reduced / divisor, key.last[0]), (reduced % divisor, key.last[1])]
                .map(|(n, k)| (n + u128::from(k)) % P64);
            prop_assert_eq!(u128::from(key.finish(value)), a * b % P64);
        }

        #[test]
        fn factors_are_below_the_modulus(last in number()) {
            let halves = [last >> 64, last & u128::from(u64::MAX)];
            let want = if halves.iter().all(|half| *half < P64) { last } else { u128::from_be_bytes([0x5a; 16]) };
            let [high, low] = key(0, last).last.map(u128::from);
            prop_assert_eq!(high << 64 | low, want);
        }
    }

    #[test]
    fn a_factor_is_refused_from_the_modulus_on() {
        for (n, refused) in [(P64 - 1, false), (P64, true), (P64 + 1, true)] {
            for last in [n << 64 | 5, 5 << 64 | n] {
                let want = if refused { u128::from_be_bytes([0x5a; 16]) } else { last };
                let [high, low] = key(0, last).last.map(u128::from);
                assert_eq!(high << 64 | low, want, "{last:#x}");
            }
        }
    }

    /// Quotients that are all but reached, and carries that random numbers do not have.
    #[test]
    fn a_remainder_is_that_of_a_division() {
        for high in [0, 1, 256, 257, u64::MAX - 515, u64::MAX - 257, u64::MAX] {
            for low in (0..=600).chain((0..=600).map(|n| u64::MAX - n)).chain(132_000..132_700) {
                let value = u128::from(high) << 64 | u128::from(low);
                assert_eq!(u128::from(modulo(value)), value % P64, "{value:#x}");
            }
        }
    }

    #[test]
    fn the_end_of_every_value_with_long_carries() {
        let digits = [0, 1, u32::MAX, u32::MAX - 1, 1 << 31, u32::MAX >> 1].map(u128::from);
        let key = key(0, 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210);
        let [a, b] = key.last.map(u128::from);
        let divisor = (1 << 64) - (1 << 32);
        for number in 0..digits.len().pow(4) {
            let digit = |place: u32| digits[number / digits.len().pow(place) % digits.len()];
            let value = (0..4).fold(0, |value, place| value << 32 | digit(place));
            let reduced = value % P127;
            let want = ((reduced / divisor + a) % P64) * ((reduced % divisor + b) % P64) % P64;
            assert_eq!(u128::from(key.finish(value)), want, "{value:#x}");
        }
    }
}

//! Poly1305 in integer registers, for use beside a cipher that fills the vector registers.
//!
//! Horner's rule is one long chain of multiplications, about 15 cycles a block, and leaves the multiplier idle most of
//! the time. So its steps can stand between the instructions of other code: [`Steps`] takes them one at a time.
//!
//! Alone, a longer message is cut into a front half and a back half of *k* blocks. Its value is (value + front)·*r*ᵏ +
//! back. That is two independent chains, both with the clamped *r*, whose products are the cheap ones.

use super::BLOCK;
#[cfg(target_arch = "x86_64")]
use super::ifma;
use super::scalar::{self, Element, Point, Product};
use crate::hash::little_endian;
use crate::simd::each;
use core::{iter::Zip, slice::Iter};
use zeroize::{Zeroize, Zeroizing};

/// A Poly1305 computation over whole blocks.
#[derive(Clone)]
pub struct OneTime {
    point: Point,
    value: Element,
    pad: u128,
}

impl Drop for OneTime {
    fn drop(&mut self) {
        self.point.zeroize();
        self.value.zeroize();
        self.pad.zeroize();
    }
}

impl OneTime {
    /// An empty message under the one-time key *r* ‖ *s*.
    #[inline(always)]
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let [r, s] = each(
            [0, 16],
            #[inline(always)]
            |at| {
                let mut half = [0; 16];
                half.copy_from_slice(&key[at..at + 16]);
                u128::from_le_bytes(half)
            },
        );
        Self { point: Point::clamped(r), value: Element::default(), pad: s }
    }

    /// Absorbs the whole blocks at the front of `bytes` and returns the rest.
    #[inline(always)]
    fn whole<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        self.value = scalar::absorb(self.value, self.point, blocks.as_flattened(), 1);
        rest
    }

    /// Absorbs `bytes`, padded with zeros to a whole block.
    #[inline(always)]
    pub(crate) fn absorb_padded(&mut self, bytes: &[u8]) {
        let rest = self.whole(bytes);
        if !rest.is_empty() {
            self.absorb_block(little_endian(rest));
        }
    }

    /// Absorbs `bytes` as [`OneTime::absorb_padded`] does, by halves where that is faster. Eight blocks are too few to
    /// make up for the powers of *r*.
    #[inline(always)]
    pub(crate) fn absorb_short(&mut self, mut bytes: &[u8]) {
        if bytes.len() >= 16 * BLOCK {
            let four = self.power(4);
            bytes = self.by_halves(&four.squared(), bytes);
            bytes = self.by_halves(&four, bytes);
        }
        self.absorb_padded(bytes);
    }

    /// Absorbs `bytes` as [`OneTime::absorb_padded`] does, with vectors where that is faster.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn absorb_wide(&mut self, token: crate::cpu::Ifma512, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        let blocks = blocks.as_flattened();
        if blocks.len() < super::IFMA_FROM {
            return self.absorb_padded(bytes);
        }
        super::ifma::absorb(token, self.point, &mut self.value, blocks);
        self.absorb_padded(rest);
    }

    /// The powers that [`OneTime::absorb_with`] needs.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn powers(&self, token: crate::cpu::Ifma512) -> ifma::Powers {
        ifma::Powers::new(token, self.point)
    }

    /// Absorbs `bytes` as [`OneTime::absorb_padded`] does, with vectors and powers computed before.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn absorb_with(&mut self, powers: &ifma::Powers, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        if !blocks.is_empty() {
            self.value = powers.absorb(self.value, blocks.as_flattened());
        }
        if !rest.is_empty() {
            self.absorb_block(little_endian(rest));
        }
    }

    /// Absorbs pairs of halves of `power.exponent` blocks each, and returns the rest.
    #[inline(always)]
    pub(crate) fn by_halves<'a>(&mut self, power: &Power, mut bytes: &'a [u8]) -> &'a [u8] {
        while let Some((now, later)) = bytes.split_at_checked(2 * BLOCK * power.exponent) {
            let mut halves = Halves::new(self, power, now);
            while halves.step() {}
            halves.finish(self, power);
            bytes = later;
        }
        bytes
    }

    /// Absorbs one block, given as a little-endian number.
    #[inline(always)]
    pub(crate) fn absorb_block(&mut self, block: u128) {
        self.value = self.value.plus(block, 1).times(self.point);
    }

    /// *r*ᵏ, for an exponent *k* that is a power of two.
    #[inline(always)]
    pub(crate) fn power(&self, exponent: usize) -> Power {
        let mut value = self.point.element();
        for _ in 0..exponent.ilog2() {
            value = value.times_element(value);
        }
        Power { value: value.into(), exponent }
    }

    /// The tag.
    #[inline(always)]
    pub(crate) fn finish(&self) -> [u8; BLOCK] {
        self.value.reduced().wrapping_add(self.pad).to_le_bytes()
    }
}

/// A power of *r* and its exponent.
#[derive(Clone)]
pub(crate) struct Power {
    value: Zeroizing<Element>,
    exponent: usize,
}

impl Power {
    /// The power with twice the exponent.
    #[inline(always)]
    fn squared(&self) -> Self {
        Self { value: self.value.times_element(*self.value).into(), exponent: 2 * self.exponent }
    }
}

/// The whole blocks of a text, which are absorbed one at a time.
pub(crate) struct Steps<'a> {
    point: Point,
    value: Product,
    blocks: Iter<'a, [u8; BLOCK]>,
}

impl<'a> Steps<'a> {
    /// No block of `bytes` is absorbed yet.
    #[inline(always)]
    pub(crate) fn new(hash: &OneTime, bytes: &'a [u8]) -> Self {
        Self { point: hash.point, value: hash.value.into(), blocks: bytes.as_chunks().0.iter() }
    }

    /// Absorbs the next block, if there is one.
    #[inline(always)]
    pub(crate) fn step(&mut self) {
        if let Some(block) = self.blocks.next() {
            self.value = self.value.absorb(block, 1, self.point);
        }
    }

    /// Absorbs all blocks that are left, and gives `hash` its new value.
    #[inline(always)]
    pub(crate) fn finish(self, hash: &mut OneTime) {
        hash.value = scalar::absorb(self.value.folded(), self.point, self.blocks.as_slice().as_flattened(), 1);
    }
}

/// The two halves of a text, which are absorbed one pair of blocks at a time.
pub(crate) struct Halves<'a> {
    point: Point,
    values: [Product; 2],
    pairs: Zip<Iter<'a, [u8; BLOCK]>, Iter<'a, [u8; BLOCK]>>,
}

impl<'a> Halves<'a> {
    /// No block of `bytes`, which are twice as many blocks as the exponent of `power`, is absorbed yet.
    #[inline(always)]
    pub(crate) fn new(hash: &OneTime, power: &Power, bytes: &'a [u8]) -> Self {
        let (front, back) = bytes.as_chunks().0.split_at(power.exponent);
        let values = [hash.value, Element::default()].map(Product::from);
        Self { point: hash.point, values, pairs: front.iter().zip(back) }
    }

    /// Absorbs the next block of each half. Returns whether there was one.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> bool {
        let Some((front, back)) = self.pairs.next() else { return false };
        self.values[1] = self.values[1].absorb(back, 1, self.point);
        self.values[0] = self.values[0].absorb(front, 1, self.point);
        true
    }

    /// Gives `hash` its new value, when all blocks have been absorbed.
    #[inline(always)]
    pub(crate) fn finish(self, hash: &mut OneTime, power: &Power) {
        let [front, back] = self.values.map(Product::folded);
        hash.value = front.times_element(*power.value).plus_element(back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::poly1305::universal_hash::KeyInit;
    use std::{vec, vec::Vec};

    fn peer(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        ::poly1305::Poly1305::new(key.into()).compute_unpadded(message).into()
    }

    /// Absorbs whole blocks in every way; the bytes are such that many carries occur.
    #[test]
    fn halves_are_as_good_as_the_whole() {
        let messages: [Vec<u8>; 3] = [
            vec![0xff; 4096],
            (0..4096).map(|i| (i * i + 7 * i) as u8).collect(),
            (0..4096).map(|i| [0, 1, 0xfe, 0xff][(i * i / 5 + i / 3) % 4]).collect(),
        ];
        for (i, message) in messages.iter().enumerate() {
            for r in [0xff, 0, 1, 0x5a] {
                let key: [u8; 32] = core::array::from_fn(|at| if at % 5 == i { !r } else { r });
                for blocks in 0..=256 {
                    let bytes = &message[..16 * blocks];
                    let want = peer(&key, bytes);
                    let mut whole = OneTime::new(&key);
                    whole.absorb_padded(bytes);
                    assert_eq!(whole.finish(), want, "{blocks} blocks");
                    let mut stepwise = OneTime::new(&key);
                    let mut steps = Steps::new(&stepwise, bytes);
                    for _ in 0..20 {
                        steps.step();
                    }
                    steps.finish(&mut stepwise);
                    assert_eq!(stepwise.finish(), want, "{blocks} blocks, 20 of them step by step");
                    let mut short = OneTime::new(&key);
                    short.absorb_short(bytes);
                    assert_eq!(short.finish(), want, "{blocks} blocks by short halves");
                    for k in [1, 8, 32] {
                        let mut long = OneTime::new(&key);
                        let power = long.power(k);
                        let rest = long.by_halves(&power, bytes);
                        long.absorb_short(rest);
                        assert_eq!(long.finish(), want, "{blocks} blocks by halves of {k}");
                    }
                }
            }
        }
    }
}

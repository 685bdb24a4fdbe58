//! NHPoly1305, the hash of long messages in Adiantum (Crowley, Biggers: "Adiantum: length-preserving encryption for
//! entry-level processors", section 3.1). The order of bytes is that of the authors' reference implementation.
//!
//! A message is cut into chunks of 1024 bytes. NH (Black and others, UMAC, 1999) turns each chunk into four 64-bit
//! numbers, one per pass. Chunk and key consist of little-endian 32-bit words, in units of four. Pass *p* is
//!
//! ```text
//! Σ  (m₀ + k₀)·(m₂ + k₂) + (m₁ + k₁)·(m₃ + k₃)     modulo 2⁶⁴, over all units of the chunk
//! ```
//!
//! where the sums of words are modulo 2³², and pass *p* begins *p* units later in the key (Toeplitz). A chunk takes
//! four independent 32-bit multiplications a word and becomes 32 bytes, which are two blocks of Poly1305. The last unit
//! of the last chunk is padded with zeros. The result is the value of Poly1305's polynomial modulo 2¹²⁸, with nothing
//! added to it: a universal hash, which is no MAC by itself.

use crate::chacha::ChaChaVectors;
use crate::cpu::Portable;
use crate::hash::{BlockBuffer, Hash, Reader, Writer, wipe};
use crate::poly1305::scalar::{Element, Point};
use crate::words32::{Quad, Quads};
use zeroize::{Zeroize, Zeroizing};

/// Length of a key in bytes: Poly1305's point, then the words of NH.
pub const KEY: usize = 16 + NH_KEY;

/// Length of NH's key in bytes: a chunk, and one unit for each pass after the first.
const NH_KEY: usize = CHUNK + UNIT * (PASSES - 1);

const CHUNK: usize = 1024;
const UNIT: usize = 16;
const PASSES: usize = 4;

/// NHPoly1305, with a 1088-byte key and a 16-byte hash.
#[derive(Clone)]
pub struct NhPoly1305<T> {
    token: T,
    key: Key,
    message: Message,
}

#[derive(Clone)]
struct Key {
    point: Zeroizing<Point>,
    nh: Zeroizing<[u8; NH_KEY]>,
}

/// The state of a message without the key, which is much larger.
#[derive(Clone, Default)]
struct Message {
    /// The value of Poly1305 after the chunks before the current one.
    value: Element,
    /// NH of the current chunk.
    sums: [u64; PASSES],
    /// The number of bytes that are in `sums`: whole units, less than a chunk.
    at: usize,
    buffer: BlockBuffer<UNIT>,
}

impl<T: ChaChaVectors> NhPoly1305<T> {
    /// An empty message under `key`.
    pub fn new(token: T, key: &[u8; KEY]) -> Self {
        let (point, words) = key.split_first_chunk().expect("a key is longer than a point");
        let mut nh = Zeroizing::new([0; NH_KEY]);
        nh.copy_from_slice(words);
        let key = Key { point: Point::clamped(u128::from_le_bytes(*point)).into(), nh };
        Self { token, key, message: Message::default() }
    }
}

impl Message {
    /// Absorbs whole units of 16 bytes.
    fn absorb<T: ChaChaVectors>(&mut self, token: T, key: &Key, mut units: &[u8]) {
        token.vectorize_with(
            self,
            key,
            &mut units,
            #[inline(always)]
            move |message, key, units| {
                while !units.is_empty() {
                    let (part, rest) = units.split_at(units.len().min(CHUNK - message.at));
                    nh::<T>(token, &key.nh[message.at..], part, &mut message.sums);
                    message.at += part.len();
                    *units = rest;
                    if message.at == CHUNK {
                        message.end_chunk(key);
                    }
                }
            },
        );
    }

    /// Ends a chunk: passes its sums to Poly1305.
    #[inline(always)]
    fn end_chunk(&mut self, key: &Key) {
        let [a, b, c, d] = self.sums;
        for (low, high) in [(a, b), (c, d)] {
            self.value = self.value.plus(u128::from(low) | u128::from(high) << 64, 1).times(*key.point);
        }
        (self.sums, self.at) = ([0; PASSES], 0);
    }

    fn update<T: ChaChaVectors>(&mut self, token: T, key: &Key, data: &[u8]) {
        let mut buffer = core::mem::take(&mut self.buffer);
        buffer.absorb(data, |units| self.absorb(token, key, units));
        self.buffer = buffer;
    }

    fn finish<T: ChaChaVectors>(&mut self, token: T, key: &Key, out: &mut [u8]) {
        let mut last = [0; UNIT];
        let pending = self.buffer.pending();
        if !pending.is_empty() {
            last[..pending.len()].copy_from_slice(pending);
            self.absorb(token, key, &last);
            wipe(&mut last);
        }
        if self.at > 0 {
            self.end_chunk(key);
        }
        out.copy_from_slice(&self.value.reduced().to_le_bytes());
    }
}

/// Adds the products of `units`, which are whole, to the sums of the four passes. `key` begins with the words for the
/// first of the units.
#[inline(always)]
fn nh<T: ChaChaVectors>(token: T, key: &[u8], units: &[u8], sums: &mut [u64; PASSES]) {
    let (whole, rest) = units.split_at(units.len() / T::Wide::BYTES * T::Wide::BYTES);
    add_products::<T::Wide>(token, key, whole, sums);
    // The rest is shorter than a vector and goes by integers.
    add_products::<Quad>(Portable::new(), &key[whole.len()..], rest, sums);
}

/// [`nh`] on whole vectors.
#[inline(always)]
fn add_products<V: Quads>(token: V::Token, key: &[u8], units: &[u8], sums: &mut [u64; PASSES]) {
    let mut vectors = [V::splat(token, 0); PASSES];
    for (i, units) in units.chunks_exact(V::BYTES).enumerate() {
        let key = &key[i * V::BYTES..][..V::BYTES + UNIT * (PASSES - 1)];
        let units = V::load(token, units);
        for (pass, sum) in vectors.iter_mut().enumerate() {
            *sum = units.add(V::load(token, &key[UNIT * pass..])).add_products(*sum);
        }
    }
    for (sum, vector) in sums.iter_mut().zip(vectors) {
        let mut numbers = [0; 64];
        vector.store(&mut numbers);
        for number in numbers[..V::BYTES].as_chunks().0 {
            *sum = sum.wrapping_add(u64::from_le_bytes(*number));
        }
    }
}

impl<T: ChaChaVectors> Hash for NhPoly1305<T> {
    fn digest_size(&self) -> usize {
        UNIT
    }

    fn update(&mut self, data: &[u8]) {
        self.message.update(self.token, &self.key, data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        self.message.finish(self.token, &self.key, out);
    }

    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        self.digest_after(&[message], out);
    }

    /// Works on a copy of the message; the key is not copied.
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut message = self.message.clone();
        parts.iter().for_each(|part| message.update(self.token, &self.key, part));
        message.finish(self.token, &self.key, out);
    }

    fn export(&self, to: &mut Writer<'_>) {
        self.message.value.export(to);
        to.numbers(&self.message.sums);
        to.numbers(&[self.message.at as u32]);
        to.buffered(self.message.buffer.pending());
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.message.value = Element::import(from)?;
        from.numbers(&mut self.message.sums)?;
        let at = from.number::<u32>()? as usize;
        self.message.at = at;
        (at < CHUNK && at.is_multiple_of(UNIT)).then_some(())?;
        self.message.buffer.import(from)
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.value.zeroize();
        wipe(&mut self.sums);
    }
}

#[cfg(test)]
mod tests;

//! BLAKE2b and BLAKE2s (RFC 7693): keyed and unkeyed hashes of up to 64 and 32 bytes.
//!
//! The working state is a 4 × 4 matrix of words v(0..16), of 64 bits in BLAKE2b and of 32 in BLAKE2s. A round mixes
//! each column and then each diagonal by G, with two words x and y of the message: a += b + x, d = (d ^ a) >>> r0, c +=
//! d, b = (b ^ c) >>> r1; then the same with y, r2 and r3.
//!
//! A vector holds the four words of a row, so one G on vectors mixes all columns. For the diagonals, rows are rotated
//! until diagonals become columns. One of the rows can stay. That is b, the last word that G computes, because the next
//! G waits for it. Lane i then holds the diagonal through v(4 + i), and a moves up by one place, c down by one and d by
//! two (module `rows`).

mod rows;

#[cfg(target_arch = "x86_64")]
mod x86;

use crate::cpu::Token;
use crate::hash::{Hash, Reader, Writer, copy_short, digest_by_copy, wipe};
pub use rows::Word;

/// BLAKE2b, with blocks of 128 bytes; digest and key have up to 64 bytes each.
pub type Blake2b<T> = Blake2<T, u64, 128>;

/// BLAKE2s, with blocks of 64 bytes; digest and key have up to 32 bytes each.
pub type Blake2s<T> = Blake2<T, u32, 64>;

/// A token of a CPU that has a BLAKE2 compression function on words of type `W`.
pub trait Compress<W: Word>: Token {
    /// Absorbs `blocks`, which are whole blocks of 16 words.
    ///
    /// `before` is the number of bytes absorbed before. With `Some(n)` as `last`, the message ends in the last of the
    /// blocks, whose first `n` bytes belong to the message.
    fn compress(self, state: &mut [W; 8], blocks: &[u8], before: u64, last: Option<usize>);
}

/// BLAKE2 on words of type `W`, with blocks of `B` = 16 words. Messages are shorter than 2^64 bytes.
#[derive(Clone)]
pub struct Blake2<T: Compress<W>, W: Word, const B: usize> {
    token: T,
    state: [W; 8],
    /// The bytes that are not compressed yet: up to a whole block, because the last block is compressed differently.
    block: [u8; B],
    filled: usize,
    compressed: u64,
    digest_size: usize,
}

impl<T: Compress<W>, W: Word, const B: usize> Blake2<T, W, B> {
    /// A hash with a digest of `digest_size` bytes, keyed unless `key` is empty.
    ///
    /// `None` if `digest_size` is 0 or more than `B` / 2, or if the key is longer than `B` / 2.
    pub fn new(token: T, digest_size: usize, key: &[u8]) -> Option<Self> {
        if digest_size == 0 || digest_size > B / 2 || key.len() > B / 2 {
            return None;
        }
        let state = initial(digest_size, key.len());
        let mut hash = Self { token, state, block: [0; B], filled: 0, compressed: 0, digest_size };
        if !key.is_empty() {
            hash.block[..key.len()].copy_from_slice(key);
            hash.filled = B;
        }
        Some(hash)
    }
}

/// The state before the first block (RFC 7693 section 3.3).
fn initial<W: Word>(digest_size: usize, key_len: usize) -> [W; 8] {
    // The parameter block: digest length, key length, fanout 1, depth 1, and zeros.
    let parameters = 0x0101_0000 | (key_len as u32) << 8 | digest_size as u32;
    let mut state = W::IV;
    state[0] = state[0].xor_low(parameters);
    state
}

impl<T: Compress<W>, W: Word, const B: usize> Hash for Blake2<T, W, B> {
    fn digest_size(&self) -> usize {
        self.digest_size
    }

    #[inline]
    fn update(&mut self, mut data: &[u8]) {
        let room = B - self.filled;
        if data.len() > room {
            if self.filled > 0 {
                let (head, rest) = data.split_at(room);
                self.block[self.filled..].copy_from_slice(head);
                self.token.compress(&mut self.state, &self.block, self.compressed, None);
                self.compressed = self.compressed.wrapping_add(B as u64);
                self.filled = 0;
                data = rest;
            }
            let whole = (data.len() - 1) / B * B;
            if whole > 0 {
                let (blocks, rest) = data.split_at(whole);
                self.token.compress(&mut self.state, blocks, self.compressed, None);
                self.compressed = self.compressed.wrapping_add(whole as u64);
                data = rest;
            }
        }
        self.block[self.filled..self.filled + data.len()].copy_from_slice(data);
        self.filled += data.len();
    }

    #[inline]
    fn finish(&mut self, out: &mut [u8]) {
        self.block[self.filled..].fill(0);
        self.token.compress(&mut self.state, &self.block, self.compressed, Some(self.filled));
        self.write(&self.state, out);
    }

    #[inline]
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        // The shortcut needs an empty buffer or a whole block in it, which is usually the key.
        if !self.filled.is_multiple_of(B) {
            return digest_by_copy(self, &[message], out);
        }
        let Self { token, mut state, mut compressed, .. } = *self;
        let mut message = message;
        if self.filled > 0 {
            if message.is_empty() {
                message = &self.block;
            } else {
                token.compress(&mut state, &self.block, compressed, None);
                compressed = compressed.wrapping_add(B as u64);
            }
        }
        let (whole, rest) = message.split_at(message.len() - message.len() % B);
        if rest.is_empty() && !whole.is_empty() {
            token.compress(&mut state, whole, compressed, Some(B));
        } else {
            if !whole.is_empty() {
                token.compress(&mut state, whole, compressed, None);
            }
            let mut block = [0; B];
            copy_short(&mut block[..rest.len()], rest);
            token.compress(&mut state, &block, compressed.wrapping_add(whole.len() as u64), Some(rest.len()));
            wipe(&mut block);
        }
        self.write(&state, out);
        wipe(&mut state);
    }

    fn export(&self, to: &mut Writer<'_>) {
        to.numbers(&self.state);
        to.numbers(&[self.compressed]);
        // The block that holds the key is not exported.
        to.buffered(if self.holds_key() { &[] } else { &self.block[..self.filled] });
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let before = self.state;
        from.numbers(&mut self.state)?;
        self.compressed = from.number()?;
        if !self.compressed.is_multiple_of(B as u64) || self.compressed == 0 && self.state != before {
            return None;
        }
        if self.holds_key() {
            return (from.buffered(&mut [])? == 0).then_some(());
        }
        self.filled = from.buffered(&mut self.block)?;
        // A full block is compressed only when another byte follows, so at least one byte is buffered after it.
        (self.filled > 0 || self.compressed == 0).then_some(())
    }
}

impl<T: Compress<W>, W: Word, const B: usize> Blake2<T, W, B> {
    /// Whether the buffer holds the key block, and nothing else was absorbed.
    fn holds_key(&self) -> bool {
        self.compressed == 0 && self.state != initial(self.digest_size, 0)
    }

    /// Writes the digest from the state after the last block.
    #[inline(always)]
    fn write(&self, state: &[W; 8], out: &mut [u8]) {
        assert_eq!(out.len(), self.digest_size, "digest length");
        let mut digest = [0; 64];
        let (size, len) = (size_of::<W>(), out.len());
        for (bytes, word) in digest.chunks_exact_mut(size).zip(state) {
            bytes.copy_from_slice(word.to_le_bytes().as_ref());
        }
        copy_short(out, &digest[..len]);
    }
}

impl<T: Compress<W>, W: Word, const B: usize> Drop for Blake2<T, W, B> {
    fn drop(&mut self) {
        wipe(&mut self.state);
        wipe(&mut self.block);
    }
}

#[cfg(test)]
mod tests;

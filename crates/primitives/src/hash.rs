//! What the hash primitives have in common: the [`Hash`] trait and the block buffer.

use zeroize::Zeroize;

/// An incremental hash state, keyed or not.
///
/// A clone is an independent continuation. A state is wiped when it is dropped.
pub trait Hash: Clone + Send + Sync {
    /// Bytes of digest.
    fn digest_size(&self) -> usize;

    /// Absorbs `data`; any split of a message gives the same digest.
    fn update(&mut self, data: &[u8]);

    /// Writes the digest of what was absorbed to `out`; the state must not be used afterwards.
    ///
    /// # Panics
    /// If `out` is not [`Hash::digest_size`] bytes long.
    fn finish(&mut self, out: &mut [u8]);
}

/// The bytes of a message that do not fill a block yet.
#[derive(Clone)]
pub struct BlockBuffer<const B: usize> {
    block: [u8; B],
    filled: usize,
}

impl<const B: usize> Default for BlockBuffer<B> {
    fn default() -> Self {
        Self { block: [0; B], filled: 0 }
    }
}

impl<const B: usize> Drop for BlockBuffer<B> {
    fn drop(&mut self) {
        self.block.zeroize();
    }
}

impl<const B: usize> BlockBuffer<B> {
    /// Passes `data`, after what is buffered, to `compress` as runs of whole blocks (a multiple of
    /// `B` bytes each), and keeps the rest.
    #[inline(always)]
    pub fn absorb(&mut self, mut data: &[u8], mut compress: impl FnMut(&[u8])) {
        if self.filled > 0 {
            let n = data.len().min(B - self.filled);
            let (head, rest) = data.split_at(n);
            self.block[self.filled..self.filled + n].copy_from_slice(head);
            self.filled += n;
            data = rest;
            if self.filled < B {
                return;
            }
            compress(&self.block);
            self.filled = 0;
        }
        let (whole, rest) = data.split_at(data.len() - data.len() % B);
        if !whole.is_empty() {
            compress(whole);
        }
        self.block[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// What is buffered, fewer than `B` bytes.
    pub fn pending(&self) -> &[u8] {
        &self.block[..self.filled]
    }

    /// Merkle–Damgård strengthening: a 1 bit, zeros, and `length` at the end of the last block.
    #[inline(always)]
    pub fn finish_padded(&mut self, length: &[u8], mut compress: impl FnMut(&[u8])) {
        self.block[self.filled] = 0x80;
        self.block[self.filled + 1..].fill(0);
        if self.filled + 1 + length.len() > B {
            compress(&self.block);
            self.block.fill(0);
        }
        self.block[B - length.len()..].copy_from_slice(length);
        compress(&self.block);
        self.filled = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn any_split_gives_the_same_blocks() {
        let message: Vec<u8> = (0..200).collect();
        for cut in 0..=200 {
            let mut out = Vec::new();
            let mut buffer = BlockBuffer::<64>::default();
            buffer.absorb(&message[..cut], |b| out.extend_from_slice(b));
            buffer.absorb(&message[cut..], |b| out.extend_from_slice(b));
            assert_eq!(out, message[..192]);
            assert_eq!(buffer.pending(), &message[192..]);
        }
    }

    #[test]
    fn padding_takes_a_second_block_when_the_length_does_not_fit() {
        for (filled, blocks) in [(0, 1), (55, 1), (56, 2), (63, 2)] {
            let mut buffer = BlockBuffer::<64>::default();
            let mut out = Vec::new();
            buffer.absorb(&[1; 64][..filled], |_| unreachable!());
            buffer.finish_padded(&[9; 8], |b| out.extend_from_slice(b));
            assert_eq!(out.len(), blocks * 64);
            assert_eq!(out[filled], 0x80);
            assert!(out[out.len() - 8..].iter().all(|&b| b == 9));
        }
    }
}

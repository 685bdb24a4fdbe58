//! Messages in blocks.

use super::Reader;
use super::memory::{copy_short, wipe};

/// A buffer for the bytes of a message that do not fill a block of `B` bytes yet.
#[derive(Clone)]
pub struct BlockBuffer<const B: usize> {
    pub(super) block: [u8; B],
    pub(super) filled: usize,
}

impl<const B: usize> Default for BlockBuffer<B> {
    fn default() -> Self {
        Self { block: [0; B], filled: 0 }
    }
}

impl<const B: usize> Drop for BlockBuffer<B> {
    fn drop(&mut self) {
        wipe(&mut self.block);
    }
}

impl<const B: usize> BlockBuffer<B> {
    /// Appends `data` to the buffered bytes, passes whole blocks to `compress` in runs of a multiple of `B` bytes, and
    /// buffers the rest.
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
        let (whole, rest) = split::<B>(data);
        if !whole.is_empty() {
            compress(whole);
        }
        copy_short(&mut self.block[..rest.len()], rest);
        self.filled = rest.len();
    }

    /// The buffered bytes, fewer than `B`.
    pub fn pending(&self) -> &[u8] {
        &self.block[..self.filled]
    }

    /// Reads what [`buffered`](super::Writer::buffered) wrote of [`BlockBuffer::pending`].
    pub(crate) fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.filled = from.buffered(&mut self.block[..B - 1])?;
        Some(())
    }
}

/// Splits data into whole blocks and the rest.
#[inline(always)]
pub(super) fn split<const B: usize>(data: &[u8]) -> (&[u8], &[u8]) {
    data.split_at(data.len() - data.len() % B)
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
}

//! The destination of a keystream.

use super::BLOCK;
use crate::InOut;
use crate::words32::Quads;

/// Takes a keystream one vector at a time and xors it to `data`. Block 0 may be kept apart: in an AEAD it is the key of
/// the authenticator.
pub struct Output<'a> {
    first: Option<&'a mut [u8; BLOCK]>,
    /// The number of bytes taken so far. Where everything is unrolled, it is a constant.
    at: usize,
    data: InOut<'a>,
}

impl<'a> From<InOut<'a>> for Output<'a> {
    #[inline(always)]
    fn from(data: InOut<'a>) -> Self {
        Self { first: None, at: 0, data }
    }
}

impl<'a> Output<'a> {
    /// With a `first`, block 0 of the keystream is written there, and `data` is xored with the blocks after it.
    #[inline(always)]
    pub(crate) fn new(first: Option<&'a mut [u8; BLOCK]>, data: InOut<'a>) -> Self {
        Self { first, at: 0, data }
    }

    /// The number of blocks needed in all.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        usize::from(self.first.is_some()) + self.data.len().div_ceil(BLOCK)
    }

    /// Takes a vector of keystream; returns whether it needs another.
    #[inline(always)]
    pub(crate) fn take<V: Quads>(&mut self, keystream: V) -> bool {
        let at = self.at;
        self.at += V::BYTES;
        if at < BLOCK
            && let Some(first) = &mut self.first
        {
            keystream.store(&mut first[at..]);
            return true;
        }
        if let Some(piece) = self.data.take(V::BYTES) {
            keystream.xor_into(piece);
            return true;
        }
        if !self.data.is_empty() {
            keystream.xor_into_partial(self.data.take_all());
        }
        false
    }
}

//! Where the keystream goes.

use super::BLOCK;
use crate::InOut;
use crate::words32::Quads;

/// What takes keystream a vector at a time: `data` is xored with it. The first block may go elsewhere, as in an AEAD,
/// whose key for the authenticator it is.
pub struct Output<'a> {
    first: Option<&'a mut [u8; BLOCK]>,
    /// Bytes taken so far. Where everything is unrolled, a constant.
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
    /// If there is a `first`, it becomes block 0 of the keystream, and `data` is xored with those behind it.
    #[inline(always)]
    pub(crate) fn new(first: Option<&'a mut [u8; BLOCK]>, data: InOut<'a>) -> Self {
        Self { first, at: 0, data }
    }

    /// Blocks that are needed.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        usize::from(self.first.is_some()) + self.data.len().div_ceil(BLOCK)
    }

    /// Takes a vector; the result is whether there is use for another.
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

//! Messages in memory.

use peers_plugin::Request;
use std::ops::{Deref, DerefMut};

/// Messages in the layout that contenders expect: each begins on a cache line and has room behind it.
pub struct Texts {
    bytes: Vec<u8>,
    start: usize,
}

const LINE: usize = 64;

impl Texts {
    /// `n` messages with some contents.
    pub fn new(request: &Request, n: usize) -> Self {
        let bytes: Vec<u8> = (0..n * request.stride()).map(|i| (i * i / 7 + i / 251) as u8).collect();
        Self::of(&bytes)
    }

    /// A copy of `texts`, which begins on a cache line.
    pub fn of(texts: &[u8]) -> Self {
        let mut bytes = vec![0; texts.len() + LINE - 1];
        let start = bytes.as_ptr().align_offset(LINE);
        bytes[start..start + texts.len()].copy_from_slice(texts);
        bytes.truncate(start + texts.len());
        Self { bytes, start }
    }
}

impl Deref for Texts {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl DerefMut for Texts {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }
}

//! The tag of a message in parts, as GCM and ChaCha20-Poly1305 make it: a hash over the associated data and the
//! ciphertext, each padded with zeros to whole blocks of 16 bytes, and over their lengths.

use super::pad16;
use crate::driver::HashState;

pub(super) struct TagInParts {
    hash: Box<dyn HashState>,
    assoc_len: u64,
    text_len: u64,
}

impl TagInParts {
    pub(super) fn new(hash: Box<dyn HashState>) -> Self {
        Self { hash, assoc_len: 0, text_len: 0 }
    }

    /// Bytes of the ciphertext so far.
    pub(super) fn text_len(&self) -> u64 {
        self.text_len
    }

    pub(super) fn assoc(&mut self, assoc: &[u8]) {
        self.assoc_len = self.assoc_len.wrapping_add(assoc.len() as u64);
        self.hash.update(assoc);
    }

    /// Absorbs ciphertext, which is not empty.
    pub(super) fn text(&mut self, ciphertext: &[u8]) {
        self.end_assoc();
        self.text_len += ciphertext.len() as u64;
        self.hash.update(ciphertext);
    }

    /// Ends the message. `lengths` encodes those of the associated data and of the ciphertext, in bytes.
    pub(super) fn finish(&mut self, lengths: fn(u64, u64) -> [u8; 16]) -> [u8; 16] {
        self.end_assoc();
        self.hash.update(pad16(self.text_len as usize));
        self.hash.update(&lengths(self.assoc_len, self.text_len));
        let mut tag = [0; 16];
        self.hash.finish(&mut tag);
        tag
    }

    /// Pads the associated data, once.
    fn end_assoc(&mut self) {
        if self.text_len == 0 {
            self.hash.update(pad16(self.assoc_len as usize));
        }
    }
}

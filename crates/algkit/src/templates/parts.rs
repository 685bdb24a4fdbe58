//! The tag of a message in parts, as GCM and ChaCha20-Poly1305 make it: a hash over the associated data and the
//! ciphertext, each padded with zeros to whole blocks of 16 bytes, and over their lengths.

use super::pad16;
use crate::{driver::HashState, kind::Direction};
use algkit_primitives::InOut;

pub(super) struct TagInParts {
    hash: Box<dyn HashState>,
    assoc_len: u64,
    text_len: u64,
}

impl Clone for TagInParts {
    fn clone(&self) -> Self {
        Self { hash: self.hash.boxed_clone(), ..*self }
    }
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

    /// Absorbs the ciphertext of a part, which is not empty: that which `crypt` makes or that which it takes.
    pub(super) fn around(&mut self, direction: Direction, text: &mut InOut<'_>, crypt: impl FnOnce(InOut<'_>)) {
        match direction {
            Direction::Encrypt => {
                crypt(text.reborrow());
                self.text(text.written());
            }
            Direction::Decrypt => {
                self.text(text.src());
                crypt(text.reborrow());
            }
        }
    }

    fn text(&mut self, ciphertext: &[u8]) {
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

//! The first parts of a message of an AEAD, which are kept as long as they may be the whole message.
//!
//! Most messages are short and have one part. Such a message is processed by one call of algkit, which is twice as fast
//! as in parts. If another part follows, the state of a message in parts is made from the parts that were kept.

use zeroize::optimization_barrier;

/// The most associated data that is kept, in bytes: more than protocols have.
const ASSOC: usize = 64;

/// The longest text that is kept, in bytes: more than a packet has.
const TEXT: usize = 2048;

#[derive(Clone)]
pub struct Early {
    assoc: [u8; ASSOC],
    assoc_len: usize,
    text: [u8; TEXT],
    text_len: usize,
    /// Whether a text was processed together with the tag.
    pub done: bool,
}

impl Default for Early {
    fn default() -> Self {
        Self { assoc: [0; ASSOC], assoc_len: 0, text: [0; TEXT], text_len: 0, done: false }
    }
}

impl Early {
    /// Keeps associated data; returns whether there was room for it.
    #[inline]
    pub fn keep_assoc(&mut self, part: &[u8]) -> bool {
        let Some(room) = self.assoc[self.assoc_len..].get_mut(..part.len()) else { return false };
        room.copy_from_slice(part);
        self.assoc_len += part.len();
        true
    }

    /// Keeps the source of a text; returns whether there was room for it.
    #[inline]
    pub fn keep_text(&mut self, text: &[u8]) -> bool {
        let Some(room) = self.text.get_mut(..text.len()) else { return false };
        room.copy_from_slice(text);
        self.text_len = text.len();
        true
    }

    pub fn assoc(&self) -> &[u8] {
        &self.assoc[..self.assoc_len]
    }

    pub fn text(&self) -> &[u8] {
        &self.text[..self.text_len]
    }

    /// The associated data, and the text, which is to be processed again.
    pub fn parts(&mut self) -> (&[u8], &mut [u8]) {
        (&self.assoc[..self.assoc_len], &mut self.text[..self.text_len])
    }

    /// Wipes the text only.
    pub fn forget_text(&mut self) {
        self.text[..self.text_len].fill(0);
        self.text_len = 0;
    }

    /// Wipes all. `zeroize` would write byte by byte, which takes longer than processing the message.
    #[inline]
    pub fn wipe(&mut self) {
        if self.text_len > 0 {
            self.text[..self.text_len].fill(0);
            optimization_barrier(&self.text);
        }
        (self.assoc_len, self.text_len, self.done) = (0, 0, false);
    }
}

impl Drop for Early {
    fn drop(&mut self) {
        self.wipe();
    }
}

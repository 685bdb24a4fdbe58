//! The buffer of a thread: a request, and in its place the reply.

use super::wire::{REPLY_HEAD, WRITE_HEAD, head};
use zeroize::Zeroizing;

/// Where the data of a request begins: at a page, which vectors and the kernel's copies take best.
const ALIGN: usize = 4096;

/// Room for a request or a reply. The data of a write and what is read lie at the same place, each behind its head, so data is encrypted and decrypted
/// where it lies.
pub(super) struct Buffer {
    bytes: Zeroizing<Vec<u8>>,
    /// Where the data begins.
    data: usize,
    /// How many bytes of data there may be.
    max: usize,
}

impl Buffer {
    /// A buffer for up to `max` bytes of data.
    pub fn new(max: usize) -> Self {
        let bytes = Zeroizing::new(vec![0; WRITE_HEAD + ALIGN + max]);
        let start = bytes.as_ptr() as usize + WRITE_HEAD;
        Self { data: WRITE_HEAD + start.next_multiple_of(ALIGN) - start, max, bytes }
    }

    /// Room for a message of the kernel.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.data - WRITE_HEAD..][..WRITE_HEAD + self.max]
    }

    /// The first `len` bytes of the message.
    pub fn message(&self, len: usize) -> &[u8] {
        &self.bytes[self.data - WRITE_HEAD..][..len]
    }

    /// The first `len` bytes of the data, unless there is no room for so many.
    pub fn data(&mut self, len: usize) -> Option<&mut [u8]> {
        if len > self.max { None } else { self.bytes.get_mut(self.data..self.data + len) }
    }

    /// A reply with the first `len` bytes of the data, which there must be room for.
    pub fn reply(&mut self, unique: u64, len: usize) -> &[u8] {
        let reply = &mut self.bytes[self.data - REPLY_HEAD..self.data + len];
        reply[..REPLY_HEAD].copy_from_slice(&head(unique, len));
        reply
    }
}

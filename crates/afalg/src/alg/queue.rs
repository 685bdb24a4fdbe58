//! Bytes that were sent and not yet processed.

use crate::secret::{Secret, wipe};
use std::fmt;

/// Bytes in one piece, added at the back and taken from the front. They are wiped when the queue is
/// dropped or moves to a larger buffer.
#[derive(Default)]
pub(super) struct Queue {
    bytes: Secret,
    /// Where the front is.
    head: usize,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue({} bytes)", self.len())
    }
}

impl Queue {
    /// Bytes queued.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.head
    }

    /// Makes room for `n` more bytes.
    #[inline]
    pub(super) fn reserve(&mut self, n: usize) {
        if self.bytes.capacity() - self.bytes.len() < n {
            self.make_room(n);
        }
    }

    #[cold]
    fn make_room(&mut self, n: usize) {
        let len = self.len();
        self.bytes.copy_within(self.head.., 0);
        wipe(&mut self.bytes[len..]);
        self.bytes.truncate(len);
        self.head = 0;
        if self.bytes.capacity() - len < n {
            let mut larger = Secret::with_capacity((len + n).next_power_of_two().max(64));
            larger.extend_from_slice(&self.bytes);
            self.bytes = larger;
        }
    }

    /// Adds `bytes` at the back.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// The first `n` bytes, or all if there are fewer.
    #[inline]
    pub(super) fn front(&self, n: usize) -> &[u8] {
        let end = self.bytes.len().min(self.head + n);
        &self.bytes[self.head..end]
    }

    /// Drops the first `n` bytes, or all if there are fewer.
    #[inline]
    pub(super) fn pop(&mut self, n: usize) {
        if n < self.len() {
            self.head += n;
        } else {
            self.bytes.clear();
            self.head = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out() {
        let mut queue = Queue::default();
        let (mut sent, mut got) = (0u8, 0u8);
        for round in 0..200 {
            let bytes: Vec<u8> = (0..round % 37).map(|i| sent.wrapping_add(i)).collect();
            queue.push(&bytes);
            sent = sent.wrapping_add(round % 37);
            let n = usize::from(round % 29);
            for &byte in queue.front(n) {
                assert_eq!(byte, got);
                got = got.wrapping_add(1);
            }
            queue.pop(n);
        }
        assert_eq!(queue.len() % 256, usize::from(sent.wrapping_sub(got)));
    }
}

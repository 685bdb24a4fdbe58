//! Bytes that were sent and are not processed yet.

use crate::secret::{Secret, wipe};
use std::{
    fmt, mem,
    ops::{Range, RangeInclusive},
    sync::Mutex,
};

/// The kernel's page size in bytes: it stores sent data in pages.
pub(super) const PAGE: usize = 4096;

/// A contiguous byte queue. Secret bytes are wiped when the queue is dropped or moves to a larger buffer.
#[derive(Default)]
pub(super) struct Queue {
    bytes: Secret,
    /// The index of the first aligned byte.
    start: usize,
    /// The index of the front, and the index where the next byte is stored.
    head: usize,
    tail: usize,
    /// The range that may hold secret bytes.
    secret: Range<usize>,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue({} bytes)", self.len())
    }
}

/// Wiped buffers for reuse, by clients that accept a new socket for every few messages.
static SPARE: Mutex<Vec<Secret>> = Mutex::new(Vec::new());

/// The maximum number of spare buffers, and the buffer sizes in bytes for which reuse pays.
const MAX_SPARE: usize = 4;
const KEPT: RangeInclusive<usize> = 4096..=(1 << 18) + PAGE;

/// The largest buffer in bytes that an empty queue keeps: that of a message of 64 KiB.
const MAX_IDLE: usize = (1 << 16) + PAGE;

/// The alignment of texts: vectors across two cache lines take twice the time. A long text starts at a page
/// boundary, like most clients' buffers. With a slightly larger page offset than the client's buffer, the CPU,
/// which first compares the lower twelve bits of addresses, would delay loads from one because of stores to the
/// other.
fn alignment(len: usize) -> usize {
    if len < PAGE { 64 } else { PAGE }
}

/// A buffer of `len` bytes without secrets.
fn spare(len: usize) -> Secret {
    // Does not wait for the lock: reuse is not worth it, and in a forked child the lock may be held forever.
    let kept = SPARE.try_lock().ok().filter(|_| KEPT.contains(&len)).and_then(|mut spare| {
        let found = spare.iter().position(|bytes| bytes.len() == len)?;
        Some(spare.swap_remove(found))
    });
    kept.unwrap_or_else(|| Secret::zeros(len))
}

impl Drop for Queue {
    fn drop(&mut self) {
        if KEPT.contains(&self.bytes.len())
            && let Ok(mut spare) = SPARE.try_lock()
            && spare.len() < MAX_SPARE
        {
            self.wipe();
            spare.push(mem::take(&mut self.bytes));
        }
    }
}

impl Queue {
    /// Overwrites the range that may hold secrets.
    fn wipe(&mut self) {
        wipe(&mut self.bytes[self.secret.clone()]);
    }

    /// The number of queued bytes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.tail - self.head
    }

    /// Makes room for `n` more bytes.
    #[inline]
    pub(super) fn reserve(&mut self, n: usize) {
        if self.bytes.len() - self.tail < n {
            self.make_room(n);
        }
    }

    #[cold]
    fn make_room(&mut self, n: usize) {
        let len = self.len();
        if self.bytes.len() - self.start - len < n {
            let alignment = alignment(len + n);
            let bytes = spare((len + n).next_power_of_two() + alignment);
            let start = bytes.as_ptr().addr().wrapping_neg() % alignment;
            let mut larger = Self { bytes, start, head: start, tail: start, secret: start..start };
            larger.push(self.front(len));
            *self = larger;
        } else {
            self.bytes.copy_within(self.head..self.tail, self.start);
            (self.head, self.tail) = (self.start, self.start + len);
        }
    }

    /// Adds `bytes` at the back.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.add(bytes.len()).copy_from_slice(bytes);
    }

    /// Adds `n` bytes at the back and returns them for the caller to fill.
    #[inline]
    fn add(&mut self, n: usize) -> &mut [u8] {
        self.reserve(n);
        let from = self.tail;
        self.tail += n;
        self.mark(from..from + n);
        &mut self.bytes[from..from + n]
    }

    /// Extends the range that may hold secrets.
    #[inline]
    fn mark(&mut self, secret: Range<usize>) {
        self.secret = match self.secret.is_empty() {
            true => secret,
            false => self.secret.start.min(secret.start)..self.secret.end.max(secret.end),
        };
    }

    /// The first `n` bytes, or all if there are fewer.
    #[inline]
    pub(super) fn front(&self, n: usize) -> &[u8] {
        &self.bytes[self.head..self.tail.min(self.head + n)]
    }

    /// Drops the first `n` bytes, or all if there are fewer.
    #[inline]
    pub(super) fn pop(&mut self, n: usize) {
        if n < self.len() {
            self.head += n;
        } else {
            self.clear();
        }
    }

    /// Drops everything, and a buffer that is larger than most messages need.
    #[inline]
    pub(super) fn clear(&mut self) {
        if self.bytes.len() > MAX_IDLE {
            *self = Self::default();
        }
        (self.head, self.tail) = (self.start, self.start);
    }

    /// The bytes that the queue occupies.
    pub(super) fn held(&self) -> usize {
        self.bytes.len()
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

    /// Buffers of this length are no other test's.
    #[test]
    fn a_buffer_for_reuse_is_wiped() {
        const LEN: usize = 4096 + 64;
        let kept =
            || SPARE.lock().unwrap().iter().filter(|bytes| bytes.len() == LEN).map(|bytes| bytes.to_vec()).next();
        while kept().is_none() {
            let mut queue = Queue::default();
            queue.bytes = Secret::zeros(LEN);
            queue.push(&[0xa5; LEN]);
            drop(queue);
            // Others may have taken all places.
            SPARE.lock().unwrap().retain(|bytes| bytes.len() == LEN);
        }
        assert!(kept().unwrap().iter().all(|byte| *byte == 0));
    }

    #[test]
    fn nothing_that_was_queued_stays() {
        const N: usize = 70_000;
        let left = |mut queue: Queue| {
            queue.wipe();
            queue.bytes.iter().filter(|&&byte| byte != 0).count()
        };
        let mut queue = Queue::default();
        queue.push(&[0xa5; N]);
        queue.clear();
        queue.push(&[1; 10]);
        assert_eq!(left(queue), 0, "behind what came later");

        let mut queue = Queue::default();
        queue.push(&[0xa5; N]);
        queue.pop(N / 2);
        // The queue moves to the front of its buffer and leaves no copy behind.
        queue.reserve(queue.bytes.len() - N);
        assert_eq!(left(queue), 0);
    }
}

//! A step of a transfer: what of it is done at once.

use crate::serve::sys::Piece;
use algkit_afalg::Errno;
use std::cell::RefCell;

/// The state of a call after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The call has ended with this result.
    Done(Result<i64, Errno>),
    /// The call must wait.
    Wait,
}

/// The largest number of bytes that are processed at once. A longer request is processed in several steps.
pub const CHUNK: usize = 1 << 20;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with `len` bytes of a buffer of this thread. They hold what an earlier call has left.
pub fn with_buffer<R>(len: usize, work: impl FnOnce(&mut [u8]) -> R) -> R {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        work(&mut buffer[..len])
    })
}

/// The part of `pieces` after the first `skip` bytes, at most `most` bytes.
pub fn part(pieces: &[Piece], mut skip: usize, mut most: usize) -> Vec<Piece> {
    let mut part = Vec::with_capacity(pieces.len());
    for &(at, len) in pieces {
        let skipped = skip.min(len);
        skip -= skipped;
        let len = (len - skipped).min(most);
        most -= len;
        if len > 0 {
            part.push((at.wrapping_add(skipped as u64), len));
        }
    }
    part
}

/// The number of bytes of `pieces`.
pub fn total(pieces: &[Piece]) -> usize {
    pieces.iter().map(|&(_, len)| len).sum()
}

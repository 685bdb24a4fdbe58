//! The client's receive buffers, filled from the front.

use std::{io::IoSliceMut, slice};

use super::queue::PAGE;
use crate::{Destination, Errno, Received};

/// The unused part of the buffers of a `recvmsg`.
pub(super) struct Room<'a, 'b> {
    current: &'a mut [u8],
    rest: slice::IterMut<'a, IoSliceMut<'b>>,
    /// The number of unwritable bytes after the buffers.
    unwritable: usize,
    /// The number of bytes already used.
    offset: usize,
}

/// A range of the client's buffers.
#[derive(Debug)]
pub(super) enum Space<'a> {
    One(&'a mut [u8]),
    Many(Vec<&'a mut [u8]>),
}

impl<'a, 'b> Room<'a, 'b> {
    #[inline]
    pub(super) fn new(into: Destination<'a, 'b>) -> Self {
        let mut room = Self { current: &mut [], rest: into.pieces.iter_mut(), unwritable: into.unwritable, offset: 0 };
        room.advance();
        room
    }

    /// Runs requests while there is room and text. After the first bytes were received, an error ends the call
    /// without being reported, except for a wrong tag.
    #[inline]
    pub(super) fn fill(
        mut self,
        mut request: impl FnMut(&mut Self) -> Result<usize, Errno>,
    ) -> Result<Received, Errno> {
        let mut received = Received::default();
        while !self.is_full() {
            let start = self.offset;
            match request(&mut self) {
                Ok(0) => break,
                Ok(n) => {
                    received.len += n;
                    received.end = start + n;
                }
                Err(error) if received.len == 0 || error == Errno::BADMSG => return Err(error),
                Err(_) => break,
            }
        }
        Ok(received)
    }

    /// Moves on to the next buffer that is not full.
    #[inline]
    fn advance(&mut self) {
        while self.current.is_empty() {
            let Some(next) = self.rest.next() else { return };
            self.current = next;
        }
    }

    /// Whether every buffer is full.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.current.is_empty() && self.unwritable == 0
    }

    /// The next `max` bytes, or fewer if the buffers end. A request whose buffers come within a page of `limit`
    /// stops at the end of a buffer. [`Errno::FAULT`] if it reaches unwritable memory.
    #[inline]
    pub(super) fn take(&mut self, max: usize, limit: usize) -> Result<Space<'a>, Errno> {
        let first = self.piece(max.min(limit));
        if first.len() == max || self.is_full() || limit - first.len() < PAGE {
            return Ok(Space::One(first));
        }
        self.take_pieces(first, max, limit)
    }

    #[cold]
    fn take_pieces(&mut self, first: &'a mut [u8], max: usize, limit: usize) -> Result<Space<'a>, Errno> {
        let mut len = first.len();
        let mut pieces = vec![first];
        while len < max && !self.is_full() && limit - len >= PAGE {
            if self.current.is_empty() {
                return Err(Errno::FAULT);
            }
            let piece = self.piece((max - len).min(limit - len));
            len += piece.len();
            pieces.push(piece);
        }
        Ok(Space::Many(pieces))
    }

    /// The next `max` bytes, or fewer if the current buffer ends.
    #[inline]
    fn piece(&mut self, max: usize) -> &'a mut [u8] {
        let current = std::mem::take(&mut self.current);
        let (piece, left) = current.split_at_mut(max.min(current.len()));
        self.offset += piece.len();
        self.current = left;
        self.advance();
        piece
    }
}

impl<'a> Space<'a> {
    /// The length in bytes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::One(piece) => piece.len(),
            Self::Many(pieces) => pieces.iter().map(|p| p.len()).sum(),
        }
    }

    /// Splits the space after `n` bytes.
    #[inline]
    pub(super) fn split_at(self, n: usize) -> (Self, Self) {
        match self {
            Self::One(piece) => {
                let (a, b) = piece.split_at_mut(n);
                (Self::One(a), Self::One(b))
            }
            Self::Many(pieces) => {
                let (mut front, mut back, mut left) = (Vec::new(), Vec::new(), n);
                for piece in pieces {
                    let (a, b) = piece.split_at_mut(left.min(piece.len()));
                    left -= a.len();
                    front.extend((!a.is_empty()).then_some(a));
                    back.extend((!b.is_empty()).then_some(b));
                }
                (Self::Many(front), Self::Many(back))
            }
        }
    }

    /// The buffers that make up the space.
    pub(super) fn into_pieces(self) -> Vec<&'a mut [u8]> {
        match self {
            Self::One(piece) => vec![piece],
            Self::Many(pieces) => pieces,
        }
    }

    /// Copies `bytes` into the space, up to its length.
    #[inline]
    pub(super) fn write(&mut self, mut bytes: &[u8]) {
        match self {
            Self::One(piece) => {
                let n = bytes.len().min(piece.len());
                piece[..n].copy_from_slice(&bytes[..n]);
            }
            Self::Many(pieces) => {
                for piece in pieces {
                    let (now, later) = bytes.split_at(bytes.len().min(piece.len()));
                    piece[..now.len()].copy_from_slice(now);
                    bytes = later;
                }
            }
        }
    }
}

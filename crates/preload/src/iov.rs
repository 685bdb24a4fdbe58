//! The caller's buffers.

use algkit_afalg::{
    Destination, Errno, Message,
    abi::{MAX_PIECES, MAX_TRANSFER},
    may_be_memory,
};
use libc::{c_void, iovec, size_t};
use smallvec::SmallVec;
use std::{
    io::{IoSlice, IoSliceMut},
    slice,
};

/// The data that a call sends, up to the first piece that cannot be read.
pub struct Sources<P> {
    pieces: P,
    fault: bool,
}

/// The buffers that a call receives into, up to the first that cannot be written.
pub struct Destinations<P> {
    pieces: P,
    unwritable: usize,
}

/// Pieces of a message; most calls have one. Callers keep the vector where it was made. If it is moved as a whole right
/// after it was written piece by piece, the CPU has to wait for its own stores.
pub type Several<T> = SmallVec<[T; 4]>;

impl<'a, P: AsRef<[IoSlice<'a>]>> Sources<P> {
    /// The data as a message.
    #[inline]
    pub fn message<'m>(&'m self, control: &'m [u8], flags: i32) -> Message<'m>
    where
        'a: 'm,
    {
        Message { data: self.pieces.as_ref(), control, flags, fault: self.fault }
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        !self.fault && total(self.pieces.as_ref()) == 0
    }
}

impl<'b, P: AsMut<[IoSliceMut<'b>]>> Destinations<P> {
    /// The buffers in the form that [`algkit_afalg::File::recv`] takes.
    #[inline]
    pub fn room(&mut self) -> Destination<'_, 'b> {
        Destination { pieces: self.pieces.as_mut(), unwritable: self.unwritable }
    }

    /// Whether there is no room at all.
    pub fn is_empty(&mut self) -> bool {
        self.unwritable == 0 && self.pieces.as_mut().iter().all(|piece| piece.is_empty())
    }
}

/// The bytes at an address, for calls that need all of them. [`Errno::FAULT`] if the address is in no program's memory.
///
/// # Safety
/// If [`is_memory`] accepts `address`, `len` bytes must be readable there for the lifetime `'a`.
pub unsafe fn bytes<'a>(address: *const c_void, len: size_t) -> Result<&'a [u8], Errno> {
    match (len, is_memory(address)?) {
        (0, _) => Ok(&[]),
        (_, false) => Err(Errno::FAULT),
        // SAFETY: `len` bytes are readable there (precondition).
        (_, true) => Ok(unsafe { slice::from_raw_parts(address.cast(), len.min(MAX_TRANSFER)) }),
    }
}

/// Data in one piece.
///
/// # Safety
/// The same as for [`bytes`].
#[inline]
pub unsafe fn source<'a>(address: *const c_void, len: size_t) -> Result<Sources<[IoSlice<'a>; 1]>, Errno> {
    let fault = !is_memory(address)? && len > 0;
    // SAFETY: the precondition is the same.
    let piece = if fault { &[] } else { unsafe { bytes(address, len)? } };
    Ok(Sources { pieces: [IoSlice::new(piece)], fault })
}

/// Room in one piece.
///
/// # Safety
/// If [`is_memory`] accepts `address`, `len` bytes must be writable there for the lifetime `'a`, and nothing else may
/// access them.
#[inline]
pub unsafe fn destination<'a>(address: *mut c_void, len: size_t) -> Result<Destinations<[IoSliceMut<'a>; 1]>, Errno> {
    let len = len.min(MAX_TRANSFER);
    let (piece, unwritable): (&mut [u8], _) = match (len, is_memory(address)?) {
        (0, _) => (&mut [], 0),
        (_, false) => (&mut [], len),
        // SAFETY: `len` bytes are writable there, and nothing else accesses them (precondition).
        (_, true) => (unsafe { slice::from_raw_parts_mut(address.cast(), len) }, 0),
    };
    Ok(Destinations { pieces: [IoSliceMut::new(piece)], unwritable })
}

/// The data of a vector, collected in `all`. With more than 1024 pieces, the error is `too_many`.
///
/// # Safety
/// The same as for `writev`.
#[inline]
pub unsafe fn sources<'a, 'v>(
    all: &'v mut Several<IoSlice<'a>>,
    vector: *const iovec,
    count: usize,
    too_many: Errno,
) -> Result<Sources<&'v [IoSlice<'a>]>, Errno> {
    // SAFETY: `vector` has `count` members (precondition).
    let vector = unsafe { checked(vector, count, too_many)? };
    let mut found_fault = false;
    for (address, len) in pieces(vector) {
        // SAFETY: each member describes memory that is readable (precondition).
        let Sources { pieces: [piece], fault } = unsafe { source(address, len)? };
        // Pieces after a fault are checked as well: an address outside of user space is an error before anything is
        // sent.
        if !found_fault {
            all.push(piece);
            found_fault = fault;
        }
    }
    Ok(Sources { pieces: all, fault: found_fault })
}

/// The room of a vector, collected in `all`. With more than 1024 pieces, the error is `too_many`.
///
/// # Safety
/// The same as for `readv`.
#[inline]
pub unsafe fn destinations<'a, 'v>(
    all: &'v mut Several<IoSliceMut<'a>>,
    vector: *const iovec,
    count: usize,
    too_many: Errno,
) -> Result<Destinations<&'v mut [IoSliceMut<'a>]>, Errno> {
    // SAFETY: `vector` has `count` members (precondition).
    let vector = unsafe { checked(vector, count, too_many)? };
    let mut unwritable = 0;
    for (address, len) in pieces(vector) {
        // SAFETY: each member describes memory that is writable (precondition).
        let Destinations { pieces: [piece], unwritable: here } = unsafe { destination(address, len)? };
        if unwritable > 0 {
            unwritable += len;
        } else {
            all.push(piece);
            unwritable = here;
        }
    }
    Ok(Destinations { pieces: all, unwritable })
}

#[inline]
fn is_memory(address: *const c_void) -> Result<bool, Errno> {
    may_be_memory(address.addr() as u64)
}

/// The sum of the lengths of all pieces.
pub fn total(pieces: &[IoSlice<'_>]) -> usize {
    pieces.iter().map(|piece| piece.len()).sum()
}

/// The members of a vector whose address and lengths are possible. [`Errno::INVAL`] for a negative length.
#[inline]
unsafe fn checked<'a>(vector: *const iovec, count: usize, too_many: Errno) -> Result<&'a [iovec], Errno> {
    if count > MAX_PIECES {
        return Err(too_many);
    }
    let vector: &'a [iovec] = match (count, is_memory(vector.cast())?) {
        (0, _) => &[],
        (_, false) => return Err(Errno::FAULT),
        // SAFETY: `vector` has `count` members (precondition of the callers).
        (_, true) => unsafe { slice::from_raw_parts(vector, count) },
    };
    if vector.iter().any(|piece| isize::try_from(piece.iov_len).is_err()) {
        return Err(Errno::INVAL);
    }
    Ok(vector)
}

/// Addresses and lengths of a vector, cut so that all lengths together are at most what a call transfers.
#[inline]
fn pieces(vector: &[iovec]) -> impl Iterator<Item = (*mut c_void, usize)> {
    let mut left = MAX_TRANSFER;
    vector.iter().map(move |piece| {
        let len = piece.iov_len.min(left);
        left -= len;
        (piece.iov_base, len)
    })
}

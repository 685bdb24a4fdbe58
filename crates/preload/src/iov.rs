//! The caller's buffers.

use algkit_afalg::{Destination, Errno, Message, may_be_memory};
use libc::{c_void, iovec, size_t};
use smallvec::SmallVec;
use std::{
    io::{IoSlice, IoSliceMut},
    slice,
};

/// What a call sends, up to where nothing can be read.
pub struct Sources<P> {
    pieces: P,
    fault: bool,
}

/// Where a call receives to, up to where nothing can be written.
pub struct Destinations<P> {
    pieces: P,
    lost: usize,
}

/// Pieces; most calls have one. Callers keep them where they are: a vector that has just been written piece by piece and is
/// moved as a whole makes the CPU wait for its own stores.
pub type Several<T> = SmallVec<[T; 4]>;

impl<'a, P: AsRef<[IoSlice<'a>]>> Sources<P> {
    /// As a message.
    #[inline]
    pub fn message<'m>(&'m self, control: &'m [u8], flags: i32) -> Message<'m>
    where
        'a: 'm,
    {
        Message { data: self.pieces.as_ref(), control, flags, fault: self.fault }
    }

    /// Whether no byte is to be sent.
    pub fn is_empty(&self) -> bool {
        !self.fault && total(self.pieces.as_ref()) == 0
    }
}

impl<'b, P: AsMut<[IoSliceMut<'b>]>> Destinations<P> {
    /// As [`algkit_afalg::File::recv`] takes it.
    #[inline]
    pub fn room(&mut self) -> Destination<'_, 'b> {
        Destination { pieces: self.pieces.as_mut(), lost: self.lost }
    }

    /// Whether there is no room.
    pub fn is_empty(&mut self) -> bool {
        self.lost == 0 && self.pieces.as_mut().iter().all(|piece| piece.is_empty())
    }
}

/// The most pieces a call may have (`UIO_MAXIOV`).
const MOST: usize = 1024;
/// The most bytes a call transfers (`MAX_RW_COUNT`).
const MAX_TRANSFER: usize = 0x7fff_f000;

/// The bytes at an address, for calls that need them all.
///
/// # Safety
/// No program has memory there, or `len` bytes can be read for as long as `'a`.
pub unsafe fn bytes<'a>(address: *const c_void, len: size_t) -> Result<&'a [u8], Errno> {
    match (len, is_memory(address)?) {
        (0, _) => Ok(&[]),
        (_, false) => Err(Errno::FAULT),
        // SAFETY: the caller's promise.
        (_, true) => Ok(unsafe { slice::from_raw_parts(address.cast(), len.min(MAX_TRANSFER)) }),
    }
}

/// Data in one piece.
///
/// # Safety
/// As for [`bytes`].
#[inline]
pub unsafe fn source<'a>(address: *const c_void, len: size_t) -> Result<Sources<[IoSlice<'a>; 1]>, Errno> {
    let fault = !is_memory(address)? && len > 0;
    // SAFETY: the caller's promise.
    let piece = if fault { &[] } else { unsafe { bytes(address, len)? } };
    Ok(Sources { pieces: [IoSlice::new(piece)], fault })
}

/// Room in one piece.
///
/// # Safety
/// No program has memory there, or `len` bytes can be written for as long as `'a`, by nobody else.
#[inline]
pub unsafe fn destination<'a>(address: *mut c_void, len: size_t) -> Result<Destinations<[IoSliceMut<'a>; 1]>, Errno> {
    let len = len.min(MAX_TRANSFER);
    let (piece, lost): (&mut [u8], _) = match (len, is_memory(address)?) {
        (0, _) => (&mut [], 0),
        (_, false) => (&mut [], len),
        // SAFETY: the caller's promise.
        (_, true) => (unsafe { slice::from_raw_parts_mut(address.cast(), len) }, 0),
    };
    Ok(Destinations { pieces: [IoSliceMut::new(piece)], lost })
}

/// The data of a vector, put into `all`.
///
/// # Safety
/// As for `writev`. `too_many` answers more than 1024 pieces.
#[inline]
pub unsafe fn sources<'a, 'v>(
    all: &'v mut Several<IoSlice<'a>>,
    vector: *const iovec,
    count: usize,
    too_many: Errno,
) -> Result<Sources<&'v [IoSlice<'a>]>, Errno> {
    // SAFETY: the caller's promise.
    let vector = unsafe { checked(vector, count, too_many)? };
    let mut found_fault = false;
    for (address, len) in pieces(vector) {
        // SAFETY: the caller's promise.
        let Sources { pieces: [piece], fault } = unsafe { source(address, len)? };
        // The rest is looked at as well: what is not in user space is told before anything is sent.
        if !found_fault {
            all.push(piece);
            found_fault = fault;
        }
    }
    Ok(Sources { pieces: all, fault: found_fault })
}

/// The room of a vector, put into `all`.
///
/// # Safety
/// As for `readv`. `too_many` answers more than 1024 pieces.
#[inline]
pub unsafe fn destinations<'a, 'v>(
    all: &'v mut Several<IoSliceMut<'a>>,
    vector: *const iovec,
    count: usize,
    too_many: Errno,
) -> Result<Destinations<&'v mut [IoSliceMut<'a>]>, Errno> {
    // SAFETY: the caller's promise.
    let vector = unsafe { checked(vector, count, too_many)? };
    let mut all_lost = 0;
    for (address, len) in pieces(vector) {
        // SAFETY: the caller's promise.
        let Destinations { pieces: [piece], lost } = unsafe { destination(address, len)? };
        if all_lost > 0 {
            all_lost += len;
        } else {
            all.push(piece);
            all_lost = lost;
        }
    }
    Ok(Destinations { pieces: all, lost: all_lost })
}

#[inline]
fn is_memory(address: *const c_void) -> Result<bool, Errno> {
    may_be_memory(address.addr() as u64)
}

/// All pieces' lengths.
pub fn total(pieces: &[IoSlice<'_>]) -> usize {
    pieces.iter().map(|piece| piece.len()).sum()
}

/// A vector that is there, whose lengths are some.
#[inline]
unsafe fn checked<'a>(vector: *const iovec, count: usize, too_many: Errno) -> Result<&'a [iovec], Errno> {
    if count > MOST {
        return Err(too_many);
    }
    let vector: &'a [iovec] = match (count, is_memory(vector.cast())?) {
        (0, _) => &[],
        (_, false) => return Err(Errno::FAULT),
        // SAFETY: the caller's promise.
        (_, true) => unsafe { slice::from_raw_parts(vector, count) },
    };
    if vector.iter().any(|piece| isize::try_from(piece.iov_len).is_err()) {
        return Err(Errno::INVAL);
    }
    Ok(vector)
}

/// Addresses and lengths of a vector, all lengths together no more than a call transfers.
#[inline]
fn pieces(vector: &[iovec]) -> impl Iterator<Item = (*mut c_void, usize)> {
    let mut left = MAX_TRANSFER;
    vector.iter().map(move |piece| {
        let len = piece.iov_len.min(left);
        left -= len;
        (piece.iov_base, len)
    })
}

//! The caller's buffers.

use algkit_afalg::Errno;
use libc::{c_void, iovec, size_t};
use smallvec::SmallVec;
use std::{
    io::{IoSlice, IoSliceMut},
    slice,
};

/// Pieces of data to send; most calls have one.
pub type Sources<'a> = SmallVec<[IoSlice<'a>; 4]>;
/// Pieces of room to receive into.
pub type Destinations<'a> = SmallVec<[IoSliceMut<'a>; 4]>;

/// The most pieces a call may have (`UIO_MAXIOV`).
const MOST: usize = 1024;
/// The most bytes a call transfers (`MAX_RW_COUNT`).
const MAX_TRANSFER: usize = 0x7fff_f000;

/// The data at an address.
///
/// # Safety
/// `address` is wild, or `len` bytes can be read there for as long as `'a`.
pub unsafe fn source<'a>(address: *const c_void, len: size_t) -> Result<&'a [u8], Errno> {
    match (is_wild(address), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Errno::FAULT),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { slice::from_raw_parts(address.cast(), len.min(MAX_TRANSFER)) }),
    }
}

/// The room at an address.
///
/// # Safety
/// `address` is wild, or `len` bytes can be written there for as long as `'a`, by nobody else.
pub unsafe fn destination<'a>(address: *mut c_void, len: size_t) -> Result<&'a mut [u8], Errno> {
    match (is_wild(address), len) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(Errno::FAULT),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { slice::from_raw_parts_mut(address.cast(), len.min(MAX_TRANSFER)) }),
    }
}

/// The data of a vector.
///
/// # Safety
/// As for `writev`. `too_many` answers more than 1024 pieces.
pub unsafe fn sources<'a>(vector: *const iovec, count: usize, too_many: Errno) -> Result<Sources<'a>, Errno> {
    let mut left = MAX_TRANSFER;
    // SAFETY: the caller's promise.
    unsafe { pieces(vector, count, too_many)? }
        .iter()
        .map(|piece| {
            let len = check_len(piece.iov_len, &mut left)?;
            // SAFETY: the caller's promise.
            unsafe { source(piece.iov_base, len) }.map(IoSlice::new)
        })
        .collect()
}

/// The room of a vector.
///
/// # Safety
/// As for `readv`. `too_many` answers more than 1024 pieces.
pub unsafe fn destinations<'a>(vector: *const iovec, count: usize, too_many: Errno) -> Result<Destinations<'a>, Errno> {
    let mut left = MAX_TRANSFER;
    // SAFETY: the caller's promise.
    unsafe { pieces(vector, count, too_many)? }
        .iter()
        .map(|piece| {
            let len = check_len(piece.iov_len, &mut left)?;
            // SAFETY: the caller's promise.
            unsafe { destination(piece.iov_base, len) }.map(IoSliceMut::new)
        })
        .collect()
}

/// Whether the address is in the first page or not in user space, where no program has memory. Other
/// addresses without memory are a fault, as in any function of libc.
#[inline]
fn is_wild(address: *const c_void) -> bool {
    !(4096..isize::MAX as usize).contains(&address.addr())
}

/// All pieces' lengths.
pub fn total(pieces: &[IoSlice<'_>]) -> usize {
    pieces.iter().map(|piece| piece.len()).sum()
}

fn check_len(len: usize, left: &mut usize) -> Result<usize, Errno> {
    let len = isize::try_from(len).map_err(|_| Errno::INVAL)?.unsigned_abs().min(*left);
    *left -= len;
    Ok(len)
}

unsafe fn pieces<'a>(vector: *const iovec, count: usize, too_many: Errno) -> Result<&'a [iovec], Errno> {
    match (vector.is_null(), count) {
        (_, 0) => Ok(&[]),
        (_, count) if count > MOST => Err(too_many),
        (true, _) => Err(Errno::FAULT),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { slice::from_raw_parts(vector, count) }),
    }
}

//! What goes through a file, and the memory that it comes from and goes to.

use crate::Errno;
use std::io::{IoSlice, IoSliceMut};

/// What `sendmsg` passes.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The data, in pieces.
    pub data: &'a [IoSlice<'a>],
    /// The control messages, as `msg_control` holds them.
    pub control: &'a [u8],
    /// `MSG_MORE` and the like.
    pub flags: i32,
    /// There is more data, at an address where nothing can be read: [`Errno::FAULT`] for who wants it.
    pub fault: bool,
}

/// Where `recvmsg` writes to.
#[derive(Debug)]
pub struct Destination<'a, 'b> {
    /// The room, in pieces.
    pub pieces: &'a mut [IoSliceMut<'b>],
    /// Bytes of room behind them at addresses where nothing can be written: [`Errno::FAULT`] for who wants them.
    pub lost: usize,
}

impl<'a, 'b, const N: usize> From<&'a mut [IoSliceMut<'b>; N]> for Destination<'a, 'b> {
    fn from(pieces: &'a mut [IoSliceMut<'b>; N]) -> Self {
        Self { pieces, lost: 0 }
    }
}

impl<'a, 'b> From<&'a mut [IoSliceMut<'b>]> for Destination<'a, 'b> {
    fn from(pieces: &'a mut [IoSliceMut<'b>]) -> Self {
        Self { pieces, lost: 0 }
    }
}

/// Whether a program may have memory at an address of its buffer: never in the first page. [`Errno::FAULT`] if it is not
/// in user space, which the kernel looks at before anything else.
#[inline]
pub fn may_be_memory(address: u64) -> Result<bool, Errno> {
    if address < isize::MAX as u64 { Ok(address >= 4096) } else { Err(Errno::FAULT) }
}

/// What `recvmsg` returns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Received {
    /// Bytes, which for a truncated datagram may be more than there was room for, if `MSG_TRUNC` asked for it.
    pub len: usize,
    /// `msg_flags`.
    pub flags: i32,
    /// Bytes of room up to the last one that was written: more than `len` where a gap was left between two requests of a cipher.
    pub end: usize,
}

/// What `poll` would say.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Readiness {
    /// `POLLIN | POLLRDNORM`.
    pub readable: bool,
    /// `POLLOUT | POLLWRNORM | POLLWRBAND`.
    pub writable: bool,
}

/// The client's memory, for requests that hold pointers.
pub trait Memory {
    /// Fills `into` from `address`; [`Errno::FAULT`] if any byte cannot be read.
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Errno>;

    /// Writes `from` to `address`; [`Errno::FAULT`] if any byte cannot be written.
    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno>;
}

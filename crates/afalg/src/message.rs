//! Messages that pass through a file, and access to the client's memory.

use crate::Errno;
use std::{
    io::{IoSlice, IoSliceMut},
    time::Duration,
};

/// The arguments of `sendmsg`.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The data, in pieces.
    pub data: &'a [IoSlice<'a>],
    /// The control messages, as `msg_control` holds them.
    pub control: &'a [u8],
    /// Flags such as `MSG_MORE`.
    pub flags: i32,
    /// Whether more data follows at an unreadable address. Reading beyond `data` then fails with [`Errno::FAULT`].
    pub fault: bool,
}

/// The destination of `recvmsg`.
#[derive(Debug)]
pub struct Destination<'a, 'b> {
    /// The client's buffers.
    pub pieces: &'a mut [IoSliceMut<'b>],
    /// The number of bytes after `pieces` at unwritable addresses. Writing there fails with [`Errno::FAULT`].
    pub unwritable: usize,
}

impl<'a, 'b, const N: usize> From<&'a mut [IoSliceMut<'b>; N]> for Destination<'a, 'b> {
    fn from(pieces: &'a mut [IoSliceMut<'b>; N]) -> Self {
        Self { pieces, unwritable: 0 }
    }
}

impl<'a, 'b> From<&'a mut [IoSliceMut<'b>]> for Destination<'a, 'b> {
    fn from(pieces: &'a mut [IoSliceMut<'b>]) -> Self {
        Self { pieces, unwritable: 0 }
    }
}

/// Whether a buffer address may be mapped; the first page never is. The error is [`Errno::FAULT`] for addresses
/// outside of user space, which the kernel checks before anything else.
#[inline]
pub fn may_be_memory(address: u64) -> Result<bool, Errno> {
    if address < isize::MAX as u64 { Ok(address >= 4096) } else { Err(Errno::FAULT) }
}

/// Checks the flags of `preadv2`, `pwritev2` and requests of `io_submit` on a socket. [`Errno::OPNOTSUPP`] for those that the kernel does not know, and for
/// `RWF_NOWAIT`, which sockets did not support before Linux 6.4. The others mean nothing to a socket.
pub fn check_flags(flags: i32) -> Result<(), Errno> {
    const IGNORED: i32 = libc::RWF_HIPRI | libc::RWF_DSYNC | libc::RWF_SYNC | libc::RWF_APPEND;
    if flags & !IGNORED == 0 { Ok(()) } else { Err(Errno::OPNOTSUPP) }
}

/// The span of time in a `struct timespec`; [`Errno::INVAL`] if a field is negative or there are a billion nanoseconds or more.
pub fn duration(seconds: i64, nanoseconds: i64) -> Result<Duration, Errno> {
    match (u64::try_from(seconds), u32::try_from(nanoseconds)) {
        (Ok(seconds), Ok(nanoseconds)) if nanoseconds < 1_000_000_000 => Ok(Duration::new(seconds, nanoseconds)),
        _ => Err(Errno::INVAL),
    }
}

/// The result of `recvmsg`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Received {
    /// The number of bytes. With `MSG_TRUNC` it may exceed the buffer: the length of a truncated datagram.
    pub len: usize,
    /// The value of `msg_flags`.
    pub flags: i32,
    /// The offset in the buffers after the last byte written. It exceeds `len` if a gap was left between two
    /// requests of a cipher.
    pub end: usize,
}

/// The events that `poll` reports.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Readiness {
    /// `POLLIN | POLLRDNORM`.
    pub readable: bool,
    /// `POLLOUT | POLLWRNORM | POLLWRBAND`.
    pub writable: bool,
}

/// Access to the client's memory, for requests that contain pointers.
pub trait Memory {
    /// Fills `into` from `address`; [`Errno::FAULT`] if any byte cannot be read.
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Errno>;

    /// Writes `from` to `address`; [`Errno::FAULT`] if any byte cannot be written.
    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno>;
}

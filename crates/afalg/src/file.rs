//! What a descriptor stands for.

use crate::{
    Common, Errno, alg, cryptodev, netlink,
    snapshot::{Reader, Writer},
};
use std::{
    io::{IoSlice, IoSliceMut},
    sync::Arc,
};

/// What a descriptor of the client stands for.
///
/// No call waits. Where the kernel would put the caller to sleep, the answer is [`Errno::AGAIN`], and
/// nothing has changed that matters: the front end returns it to a client that asked not to wait
/// (`O_NONBLOCK`, `MSG_DONTWAIT`), or repeats the call after the file's [readiness](File::readiness) has
/// changed. A message that was accepted in part is continued with [`alg::Socket::send_rest`].
#[derive(Debug)]
pub enum File {
    /// `socket(AF_ALG, SOCK_SEQPACKET, 0)`, and what `accept` makes of it.
    Alg(alg::Socket),
    /// `socket(AF_NETLINK, SOCK_RAW, NETLINK_CRYPTO)`.
    Netlink(netlink::Socket),
    /// `open("/dev/crypto")`.
    Device(cryptodev::Device),
}

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

impl File {
    /// `sendmsg`, and with one piece and no control messages `write`. A `write` of nothing is a message, as
    /// for the kernel; a `writev` of nothing is not one, and never comes here.
    #[inline(always)]
    pub fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        match self {
            Self::Alg(socket) => socket.send(message),
            Self::Netlink(socket) => socket.send(message),
            Self::Device(_) => Err(Errno::INVAL),
        }
    }

    /// `recvmsg`, and with one piece `read`. A `recvmsg` of nothing means something to some sockets; a
    /// `read` of nothing does not, and never comes here.
    #[inline(always)]
    pub fn recv<'a, 'b: 'a>(&mut self, into: impl Into<Destination<'a, 'b>>, flags: i32) -> Result<Received, Errno> {
        let Destination { pieces, lost } = into.into();
        match self {
            Self::Alg(socket) => socket.recv_into(pieces, lost),
            Self::Netlink(socket) => socket.recv(Destination { pieces, lost }, flags),
            Self::Device(_) => Err(Errno::INVAL),
        }
    }

    /// Keeps what went wrong after a part of a call was done, as `recvmmsg` does, until somebody [asks](Self::take_error).
    pub fn keep_error(&mut self, error: Errno) {
        match self {
            Self::Alg(socket) => socket.error = Some(error),
            Self::Netlink(socket) => socket.error = Some(error),
            Self::Device(_) => {}
        }
    }

    /// What `SO_ERROR` tells, or the next `recvmmsg` before it begins, once (`sk_err`).
    pub fn take_error(&mut self) -> Option<Errno> {
        match self {
            Self::Alg(socket) => socket.error.take(),
            Self::Netlink(socket) => socket.error.take(),
            Self::Device(_) => None,
        }
    }

    /// What `poll` would say.
    pub fn readiness(&self) -> Readiness {
        match self {
            Self::Alg(socket) => socket.readiness(),
            Self::Netlink(socket) => socket.readiness(),
            Self::Device(device) => device.readiness(),
        }
    }

    /// The most bytes that a [snapshot](Self::snapshot) takes; `None` if processes cannot share the file.
    pub fn snapshot_room(&self) -> Option<usize> {
        match self {
            Self::Alg(socket) => Some(socket.snapshot_room()),
            Self::Netlink(_) => Some(netlink::SNAPSHOT_ROOM),
            Self::Device(_) => None,
        }
    }

    /// Writes all that a call may have changed, for [`restore`](Self::restore) in another process that has the file by
    /// `fork`; returns how many bytes that took. `None` if there is no room, or no way.
    pub fn snapshot(&mut self, into: &mut [u8]) -> Option<usize> {
        let mut to = Writer::new(into);
        match self {
            Self::Alg(socket) => socket.save(&mut to)?,
            Self::Netlink(socket) => socket.save(&mut to)?,
            Self::Device(_) => return None,
        }
        Some(to.written())
    }

    /// Goes on from where another process has left the file.
    ///
    /// # Errors
    /// [`Errno::IO`] if the bytes are not of such a file, which is then in no particular state.
    pub fn restore(&mut self, from: &[u8]) -> Result<(), Errno> {
        let mut from = Reader::new(from);
        match self {
            Self::Alg(socket) => socket.load(&mut from)?,
            Self::Netlink(socket) => socket.load(&mut from)?,
            Self::Device(_) => return Err(Errno::IO),
        }
        from.end()
    }

    /// From now on, processes have the transform of an AF_ALG socket in common, if they do not yet; `common` makes
    /// what they need, with a value of up to so many bytes. Called before a `fork`.
    pub fn share_transform(&self, common: &mut dyn FnMut(usize) -> Option<Arc<dyn Common>>) {
        if let Self::Alg(socket) = self {
            socket.parent().share(common);
        }
    }

    /// Makes itself known as a process that has the file. Called after a `fork`, in the child.
    pub fn join(&self) {
        if let Self::Alg(socket) = self {
            socket.parent().join();
        }
    }
}

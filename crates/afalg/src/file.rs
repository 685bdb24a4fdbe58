//! What a descriptor stands for.

use crate::{Destination, Errno, Message, Readiness, Received, alg, cryptodev, netlink, usage::Usage};

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

    /// Bytes that it keeps for the client, about: texts that wait, datagrams, sessions.
    pub fn held(&self) -> usize {
        match self {
            Self::Alg(socket) => socket.held(),
            Self::Netlink(socket) => socket.held(),
            Self::Device(device) => device.held(),
        }
    }

    /// Adds what the file has done to the [totals](crate::usage::report), before a process ends that still has it open.
    pub fn settle(&mut self) {
        match self {
            Self::Alg(socket) => socket.usage().into_iter().for_each(Usage::settle),
            Self::Device(device) => device.each_usage(Usage::settle),
            Self::Netlink(_) => {}
        }
    }

    /// Forgets what the file has done: in the child of a `fork`, which counts for itself.
    pub fn forget_usage(&mut self) {
        match self {
            Self::Alg(socket) => socket.usage().into_iter().for_each(Usage::forget),
            Self::Device(device) => device.each_usage(Usage::forget),
            Self::Netlink(_) => {}
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
}

//! The objects behind descriptors.

use crate::{Destination, Errno, Message, Readiness, Received, alg, cryptodev, netlink, usage::Usage};

/// The object behind a client's descriptor.
///
/// No call blocks. Where the kernel would put the caller to sleep, the result is [`Errno::AGAIN`] and no relevant
/// state has changed. The front end returns the error to a client that does not want to wait (`O_NONBLOCK`,
/// `MSG_DONTWAIT`), or repeats the call when the file's [readiness](File::readiness) has changed. The rest of a
/// message that was accepted in part is passed to [`File::send_rest`].
#[derive(Debug)]
pub enum File {
    /// `socket(AF_ALG, SOCK_SEQPACKET, 0)`, or a socket accepted from one.
    Alg(alg::Socket),
    /// `socket(AF_NETLINK, SOCK_RAW, NETLINK_CRYPTO)`.
    Netlink(netlink::Socket),
    /// `open("/dev/crypto")`.
    Device(cryptodev::Device),
}

impl File {
    /// `sendmsg`, or `write` as a message of one piece without control messages. As in the kernel, a `write` of 0
    /// bytes is a message. A `writev` of 0 bytes is not; front ends must not pass it on.
    #[inline(always)]
    pub fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        match self {
            Self::Alg(socket) => socket.send(message),
            Self::Netlink(socket) => socket.send(message),
            Self::Device(_) => Err(Errno::INVAL),
        }
    }

    /// Sends the rest of a message, or all of one for which there was no room, with the same flags. Its control messages are not processed again: the
    /// first attempt has set the IV, and receives may have changed it since.
    pub fn send_rest(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        let message = Message { control: &[], ..*message };
        match self {
            Self::Alg(socket) => socket.send_rest(&message),
            _ => self.send(&message),
        }
    }

    /// `recvmsg`, or `read` into one piece. For some sockets a `recvmsg` of 0 bytes has an effect. A `read` of 0
    /// bytes has none; front ends must not pass it on.
    #[inline(always)]
    pub fn recv<'a, 'b: 'a>(&mut self, into: impl Into<Destination<'a, 'b>>, flags: i32) -> Result<Received, Errno> {
        let Destination { pieces, unwritable } = into.into();
        match self {
            Self::Alg(socket) => socket.recv_into(pieces, unwritable),
            Self::Netlink(socket) => socket.recv(Destination { pieces, unwritable }, flags),
            Self::Device(_) => Err(Errno::INVAL),
        }
    }

    /// Stores the error of a call that was done in part, as `recvmmsg` does, for [`File::take_error`].
    pub fn keep_error(&mut self, error: Errno) {
        match self {
            Self::Alg(socket) => socket.error = Some(error),
            Self::Netlink(socket) => socket.error = Some(error),
            Self::Device(_) => {}
        }
    }

    /// Takes the stored error (the kernel's `sk_err`), for `SO_ERROR` or the next `recvmmsg`.
    pub fn take_error(&mut self) -> Option<Errno> {
        match self {
            Self::Alg(socket) => socket.error.take(),
            Self::Netlink(socket) => socket.error.take(),
            Self::Device(_) => None,
        }
    }

    /// The approximate number of bytes stored for the client: queued texts, datagrams, sessions.
    pub fn held(&self) -> usize {
        match self {
            Self::Alg(socket) => socket.held(),
            Self::Netlink(socket) => socket.held(),
            Self::Device(device) => device.held(),
        }
    }

    /// Drops all of a socket that others could notice, such as its share in the socket that it was accepted from. Returns the rest, which may take
    /// long to wipe. A device is returned whole: the keys of its sessions and the algorithms in use end together.
    pub fn into_memory(self) -> Box<dyn Send> {
        match self {
            Self::Alg(socket) => Box::new(socket.into_text()),
            Self::Netlink(_) => Box::new(()),
            Self::Device(device) => Box::new(device),
        }
    }

    /// Adds the file's counts to the [totals](crate::usage::report). For files that are still open when the process
    /// ends.
    pub fn settle(&mut self) {
        match self {
            Self::Alg(socket) => socket.usage().into_iter().for_each(Usage::settle),
            Self::Device(device) => device.each_usage(Usage::settle),
            Self::Netlink(_) => {}
        }
    }

    /// Resets the file's counts. For the child of a `fork`, which counts separately.
    pub fn forget_usage(&mut self) {
        match self {
            Self::Alg(socket) => socket.usage().into_iter().for_each(Usage::forget),
            Self::Device(device) => device.each_usage(Usage::forget),
            Self::Netlink(_) => {}
        }
    }

    /// The readiness that `poll` reports.
    pub fn readiness(&self) -> Readiness {
        match self {
            Self::Alg(socket) => socket.readiness(),
            Self::Netlink(socket) => socket.readiness(),
            Self::Device(device) => device.readiness(),
        }
    }
}

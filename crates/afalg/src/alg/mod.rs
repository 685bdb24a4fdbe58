//! AF_ALG sockets, as Linux 6.1 has them. They differ from the kernel's in this:
//!
//! - A `recv` with more room than there is text returns the text. The kernel lets a client that waits
//!   wait for another thread to send more.
//! - When a message is sent in parts because the queue was full, and all of it so far is received
//!   meanwhile, the rest is received too. The kernel forgets that a message has begun.
//! - The kernel cuts a request short whose buffers come within a page of the receive buffer's size
//!   (208 KiB) at places that depend on the addresses of the buffers, and may leave a gap. Here they
//!   count as if they began at page boundaries.
//! - Memory is not short: the kernel refuses a `recv` into some twenty buffers or more with `ENOMEM`.
//! - The IV after a request of `xts` or `cts(cbc)` is that of the kernel's templates. Its drivers for
//!   AES instructions leave other bytes there.
//! - `ALG_SET_KEY_BY_KEY_SERIAL` (Linux 6.2) and `ALG_SET_DRBG_ENTROPY` (an option of the kernel's
//!   configuration, and for root) are there, for everyone.
//! - After a tag that does not match, the text's place in the client's buffers is zeroed. The kernel may
//!   leave what it had decrypted.

mod aead;
mod algorithm;
mod common;
mod digest;
mod hash;
mod journal;
mod level;
mod lookup;
mod misfit;
mod parent;
mod queue;
mod rng;
mod room;
mod skcipher;
mod stream;

pub(crate) use lookup::{any_timing, transform};
pub use parent::{Keyring, NoKeyring};
pub(crate) use skcipher::chunk_size;

use crate::{
    Destination, Errno, Message, Readiness, Received,
    snapshot::{Reader, Writer},
};
use level::Buffers;
use parent::Parent;
use std::{io::IoSliceMut, sync::Arc};

/// An AF_ALG socket: one that names a transform, or one that performs operations.
#[derive(Debug)]
pub struct Socket {
    role: Role,
    buffers: Buffers,
    /// What the next call that asks for it is told.
    pub(crate) error: Option<Errno>,
}

/// What is large stays where it is made: front ends move sockets about while they open and close them.
#[derive(Debug)]
enum Role {
    Parent(Arc<Parent>),
    Skcipher(Box<skcipher::Operation>),
    Aead(Box<aead::Operation>),
    Hash(Box<hash::Operation>),
    Rng(rng::Operation),
}

/// One more than the largest `SOCK_*`.
const SOCK_MAX: i32 = 11;

impl From<Role> for Socket {
    fn from(role: Role) -> Self {
        Self { role, buffers: Buffers::default(), error: None }
    }
}

impl Socket {
    /// `socket(AF_ALG, kind, protocol)`; `kind` without `SOCK_NONBLOCK` and `SOCK_CLOEXEC`.
    pub fn new(kind: i32, protocol: i32) -> Result<Self, Errno> {
        match (kind, protocol) {
            (libc::SOCK_SEQPACKET, 0) => Ok(Role::Parent(Arc::default()).into()),
            (libc::SOCK_SEQPACKET, _) => Err(Errno::PROTONOSUPPORT),
            (0..SOCK_MAX, _) => Err(Errno::SOCKTNOSUPPORT),
            _ => Err(Errno::INVAL),
        }
    }

    /// `bind`, with the bytes of a `sockaddr_alg` (or `sockaddr_alg_new`).
    pub fn bind(&mut self, address: &[u8]) -> Result<(), Errno> {
        match &self.role {
            Role::Parent(parent) => parent.bind(address),
            _ => Err(Errno::OPNOTSUPP),
        }
    }

    /// `setsockopt`, for a client without keyrings. Of `ALG_SET_AEAD_AUTHSIZE`, only the length of
    /// `value` counts: the client's pointer need not be readable.
    pub fn set_option(&mut self, level: i32, name: i32, value: &[u8]) -> Result<(), Errno> {
        self.set_option_with(level, name, value, &NoKeyring)
    }

    /// `setsockopt`, with the keys that `ALG_SET_KEY_BY_KEY_SERIAL` may name.
    ///
    /// Of level `SOL_SOCKET`, `SO_SNDBUF` and `SO_RCVBUF` mean something here. The front end keeps those
    /// that are about waiting: `SO_RCVTIMEO`, `SO_SNDTIMEO`.
    pub fn set_option_with(&mut self, level: i32, name: i32, value: &[u8], keyring: &dyn Keyring) -> Result<(), Errno> {
        if level == libc::SOL_SOCKET {
            self.buffers.set_option(name, value)?;
            self.pass_buffers_on();
            return Ok(());
        }
        match &self.role {
            Role::Parent(parent) => parent.set_option(level, name, value, keyring),
            _ => Err(Errno::OPNOTSUPP),
        }
    }

    fn pass_buffers_on(&mut self) {
        match &mut self.role {
            Role::Skcipher(operation) => operation.stream.buffers = self.buffers,
            Role::Aead(operation) => operation.stream.buffers = self.buffers,
            Role::Parent(_) | Role::Hash(_) | Role::Rng(_) => {}
        }
    }

    /// `getsockopt`, of the options whose value is a number.
    pub fn option(&self, level: i32, name: i32) -> Result<i32, Errno> {
        if level != libc::SOL_SOCKET {
            return Err(Errno::OPNOTSUPP);
        }
        self.buffers.option(name)
    }

    /// `accept`.
    pub fn accept(&mut self) -> Result<Self, Errno> {
        match &mut self.role {
            Role::Parent(parent) => parent.accept(),
            Role::Hash(operation) => operation.accept(),
            _ => Err(Errno::OPNOTSUPP),
        }
    }

    /// `sendmsg`.
    ///
    /// If fewer bytes are accepted than the message has, or none with [`Errno::AGAIN`], there was no
    /// room for more. A client that does not want to wait is told so; for one that does, the front end
    /// goes on with [`Socket::send_rest`] when the socket is writable.
    #[inline(always)]
    pub fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        match &mut self.role {
            Role::Skcipher(operation) => operation.send(message),
            Role::Aead(operation) => operation.send(message),
            Role::Hash(operation) => operation.send(message),
            Role::Rng(operation) => operation.send(message),
            Role::Parent(_) => Err(Errno::OPNOTSUPP),
        }
    }

    /// What [`Socket::send`] has not accepted of a message, with the same flags. The control messages
    /// have been seen already and are ignored.
    pub fn send_rest(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        match &mut self.role {
            Role::Skcipher(operation) => operation.stream.send_rest(message),
            Role::Aead(operation) => operation.stream.send_rest(message),
            Role::Hash(operation) => operation.send(message),
            Role::Rng(operation) => operation.send(message),
            Role::Parent(_) => Err(Errno::OPNOTSUPP),
        }
    }

    /// `recvmsg`.
    ///
    /// A client that offers more room than there is text gets the text. The kernel would let it wait, if
    /// it waits at all, for another thread to send more.
    #[inline(always)]
    pub fn recv<'a, 'b: 'a>(&mut self, into: impl Into<Destination<'a, 'b>>, flags: i32) -> Result<Received, Errno> {
        let _ = flags; // waiting is the front end's; the kernel ignores the others
        let Destination { pieces, lost } = into.into();
        self.recv_into(pieces, lost)
    }

    /// [`recv`](Self::recv), with arguments that are nowhere put together in memory, which would be waited for.
    #[inline(always)]
    pub(crate) fn recv_into(&mut self, pieces: &mut [IoSliceMut<'_>], lost: usize) -> Result<Received, Errno> {
        match &mut self.role {
            Role::Skcipher(operation) => operation.recv(pieces, lost),
            Role::Aead(operation) => operation.recv(Destination { pieces, lost }),
            Role::Hash(operation) => operation.recv(Destination { pieces, lost }),
            Role::Rng(operation) => {
                operation.recv(Destination { pieces, lost }).map(|len| Received { len, flags: 0, end: len })
            }
            Role::Parent(_) => Err(Errno::OPNOTSUPP),
        }
    }

    /// What `poll` would say. Sockets that name a transform, digest or give random bytes have nothing
    /// to poll for: the kernel reports no event on them, ever.
    pub fn readiness(&self) -> Readiness {
        match &self.role {
            Role::Skcipher(operation) => operation.stream.readiness(),
            Role::Aead(operation) => operation.stream.readiness(),
            Role::Hash(_) | Role::Rng(_) | Role::Parent(_) => Readiness::default(),
        }
    }

    /// The socket that names the transform: itself, or the one it was accepted from.
    pub(crate) fn parent(&self) -> &Arc<Parent> {
        match &self.role {
            Role::Parent(parent) => parent,
            Role::Skcipher(operation) => operation.parent(),
            Role::Aead(operation) => operation.parent(),
            Role::Hash(operation) => operation.parent(),
            Role::Rng(operation) => operation.parent(),
        }
    }

    pub(crate) fn snapshot_room(&self) -> usize {
        /// Sizes, flags, keys in front of messages, digests and states of hashes.
        const SMALL: usize = 4096;
        match &self.role {
            Role::Skcipher(_) | Role::Aead(_) => SMALL + stream::MAX_QUEUE,
            Role::Parent(_) | Role::Hash(_) | Role::Rng(_) => SMALL,
        }
    }

    /// What names a transform is not written here, but where its processes have it [in common](crate::Common).
    pub(crate) fn save(&mut self, to: &mut Writer<'_>) -> Option<()> {
        self.buffers.save(to)?;
        to.error(self.error)?;
        match &mut self.role {
            Role::Parent(_) => Some(()),
            Role::Skcipher(operation) => operation.save(to),
            Role::Aead(operation) => operation.save(to),
            Role::Hash(operation) => operation.save(to),
            Role::Rng(operation) => operation.save(to),
        }
    }

    pub(crate) fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Errno> {
        self.buffers.load(from)?;
        self.error = from.error()?;
        self.pass_buffers_on();
        match &mut self.role {
            Role::Parent(_) => Ok(()),
            Role::Skcipher(operation) => operation.load(from),
            Role::Aead(operation) => operation.load(from),
            Role::Hash(operation) => operation.load(from),
            Role::Rng(operation) => operation.load(from),
        }
    }
}

//! AF_ALG sockets of all kinds, and the calls that each supports.

use super::{
    aead,
    algorithm::Algorithm,
    hash,
    parent::{Keyring, Parent},
    queue::Queue,
    rng, skcipher,
};
use crate::{Destination, Errno, Message, Readiness, Received, abi::SOCK_MAX, level::Buffers, usage::Usage};
use std::{io::IoSliceMut, sync::Arc};

/// An AF_ALG socket: a parent, which names a transform, or an operation socket.
#[derive(Debug)]
pub struct Socket {
    role: Role,
    buffers: Buffers,
    /// The stored error (`sk_err`) for the next call that asks for it.
    pub(crate) error: Option<Errno>,
    /// The usage counts, if enabled.
    usage: Option<Box<Usage>>,
}

/// Large variants are boxed, because front ends move sockets when they open and close them.
#[derive(Debug)]
enum Role {
    Parent(Arc<Parent>),
    Skcipher(Box<skcipher::Operation>),
    Aead(Box<aead::Operation>),
    Hash(Box<hash::Operation>),
    Rng(rng::Operation),
}

impl From<Role> for Socket {
    fn from(role: Role) -> Self {
        Self { role, buffers: Buffers::default(), error: None, usage: None }
    }
}

impl Socket {
    /// `socket(AF_ALG, kind, protocol)`. `kind` does not include `SOCK_NONBLOCK` and `SOCK_CLOEXEC`.
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

    /// `setsockopt`. The keyring is for `ALG_SET_KEY_BY_KEY_SERIAL`. For `ALG_SET_AEAD_AUTHSIZE` only the length of
    /// `value` is used: the client's pointer need not be readable.
    ///
    /// Of level `SOL_SOCKET`, only `SO_SNDBUF` and `SO_RCVBUF` have an effect here.
    pub fn set_option(&mut self, level: i32, name: i32, value: &[u8], keyring: &dyn Keyring) -> Result<(), Errno> {
        if level == libc::SOL_SOCKET {
            self.buffers.set(name, value)?;
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

    /// `getsockopt`, for options with a numeric value.
    pub fn option(&self, level: i32, name: i32) -> Result<i32, Errno> {
        if level != libc::SOL_SOCKET {
            return Err(Errno::OPNOTSUPP);
        }
        self.buffers.get((libc::AF_ALG, libc::SOCK_SEQPACKET, 0), name)
    }

    /// `accept`.
    pub fn accept(&mut self) -> Result<Self, Errno> {
        match &mut self.role {
            Role::Parent(parent) => accept_from(parent),
            Role::Hash(operation) => {
                let mut socket = accept_from(operation.ready_parent()?)?;
                if let Role::Hash(other) = &mut socket.role {
                    other.continue_from(operation);
                }
                Ok(socket)
            }
            _ => Err(Errno::OPNOTSUPP),
        }
    }

    /// `sendmsg`.
    ///
    /// If fewer bytes are accepted than the message has, or none with [`Errno::AGAIN`], the queue is full. A
    /// non-blocking client gets this result. For a blocking one, the front end continues with [`Socket::send_rest`]
    /// when the socket is writable.
    #[inline(always)]
    pub fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        let sent = match &mut self.role {
            Role::Skcipher(operation) => operation.send(message),
            Role::Aead(operation) => operation.send(message),
            Role::Hash(operation) => operation.send(message),
            Role::Rng(operation) => operation.send(message),
            Role::Parent(_) => Err(Errno::OPNOTSUPP),
        };
        if let (Some(usage), Role::Hash(_), Ok(sent)) = (&mut self.usage, &self.role, &sent) {
            usage.bytes(*sent);
        }
        sent
    }

    /// Sends the rest of a message that [`Socket::send`] accepted in part, with the same flags. Control messages
    /// were processed by the first call and are ignored.
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
    /// A client that offers more room than text gets the text. The kernel would let a blocking client wait for
    /// another thread to send more.
    #[inline(always)]
    pub fn recv<'a, 'b: 'a>(&mut self, into: impl Into<Destination<'a, 'b>>, flags: i32) -> Result<Received, Errno> {
        let _ = flags; // the front end handles waiting; the kernel ignores other flags
        let Destination { pieces, unwritable } = into.into();
        self.recv_into(pieces, unwritable)
    }

    /// Like [`recv`](Self::recv). The separate arguments stay in registers; a struct in memory would cost a
    /// store-to-load stall.
    #[inline(always)]
    pub(crate) fn recv_into(&mut self, pieces: &mut [IoSliceMut<'_>], unwritable: usize) -> Result<Received, Errno> {
        let received = match &mut self.role {
            Role::Skcipher(operation) => operation.recv(pieces, unwritable),
            Role::Aead(operation) => operation.recv(Destination { pieces, unwritable }),
            Role::Hash(operation) => operation.recv(Destination { pieces, unwritable }),
            Role::Rng(operation) => {
                operation.recv(Destination { pieces, unwritable }).map(|len| Received { len, flags: 0, end: len })
            }
            Role::Parent(_) => Err(Errno::OPNOTSUPP),
        };
        if let (Some(usage), Ok(received)) = (&mut self.usage, &received) {
            usage.request();
            if !matches!(self.role, Role::Hash(_)) {
                usage.bytes(received.len);
            }
        }
        received
    }

    /// The usage counts, if enabled.
    pub(crate) fn usage(&mut self) -> Option<&mut Usage> {
        self.usage.as_deref_mut()
    }

    /// The bytes that queued texts occupy.
    pub(crate) fn held(&self) -> usize {
        match &self.role {
            Role::Skcipher(operation) => operation.stream.queue.held(),
            Role::Aead(operation) => operation.stream.queue.held(),
            Role::Hash(_) | Role::Rng(_) | Role::Parent(_) => 0,
        }
    }

    /// The queued text, without the socket.
    pub(crate) fn into_text(self) -> impl Send + use<> {
        match self.role {
            Role::Skcipher(operation) => operation.stream.queue,
            Role::Aead(operation) => operation.stream.queue,
            Role::Hash(_) | Role::Rng(_) | Role::Parent(_) => Queue::default(),
        }
    }

    /// The readiness that `poll` reports. As in the kernel, parents, hash and random number sockets never report an
    /// event.
    pub fn readiness(&self) -> Readiness {
        match &self.role {
            Role::Skcipher(operation) => operation.stream.readiness(),
            Role::Aead(operation) => operation.stream.readiness(),
            Role::Hash(_) | Role::Rng(_) | Role::Parent(_) => Readiness::default(),
        }
    }
}

/// Accepts an operation socket from `parent`.
fn accept_from(parent: &Arc<Parent>) -> Result<Socket, Errno> {
    parent.lease(|algorithm, lease| {
        let (role, driver) = match algorithm {
            Algorithm::Skcipher { driver, keyed } => {
                let operation = skcipher::Operation::new(lease, driver.driver(), keyed.clone());
                (Role::Skcipher(Box::new(operation)), driver.driver())
            }
            Algorithm::Aead { driver, keyed, tag_len } => {
                let keyed = keyed.clone().map(|keyed| (keyed, *tag_len));
                let operation = aead::Operation::new(lease, driver.driver(), keyed);
                (Role::Aead(Box::new(operation)), driver.driver())
            }
            Algorithm::Hash { driver, ready } => {
                let operation = hash::Operation::new(lease, driver.driver(), ready.clone());
                (Role::Hash(Box::new(operation)), driver.driver())
            }
            Algorithm::Rng(generator) => (Role::Rng(rng::Operation::new(lease, generator)), generator.driver()),
        };
        Socket { usage: Usage::open(driver).map(Box::new), ..role.into() }
    })
}

//! AF_ALG sockets.

use crate::{Errno, Message, Readiness, Received};
use std::io::IoSliceMut;

/// An AF_ALG socket: one that names a transform, or one that performs operations.
#[derive(Debug)]
pub struct Socket {}

impl Socket {
    /// `socket(AF_ALG, kind, protocol)`; `kind` without `SOCK_NONBLOCK` and `SOCK_CLOEXEC`.
    pub fn new(kind: i32, protocol: i32) -> Result<Self, Errno> {
        let _ = (kind, protocol);
        Ok(Self {})
    }

    /// `bind`, with the bytes of a `sockaddr_alg` (or `sockaddr_alg_new`).
    pub fn bind(&mut self, address: &[u8]) -> Result<(), Errno> {
        let _ = address;
        Err(Errno::OPNOTSUPP)
    }

    /// `setsockopt`.
    pub fn set_option(&mut self, level: i32, name: i32, value: &[u8]) -> Result<(), Errno> {
        let _ = (level, name, value);
        Err(Errno::OPNOTSUPP)
    }

    /// `accept`.
    pub fn accept(&mut self) -> Result<Self, Errno> {
        Err(Errno::OPNOTSUPP)
    }

    /// `sendmsg`.
    pub fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        let _ = message;
        Err(Errno::OPNOTSUPP)
    }

    /// `recvmsg`.
    pub fn recv(&mut self, into: &mut [IoSliceMut<'_>], flags: i32) -> Result<Received, Errno> {
        let _ = (into, flags);
        Err(Errno::OPNOTSUPP)
    }

    /// What `poll` would say.
    pub fn readiness(&self) -> Readiness {
        Readiness::default()
    }
}

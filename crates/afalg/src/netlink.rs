//! NETLINK_CRYPTO: the registry, asked over netlink (`linux/cryptouser.h`).

use crate::{Errno, Message, Readiness, Received};
use std::io::IoSliceMut;

/// A socket of `NETLINK_CRYPTO`.
#[derive(Default, Debug)]
pub struct Socket {}

impl Socket {
    /// `socket(AF_NETLINK, SOCK_RAW or SOCK_DGRAM, NETLINK_CRYPTO)`.
    pub fn new() -> Self {
        Self::default()
    }

    /// `bind`, with the bytes of a `sockaddr_nl`.
    pub fn bind(&mut self, address: &[u8]) -> Result<(), Errno> {
        let _ = address;
        Err(Errno::OPNOTSUPP)
    }

    /// `getsockname`: the bytes of a `sockaddr_nl`.
    pub fn name(&self) -> [u8; 12] {
        [0; 12]
    }

    /// `sendmsg`.
    pub fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        let _ = message;
        Err(Errno::OPNOTSUPP)
    }

    /// `recvmsg`; the sender's address is that of the kernel, port 0.
    pub fn recv(&mut self, into: &mut [IoSliceMut<'_>], flags: i32) -> Result<Received, Errno> {
        let _ = (into, flags);
        Err(Errno::OPNOTSUPP)
    }

    /// What `poll` would say.
    pub fn readiness(&self) -> Readiness {
        Readiness::default()
    }
}

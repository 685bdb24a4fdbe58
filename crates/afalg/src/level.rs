//! Options of level `SOL_SOCKET`: which of them the file keeps, and their values.
//!
//! The others concern waiting and signals, or mean nothing to what is served. Front ends leave them to the socket that stands for
//! the file.

use crate::Errno;
use libc::{
    SO_ACCEPTCONN, SO_DOMAIN, SO_ERROR, SO_PEERCRED, SO_PROTOCOL, SO_RCVBUF, SO_RCVBUFFORCE, SO_SNDBUF, SO_SNDBUFFORCE,
    SO_TYPE, SOL_SOCKET,
};

/// Whether `setsockopt` of this option changes the file.
pub fn is_set_here(level: i32, name: i32) -> bool {
    level != SOL_SOCKET || matches!(name, SO_SNDBUF | SO_RCVBUF | SO_SNDBUFFORCE | SO_RCVBUFFORCE)
}

/// Whether `getsockopt` of this option asks the file.
pub fn is_got_here(level: i32, name: i32) -> bool {
    let about_socket = matches!(name, SO_DOMAIN | SO_TYPE | SO_PROTOCOL | SO_ERROR | SO_ACCEPTCONN);
    let about_peer = matches!(name, SO_PEERCRED | SO_PEERGROUPS | SO_PEERPIDFD);
    level != SOL_SOCKET || about_socket || about_peer || matches!(name, SO_SNDBUF | SO_RCVBUF)
}

/// The groups of the process on the other side, and a handle of it, which only sockets of AF_UNIX tell.
pub(crate) const SO_PEERGROUPS: i32 = 59;
pub(crate) const SO_PEERPIDFD: i32 = 77;

/// The kernel's default buffer sizes (`net.core.wmem_default`, `rmem_default`), and the largest that a client may ask for.
const DEFAULT_BUFFER: usize = 212_992;

/// The sizes of the two buffers, as the kernel counts them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffers {
    pub(crate) send: usize,
    pub(crate) receive: usize,
}

impl Default for Buffers {
    fn default() -> Self {
        Self { send: DEFAULT_BUFFER, receive: DEFAULT_BUFFER }
    }
}

impl Buffers {
    /// `setsockopt`.
    pub(crate) fn set(&mut self, name: i32, value: &[u8]) -> Result<(), Errno> {
        // The kernel reads the number as unsigned, so a negative one is large. It doubles the number, because half of a
        // buffer is for its own structures.
        let wanted = u32::from_ne_bytes(*value.first_chunk().ok_or(Errno::INVAL)?);
        let doubled = 2 * (wanted as usize).min(DEFAULT_BUFFER);
        match name {
            SO_SNDBUF => self.send = doubled.max(4608),
            SO_RCVBUF => self.receive = doubled.max(2304),
            SO_SNDBUFFORCE | SO_RCVBUFFORCE => return Err(Errno::PERM),
            _ => return Err(Errno::NOPROTOOPT),
        }
        Ok(())
    }

    /// `getsockopt` of a socket of this family, kind and protocol.
    pub(crate) fn get(&self, (family, kind, protocol): (i32, i32, i32), name: i32) -> Result<i32, Errno> {
        Ok(match name {
            SO_DOMAIN => family,
            SO_TYPE => kind,
            SO_PROTOCOL => protocol,
            SO_ACCEPTCONN => 0,
            SO_SNDBUF => self.send as i32,
            SO_RCVBUF => self.receive as i32,
            _ => return Err(Errno::NOPROTOOPT),
        })
    }
}

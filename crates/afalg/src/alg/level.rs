//! Socket options of level `SOL_SOCKET`, which every socket has.

use crate::Errno;

/// The kernel's default buffer size in bytes (`net.core.wmem_default`, `rmem_default`), which is also the largest
/// that a client may request.
const DEFAULT_BUFFER: usize = 212_992;

/// The send and receive buffer sizes in bytes, as the kernel counts them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffers {
    pub(super) send: usize,
    pub(super) receive: usize,
}

impl Default for Buffers {
    fn default() -> Self {
        Self { send: DEFAULT_BUFFER, receive: DEFAULT_BUFFER }
    }
}

impl Buffers {
    /// `setsockopt`. Options without meaning for AF_ALG are accepted, as in the kernel, and not stored. The front
    /// end handles those for waiting and signals.
    pub(super) fn set_option(&mut self, name: i32, value: &[u8]) -> Result<(), Errno> {
        let number = i32::from_ne_bytes(*value.first_chunk().ok_or(Errno::INVAL)?);
        let doubled = 2 * (number as u32 as usize).min(DEFAULT_BUFFER);
        match name {
            libc::SO_SNDBUF => self.send = doubled.max(4608),
            libc::SO_RCVBUF => self.receive = doubled.max(2304),
            libc::SO_SNDBUFFORCE | libc::SO_RCVBUFFORCE => return Err(Errno::PERM),
            libc::SO_DEBUG if number != 0 => return Err(Errno::ACCESS),
            libc::SO_PRIORITY if !(0..=6).contains(&number) => return Err(Errno::PERM),
            libc::SO_LINGER if value.len() < 8 => return Err(Errno::INVAL),
            _ if is_neutral(name) => {}
            _ => return Err(Errno::NOPROTOOPT),
        }
        Ok(())
    }

    /// `getsockopt`, for options with a numeric value.
    pub(super) fn option(&self, name: i32) -> Result<i32, Errno> {
        match name {
            libc::SO_TYPE => Ok(libc::SOCK_SEQPACKET),
            libc::SO_DOMAIN => Ok(libc::AF_ALG),
            libc::SO_PROTOCOL | libc::SO_ERROR | libc::SO_ACCEPTCONN => Ok(0),
            libc::SO_SNDBUF => Ok(self.send as i32),
            libc::SO_RCVBUF => Ok(self.receive as i32),
            libc::SO_RCVLOWAT | libc::SO_SNDLOWAT => Ok(1),
            libc::SO_LINGER => Err(Errno::NOPROTOOPT), // not a number
            _ if is_neutral(name) => Ok(0),
            _ => Err(Errno::NOPROTOOPT),
        }
    }
}

/// Whether the option exists and has no effect here.
fn is_neutral(name: i32) -> bool {
    matches!(
        name,
        libc::SO_DEBUG
            | libc::SO_REUSEADDR
            | libc::SO_DONTROUTE
            | libc::SO_BROADCAST
            | libc::SO_KEEPALIVE
            | libc::SO_OOBINLINE
            | libc::SO_NO_CHECK
            | libc::SO_BSDCOMPAT
            | libc::SO_PRIORITY
            | libc::SO_LINGER
            | libc::SO_REUSEPORT
            | libc::SO_PASSCRED
            | libc::SO_RCVLOWAT
            | libc::SO_TIMESTAMP
            | libc::SO_PASSSEC
    )
}

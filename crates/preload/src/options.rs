//! Socket options that every socket has (`SOL_SOCKET`), where the value is not that of the real descriptor.

use algkit_afalg::{Errno, File};
use libc::{AF_ALG, AF_NETLINK, SO_DOMAIN, SO_PROTOCOL, SO_RCVBUF, SO_SNDBUF, SO_TYPE, SOCK_SEQPACKET, c_int};

/// The netlink family `NETLINK_CRYPTO`.
pub const NETLINK_CRYPTO: c_int = 21;

/// The defaults of `net.core.wmem_default` and `rmem_default`, in bytes. They are also the largest sizes that may be
/// asked for.
const DEFAULT_BUFFER: i64 = 212_992;
/// The smallest buffers that the kernel sets, in bytes.
const MIN_SEND_BUFFER: i64 = 4608;
const MIN_RECEIVE_BUFFER: i64 = 2304;

/// The options of a served socket.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    kind: c_int,
    send_buffer: i64,
    receive_buffer: i64,
}

impl Options {
    /// The options of a new socket of type `kind`.
    pub fn new(kind: c_int) -> Self {
        Self { kind, send_buffer: DEFAULT_BUFFER, receive_buffer: DEFAULT_BUFFER }
    }

    /// The option's value; `None` if it is that of the real descriptor.
    pub fn get(&self, file: &File, name: c_int) -> Option<c_int> {
        let is_netlink = matches!(file, File::Netlink(_));
        Some(match name {
            SO_TYPE => self.kind,
            SO_DOMAIN if is_netlink => AF_NETLINK,
            SO_DOMAIN => AF_ALG,
            SO_PROTOCOL if is_netlink => NETLINK_CRYPTO,
            SO_PROTOCOL => 0,
            SO_SNDBUF => self.send_buffer as c_int,
            SO_RCVBUF => self.receive_buffer as c_int,
            _ => return None,
        })
    }

    /// Sets the option; `None` if it belongs to the real descriptor.
    pub fn set(&mut self, name: c_int, value: &[u8]) -> Option<Result<(), Errno>> {
        let (buffer, min) = match name {
            SO_SNDBUF => (&mut self.send_buffer, MIN_SEND_BUFFER),
            SO_RCVBUF => (&mut self.receive_buffer, MIN_RECEIVE_BUFFER),
            _ => return None,
        };
        let Some(bytes) = value.first_chunk() else { return Some(Err(Errno::INVAL)) };
        // As the kernel does: a negative number counts as a large one, and twice the size is reserved, for bookkeeping.
        let wanted = i64::from(u32::from_ne_bytes(*bytes)).min(DEFAULT_BUFFER);
        *buffer = (2 * wanted).max(min);
        Some(Ok(()))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new(SOCK_SEQPACKET)
    }
}

//! Calls on files that are sockets, of either family: making them, their addresses, their options.

use crate::{
    Errno, File, Memory,
    abi::{ALG_SET_AEAD_AUTHSIZE, MAX_ADDRESS, NETLINK_CRYPTO, SOL_ALG},
    alg::{self, Keyring},
    level::{SO_PEERGROUPS, SO_PEERPIDFD},
    netlink,
};
use libc::{AF_ALG, AF_NETLINK, SO_ERROR, SO_PEERCRED, SOL_SOCKET};
use zeroize::Zeroizing;

/// The longest value of an option that is read. Whatever is longer is refused for its length.
const MAX_VALUE: usize = 64 << 10;

/// A `struct ucred` of nobody.
const NOBODY: [[u8; 4]; 3] = [[0; 4], [0xff; 4], [0xff; 4]];

impl File {
    /// `socket`; `None` if sockets of this family and protocol are not served. `kind` must not contain `SOCK_NONBLOCK` and
    /// `SOCK_CLOEXEC`.
    pub fn socket(family: i32, kind: i32, protocol: i32) -> Option<Result<Self, Errno>> {
        match (family, protocol) {
            (AF_ALG, _) => Some(alg::Socket::new(kind, protocol).map(Self::Alg)),
            (AF_NETLINK, NETLINK_CRYPTO) => Some(netlink::Socket::of_kind(kind).map(Self::Netlink)),
            _ => None,
        }
    }

    /// `bind`.
    pub fn bind(&mut self, address: &[u8]) -> Result<(), Errno> {
        match self {
            Self::Device(_) => Err(Errno::NOTSOCK),
            _ if address.len() > MAX_ADDRESS => Err(Errno::INVAL),
            Self::Alg(socket) => socket.bind(address),
            Self::Netlink(socket) => socket.bind(address),
        }
    }

    /// `connect`. A netlink socket may be connected to the kernel, the only one there is to talk to.
    pub fn connect(&mut self, address: &[u8]) -> Result<(), Errno> {
        match self {
            Self::Alg(_) => Err(Errno::OPNOTSUPP),
            Self::Netlink(socket) => socket.connect(address),
            Self::Device(_) => Err(Errno::NOTSOCK),
        }
    }

    /// `accept`. `asks_for_address` says whether the client passed room for the other side's address.
    pub fn accept(&mut self, asks_for_address: bool) -> Result<Self, Errno> {
        let accepted = match self {
            Self::Alg(socket) => socket.accept()?,
            Self::Netlink(_) => return Err(Errno::OPNOTSUPP),
            Self::Device(_) => return Err(Errno::NOTSOCK),
        };
        // These sockets have no address. The kernel finds that out after it has accepted the connection.
        if asks_for_address { Err(Errno::CONNABORTED) } else { Ok(Self::Alg(accepted)) }
    }

    /// `getsockname`.
    pub fn name(&self) -> Result<[u8; netlink::ADDRESS_LEN], Errno> {
        match self {
            Self::Alg(_) => Err(Errno::OPNOTSUPP),
            Self::Netlink(socket) => Ok(socket.name()),
            Self::Device(_) => Err(Errno::NOTSOCK),
        }
    }

    /// The sender's address of received messages.
    pub fn sender(&self) -> &'static [u8] {
        if matches!(self, Self::Netlink(_)) { &netlink::KERNEL } else { &[] }
    }

    /// `setsockopt`, of an option that [is set here](crate::level::is_set_here).
    pub fn set_option(&mut self, level: i32, name: i32, value: &[u8], keyring: &dyn Keyring) -> Result<(), Errno> {
        match self {
            Self::Alg(socket) => socket.set_option(level, name, value, keyring),
            Self::Netlink(socket) => socket.set_option(level, name, value),
            Self::Device(_) => Err(Errno::NOTSOCK),
        }
    }

    /// `getsockopt`, of an option that [is got here](crate::level::is_got_here).
    pub fn option(&mut self, level: i32, name: i32) -> Result<Vec<u8>, Errno> {
        let number = match self {
            Self::Device(_) => return Err(Errno::NOTSOCK),
            _ if (level, name) == (SOL_SOCKET, SO_PEERCRED) => return Ok(NOBODY.concat()),
            _ if level == SOL_SOCKET && matches!(name, SO_PEERGROUPS | SO_PEERPIDFD) => return Err(Errno::NODATA),
            file if (level, name) == (SOL_SOCKET, SO_ERROR) => file.take_error().map_or(0, Errno::raw_os_error),
            Self::Alg(socket) => socket.option(level, name)?,
            Self::Netlink(socket) => socket.option(level, name)?,
        };
        Ok(number.to_ne_bytes().into())
    }
}

/// Reads the value that `setsockopt` passes.
pub fn option_value(
    memory: &dyn Memory,
    (level, name): (i32, i32),
    address: u64,
    len: i32,
) -> Result<Zeroizing<Vec<u8>>, Errno> {
    let len = usize::try_from(len).map_err(|_| Errno::INVAL)?;
    let mut value = Zeroizing::new(vec![0; len.min(MAX_VALUE)]);
    // The kernel takes the length of a tag from the option's length, and does not read the value.
    if (level, name) != (SOL_ALG, ALG_SET_AEAD_AUTHSIZE) {
        memory.read(address, &mut value)?;
    }
    Ok(value)
}

/// Writes an option's value to `address`, cut to the length at `len_at`, and the number of bytes written to `len_at`.
pub fn put_option(memory: &mut dyn Memory, address: u64, len_at: u64, value: &[u8]) -> Result<(), Errno> {
    let written = put(memory, address, len_at, value)?;
    memory.write(len_at, &(written as u32).to_ne_bytes())
}

/// Writes a socket's address to `address`, cut to the length at `len_at`, and its full length to `len_at`.
pub fn put_address(memory: &mut dyn Memory, address: u64, len_at: u64, name: &[u8]) -> Result<(), Errno> {
    put(memory, address, len_at, name)?;
    memory.write(len_at, &(name.len() as u32).to_ne_bytes())
}

fn put(memory: &mut dyn Memory, address: u64, len_at: u64, bytes: &[u8]) -> Result<usize, Errno> {
    let mut room = [0; 4];
    memory.read(len_at, &mut room)?;
    let room = usize::try_from(i32::from_ne_bytes(room)).map_err(|_| Errno::INVAL)?;
    let written = &bytes[..room.min(bytes.len())];
    memory.write(address, written)?;
    Ok(written.len())
}

//! Constants and structures of `linux/netlink.h` and `linux/cryptouser.h`. Integers are in the CPU's byte order.

/// The address family in a `sockaddr_nl`.
pub const AF_NETLINK: u16 = 16;
/// The size of `sockaddr_nl` in bytes.
pub const ADDRESS_LEN: usize = 12;

/// The socket option level of netlink sockets.
pub const SOL_NETLINK: i32 = 270;
pub const NETLINK_ADD_MEMBERSHIP: i32 = 1;
pub const NETLINK_DROP_MEMBERSHIP: i32 = 2;
pub const NETLINK_PKTINFO: i32 = 3;
pub const NETLINK_BROADCAST_ERROR: i32 = 4;
pub const NETLINK_NO_ENOBUFS: i32 = 5;
pub const NETLINK_LISTEN_ALL_NSID: i32 = 8;
pub const NETLINK_CAP_ACK: i32 = 10;
pub const NETLINK_EXT_ACK: i32 = 11;
pub const NETLINK_GET_STRICT_CHK: i32 = 12;

/// Message types below this value belong to netlink itself.
pub const NLMSG_MIN_TYPE: u16 = 0x10;
pub const NLMSG_ERROR: u16 = 2;
pub const NLMSG_DONE: u16 = 3;

pub const NLM_F_REQUEST: u16 = 0x1;
pub const NLM_F_MULTI: u16 = 0x2;
pub const NLM_F_ACK: u16 = 0x4;
/// `NLM_F_ROOT | NLM_F_MATCH`. Either flag requests a dump of all entries.
pub const NLM_F_DUMP: u16 = 0x300;
pub const NLM_F_CAPPED: u16 = 0x100;

pub const CRYPTO_MSG_NEWALG: u16 = 0x10;
pub const CRYPTO_MSG_DELALG: u16 = 0x11;
pub const CRYPTO_MSG_UPDATEALG: u16 = 0x12;
pub const CRYPTO_MSG_GETALG: u16 = 0x13;
pub const CRYPTO_MSG_DELRNG: u16 = 0x14;
pub const CRYPTO_MSG_GETSTAT: u16 = 0x15;

pub const CRYPTOCFGA_PRIORITY_VAL: u16 = 1;
pub const CRYPTOCFGA_REPORT_HASH: u16 = 3;
pub const CRYPTOCFGA_REPORT_BLKCIPHER: u16 = 4;
pub const CRYPTOCFGA_REPORT_AEAD: u16 = 5;
pub const CRYPTOCFGA_REPORT_RNG: u16 = 7;
pub const CRYPTOCFGA_REPORT_CIPHER: u16 = 8;

/// The size of a name in these structures in bytes, including the terminating zero.
pub const CRYPTO_MAX_NAME: usize = 64;
/// The size of `crypto_user_alg` in bytes: three names and four numbers.
pub const USER_ALG_LEN: usize = 3 * CRYPTO_MAX_NAME + 16;

/// The size of `nlmsghdr` in bytes.
pub const HEADER_LEN: usize = 16;

/// The kernel-internal error code for unsupported requests. It is not an errno of user space.
pub const ENOTSUPP: i32 = 524;

/// A message header (`nlmsghdr`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The length of the message including this header, in bytes.
    pub len: u32,
    pub kind: u16,
    pub flags: u16,
    pub seq: u32,
    /// The sender's port number, as it claims.
    pub port: u32,
}

impl Header {
    /// Reads a header from the beginning of `bytes`.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..HEADER_LEN)?;
        Some(Self {
            len: u32_at(bytes, 0)?,
            kind: u16_at(bytes, 4)?,
            flags: u16_at(bytes, 6)?,
            seq: u32_at(bytes, 8)?,
            port: u32_at(bytes, 12)?,
        })
    }

    /// Encodes the header.
    pub fn bytes(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..4].copy_from_slice(&self.len.to_ne_bytes());
        bytes[4..6].copy_from_slice(&self.kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&self.flags.to_ne_bytes());
        bytes[8..12].copy_from_slice(&self.seq.to_ne_bytes());
        bytes[12..].copy_from_slice(&self.port.to_ne_bytes());
        bytes
    }
}

/// The `u32` at offset `at`; `None` if out of range.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The `u16` at offset `at`; `None` if out of range.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Rounds up to a multiple of 4, the alignment of messages and attributes.
pub fn align(len: usize) -> usize {
    len.next_multiple_of(4)
}

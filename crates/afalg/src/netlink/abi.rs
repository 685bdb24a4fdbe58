//! Numbers and layouts of `linux/netlink.h` and `linux/cryptouser.h`. Integers are in the CPU's byte order.

/// The family of a `sockaddr_nl`.
pub const AF_NETLINK: u16 = 16;
/// Bytes of a `sockaddr_nl`.
pub const ADDRESS_LEN: usize = 12;

/// Option level of netlink sockets.
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

/// Types of messages below this one are netlink's own.
pub const NLMSG_MIN_TYPE: u16 = 0x10;
pub const NLMSG_ERROR: u16 = 2;
pub const NLMSG_DONE: u16 = 3;

pub const NLM_F_REQUEST: u16 = 0x1;
pub const NLM_F_MULTI: u16 = 0x2;
pub const NLM_F_ACK: u16 = 0x4;
/// `NLM_F_ROOT | NLM_F_MATCH`; either makes a request for all there is.
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

/// Bytes of a name in these structures, its terminating zero included.
pub const CRYPTO_MAX_NAME: usize = 64;
/// Bytes of a `crypto_user_alg`: three names and four numbers.
pub const USER_ALG_LEN: usize = 3 * CRYPTO_MAX_NAME + 16;

/// Bytes of an `nlmsghdr`.
pub const HEADER_LEN: usize = 16;

/// What the kernel calls a request that it has no means to serve; not an errno of user space's.
pub const ENOTSUPP: i32 = 524;

/// An `nlmsghdr`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Bytes of the message, this header included.
    pub len: u32,
    pub kind: u16,
    pub flags: u16,
    pub seq: u32,
    /// The port that the sender claims to have.
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

    /// The header's bytes.
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

/// The number at `at`, if there is one.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The number at `at`, if there is one.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The next multiple of 4, to which messages and attributes are aligned.
pub fn align(len: usize) -> usize {
    len.next_multiple_of(4)
}

//! Constants and structures of the kernel's interface (`linux/if_alg.h`, `linux/socket.h`), and parsers for what
//! clients pass. Integers are in the CPU's byte order.

use crate::Errno;

/// The socket option level of AF_ALG, and the level of its control messages.
pub const SOL_ALG: i32 = 279;
/// Socket option: the key, or the seed of a random number generator.
pub const ALG_SET_KEY: i32 = 1;
/// Control message: the IV, as a `u32` length followed by its bytes.
pub const ALG_SET_IV: i32 = 2;
/// Control message: the direction, [`ALG_OP_DECRYPT`] or [`ALG_OP_ENCRYPT`].
pub const ALG_SET_OP: i32 = 3;
/// Control message: the length in bytes of the associated data before the text.
pub const ALG_SET_AEAD_ASSOCLEN: i32 = 4;
/// Socket option: the tag length in bytes. The option's length is the value; its bytes are not read.
pub const ALG_SET_AEAD_AUTHSIZE: i32 = 5;
/// Socket option: the entropy of a DRBG under test.
pub const ALG_SET_DRBG_ENTROPY: i32 = 6;
/// Socket option: the serial number of a kernel key whose payload is the key (Linux 6.2).
pub const ALG_SET_KEY_BY_KEY_SERIAL: i32 = 7;

/// The protocol of `AF_NETLINK` that asks for algorithms.
pub const NETLINK_CRYPTO: i32 = 21;

/// One more than the largest `SOCK_*` value.
pub(crate) const SOCK_MAX: i32 = 11;

/// Whether sockets of this family and protocol are served.
pub fn serves(family: i32, protocol: i32) -> bool {
    family == libc::AF_ALG || (family, protocol) == (libc::AF_NETLINK, NETLINK_CRYPTO)
}

/// The value of [`ALG_SET_OP`] for decryption.
pub const ALG_OP_DECRYPT: u32 = 0;
/// The value of [`ALG_SET_OP`] for encryption.
pub const ALG_OP_ENCRYPT: u32 = 1;

/// A feature bit in an address: only drivers that exist in the kernel alone.
pub const CRYPTO_ALG_KERN_DRIVER_ONLY: u32 = 0x1000;

/// The longest address of any family in bytes: `sizeof(struct sockaddr_storage)`.
pub const MAX_ADDRESS: usize = 128;
/// The longest control messages of a message, in bytes: the default of `net.core.optmem_max`.
pub const MAX_CONTROL: usize = 20_480;
/// The largest number of bytes that one call transfers (`MAX_RW_COUNT`).
pub const MAX_TRANSFER: usize = 0x7fff_f000;
/// The largest number of pieces of a message, and of messages in one call (`UIO_MAXIOV`).
pub const MAX_PIECES: usize = 1024;

/// The length in bytes of the part of `sockaddr_alg` before the name.
const ADDRESS_HEADER: usize = 24;

/// A `sockaddr_alg` or `sockaddr_alg_new`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address<'a> {
    /// `salg_type`, up to its first zero.
    pub kind: &'a [u8],
    /// The requested values of the feature bits in `mask`.
    pub features: u32,
    /// The feature bits that the client cares about.
    pub mask: u32,
    /// `salg_name`, up to its first zero.
    pub name: &'a [u8],
}

impl<'a> Address<'a> {
    /// Parses an address. As in the kernel, the family is ignored, and the last byte of the type and of the name
    /// are taken as zero.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Errno> {
        if bytes.len() <= ADDRESS_HEADER || bytes.len() > MAX_ADDRESS {
            return Err(Errno::INVAL);
        }
        let (header, name) = bytes.split_at(ADDRESS_HEADER);
        let word = |at: usize| u32::from_ne_bytes(header[at..at + 4].try_into().expect("four bytes"));
        let (features, mask) = (word(16), word(20));
        if (features | mask) & !CRYPTO_ALG_KERN_DRIVER_ONLY != 0 {
            return Err(Errno::INVAL);
        }
        Ok(Self { kind: until_zero(&header[2..15]), features, mask, name: until_zero(&name[..name.len() - 1]) })
    }
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|&b| b == 0).next().unwrap_or_default()
}

/// The values that the control messages of one `sendmsg` set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Control<'a> {
    /// The direction; [`ALG_OP_DECRYPT`] if no message sets it.
    pub op: u32,
    /// The IV.
    pub iv: Option<&'a [u8]>,
    /// The length of the associated data, in bytes.
    pub assoc_len: u32,
}

/// The size of `struct cmsghdr` in bytes: a length, a level and a type.
const CMSG_HEADER: usize = size_of::<usize>() + 8;

impl<'a> Control<'a> {
    /// Parses a control buffer. Of several messages of one type the last one counts. Messages of other levels are
    /// skipped, and trailing bytes that are too short for a message are ignored.
    pub fn parse(buffer: &'a [u8]) -> Result<Self, Errno> {
        let mut control = Self::default();
        let mut left = buffer;
        while left.len() >= CMSG_HEADER {
            let len = usize::from_ne_bytes(left[..size_of::<usize>()].try_into().expect("a word"));
            if len < CMSG_HEADER || len > left.len() {
                return Err(Errno::INVAL);
            }
            let number = |at: usize| i32::from_ne_bytes(left[at..at + 4].try_into().expect("four bytes"));
            if number(CMSG_HEADER - 8) == SOL_ALG {
                control.set(number(CMSG_HEADER - 4), &left[CMSG_HEADER..len])?;
            }
            left = left.get(len.next_multiple_of(size_of::<usize>())..).unwrap_or_default();
        }
        Ok(control)
    }

    #[inline]
    fn set(&mut self, kind: i32, data: &'a [u8]) -> Result<(), Errno> {
        let (value, rest) = data.split_first_chunk().ok_or(Errno::INVAL)?;
        let value = u32::from_ne_bytes(*value);
        match kind {
            ALG_SET_IV => self.iv = Some(rest.get(..value as usize).ok_or(Errno::INVAL)?),
            ALG_SET_OP => self.op = value,
            ALG_SET_AEAD_ASSOCLEN if value < 1 << 31 => self.assoc_len = value,
            _ => return Err(Errno::INVAL),
        }
        Ok(())
    }
}

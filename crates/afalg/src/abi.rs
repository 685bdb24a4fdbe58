//! Numbers and layouts of the kernel's interface (`linux/if_alg.h`, `linux/socket.h`), and parsers of
//! what clients pass. Integers are in the CPU's byte order.

use crate::Errno;

/// Socket option level of AF_ALG, and level of its control messages.
pub const SOL_ALG: i32 = 279;
/// Option: the key, or an rng's seed.
pub const ALG_SET_KEY: i32 = 1;
/// Control message: the IV, a `u32` length before its bytes.
pub const ALG_SET_IV: i32 = 2;
/// Control message: the direction, [`ALG_OP_DECRYPT`] or [`ALG_OP_ENCRYPT`].
pub const ALG_SET_OP: i32 = 3;
/// Control message: bytes of associated data in front of the text.
pub const ALG_SET_AEAD_ASSOCLEN: i32 = 4;
/// Option: bytes of tag. The option's length is the value, its bytes are not looked at.
pub const ALG_SET_AEAD_AUTHSIZE: i32 = 5;
/// Option: entropy of a DRBG under test.
pub const ALG_SET_DRBG_ENTROPY: i32 = 6;
/// Option: the serial number of a key that holds the key (Linux 6.2).
pub const ALG_SET_KEY_BY_KEY_SERIAL: i32 = 7;

/// Decrypt.
pub const ALG_OP_DECRYPT: u32 = 0;
/// Encrypt.
pub const ALG_OP_ENCRYPT: u32 = 1;

/// Feature bit that a client may ask for: drivers that exist in the kernel only.
pub const CRYPTO_ALG_KERN_DRIVER_ONLY: u32 = 0x1000;

/// The longest address of any family: `sizeof(struct sockaddr_storage)`.
pub const MAX_ADDRESS: usize = 128;

/// What stands before the name in a `sockaddr_alg`.
const ADDRESS_HEADER: usize = 24;

/// A `sockaddr_alg` or `sockaddr_alg_new`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address<'a> {
    /// `salg_type`, up to its first zero.
    pub kind: &'a [u8],
    /// Feature bits wanted, as far as `mask` looks at them.
    pub features: u32,
    /// Feature bits that matter.
    pub mask: u32,
    /// `salg_name`, up to its first zero.
    pub name: &'a [u8],
}

impl<'a> Address<'a> {
    /// Parses an address. As in the kernel, the family is not looked at, and the last byte of the type
    /// and of the name count as zero.
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

/// What the control messages of one `sendmsg` set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Control<'a> {
    /// The direction; [`ALG_OP_DECRYPT`] if no message tells.
    pub op: u32,
    /// The IV.
    pub iv: Option<&'a [u8]>,
    /// Bytes of associated data.
    pub assoc_len: u32,
}

/// Bytes of a `struct cmsghdr`: a length, a level, a type.
const CMSG_HEADER: usize = size_of::<usize>() + 8;

impl<'a> Control<'a> {
    /// Parses a control buffer; of several messages of a kind the last counts, those of other levels
    /// are passed over, and what is too short to be a message is ignored at the end.
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

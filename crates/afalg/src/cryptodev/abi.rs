//! Constants and structures of `crypto/cryptodev.h` on 64-bit machines. Integers are in the CPU's byte order.

#![allow(clippy::unnecessary_cast, reason = "an opcode has more bits on some targets")]

use rustix::ioctl::opcode;

pub const CRIOGET: u32 = opcode::read_write::<u32>(b'c', 101) as u32;
/// Begins a session.
pub const CIOCGSESSION: u32 = opcode::read_write::<[u8; SESSION_OP_LEN]>(b'c', 102) as u32;
pub const CIOCFSESSION: u32 = opcode::write::<u32>(b'c', 103) as u32;
pub const CIOCCRYPT: u32 = opcode::read_write::<[u8; CRYPT_OP_LEN]>(b'c', 104) as u32;
pub const CIOCASYMFEAT: u32 = opcode::read::<u32>(b'c', 106) as u32;
pub const CIOCGSESSINFO: u32 = opcode::read_write::<[u8; SESSION_INFO_LEN]>(b'c', 107) as u32;
pub const CIOCAUTHCRYPT: u32 = opcode::read_write::<[u8; AUTH_OP_LEN]>(b'c', 109) as u32;
pub const CIOCASYNCCRYPT: u32 = opcode::write::<[u8; CRYPT_OP_LEN]>(b'c', 110) as u32;
pub const CIOCASYNCFETCH: u32 = opcode::read::<[u8; CRYPT_OP_LEN]>(b'c', 111) as u32;
pub const CIOCCPHASH: u32 = opcode::write::<[u8; CPHASH_OP_LEN]>(b'c', 112) as u32;

/// The size of `session_op` in bytes.
pub const SESSION_OP_LEN: usize = 48;
/// The size of `session_info_op` in bytes.
pub const SESSION_INFO_LEN: usize = 268;
/// The size of `crypt_op` in bytes.
pub const CRYPT_OP_LEN: usize = 48;
/// The size of `crypt_auth_op` in bytes.
pub const AUTH_OP_LEN: usize = 72;
/// The size of `cphash_op` in bytes.
pub const CPHASH_OP_LEN: usize = 8;

/// The longest key of a cipher and of a MAC, in bytes.
pub const CRYPTO_CIPHER_MAX_KEY_LEN: usize = 64;
pub const CRYPTO_HMAC_MAX_KEY_LEN: usize = 512;
/// The size in bytes of a name in `session_info_op`, including the terminating zero.
pub const CRYPTODEV_MAX_ALG_NAME: usize = 64;
/// The longest IV, in bytes.
pub const EALG_MAX_BLOCK_LEN: usize = 16;
/// The longest digest, in bytes.
pub const AALG_MAX_RESULT_LEN: usize = 64;

/// Values of the field `op`.
pub const COP_ENCRYPT: u16 = 0;
pub const COP_DECRYPT: u16 = 1;

/// More of the message follows or precedes: the hash is neither started nor finished.
pub const COP_FLAG_UPDATE: u16 = 1 << 0;
/// The message ends with this call.
pub const COP_FLAG_FINAL: u16 = 1 << 1;
/// The chaining value is written back to the IV.
pub const COP_FLAG_WRITE_IV: u16 = 1 << 2;
/// Zero-copy is disabled: data are processed 4096 bytes at a time.
pub const COP_FLAG_NO_ZC: u16 = 1 << 3;
pub const COP_FLAG_AEAD_TLS_TYPE: u16 = 1 << 4;
pub const COP_FLAG_AEAD_SRTP_TYPE: u16 = 1 << 5;
/// The hash starts a new message.
pub const COP_FLAG_RESET: u16 = 1 << 6;

/// A `session_op`.
#[derive(Clone, Copy, Debug)]
pub struct SessionOp {
    pub cipher: u32,
    pub mac: u32,
    pub key_len: u32,
    pub key: u64,
    pub mac_key_len: u32,
    pub mac_key: u64,
}

impl SessionOp {
    /// The offset of the session number, in bytes.
    pub const SES: usize = 40;

    pub fn parse(raw: &[u8; SESSION_OP_LEN]) -> Self {
        Self {
            cipher: u32_at(raw, 0),
            mac: u32_at(raw, 4),
            key_len: u32_at(raw, 8),
            key: u64_at(raw, 16),
            mac_key_len: u32_at(raw, 24),
            mac_key: u64_at(raw, 32),
        }
    }
}

/// A `crypt_op`. The digest is written to `mac`.
#[derive(Clone, Copy, Debug)]
pub struct CryptOp {
    pub ses: u32,
    pub op: u16,
    pub flags: u16,
    pub len: u32,
    pub src: u64,
    pub dst: u64,
    pub mac: u64,
    pub iv: u64,
}

impl CryptOp {
    pub fn parse(raw: &[u8; CRYPT_OP_LEN]) -> Self {
        Self {
            ses: u32_at(raw, 0),
            op: u16_at(raw, 4),
            flags: u16_at(raw, 6),
            len: u32_at(raw, 8),
            src: u64_at(raw, 16),
            dst: u64_at(raw, 24),
            mac: u64_at(raw, 32),
            iv: u64_at(raw, 40),
        }
    }
}

/// A `crypt_auth_op`. Its `iv_len` is ignored.
#[derive(Clone, Copy, Debug)]
pub struct AuthOp {
    pub ses: u32,
    pub op: u16,
    pub flags: u16,
    pub len: u32,
    pub auth_len: u32,
    pub auth_src: u64,
    pub src: u64,
    pub dst: u64,
    pub tag: u64,
    pub tag_len: u32,
    pub iv: u64,
}

impl AuthOp {
    pub fn parse(raw: &[u8; AUTH_OP_LEN]) -> Self {
        Self {
            ses: u32_at(raw, 0),
            op: u16_at(raw, 4),
            flags: u16_at(raw, 6),
            len: u32_at(raw, 8),
            auth_len: u32_at(raw, 12),
            auth_src: u64_at(raw, 16),
            src: u64_at(raw, 24),
            dst: u64_at(raw, 32),
            tag: u64_at(raw, 40),
            tag_len: u32_at(raw, 48),
            iv: u64_at(raw, 56),
        }
    }

    /// Writes the fields that an operation changes: the length, and the tag's address and length.
    pub fn update(&self, raw: &mut [u8; AUTH_OP_LEN]) {
        raw[8..12].copy_from_slice(&self.len.to_ne_bytes());
        raw[40..48].copy_from_slice(&self.tag.to_ne_bytes());
        raw[48..52].copy_from_slice(&self.tag_len.to_ne_bytes());
    }
}

/// Offsets in `session_info_op`, in bytes. `CIPHER` and `HASH` are each followed by the driver's name.
pub mod info {
    pub const CIPHER: usize = 4;
    pub const HASH: usize = 132;
    pub const ALIGN_MASK: usize = 260;
    pub const FLAGS: usize = 264;
}

/// The `u32` at offset `at`, which must be in range.
pub fn u32_at<const N: usize>(raw: &[u8; N], at: usize) -> u32 {
    u32::from_ne_bytes(raw[at..at + 4].try_into().expect("four bytes"))
}

fn u16_at<const N: usize>(raw: &[u8; N], at: usize) -> u16 {
    u16::from_ne_bytes(raw[at..at + 2].try_into().expect("two bytes"))
}

fn u64_at<const N: usize>(raw: &[u8; N], at: usize) -> u64 {
    u64::from_ne_bytes(raw[at..at + 8].try_into().expect("eight bytes"))
}

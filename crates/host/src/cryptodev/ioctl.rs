//! The ioctls of cryptodev-linux (`crypto/cryptodev.h`), the only unsafe code of this crate.
#![allow(unsafe_code)]

use std::{ffi::CStr, fs::File, io, os::fd::AsRawFd, ptr};

/// `struct session_op`.
#[repr(C)]
struct SessionOp {
    cipher: u32,
    mac: u32,
    key_len: u32,
    key: *const u8,
    mac_key_len: u32,
    mac_key: *const u8,
    session: u32,
}

/// `struct alg_info`.
#[repr(C)]
struct AlgInfo {
    name: [u8; 64],
    driver: [u8; 64],
}

/// `struct session_info_op`.
#[repr(C)]
struct SessionInfoOp {
    session: u32,
    cipher: AlgInfo,
    hash: AlgInfo,
    align_mask: u16,
    flags: u32,
}

/// `struct crypt_op`.
#[repr(C)]
struct CryptOp {
    session: u32,
    op: u16,
    flags: u16,
    len: u32,
    src: *const u8,
    dst: *mut u8,
    mac: *mut u8,
    iv: *const u8,
}

/// The request number `_IOWR('c', number, T)`.
const fn read_write<T>(number: u32) -> libc::Ioctl {
    libc::_IOWR::<T>(b'c' as u32, number)
}

const GET_SESSION: libc::Ioctl = read_write::<SessionOp>(102);
const FINISH_SESSION: libc::Ioctl = libc::_IOW::<u32>(b'c' as u32, 103);
const CRYPT: libc::Ioctl = read_write::<CryptOp>(104);
const GET_SESSION_INFO: libc::Ioctl = read_write::<SessionInfoOp>(107);

/// The algorithm of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A cipher, by its number.
    Cipher(u32),
    /// A hash, or a MAC if it has a key, by its number.
    Mac(u32),
}

/// A session of the device: a keyed transform.
pub(super) struct Session {
    device: File,
    id: u32,
}

impl Session {
    /// Opens a device and a session on it.
    pub(super) fn open(kind: Kind, key: &[u8]) -> io::Result<Self> {
        let device = File::options().read(true).write(true).open("/dev/crypto")?;
        let len = u32::try_from(key.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut op = SessionOp {
            cipher: 0,
            mac: 0,
            key_len: 0,
            key: ptr::null(),
            mac_key_len: 0,
            mac_key: ptr::null(),
            session: 0,
        };
        match kind {
            Kind::Cipher(cipher) => (op.cipher, op.key_len, op.key) = (cipher, len, key.as_ptr()),
            Kind::Mac(mac) => (op.mac, op.mac_key_len, op.mac_key) = (mac, len, key.as_ptr()),
        }
        // SAFETY: the request takes a `session_op`; its key pointer and length describe `key`.
        check(unsafe { libc::ioctl(device.as_raw_fd(), GET_SESSION, &raw mut op) })?;
        Ok(Self { device, id: op.session })
    }

    /// The name of the kernel's driver, if the device reports it.
    pub(super) fn driver(&self, kind: Kind) -> Option<String> {
        let none = || AlgInfo { name: [0; 64], driver: [0; 64] };
        let mut op = SessionInfoOp { session: self.id, cipher: none(), hash: none(), align_mask: 0, flags: 0 };
        // SAFETY: the request takes a `session_info_op`.
        check(unsafe { libc::ioctl(self.device.as_raw_fd(), GET_SESSION_INFO, &raw mut op) }).ok()?;
        let info = if matches!(kind, Kind::Cipher(_)) { op.cipher } else { op.hash };
        let name = CStr::from_bytes_until_nul(&info.driver).ok()?.to_str().ok()?;
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// Encrypts or decrypts `src` to `dst`, which must have the same length.
    pub(super) fn crypt(&self, decrypt: bool, iv: &[u8], src: &[u8], dst: &mut [u8]) -> io::Result<()> {
        if src.len() != dst.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let iv = if iv.is_empty() { ptr::null() } else { iv.as_ptr() };
        self.request(u16::from(decrypt), src, dst.as_mut_ptr(), ptr::null_mut(), iv)
    }

    /// Writes the digest of `src` to the beginning of `out`.
    pub(super) fn digest(&self, src: &[u8], out: &mut [u8; MAX_DIGEST]) -> io::Result<()> {
        self.request(0, src, ptr::null_mut(), out.as_mut_ptr(), ptr::null())
    }

    fn request(&self, op: u16, src: &[u8], dst: *mut u8, mac: *mut u8, iv: *const u8) -> io::Result<()> {
        let len = u32::try_from(src.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut op = CryptOp { session: self.id, op, flags: 0, len, src: src.as_ptr(), dst, mac, iv };
        // SAFETY: the request takes a `crypt_op`. A cipher session writes `len` bytes to `dst`, which is as long as
        // `src`, and reads an IV of the cipher's length. A hash session writes a digest of at most `MAX_DIGEST`
        // bytes.
        check(unsafe { libc::ioctl(self.device.as_raw_fd(), CRYPT, &raw mut op) })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let mut id = self.id;
        // SAFETY: the request takes a `u32`.
        unsafe { libc::ioctl(self.device.as_raw_fd(), FINISH_SESSION, &raw mut id) };
    }
}

/// The longest digest, in bytes (`HASH_MAX_LEN`).
pub(super) const MAX_DIGEST: usize = 64;

fn check(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_numbers_of_the_header() {
        // The values that a C compiler computes from the header on x86-64 and arm64.
        assert_eq!(
            [GET_SESSION, FINISH_SESSION, CRYPT, GET_SESSION_INFO].map(|request| request as u32),
            [0xc030_6366, 0x4004_6367, 0xc030_6368, 0xc10c_636b]
        );
    }
}

//! The declarations of libgcrypt's C interface that are needed (gcrypt.h of 1.10).

use std::ffi::{c_char, c_int, c_uint, c_void};

/// A cipher handle.
#[repr(C)]
pub struct CipherHandle {
    _opaque: [u8; 0],
}

/// A digest handle.
#[repr(C)]
pub struct MdHandle {
    _opaque: [u8; 0],
}

/// A MAC handle.
#[repr(C)]
pub struct MacHandle {
    _opaque: [u8; 0],
}

pub const GCRYCTL_DISABLE_SECMEM: c_int = 37;
pub const GCRYCTL_INITIALIZATION_FINISHED: c_int = 38;
pub const GCRYCTL_SET_CCM_LENGTHS: c_int = 69;
pub const GCRYCTL_SET_ALLOW_WEAK_KEY: c_int = 79;
pub const GCRY_CIPHER_CBC_CTS: c_uint = 4;

unsafe extern "C" {
    pub fn gcry_check_version(req_version: *const c_char) -> *const c_char;
    pub fn gcry_control(cmd: c_int, ...) -> c_uint;

    pub fn gcry_cipher_open(hd: *mut *mut CipherHandle, algo: c_int, mode: c_int, flags: c_uint) -> c_uint;
    pub fn gcry_cipher_close(hd: *mut CipherHandle);
    pub fn gcry_cipher_ctl(hd: *mut CipherHandle, cmd: c_int, buffer: *mut c_void, len: usize) -> c_uint;
    pub fn gcry_cipher_setkey(hd: *mut CipherHandle, key: *const c_void, len: usize) -> c_uint;
    pub fn gcry_cipher_setiv(hd: *mut CipherHandle, iv: *const c_void, len: usize) -> c_uint;
    pub fn gcry_cipher_setctr(hd: *mut CipherHandle, ctr: *const c_void, len: usize) -> c_uint;
    pub fn gcry_cipher_authenticate(hd: *mut CipherHandle, aad: *const c_void, len: usize) -> c_uint;
    pub fn gcry_cipher_encrypt(
        hd: *mut CipherHandle,
        out: *mut c_void,
        out_len: usize,
        text: *const c_void,
        len: usize,
    ) -> c_uint;
    pub fn gcry_cipher_decrypt(
        hd: *mut CipherHandle,
        out: *mut c_void,
        out_len: usize,
        text: *const c_void,
        len: usize,
    ) -> c_uint;
    pub fn gcry_cipher_gettag(hd: *mut CipherHandle, tag: *mut c_void, len: usize) -> c_uint;

    pub fn gcry_md_open(hd: *mut *mut MdHandle, algo: c_int, flags: c_uint) -> c_uint;
    pub fn gcry_md_close(hd: *mut MdHandle);
    pub fn gcry_md_setkey(hd: *mut MdHandle, key: *const c_void, len: usize) -> c_uint;
    pub fn gcry_md_write(hd: *mut MdHandle, text: *const c_void, len: usize);
    pub fn gcry_md_read(hd: *mut MdHandle, algo: c_int) -> *const u8;

    pub fn gcry_mac_open(hd: *mut *mut MacHandle, algo: c_int, flags: c_uint, ctx: *mut c_void) -> c_uint;
    pub fn gcry_mac_close(hd: *mut MacHandle);
    pub fn gcry_mac_setkey(hd: *mut MacHandle, key: *const c_void, len: usize) -> c_uint;
    pub fn gcry_mac_write(hd: *mut MacHandle, text: *const c_void, len: usize) -> c_uint;
    pub fn gcry_mac_read(hd: *mut MacHandle, tag: *mut c_void, len: *mut usize) -> c_uint;
}

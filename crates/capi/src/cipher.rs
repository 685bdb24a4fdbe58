//! Block ciphers.

use crate::{
    error::{Failure, guard},
    handle::{self, algkit_cipher},
    info::{Described, algkit_info},
    memory::{self, Buffer, Piece, check_disjoint},
};
use algkit::Direction;
use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_cipher_new(
    name: *const c_char,
    key: *const c_void,
    key_len: usize,
    tfm: *mut *mut algkit_cipher,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { handle::give(tfm, || Described::new(memory::name(name)?, Buffer::read(key, key_len)?.bytes())) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_cipher_free(tfm: *mut algkit_cipher) {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::free(tfm) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_cipher_info(tfm: *const algkit_cipher) -> *const algkit_info {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::get(tfm) }.map_or(ptr::null(), |known| known.info.shown())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_cipher_set_key(tfm: *mut algkit_cipher, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { Ok(handle::get_mut(tfm)?.tfm.set_key(Buffer::read(key, key_len)?.bytes())?) })
}

/// # Safety
/// The arguments are as algkit.h requires for `algkit_cipher_encrypt`.
unsafe fn crypt(direction: Direction, tfm: *const algkit_cipher, blocks: Piece) -> Result<(), Failure> {
    check_disjoint(&blocks.buffers())?;
    // SAFETY: the caller's buffers exist, and are apart.
    let (tfm, blocks) = unsafe { (&handle::get(tfm)?.tfm, blocks.text()) };
    Ok(match direction {
        Direction::Encrypt => tfm.encrypt(blocks),
        Direction::Decrypt => tfm.decrypt(blocks),
    }?)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_cipher_encrypt(
    tfm: *const algkit_cipher,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { crypt(Direction::Encrypt, tfm, Piece::new(src, dst, len)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_cipher_decrypt(
    tfm: *const algkit_cipher,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { crypt(Direction::Decrypt, tfm, Piece::new(src, dst, len)?) })
}

//! Authenticated encryption.

use crate::{
    batch,
    error::{EINVAL, Failure, guard},
    handle::{self, algkit_aead, algkit_aead_state},
    info::{Described, algkit_info},
    memory::{self, Buffer, List, Piece, Segments, check_disjoint},
};
use algkit::{Direction, Sealing, Text, batch::Request};
use libc::iovec;
use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_new(
    name: *const c_char,
    key: *const c_void,
    key_len: usize,
    tfm: *mut *mut algkit_aead,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { handle::give(tfm, || Described::new(memory::name(name)?, Buffer::read(key, key_len)?.bytes())) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_free(tfm: *mut algkit_aead) {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::free(tfm) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_info(tfm: *const algkit_aead) -> *const algkit_info {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::get(tfm) }.map_or(ptr::null(), |known| known.info.shown())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_set_key(tfm: *mut algkit_aead, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { Ok(handle::get_mut(tfm)?.tfm.set_key(Buffer::read(key, key_len)?.bytes())?) })
}

/// # Safety
/// The arguments are as algkit.h requires for `algkit_aead_encrypt`. The buffers do not overlap. The tag is written if
/// `direction` is to encrypt.
#[inline(always)]
unsafe fn crypt(
    direction: Direction,
    tfm: *const algkit_aead,
    iv: Buffer,
    assoc: &[&[u8]],
    text: Text<'_>,
    tag: Buffer,
) -> Result<(), Failure> {
    // SAFETY: the caller's buffers exist, and are apart.
    unsafe {
        let tfm = &handle::get(tfm)?.tfm;
        Ok(match direction {
            Direction::Encrypt => tfm.encrypt(iv.bytes(), assoc, text, tag.bytes_mut()),
            Direction::Decrypt => tfm.decrypt(iv.bytes(), assoc, text, tag.bytes()),
        }?)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_encrypt(
    tfm: *const algkit_aead,
    iv: *const c_void,
    iv_len: usize,
    assoc: *const c_void,
    assoc_len: usize,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
    tag: *mut c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let (iv, tag) = (Buffer::read(iv, iv_len)?, Buffer::written(tag, tag_len)?);
        let (assoc, text) = (Buffer::read(assoc, assoc_len)?, Piece::new(src, dst, len)?);
        let [src, dst] = text.buffers();
        check_disjoint(&[iv, tag, assoc, src, dst])?;
        crypt(Direction::Encrypt, tfm, iv, &[assoc.bytes()], text.text().into(), tag)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_decrypt(
    tfm: *const algkit_aead,
    iv: *const c_void,
    iv_len: usize,
    assoc: *const c_void,
    assoc_len: usize,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let (iv, tag) = (Buffer::read(iv, iv_len)?, Buffer::read(tag, tag_len)?);
        let (assoc, text) = (Buffer::read(assoc, assoc_len)?, Piece::new(src, dst, len)?);
        let [src, dst] = text.buffers();
        check_disjoint(&[iv, tag, assoc, src, dst])?;
        crypt(Direction::Decrypt, tfm, iv, &[assoc.bytes()], text.text().into(), tag)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_encryptv(
    tfm: *const algkit_aead,
    iv: *const c_void,
    iv_len: usize,
    assoc: *const iovec,
    assoc_count: usize,
    src: *const iovec,
    src_count: usize,
    dst: *const iovec,
    dst_count: usize,
    tag: *mut c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let (iv, tag) = (Buffer::read(iv, iv_len)?, Buffer::written(tag, tag_len)?);
        let assoc = memory::list(assoc, assoc_count, false)?;
        let text = Segments::new(src, src_count, dst, dst_count)?;
        check_disjoint(&text.buffers().chain(assoc.iter().copied()).chain([iv, tag]).collect::<List<_>>())?;
        let assoc: List<&[u8]> = assoc.iter().map(|part| part.bytes()).collect();
        crypt(Direction::Encrypt, tfm, iv, &assoc, text.text()?, tag)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_decryptv(
    tfm: *const algkit_aead,
    iv: *const c_void,
    iv_len: usize,
    assoc: *const iovec,
    assoc_count: usize,
    src: *const iovec,
    src_count: usize,
    dst: *const iovec,
    dst_count: usize,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let (iv, tag) = (Buffer::read(iv, iv_len)?, Buffer::read(tag, tag_len)?);
        let assoc = memory::list(assoc, assoc_count, false)?;
        let text = Segments::new(src, src_count, dst, dst_count)?;
        check_disjoint(&text.buffers().chain(assoc.iter().copied()).chain([iv, tag]).collect::<List<_>>())?;
        let assoc: List<&[u8]> = assoc.iter().map(|part| part.bytes()).collect();
        crypt(Direction::Decrypt, tfm, iv, &assoc, text.text()?, tag)
    })
}

#[repr(C)]
pub struct algkit_aead_request {
    tfm: *const algkit_aead,
    decrypt: c_int,
    iv: *const c_void,
    iv_len: usize,
    assoc: *const c_void,
    assoc_len: usize,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
    tag: *mut c_void,
    tag_len: usize,
    result: c_int,
}

/// # Safety
/// The arguments are as algkit.h requires for `algkit_aead_batch`.
unsafe fn request<'a>(from: &algkit_aead_request) -> Result<Request<'a>, Failure> {
    let direction = if from.decrypt == 0 { Direction::Encrypt } else { Direction::Decrypt };
    let (iv, assoc) = (Buffer::read(from.iv, from.iv_len)?, Buffer::read(from.assoc, from.assoc_len)?);
    let tag = match direction {
        Direction::Encrypt => Buffer::written(from.tag, from.tag_len)?,
        Direction::Decrypt => Buffer::read(from.tag, from.tag_len)?,
    };
    let text = Piece::new(from.src, from.dst, from.len)?;
    let [src, dst] = text.buffers();
    check_disjoint(&[iv, tag, assoc, src, dst])?;
    // SAFETY: the caller's buffers exist, and are apart.
    unsafe {
        let (tfm, text) = (&handle::get(from.tfm)?.tfm, text.text());
        Ok(match direction {
            Direction::Encrypt => Request::seal(tfm, iv.bytes(), assoc.bytes(), text, tag.bytes_mut()),
            Direction::Decrypt => Request::open(tfm, iv.bytes(), assoc.bytes(), text, tag.bytes()),
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_batch(requests: *mut algkit_aead_request, count: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { batch::run(requests, count, |from, _| request(from), |from| &mut from.result) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_start(
    tfm: *const algkit_aead,
    iv: *const c_void,
    iv_len: usize,
    state: *mut *mut algkit_aead_state,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        handle::give(state, || Ok(Some(handle::get(tfm)?.tfm.start(Buffer::read(iv, iv_len)?.bytes())?)))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_state_free(state: *mut algkit_aead_state) {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::free(state) }
}

/// The message that a state holds.
///
/// # Safety
/// As for `handle::get_mut`.
unsafe fn message<'a>(state: *mut algkit_aead_state) -> Result<&'a mut Sealing, Failure> {
    // SAFETY: the caller promises the same.
    unsafe { handle::get_mut(state) }?.as_mut().ok_or_else(handle::ended)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_assoc(
    state: *mut algkit_aead_state,
    assoc: *const c_void,
    assoc_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { Ok(message(state)?.assoc(Buffer::read(assoc, assoc_len)?.bytes())?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_update(
    state: *mut algkit_aead_state,
    src: *const c_void,
    dst: *mut c_void,
    len: usize,
) -> c_int {
    guard(|| {
        let text = Piece::new(src, dst, len)?;
        check_disjoint(&text.buffers())?;
        // SAFETY: the caller's buffers exist, and are apart.
        unsafe { Ok(message(state)?.encrypt(text.text())?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_finish(state: *mut algkit_aead_state, tag: *mut c_void, tag_len: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let mut message = handle::get_mut(state)?.take().ok_or_else(handle::ended)?;
        Ok(message.finish(Buffer::written(tag, tag_len)?.bytes_mut())?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_aead_verify(
    state: *mut algkit_aead_state,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let mut message = handle::get_mut(state)?.take().ok_or_else(handle::ended)?;
        Ok(message.verify(Buffer::read(tag, tag_len)?.bytes())?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_ccm_iv(
    nonce: *const c_void,
    nonce_len: usize,
    iv: *mut c_void,
    iv_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { made(iv, iv_len, &algkit::ccm_iv(Buffer::read(nonce, nonce_len)?.bytes())?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_authenc_key(
    auth_key: *const c_void,
    auth_key_len: usize,
    enc_key: *const c_void,
    enc_key_len: usize,
    key: *mut c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let [auth_key, enc_key] = [Buffer::read(auth_key, auth_key_len)?, Buffer::read(enc_key, enc_key_len)?];
        made(key, key_len, &algkit::authenc_key(auth_key.bytes(), enc_key.bytes()))
    })
}

/// Copies `bytes` to the caller's buffer, which must have the same length.
///
/// # Safety
/// `to` is NULL or has `len` bytes.
unsafe fn made(to: *mut c_void, len: usize, bytes: &[u8]) -> Result<(), Failure> {
    if len != bytes.len() {
        return Err(Failure::new(EINVAL, format!("room for {len} bytes, expected {}", bytes.len())));
    }
    // SAFETY: the caller's buffer exists.
    unsafe { Buffer::written(to, len)?.bytes_mut().copy_from_slice(bytes) };
    Ok(())
}

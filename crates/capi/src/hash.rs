//! Hashes and message authentication codes.

use crate::{
    batch,
    error::{EBADMSG, EFAULT, EINVAL, Failure, guard},
    handle::{self, algkit_hash, algkit_hash_state},
    info::{Described, algkit_info},
    memory::{self, Buffer, List, check_disjoint},
};
use algkit::{Error, batch::Request};
use libc::iovec;
use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_new(
    name: *const c_char,
    key: *const c_void,
    key_len: usize,
    tfm: *mut *mut algkit_hash,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        handle::give(tfm, || {
            let (name, bytes) = (memory::name(name)?, Buffer::read(key, key_len)?.bytes());
            // NULL is no key, which is not the same as an empty one.
            Described::with(name, |hash| if key.is_null() { hash.unkeyed() } else { hash.key(bytes) })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_free(tfm: *mut algkit_hash) {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::free(tfm) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_info(tfm: *const algkit_hash) -> *const algkit_info {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::get(tfm) }.map_or(ptr::null(), |known| known.info.shown())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_set_key(tfm: *mut algkit_hash, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let (tfm, bytes) = (&mut handle::get_mut(tfm)?.tfm, Buffer::read(key, key_len)?.bytes());
        if key.is_null() && !tfm.driver().shape.optional_key {
            return Err(Error::KeyMissing(tfm.driver().name.clone()).into());
        }
        Ok(tfm.set_key(bytes)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_digest(
    tfm: *const algkit_hash,
    src: *const c_void,
    len: usize,
    digest: *mut c_void,
    digest_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let (src, out) = (Buffer::read(src, len)?, Buffer::written(digest, digest_len)?);
        check_disjoint(&[src, out])?;
        Ok(handle::get(tfm)?.tfm.digest_into(&[src.bytes()], out.bytes_mut())?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_digestv(
    tfm: *const algkit_hash,
    src: *const iovec,
    src_count: usize,
    digest: *mut c_void,
    digest_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let (src, out) = (memory::list(src, src_count, false)?, Buffer::written(digest, digest_len)?);
        check_disjoint(&src.iter().copied().chain([out]).collect::<List<_>>())?;
        let parts: List<&[u8]> = src.iter().map(|part| part.bytes()).collect();
        Ok(handle::get(tfm)?.tfm.digest_into(&parts, out.bytes_mut())?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_verify(
    tfm: *const algkit_hash,
    src: *const c_void,
    len: usize,
    digest: *const c_void,
    digest_len: usize,
) -> c_int {
    guard(|| {
        let (src, digest) = (Buffer::read(src, len)?, Buffer::read(digest, digest_len)?);
        // SAFETY: the caller keeps to algkit.h.
        let (tfm, src, digest) = unsafe { (&handle::get(tfm)?.tfm, src.bytes(), digest.bytes()) };
        if digest.len() != tfm.digest_size() {
            let text = format!("digest of {} bytes, expected {}", digest.len(), tfm.digest_size());
            return Err(Failure::new(EINVAL, text));
        }
        tfm.verify(src, digest).then_some(()).ok_or_else(|| Failure::new(EBADMSG, "the digest does not match"))
    })
}

#[repr(C)]
pub struct algkit_hash_request {
    tfm: *const algkit_hash,
    src: *const c_void,
    len: usize,
    digest: *mut c_void,
    digest_len: usize,
    result: c_int,
}

/// # Safety
/// The arguments are as algkit.h requires for `algkit_hash_batch`.
unsafe fn request<'a>(from: &algkit_hash_request) -> Result<Request<'a>, Failure> {
    let (src, out) = (Buffer::read(from.src, from.len)?, Buffer::written(from.digest, from.digest_len)?);
    check_disjoint(&[src, out])?;
    // SAFETY: the caller's buffers exist, and are apart.
    unsafe { Ok(Request::digest(&handle::get(from.tfm)?.tfm, src.bytes(), out.bytes_mut())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_batch(requests: *mut algkit_hash_request, count: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { batch::run(requests, count, |from, _| request(from), |from| &mut from.result) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_start(tfm: *const algkit_hash, state: *mut *mut algkit_hash_state) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { handle::give(state, || Ok(Some(handle::get(tfm)?.tfm.start()))) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_state_free(state: *mut algkit_hash_state) {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::free(state) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_clone(
    state: *const algkit_hash_state,
    copy: *mut *mut algkit_hash_state,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe { handle::give(copy, || Ok(Some(handle::get(state)?.clone().ok_or_else(handle::ended)?))) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_update(state: *mut algkit_hash_state, src: *const c_void, len: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let src = Buffer::read(src, len)?;
        handle::get_mut(state)?.as_mut().ok_or_else(handle::ended)?.update(src.bytes());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_finish(
    state: *mut algkit_hash_state,
    digest: *mut c_void,
    digest_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let message = handle::get_mut(state)?.take().ok_or_else(handle::ended)?;
        Ok(message.finish_into(Buffer::written(digest, digest_len)?.bytes_mut())?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_copy(from: *const algkit_hash_state, to: *mut algkit_hash_state) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let same = ptr::eq(from, to);
        let from = handle::get(from)?.as_ref().ok_or_else(handle::ended)?;
        if same {
            return Ok(());
        }
        match handle::get_mut(to)? {
            Some(state) => state.clone_from(from),
            ended => *ended = Some(from.clone()),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_peek(
    state: *const algkit_hash_state,
    digest: *mut c_void,
    digest_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let digest = Buffer::written(digest, digest_len)?;
        Ok(handle::get(state)?.as_ref().ok_or_else(handle::ended)?.digest_into(&[], digest.bytes_mut())?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_squeeze(state: *mut algkit_hash_state, dst: *mut c_void, len: usize) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let dst = Buffer::written(dst, len)?;
        Ok(handle::get_mut(state)?.as_mut().ok_or_else(handle::ended)?.squeeze(dst.bytes_mut())?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_export(
    state: *const algkit_hash_state,
    dst: *mut c_void,
    room: usize,
    len: *mut usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let dst = Buffer::written(dst, room)?;
        let len = len.as_mut().ok_or_else(|| Failure::new(EFAULT, "NULL instead of a place for the length"))?;
        *len = handle::get(state)?.as_ref().ok_or_else(handle::ended)?.export_into(dst.bytes_mut())?;
        if *len > room {
            dst.bytes_mut().fill(0);
            return Err(Failure::new(EINVAL, format!("room for {room} bytes, the state has {len}")));
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_hash_import(
    tfm: *const algkit_hash,
    src: *const c_void,
    len: usize,
    state: *mut *mut algkit_hash_state,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        handle::give(state, || Ok(Some(handle::get(tfm)?.tfm.import(Buffer::read(src, len)?.bytes())?)))
    })
}

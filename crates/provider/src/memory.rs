//! The buffers that libcrypto passes.

use crate::{
    abi::{ERR_R_PASSED_NULL_PARAMETER, PROV_R_CIPHER_OPERATION_FAILED},
    core::Reason,
};
use algkit::InOut;
use std::slice;

/// A slice of `len` bytes. The pointer may be NULL if `len` is 0.
///
/// # Safety
/// The bytes exist and do not change while the slice lives.
#[inline(always)]
pub unsafe fn bytes<'a>(at: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: as the caller promises.
    if len == 0 || at.is_null() { &[] } else { unsafe { slice::from_raw_parts(at, len) } }
}

/// As [`bytes`], for a part of a message: an error if the pointer is NULL and `len` is not 0. Taken as empty, it would
/// change what is hashed or authenticated.
///
/// # Safety
/// As for [`bytes`].
#[inline(always)]
pub unsafe fn source<'a>(at: *const u8, len: usize) -> Result<&'a [u8], Reason> {
    if len > 0 && at.is_null() {
        return Err(ERR_R_PASSED_NULL_PARAMETER);
    }
    // SAFETY: as the caller promises.
    Ok(unsafe { bytes(at, len) })
}

/// Room for `len` bytes.
///
/// # Safety
/// The bytes exist and nobody else uses them while the slice lives.
#[inline(always)]
pub unsafe fn room<'a>(at: *mut u8, len: usize) -> &'a mut [u8] {
    // SAFETY: as the caller promises.
    if len == 0 || at.is_null() { &mut [] } else { unsafe { slice::from_raw_parts_mut(at, len) } }
}

/// A source and a destination, which are the same buffer or do not overlap. Buffers that overlap in part are an error,
/// as in OpenSSL 1.1.1, because their result would depend on the driver.
///
/// # Safety
/// Both have `len` bytes, and nobody else uses them while the value lives.
#[inline(always)]
pub unsafe fn in_out<'a>(src: *const u8, dst: *mut u8, len: usize) -> Result<InOut<'a>, Reason> {
    if len > 0 && (src.is_null() || dst.is_null()) {
        return Err(ERR_R_PASSED_NULL_PARAMETER);
    }
    if len == 0 || src == dst.cast_const() {
        // SAFETY: as the caller promises.
        return Ok(InOut::from(unsafe { room(dst, len) }));
    }
    if (src as usize).abs_diff(dst as usize) < len {
        return Err(PROV_R_CIPHER_OPERATION_FAILED);
    }
    // SAFETY: as the caller promises, and they have just been seen to be apart.
    let (src, dst) = unsafe { (bytes(src, len), room(dst, len)) };
    InOut::new(src, dst).map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)
}

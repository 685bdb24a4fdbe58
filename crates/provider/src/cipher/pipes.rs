//! Pipelines (OpenSSL 3.5): each call has one part of each of several messages under one key. Each pipe has its own
//! context, so it has parts and padding like any message. [`Context::update_many`] may process the parts in parallel,
//! which makes CBC encryption faster. GCM has no pipelines: a context for each message costs more than parallel
//! messages would save.

use super::{Context, Object, Run};
use crate::{abi::*, core::Reason, memory, object::with, params};
use std::{
    array,
    ffi::{c_int, c_void},
    ptr, slice,
};

/// `EVP_MAX_PIPES`.
const MOST: usize = 32;

/// The functions for pipelines. For a context without pipelines, the table ends here.
pub const fn functions<C: Context>() -> [Dispatch; 4] {
    if !C::PIPES {
        return [Dispatch::END; 4];
    }
    [
        Dispatch::new(OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT, init::<C, true> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_PIPELINE_DECRYPT_INIT, init::<C, false> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_PIPELINE_UPDATE, update::<C> as *const ()),
        Dispatch::new(OSSL_FUNC_CIPHER_PIPELINE_FINAL, finish::<C> as *const ()),
    ]
}

unsafe extern "C" fn init<C: Context, const ENCRYPT: bool>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    count: usize,
    ivs: *const *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes a context, the lengths of what is there, an IV for each pipe, and a list of parameters.
    unsafe {
        with::<Object<C>>(context, |Object { single, pipes }| {
            pipes.clear();
            if count > MOST {
                return Err(PROV_R_INVALID_INPUT_LENGTH);
            }
            single.shared().encrypt = ENCRYPT;
            single.init((!key.is_null()).then(|| memory::bytes(key, key_len)), None)?;
            params::each(params, |key, param| single.set(key, param))?;
            let needs_iv = single.shared().row().iv > 0;
            if needs_iv && ivs.is_null() {
                // The pipes are made when they get their IVs.
                return Ok(());
            }
            pipes.resize(count, single.clone());
            for (i, pipe) in pipes.iter_mut().enumerate().filter(|_| needs_iv) {
                pipe.init(None, Some(memory::bytes(*ivs.add(i), iv_len)))?;
            }
            Ok(())
        })
    }
}

/// The entry of a pipe in an array, or `missing` if the array is NULL.
///
/// # Safety
/// `array` is NULL or has more than `i` entries.
unsafe fn entry<T: Copy>(array: *const T, i: usize, missing: T) -> T {
    // SAFETY: as the caller promises.
    if array.is_null() { missing } else { unsafe { *array.add(i) } }
}

unsafe extern "C" fn update<C: Context>(
    context: *mut c_void,
    count: usize,
    out: *const *mut u8,
    out_len: *mut usize,
    out_size: *const usize,
    src: *const *const u8,
    len: *const usize,
) -> c_int {
    // SAFETY: libcrypto passes a context, and arrays with an entry for each pipe, or none.
    unsafe {
        with::<Object<C>>(context, |object| {
            let pipes = &mut object.pipes[..];
            if pipes.len() != count || count == 0 {
                return Err(PROV_R_INVALID_STATE);
            }
            let runs: [Run; MOST] = array::from_fn(|i| {
                let i = i.min(count - 1);
                let dst = entry(out, i, ptr::null_mut());
                Run { src: entry(src, i, ptr::null()), dst, len: *len.add(i), room: entry(out_size, i, 0) }
            });
            C::update_many(pipes, &runs[..count], slice::from_raw_parts_mut(out_len, count))
        })
    }
}

unsafe extern "C" fn finish<C: Context>(
    context: *mut c_void,
    count: usize,
    out: *const *mut u8,
    out_len: *mut usize,
    out_size: *const usize,
) -> c_int {
    // SAFETY: libcrypto passes a context, and arrays with an entry for each pipe.
    unsafe {
        with::<Object<C>>(context, |object| {
            if object.pipes.len() != count {
                return Err(PROV_R_INVALID_STATE);
            }
            for (i, pipe) in object.pipes.iter_mut().enumerate() {
                let room = memory::room(entry(out, i, ptr::null_mut()), entry(out_size, i, 0));
                *out_len.add(i) = pipe.finish(room)?;
            }
            Ok(())
        })
    }
}

/// Processes a part of each of several messages, one after the other.
///
/// # Safety
/// As for [`Context::update`].
pub unsafe fn one_by_one<C: Context>(pipes: &mut [C], runs: &[Run], written: &mut [usize]) -> Result<(), Reason> {
    for ((pipe, run), written) in pipes.iter_mut().zip(runs).zip(written) {
        // SAFETY: as the caller promises.
        *written = unsafe { pipe.update(*run)? };
    }
    Ok(())
}

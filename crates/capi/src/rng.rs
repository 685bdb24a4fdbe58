//! Random number generators.

use crate::{
    error::guard,
    fork,
    handle::{self, algkit_rng},
    info::{Described, algkit_info},
    memory::{self, Buffer, check_disjoint},
};
use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_rng_new(
    name: *const c_char,
    seed: *const c_void,
    seed_len: usize,
    rng: *mut *mut algkit_rng,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        handle::give(rng, || Described::new(memory::name(name)?, Buffer::read(seed, seed_len)?.bytes()))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_rng_free(rng: *mut algkit_rng) {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::free(rng) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_rng_info(rng: *const algkit_rng) -> *const algkit_info {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::get(rng) }.map_or(ptr::null(), |known| known.info.shown())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_rng_generate(
    rng: *const algkit_rng,
    additional: *const c_void,
    additional_len: usize,
    dst: *mut c_void,
    len: usize,
) -> c_int {
    guard(|| {
        let (additional, dst) = (Buffer::read(additional, additional_len)?, Buffer::written(dst, len)?);
        check_disjoint(&[additional, dst])?;
        let _guard = fork::kept_away();
        // SAFETY: the caller's buffers exist, and are apart.
        unsafe { Ok(handle::get(rng)?.tfm.generate(additional.bytes(), dst.bytes_mut())?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_rng_reseed(
    rng: *const algkit_rng,
    additional: *const c_void,
    additional_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        let _guard = fork::kept_away();
        Ok(handle::get(rng)?.tfm.reseed(Buffer::read(additional, additional_len)?.bytes())?)
    })
}

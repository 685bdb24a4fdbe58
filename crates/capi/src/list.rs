//! Lists of drivers.

use crate::{
    error::guard,
    fork,
    handle::{self, algkit_list},
    info::{Info, algkit_info},
    memory,
};
use algkit::Registry;
use std::{
    ffi::{c_char, c_int},
    ptr,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_list_new(name: *const c_char, list: *mut *mut algkit_list) -> c_int {
    // SAFETY: the caller keeps to algkit.h.
    guard(|| unsafe {
        handle::give(list, || {
            let _guard = fork::kept_away();
            let registry = Registry::global()?;
            let drivers = if name.is_null() { registry.drivers() } else { registry.drivers_of(memory::name(name)?)? };
            drivers.iter().map(|driver| Info::of(driver)).collect()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_list_free(list: *mut algkit_list) {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::free(list) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_list_count(list: *const algkit_list) -> usize {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::get(list) }.map_or(0, Vec::len)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn algkit_list_get(list: *const algkit_list, index: usize) -> *const algkit_info {
    // SAFETY: the caller keeps to algkit.h.
    unsafe { handle::get(list) }.ok().and_then(|list| list.get(index)).map_or(ptr::null(), Info::shown)
}

//! Contexts and keys, which libcrypto holds as pointers.

use crate::core::{Core, Reason, caught};
use std::{
    ffi::{c_int, c_void},
    ptr,
};

/// Makes an object for libcrypto. Returns NULL if `make` panics.
pub fn new<T>(make: impl FnOnce() -> T) -> *mut c_void {
    caught(|| Box::into_raw(Box::new(make()))).unwrap_or(ptr::null_mut()).cast()
}

/// Makes an independent copy of an object.
///
/// # Safety
/// The object is NULL, or a `T` that [`new`] or this function made.
pub unsafe extern "C" fn duplicate<T: Clone>(object: *mut c_void) -> *mut c_void {
    // SAFETY: as the caller promises.
    let Some(object) = (unsafe { object.cast::<T>().as_ref() }) else { return ptr::null_mut() };
    new(|| object.clone())
}

/// Frees an object.
///
/// # Safety
/// As for [`duplicate`]; nobody uses it afterwards.
pub unsafe extern "C" fn free<T>(object: *mut c_void) {
    if !object.is_null() {
        // SAFETY: as the caller promises.
        caught(|| drop(unsafe { Box::from_raw(object.cast::<T>()) }));
    }
}

/// Runs the body of a function with an object.
///
/// # Safety
/// As for [`duplicate`]; nobody else uses the object, and its [`Core`] lives.
#[inline(always)]
pub unsafe fn with<T>(
    object: *mut c_void,
    core: impl FnOnce(&T) -> *const Core,
    body: impl FnOnce(&mut T) -> Result<(), Reason>,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        let Some(object) = object.cast::<T>().as_mut() else { return 0 };
        (*core(object)).guard(|| body(object))
    }
}

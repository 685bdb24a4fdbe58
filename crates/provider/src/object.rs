//! Contexts and keys, which libcrypto holds as pointers.

use crate::core::{Core, Reason, caught};
use std::{
    ffi::{c_int, c_void},
    ptr,
};

/// An object, and the provider to which it belongs.
struct Held<T> {
    core: *const Core,
    object: T,
}

/// Makes an object for libcrypto. Returns NULL if `make` panics.
pub fn new<T>(provider: *const c_void, make: impl FnOnce() -> T) -> *mut c_void {
    caught(|| Box::into_raw(Box::new(Held { core: provider.cast(), object: make() }))).unwrap_or(ptr::null_mut()).cast()
}

/// Makes an independent copy of an object.
///
/// # Safety
/// The object is NULL, or a `T` that [`new`] or this function made.
pub unsafe extern "C" fn duplicate<T: Clone>(object: *mut c_void) -> *mut c_void {
    // SAFETY: as the caller promises.
    let Some(held) = (unsafe { object.cast::<Held<T>>().as_ref() }) else { return ptr::null_mut() };
    new(held.core.cast(), || held.object.clone())
}

/// Frees an object.
///
/// # Safety
/// As for [`duplicate`]; nobody uses it afterwards.
pub unsafe extern "C" fn free<T>(object: *mut c_void) {
    if !object.is_null() {
        // SAFETY: as the caller promises.
        caught(|| drop(unsafe { Box::from_raw(object.cast::<Held<T>>()) }));
    }
}

/// An object; `None` if it is NULL.
///
/// # Safety
/// As for [`duplicate`]; nobody changes the object while the reference lives.
pub unsafe fn get<'a, T>(object: *const c_void) -> Option<&'a T> {
    // SAFETY: as the caller promises.
    unsafe { object.cast::<Held<T>>().as_ref() }.map(|held| &held.object)
}

/// Runs the body of a function with an object.
///
/// # Safety
/// As for [`duplicate`]; nobody else uses the object. libcrypto frees a provider after all objects.
#[inline(always)]
pub unsafe fn with<T>(object: *mut c_void, body: impl FnOnce(&mut T) -> Result<(), Reason>) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        let Some(held) = object.cast::<Held<T>>().as_mut() else { return 0 };
        (*held.core).guard(|| body(&mut held.object))
    }
}

/// As [`with`], for an object that other threads may use too.
///
/// # Safety
/// As for [`duplicate`]; nobody changes the object.
pub unsafe fn with_shared<T>(object: *mut c_void, body: impl FnOnce(&T) -> Result<(), Reason>) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        let Some(held) = object.cast::<Held<T>>().as_ref() else { return 0 };
        (*held.core).guard(|| body(&held.object))
    }
}

//! Code that the batches of all types share.

use crate::error::{EFAULT, EINVAL, ENOTRECOVERABLE, Failure};
use algkit::{
    batch::{self, Request},
    driver::MAX_JOBS,
};
use smallvec::SmallVec;
use std::{ffi::c_int, slice};

/// Room for an IV that a request may change. No driver has a longer one.
pub type Iv = [u8; 32];

/// Executes a batch. `prepare` makes the request of an element, and `result` is the place for its result. Returns the
/// first error that is found.
///
/// # Safety
/// `elements` points to `count` of them, which nobody else uses meanwhile.
pub unsafe fn run<T>(
    elements: *mut T,
    count: usize,
    prepare: impl for<'a> Fn(&T, &'a mut Iv) -> Result<Request<'a>, Failure>,
    result: fn(&mut T) -> &mut c_int,
) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    if elements.is_null() {
        return Err(Failure::new(EFAULT, format!("NULL instead of {count} requests")));
    }
    if !elements.is_aligned() || count > isize::MAX as usize / size_of::<T>() {
        return Err(Failure::new(EINVAL, format!("no batch has {count} requests there")));
    }
    // SAFETY: the pointer is aligned and not NULL, and the caller has so many elements there.
    let elements = unsafe { slice::from_raw_parts_mut(elements, count) };
    elements.iter_mut().for_each(|element| *result(element) = ENOTRECOVERABLE);
    let mut first = Ok(());
    let mut note = |slot: &mut c_int, outcome: Result<(), Failure>| {
        *slot = outcome.as_ref().map_or_else(|failure| failure.code(), |()| 0);
        if first.is_ok() {
            first = outcome;
        }
    };
    for elements in elements.chunks_mut(MAX_JOBS) {
        let mut ivs = [[0; 32]; MAX_JOBS];
        let mut requests: SmallVec<[Request<'_>; MAX_JOBS]> = SmallVec::new();
        let mut slots: SmallVec<[&mut c_int; MAX_JOBS]> = SmallVec::new();
        for (element, iv) in elements.iter_mut().zip(&mut ivs) {
            match prepare(element, iv) {
                Ok(request) => {
                    requests.push(request);
                    slots.push(result(element));
                }
                Err(failure) => note(result(element), Err(failure)),
            }
        }
        for (result, slot) in batch::run(&mut requests).zip(slots) {
            note(slot, result.map_err(Failure::from));
        }
    }
    first
}

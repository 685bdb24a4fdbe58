//! Being a shared object.

use crate::{Iv, Level, Op, Out, Request, Work, abi};
use std::{
    ffi::{CStr, c_char, c_void},
    slice,
};

/// `peer_make` of an object whose ways are made by `work`.
///
/// # Safety
///
/// `case` and `out` are valid. The case's key and associated data are static, and its names live as long as
/// what is made.
pub unsafe fn make(work: fn(&Request) -> Option<Work>, case: *const abi::Case, out: *mut abi::Work) -> bool {
    // SAFETY: the caller's promise.
    let case = unsafe { &*case };
    // SAFETY: the caller's promise.
    let (mode, cipher) = unsafe { (name(case.mode), name(case.cipher)) };
    // SAFETY: the caller's promise; an empty slice may not be null, and a Rust caller's is not.
    let (key, assoc) =
        unsafe { (slice::from_raw_parts(case.key, case.key_len), slice::from_raw_parts(case.assoc, case.assoc_len)) };
    let request = Request {
        mode,
        cipher,
        key,
        assoc,
        op: [Op::Encrypt, Op::Decrypt, Op::Digest][case.op as usize],
        size: case.size,
        messages: case.messages,
        level: [Level::Full, Level::Avx2, Level::AesNi, Level::Soft][case.level as usize],
        rekey: case.rekey,
    };
    let Some(Work::One(call)) = work(&request) else { return false };
    let state = Box::into_raw(Box::new(State { call, stride: request.stride() }));
    let work = abi::Work { run: Some(run), free: Some(free), state: state.cast(), messages: 1 };
    // SAFETY: the caller's promise.
    unsafe { out.write(work) };
    true
}

struct State {
    call: crate::One,
    stride: usize,
}

/// # Safety
///
/// A C string that lives as long as it is used.
unsafe fn name(name: *const c_char) -> &'static str {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_str().expect("names are ASCII")
}

unsafe extern "C" fn run(state: *mut c_void, ivs: *const Iv, text: *mut u8, outs: *mut Out) -> bool {
    // SAFETY: the host calls this with the state that `make` made, from one thread.
    let state = unsafe { &mut *state.cast::<State>() };
    // SAFETY: the host gives one IV, one message with its room, and room for a tag, none of which overlap.
    let (iv, text, out) = unsafe { (&*ivs, slice::from_raw_parts_mut(text, state.stride), &mut *outs) };
    (state.call)(iv, text, out)
}

unsafe extern "C" fn free(state: *mut c_void) {
    // SAFETY: the host gives the state back once.
    drop(unsafe { Box::from_raw(state.cast::<State>()) });
}

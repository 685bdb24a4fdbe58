//! The side of the interface that a shared object implements.

use crate::{Iv, Level, Op, Out, Request, Work, abi};
use std::{
    ffi::{CStr, c_char, c_void},
    slice,
};

/// `peer_make` of a shared object whose library is asked by `work`.
///
/// # Safety
///
/// `case` and `out` must be valid. Key and associated data of the case must be static, and its names must live as long
/// as the state that is made.
pub unsafe fn make(work: fn(&Request) -> Option<Work>, case: *const abi::Case, out: *mut abi::Work) -> bool {
    // SAFETY: `case` is valid (precondition).
    let case = unsafe { &*case };
    // SAFETY: the names are C strings that live as long as the state (precondition).
    let (mode, cipher) = unsafe { (name(case.mode), name(case.cipher)) };
    // SAFETY: both pointers are valid for their lengths (precondition). They come from slices, so they are not null
    // even for a length of 0.
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
    // SAFETY: `out` is valid (precondition).
    unsafe { out.write(work) };
    true
}

struct State {
    call: crate::One,
    stride: usize,
}

/// # Safety
///
/// `name` must be a C string that lives as long as the result is used.
unsafe fn name(name: *const c_char) -> &'static str {
    // SAFETY: the pointer is to a C string (precondition).
    unsafe { CStr::from_ptr(name) }.to_str().expect("names are ASCII")
}

unsafe extern "C" fn run(state: *mut c_void, ivs: *const Iv, text: *mut u8, outs: *mut Out) -> bool {
    // SAFETY: the host passes the state that `make` has made, and calls from one thread.
    let state = unsafe { &mut *state.cast::<State>() };
    // SAFETY: the host passes one IV, one message with the room behind it, and room for a tag; none of them overlap.
    let (iv, text, out) = unsafe { (&*ivs, slice::from_raw_parts_mut(text, state.stride), &mut *outs) };
    (state.call)(iv, text, out)
}

unsafe extern "C" fn free(state: *mut c_void) {
    // SAFETY: the host passes the state that `make` has made, once, and does not use it afterwards.
    drop(unsafe { Box::from_raw(state.cast::<State>()) });
}

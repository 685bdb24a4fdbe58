//! The interface of foreign/shims/plugin.h, where the fields are explained.

#![allow(missing_docs)]

use crate::{Iv, Out};
use std::ffi::{c_char, c_void};

/// `struct peer_case`.
#[repr(C)]
pub struct Case {
    pub mode: *const c_char,
    pub cipher: *const c_char,
    pub key: *const u8,
    pub key_len: usize,
    pub assoc: *const u8,
    pub assoc_len: usize,
    pub size: usize,
    pub messages: usize,
    pub stride: usize,
    pub op: u32,
    pub level: u32,
    pub rekey: bool,
}

pub type Run = unsafe extern "C" fn(state: *mut c_void, ivs: *const Iv, text: *mut u8, outs: *mut Out) -> bool;

/// `struct peer_work`.
#[repr(C)]
pub struct Work {
    pub run: Option<Run>,
    pub free: Option<unsafe extern "C" fn(state: *mut c_void)>,
    pub state: *mut c_void,
    pub messages: usize,
}

pub type Make = unsafe extern "C" fn(case: *const Case, work: *mut Work) -> bool;
pub type Version = unsafe extern "C" fn() -> *const c_char;

//! The C library `libalgkit`. Its interface is documented in `include/algkit.h`, and `tests/header.rs` compares the
//! two. This crate checks and converts arguments, and [`algkit`] does the cryptography.
//!
//! | module | what it has |
//! | --- | --- |
//! | `memory` | the caller's buffers: NULL, lengths, overlaps |
//! | `handle` | handles: a pointer to an `Object`, whose variant is the handle's type |
//! | `error` | error numbers and texts, and the catching of panics |
//! | `fork` | makes `fork` wait for the library's locks |
//! | `info` | the description of a driver for C |
//! | `batch` | code that the batches of all types share |
//! | `cipher`, `skcipher`, `aead`, `hash`, `rng`, `list` | the functions of each type |
#![allow(
    missing_docs,
    non_camel_case_types,
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "the names and the documentation are those of algkit.h"
)]

mod aead;
mod batch;
mod cipher;
mod error;
mod fork;
mod handle;
mod hash;
mod info;
mod list;
mod memory;
mod rng;
mod skcipher;

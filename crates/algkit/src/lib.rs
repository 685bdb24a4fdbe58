//! The library.
#![forbid(unsafe_code)]

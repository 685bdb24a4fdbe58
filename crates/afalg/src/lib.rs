//! AF_ALG, NETLINK_CRYPTO, `/proc/crypto` and `/dev/crypto` in user space: the kernel's handling of these requests,
//! as state machines over bytes, without system calls.
//!
//! A [`File`] is the object behind a client's descriptor. Two front ends carry requests to it: the preload library
//! inside the client's process, and the supervisor outside of it. They do the work of the kernel's VFS:
//! descriptors, blocking, readiness, signals. This crate implements the semantics.
#![forbid(unsafe_code)]

pub mod abi;
pub mod aio;
pub mod alg;
mod catalogue;
pub mod cryptodev;
mod file;
pub mod front;
pub mod level;
mod message;
pub mod netlink;
mod place;
pub mod proc_crypto;
pub mod program;
mod secret;
pub mod service;
pub mod socket;
pub mod stand_in;
pub mod usage;

pub use file::File;
pub use message::{Destination, Memory, Message, Readiness, Received, check_flags, duration, may_be_memory};
pub use place::Place;
pub use rustix::io::Errno;

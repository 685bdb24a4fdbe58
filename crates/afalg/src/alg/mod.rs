//! AF_ALG sockets with the behaviour of Linux 6.1. The differences from the kernel are:
//!
//! - A `recv` with more room than text returns the text. The kernel lets a blocking client wait for another
//!   thread to send more.
//! - If a message is sent in parts because the queue was full, and a reader empties the queue meanwhile, the rest
//!   is received too. The kernel forgets that a message has begun.
//! - If a request's buffers come within a page of the receive buffer's size (208 KiB), the kernel cuts it short
//!   at places that depend on the buffers' addresses, and may leave a gap. Here buffers count as if they began at
//!   page boundaries.
//! - Many buffers are accepted. The kernel refuses a `recv` into some twenty buffers or more with `ENOMEM`.
//! - The IV after a request of `xts` or `cts(cbc)` is that of the kernel's templates. Its drivers for AES
//!   instructions leave other bytes there.
//! - `ALG_SET_KEY_BY_KEY_SERIAL` (Linux 6.2) and `ALG_SET_DRBG_ENTROPY` (in the kernel a build option, for root
//!   only) are available to everyone.
//! - If a tag does not match, the text's place in the client's buffers is zeroed. The kernel may leave decrypted
//!   text there.

mod aead;
mod algorithm;
mod digest;
mod generator;
mod hash;
mod lookup;
mod parent;
mod queue;
mod rng;
mod room;
mod skcipher;
mod socket;
mod stream;

pub(crate) use lookup::{any_timing, transform};
pub use parent::{Keyring, NoKeyring};
pub(crate) use skcipher::chunk_size;
pub use socket::Socket;

//! AF_ALG sockets, as Linux 6.1 has them. They differ from the kernel's in this:
//!
//! - A `recv` with more room than there is text returns the text. The kernel lets a client that waits
//!   wait for another thread to send more.
//! - When a message is sent in parts because the queue was full, and all of it so far is received
//!   meanwhile, the rest is received too. The kernel forgets that a message has begun.
//! - The kernel cuts a request short whose buffers come within a page of the receive buffer's size
//!   (208 KiB) at places that depend on the addresses of the buffers, and may leave a gap. Here they
//!   count as if they began at page boundaries.
//! - Memory is not short: the kernel refuses a `recv` into some twenty buffers or more with `ENOMEM`.
//! - The IV after a request of `xts` or `cts(cbc)` is that of the kernel's templates. Its drivers for
//!   AES instructions leave other bytes there.
//! - `ALG_SET_KEY_BY_KEY_SERIAL` (Linux 6.2) and `ALG_SET_DRBG_ENTROPY` (an option of the kernel's
//!   configuration, and for root) are there, for everyone.
//! - After a tag that does not match, the text's place in the client's buffers is zeroed. The kernel may
//!   leave what it had decrypted.

mod aead;
mod algorithm;
mod digest;
mod generator;
mod hash;
mod level;
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

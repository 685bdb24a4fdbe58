//! Evidence for the column `timing` of the driver table.
//!
//! - `ctgrind` (Langley 2010) runs every driver under valgrind with keys and data marked as undefined. memcheck objects
//!   to each branch and each address that depends on them.
//! - `dudect` (Reparaz, Balasch and Verbauwhede 2017) times drivers with fixed and with random inputs, and compares the
//!   two by Welch's t-test. It covers what valgrind cannot execute.
//! - `attack` (Bernstein 2005) is what such a leak is good for: a client that learns bits of a server's AES key from times.
//!
//! All must find deliberate leaks ([`controls`]); otherwise their silence would mean nothing.

pub mod clock;
pub mod controls;
pub mod correlation;
pub mod error;
pub mod exercise;
pub mod heap;
pub mod profile;
pub mod server;
pub mod subject;
pub mod valgrind;
pub mod welch;

pub use error::Error;

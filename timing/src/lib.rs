//! Evidence for the column `timing` of the driver table.
//!
//! - `ctgrind` (Langley 2010) runs every driver under valgrind with keys and data marked as undefined:
//!   memcheck objects to each branch and each address that depends on them.
//! - `dudect` (Reparaz, Balasch and Verbauwhede 2017) times drivers on fixed and on random inputs, and
//!   asks Welch's t-test whether the two differ. It sees what valgrind cannot execute.
//!
//! Both have to find deliberate leaks ([`controls`]), or their silence means nothing.

pub mod controls;
pub mod error;
pub mod exercise;
pub mod heap;
pub mod subject;
pub mod valgrind;
pub mod welch;

pub use error::Error;

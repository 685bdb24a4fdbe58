//! The beginning of a change that moves the data: of an [encryption] that puts the header before it, and of a [decryption] that puts the data where the
//! header was.

mod decryption;
mod encryption;

use crate::{Error, ReadAt, WriteAt, storage};
pub use decryption::{detach, is_detached, start_moving};
pub use encryption::{Interrupted, SHIFT, start_shifted};

/// The number of bytes that are copied at a time.
const CHUNK: u64 = 4 << 20;

/// Copies bytes to a place that does not overlap theirs.
fn transfer(from: &dyn ReadAt, source: u64, to: &dyn WriteAt, target: u64, len: u64) -> Result<(), Error> {
    for at in (0..len).step_by(CHUNK as usize) {
        to.write_at(target + at, &storage::read(from, source + at, (len - at).min(CHUNK) as usize)?)?;
    }
    Ok(())
}

//! Time spans that targets pass.

use algkit_afalg::Errno;
use std::time::Duration;

/// The span of time in a `struct timespec`.
pub fn duration(timespec: [u8; 16]) -> Result<Duration, Errno> {
    let word = |at: usize| timespec[at..].first_chunk().map_or(0, |bytes| i64::from_ne_bytes(*bytes));
    algkit_afalg::duration(word(0), word(8))
}

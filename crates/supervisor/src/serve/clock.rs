//! Time spans that targets pass.

use algkit_afalg::Errno;
use std::time::Duration;

/// The span of time in a `struct timespec`.
pub fn duration(timespec: [u8; 16]) -> Result<Duration, Errno> {
    let word = |at: usize| timespec[at..].first_chunk().map_or(0, |bytes| i64::from_ne_bytes(*bytes));
    match (u64::try_from(word(0)), u32::try_from(word(8))) {
        (Ok(seconds), Ok(nanos)) if nanos < 1_000_000_000 => Ok(Duration::new(seconds, nanos)),
        _ => Err(Errno::INVAL),
    }
}

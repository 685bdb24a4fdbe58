//! Time spans that callers pass.

use algkit_afalg::Errno;
use libc::timespec;
use std::time::Duration;

/// Longer spans are cut to a hundred years, so that they can be added to the present.
const MOST_SECONDS: u64 = 100 * 366 * 86400;

/// The time span; [`Errno::INVAL`] if a field is negative or there are a billion nanoseconds or more.
pub fn duration(time: &timespec) -> Result<Duration, Errno> {
    let span = algkit_afalg::duration(time.tv_sec, time.tv_nsec)?;
    Ok(Duration::new(span.as_secs().min(MOST_SECONDS), span.subsec_nanos()))
}

//! Time spans that callers pass.

use algkit_afalg::Errno;
use libc::timespec;
use std::time::Duration;

/// The time span; [`Errno::INVAL`] if a field is negative or there are a billion nanoseconds or more.
pub fn duration(time: &timespec) -> Result<Duration, Errno> {
    let seconds = u64::try_from(time.tv_sec).map_err(|_| Errno::INVAL)?;
    let nanoseconds = u32::try_from(time.tv_nsec).map_err(|_| Errno::INVAL)?;
    match nanoseconds < 1_000_000_000 {
        // Longer spans are cut to a hundred years, so that they can be added to the present.
        true => Ok(Duration::new(seconds.min(100 * 366 * 86400), nanoseconds)),
        false => Err(Errno::INVAL),
    }
}

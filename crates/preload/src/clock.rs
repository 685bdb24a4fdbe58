//! Time spans of callers.

use algkit_afalg::Errno;
use libc::timespec;
use std::time::Duration;

/// A time span, if it is one.
pub fn duration(time: &timespec) -> Result<Duration, Errno> {
    let seconds = u64::try_from(time.tv_sec).map_err(|_| Errno::INVAL)?;
    let nanoseconds = u32::try_from(time.tv_nsec).map_err(|_| Errno::INVAL)?;
    match nanoseconds < 1_000_000_000 {
        // A hundred years are for ever.
        true => Ok(Duration::new(seconds.min(100 * 366 * 86400), nanoseconds)),
        false => Err(Errno::INVAL),
    }
}

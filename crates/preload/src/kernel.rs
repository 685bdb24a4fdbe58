//! System calls for which nobody else has a name.

use crate::{errno, interpose::real};
use algkit_afalg::Errno;
use libc::c_long;

/// Asks the kernel.
pub fn kernel(number: c_long, [a, b, c, d, e]: [c_long; 5]) -> Result<c_long, Errno> {
    let real = real!(fn syscall(c_long, c_long, c_long, c_long, c_long, c_long) -> c_long).ok_or(Errno::NOSYS)?;
    // SAFETY: the arguments are the client's, or point to what lives as long as the call.
    match unsafe { real(number, a, b, c, d, e) } {
        -1 => Err(errno::last()),
        value => Ok(value),
    }
}

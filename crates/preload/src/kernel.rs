//! System calls for which libc and rustix have no function that could be used here.

use crate::{errno, interpose::real};
use algkit_afalg::Errno;
use libc::c_long;

/// Makes the system call `number`.
pub fn kernel(number: c_long, [a, b, c, d, e]: [c_long; 5]) -> Result<c_long, Errno> {
    let real = real!(fn syscall(c_long, c_long, c_long, c_long, c_long, c_long) -> c_long).ok_or(Errno::NOSYS)?;
    // SAFETY: each argument is a number, a pointer that the caller of the interposed function passed for this very
    // system call, or a pointer to memory that lives as long as the call.
    match unsafe { real(number, a, b, c, d, e) } {
        -1 => Err(errno::last()),
        value => Ok(value),
    }
}

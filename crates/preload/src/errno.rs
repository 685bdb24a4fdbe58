//! Results in the forms in which C functions return them.

use algkit_afalg::Errno;
use libc::{c_int, c_long, ssize_t};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A type that a C function returns.
pub trait Return: PartialEq {
    /// The value that says that `errno` holds the error.
    const FAILED: Self;
}

impl Return for c_int {
    const FAILED: Self = -1;
}

impl Return for ssize_t {
    const FAILED: Self = -1;
}

impl Return for c_long {
    const FAILED: Self = -1;
}

impl<T> Return for *mut T {
    const FAILED: Self = std::ptr::null_mut();
}

/// Returns the value of `body`, or sets `errno` and returns [`Return::FAILED`]. A panic is reported as `EIO`.
pub fn answer<T: Return>(body: impl FnOnce() -> Result<T, Errno>) -> T {
    match caught(body) {
        Ok(value) => value,
        Err(errno) => {
            set(errno);
            T::FAILED
        }
    }
}

/// The same as [`answer`] for functions of libaio, which return the negative error number.
pub fn negated(body: impl FnOnce() -> Result<c_int, Errno>) -> c_int {
    caught(body).unwrap_or_else(|errno| -errno.raw_os_error())
}

fn caught<T>(body: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Errno::IO))
}

/// Sets `errno`.
pub fn set(errno: Errno) {
    set_raw(errno.raw_os_error());
}

/// Sets `errno` to any number, such as a value of before.
pub fn set_raw(number: c_int) {
    // SAFETY: `__errno_location` returns the address of this thread's own `errno`.
    unsafe { *libc::__errno_location() = number }
}

/// The thread's `errno`.
pub fn raw() -> c_int {
    // SAFETY: `__errno_location` returns the address of this thread's own `errno`.
    unsafe { *libc::__errno_location() }
}

/// The thread's `errno` after a function of libc has failed.
pub fn last() -> Errno {
    match raw() {
        number @ 1..4096 => Errno::from_raw_os_error(number),
        _ => Errno::IO,
    }
}

/// A length as the C functions return it; it comes from a slice, so it fits.
pub fn length(len: usize) -> ssize_t {
    len as ssize_t
}

//! Results as C functions return them.

use algkit_afalg::Errno;
use libc::{c_int, c_long, ssize_t};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A type in which a C function returns its result.
pub trait Return: PartialEq {
    /// What says that there is a reason in `errno`.
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

/// Returns what `body` returns, or sets `errno`. A panic is `EIO`.
pub fn answer<T: Return>(body: impl FnOnce() -> Result<T, Errno>) -> T {
    match caught(body) {
        Ok(value) => value,
        Err(errno) => {
            set(errno);
            T::FAILED
        }
    }
}

/// As [`answer`], in the manner of libaio, which returns the negative number.
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

/// Sets `errno` to what it was.
pub fn set_raw(number: c_int) {
    // SAFETY: the location is the thread's own.
    unsafe { *libc::__errno_location() = number }
}

/// The thread's `errno`, whatever it says.
pub fn raw() -> c_int {
    // SAFETY: the location is the thread's own.
    unsafe { *libc::__errno_location() }
}

/// The thread's `errno`, after a function of libc has failed.
pub fn last() -> Errno {
    match raw() {
        number @ 1..4096 => Errno::from_raw_os_error(number),
        _ => Errno::IO,
    }
}

/// A length as functions return it.
pub fn length(len: usize) -> ssize_t {
    len as ssize_t
}

//! Writing to the terminal from the background.

use std::{mem::zeroed, ptr};

/// Calls `write`, which writes to the terminal. In the background of a terminal with `stty tostop`, the kernel would stop this
/// process with all programs that it serves; here it does not (SIGTTOU is blocked).
pub fn without_stopping<R>(write: impl FnOnce() -> R) -> R {
    // SAFETY: a `sigset_t` of zeros is a valid value, and the pointers are to local variables.
    let before = unsafe {
        let (mut set, mut before): (libc::sigset_t, libc::sigset_t) = (zeroed(), zeroed());
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGTTOU);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before);
        before
    };
    let written = write();
    // SAFETY: the set is what the call above has written.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    written
}

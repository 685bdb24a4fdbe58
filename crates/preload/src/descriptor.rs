//! Closing and duplicating descriptors, and their flags.

use crate::{
    errno,
    interpose::{interpose, real},
    process, table,
};
use algkit_afalg::Errno;
use libc::{F_DUPFD, F_DUPFD_CLOEXEC, F_SETFL, O_NONBLOCK, c_int, c_long, c_uint};
use std::os::fd::RawFd;

interpose! {
    fn close(fd: c_int) -> c_int
    where Some(_) = table::entry(fd) => {
        // Forgotten first: the number may be another thread's as soon as it is free.
        if !process::borrows_memory() {
            table::forget(fd);
        }
        let real = real!(fn close(c_int) -> c_int).ok_or(Errno::NOSYS)?;
        returned(real(fd))
    }

    fn dup(fd: c_int) -> c_int
    where Some(_) = table::entry(fd) => {
        let real = real!(fn dup(c_int) -> c_int).ok_or(Errno::NOSYS)?;
        returned(real(fd)).inspect(|&new| record(fd, new))
    }

    fn dup2(fd: c_int, new: c_int) -> c_int
    where true = concerns(fd, new) => {
        let real = real!(fn dup2(c_int, c_int) -> c_int).ok_or(Errno::NOSYS)?;
        returned(real(fd, new)).inspect(|&new| record(fd, new))
    }

    fn dup3(fd: c_int, new: c_int, flags: c_int) -> c_int
    where true = concerns(fd, new) => {
        let real = real!(fn dup3(c_int, c_int, c_int) -> c_int).ok_or(Errno::NOSYS)?;
        returned(real(fd, new, flags)).inspect(|&new| record(fd, new))
    }

    /// The third argument is optional; where a caller passes none, its register holds anything.
    fn fcntl(fd: c_int, command: c_int, argument: c_long) -> c_int
    where Some(_) = table::entry(fd) => {
        let real = real!(fn fcntl(c_int, c_int, c_long) -> c_int).ok_or(Errno::NOSYS)?;
        returned(real(fd, command, argument)).inspect(|&returned| controlled(fd, command, argument, returned))
    }

    /// As `fcntl`.
    fn fcntl64(fd: c_int, command: c_int, argument: c_long) -> c_int
    where Some(_) = table::entry(fd) => {
        let real = real!(fn fcntl64(c_int, c_int, c_long) -> c_int).ok_or(Errno::NOSYS)?;
        returned(real(fd, command, argument)).inspect(|&returned| controlled(fd, command, argument, returned))
    }

    fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int
    where true = flags & libc::CLOSE_RANGE_CLOEXEC as c_int == 0 && serves(first, last) => {
        if !process::borrows_memory() {
            table::forget_range(first, last);
        }
        let real = real!(fn close_range(c_uint, c_uint, c_int) -> c_int).ok_or(Errno::NOSYS)?;
        returned(real(first, last, flags))
    }
}

/// `closefrom` returns nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closefrom(first: c_int) {
    let first = c_uint::try_from(first).unwrap_or(0);
    if serves(first, c_uint::MAX) && !process::borrows_memory() {
        table::forget_range(first, c_uint::MAX);
    }
    if let Some(real) = real!(fn closefrom(c_int) -> ()) {
        // SAFETY: the argument is the caller's.
        unsafe { real(first as c_int) }
    }
}

fn returned(value: c_int) -> Result<c_int, Errno> {
    if value < 0 { Err(errno::last()) } else { Ok(value) }
}

/// Whether a duplication has to do with a served descriptor.
pub fn concerns(fd: RawFd, new: RawFd) -> bool {
    fd != new && (table::entry(fd).is_some() || table::entry(new).is_some())
}

/// Whether one of the descriptors is served.
pub fn serves(first: c_uint, last: c_uint) -> bool {
    !table::served(first, last).is_empty()
}

/// The kernel has made `new` a duplicate of `fd`.
fn record(fd: RawFd, new: RawFd) {
    if !process::borrows_memory() {
        table::duplicated(fd, new);
    }
}

fn controlled(fd: RawFd, command: c_int, argument: c_long, returned: c_int) {
    match command {
        F_DUPFD | F_DUPFD_CLOEXEC => record(fd, returned),
        F_SETFL => {
            if let Some(entry) = table::entry(fd) {
                entry.set_nonblocking(argument as c_int & O_NONBLOCK != 0);
            }
        }
        _ => {}
    }
}

//! Closing and duplicating descriptors, and their flags.

use crate::{
    entry::Entry,
    errno,
    interpose::{interpose, real},
    kernel::kernel,
    lock::Inside,
    mirror::{F_SETOWN_EX, F_SETSIG},
    process, reserve, table, template,
};
use algkit_afalg::Errno;
use libc::{
    F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_GETFL, F_SETFD, F_SETFL, F_SETOWN, FD_CLOEXEC, FILE, O_ASYNC, O_NONBLOCK,
    O_RDWR, SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_fcntl, c_int, c_long, c_uint,
};
use std::os::fd::{BorrowedFd, RawFd};

interpose! {
    fn close(fd: c_int) -> c_int
    where true = table::knows(fd) => {
        // The table forgets it first: another thread may get the number as soon as it is free.
        if process::keeps_table() {
            table::forget(fd);
            if reserve::has(fd) || reserve::is_own(fd) {
                return reserve::give_back(fd);
            }
        }
        call(SYS_close, [fd.into(), 0, 0])
    }

    fn dup(fd: c_int) -> c_int
    where Some(_) = table::entry(fd) => {
        duplicate(fd)
    }

    fn dup2(fd: c_int, new: c_int) -> c_int
    where true = concerns(fd, new) => {
        Inside::check()?;
        table::make_way(new)?;
        call(SYS_dup3, [fd.into(), new.into(), 0]).inspect(|&new| record(fd, new))
    }

    fn dup3(fd: c_int, new: c_int, flags: c_int) -> c_int
    where true = concerns(fd, new) => {
        Inside::check()?;
        table::make_way(new)?;
        call(SYS_dup3, [fd.into(), new.into(), flags.into()]).inspect(|&new| record(fd, new))
    }

    /// The third argument is optional. If a caller passes none, its register holds anything.
    fn fcntl(fd: c_int, command: c_int, argument: c_long) -> c_int
    where Some(_) = table::entry(fd) => {
        control(fd, command, argument)
    }

    /// The same as `fcntl`.
    fn fcntl64(fd: c_int, command: c_int, argument: c_long) -> c_int
    where Some(_) = table::entry(fd) => {
        control(fd, command, argument)
    }

    fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int
    where true = flags & libc::CLOSE_RANGE_CLOEXEC as c_int == 0 && serves(first, last) => {
        if process::keeps_table() {
            table::forget_range(first, last);
            return reserve::close_around(first, last, |first, last| close_all(first, last, flags));
        }
        close_all(first, last, flags)
    }
}

/// The C library closes a stream's descriptor by its own system call, which no function here sees.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn fclose(stream: *mut FILE) -> c_int {
    // SAFETY: the caller passes a stream that is open.
    if let Some(fd) = unsafe { known_by(stream) }
        && process::keeps_table()
    {
        table::forget(fd);
    }
    match real!(fn fclose(*mut FILE) -> c_int) {
        // SAFETY: the argument goes unchanged to the function that it is meant for.
        Some(real) => unsafe { real(stream) },
        None => libc::EOF,
    }
}

/// `closefrom` has no result, so failures are not reported.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn closefrom(first: c_int) {
    let first = c_uint::try_from(first).unwrap_or(0);
    if serves(first, c_uint::MAX) && process::keeps_table() {
        table::forget_range(first, c_uint::MAX);
        let closed = reserve::close_around(first, c_uint::MAX, |first, last| close_all(first, last, 0));
        if closed.is_ok() {
            return;
        }
    }
    if let Some(real) = real!(fn closefrom(c_int) -> ()) {
        // SAFETY: the argument goes unchanged to the function that it is meant for.
        unsafe { real(first as c_int) }
    }
}

/// A descriptor that the caller of a C function passes. If it is not open, calls fail with EBADF.
pub fn borrow<'a>(fd: RawFd) -> Result<BorrowedFd<'a>, Errno> {
    if fd < 0 {
        return Err(Errno::BADF);
    }
    // SAFETY: it is not -1, and is borrowed only during a call.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

fn close_all(first: c_uint, last: c_uint, flags: c_int) -> Result<c_int, Errno> {
    call(SYS_close_range, [first.into(), last.into(), flags.into()])
}

fn call(number: c_long, [a, b, c]: [c_long; 3]) -> Result<c_int, Errno> {
    kernel(number, [a, b, c, 0, 0]).map(|returned| returned as c_int)
}

/// The descriptor of a stream, if the table knows it.
unsafe fn known_by(stream: *mut FILE) -> Option<RawFd> {
    // `fileno` sets `errno` for a stream without a descriptor, which the caller must not see.
    let before = errno::raw();
    // SAFETY: the stream is not null, and the caller passes one that is open.
    let fd = if stream.is_null() { -1 } else { unsafe { libc::fileno(stream) } };
    errno::set_raw(before);
    table::knows(fd).then_some(fd)
}

/// Whether duplicating `fd` as `new` concerns the table: `fd` is served, or `new` is known to the table.
pub fn concerns(fd: RawFd, new: RawFd) -> bool {
    fd != new && (table::entry(fd).is_some() || table::knows(new))
}

/// Whether the table knows a descriptor from `first` to `last`.
pub fn serves(first: c_uint, last: c_uint) -> bool {
    template::is_among(first, last) || reserve::is_among(first, last) || table::served(first, last).next().is_some()
}

/// Records that the kernel has made `new` a duplicate of `fd`.
fn record(fd: RawFd, new: RawFd) {
    if process::keeps_table() {
        table::duplicated(fd, new);
    }
}

fn control(fd: RawFd, command: c_int, argument: c_long) -> Result<c_int, Errno> {
    if reserve::is_filtered() {
        return control_here(fd, command, argument);
    }
    if let Some(entry) = table::entry(fd) {
        match command {
            F_SETFL => signal(entry, fd, argument as c_int & O_ASYNC != 0)?,
            F_SETOWN | F_SETOWN_EX | F_SETSIG => entry.enter(fd)?.state().unshare()?,
            _ => {}
        }
    }
    if let F_DUPFD | F_DUPFD_CLOEXEC = command {
        Inside::check()?;
    }
    let returned = call(SYS_fcntl, [fd.into(), command.into(), argument])?;
    match command {
        F_DUPFD | F_DUPFD_CLOEXEC => record(fd, returned),
        F_SETFL => {
            if let Some(Ok(mut entered)) = table::entry(fd).map(|entry| entry.enter(fd)) {
                entered.state().is_nonblocking = argument as c_int & O_NONBLOCK != 0;
            }
        }
        _ => {}
    }
    Ok(returned)
}

/// Prepares the descriptor's socket for its own flags. With `O_ASYNC` the kernel sends signals when what it shows changes.
pub fn signal(entry: &'static Entry, fd: RawFd, sends: bool) -> Result<(), Errno> {
    let mut entered = entry.enter(fd)?;
    // Behind a filter of the program's own, no pair can be made.
    if sends && !reserve::is_filtered() { entered.state().arm() } else { entered.state().unshare() }
}

/// `dup` of a served descriptor.
pub fn duplicate(fd: RawFd) -> Result<c_int, Errno> {
    Inside::check()?;
    let new = if reserve::is_filtered() { reserve::take_socket() } else { call(SYS_dup, [fd.into(), 0, 0]) };
    new.inspect(|&new| record(fd, new))
}

/// `fcntl` in a process whose filter may not allow the kernel's.
fn control_here(fd: RawFd, command: c_int, argument: c_long) -> Result<c_int, Errno> {
    let mut entered = table::entry(fd).ok_or(Errno::BADF)?.enter(fd)?;
    match command {
        F_DUPFD | F_DUPFD_CLOEXEC => {
            drop(entered);
            reserve::take_socket().inspect(|&new| record(fd, new))
        }
        F_GETFD => Ok(FD_CLOEXEC),
        F_SETFD => Ok(0),
        F_GETFL if entered.is_nonblocking() => Ok(O_RDWR | O_NONBLOCK),
        F_GETFL => Ok(O_RDWR),
        F_SETFL => {
            entered.state().is_nonblocking = argument as c_int & O_NONBLOCK != 0;
            Ok(0)
        }
        _ => Err(Errno::INVAL),
    }
}

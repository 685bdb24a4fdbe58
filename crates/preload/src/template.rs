//! The socket behind descriptors that have nothing to show yet.
//!
//! Making a socket and closing it takes 4 µs, more than many a client's request, and hardly anybody looks at it. A
//! duplicate of one that is kept takes a tenth of that. A file gets a socket of its own when its flags are set, or when
//! somebody may wait for it.

use rustix::{
    io::{Errno, dup, fcntl_dupfd_cloexec},
    net::{AddressFamily, SocketFlags, SocketType, socket_with},
};
use std::{
    os::fd::{BorrowedFd, IntoRawFd, OwnedFd, RawFd},
    sync::atomic::{AtomicI32, Ordering},
};

/// Above the numbers that programs count on, and below the usual limit.
const LOWEST: RawFd = 900;

/// The number under which the socket is kept, or -1. [`close`](crate::descriptor) and its like see to it that it is right.
static KEPT: AtomicI32 = AtomicI32::new(-1);

/// Whether the number of the socket that is kept is one of these.
#[inline]
pub fn is_among(first: u32, last: u32) -> bool {
    // -1 becomes the highest number, which no descriptor has.
    let kept = KEPT.load(Ordering::Relaxed) as u32;
    kept != u32::MAX && (first..=last).contains(&kept)
}

/// Whether the socket that is kept has this number.
#[inline]
pub fn is(fd: RawFd) -> bool {
    is_among(fd as u32, fd as u32)
}

/// The socket that is kept, for who holds the lock on the table.
pub struct Template(());

impl Template {
    /// None yet.
    pub const fn new() -> Self {
        Self(())
    }

    /// Another descriptor of the socket, if `flags` and limits allow.
    pub fn duplicate(&mut self, flags: SocketFlags) -> Option<OwnedFd> {
        // That flag belongs to the socket, not to the descriptor.
        if flags.contains(SocketFlags::NONBLOCK) {
            return None;
        }
        if KEPT.load(Ordering::Relaxed) < 0 {
            KEPT.store(make().ok()?.into_raw_fd(), Ordering::Relaxed);
        }
        // SAFETY: open, as who closes it says so first; were it closed behind our back, the call would fail, or give
        // the descriptor of something else, of which nothing is asked but that its number is taken.
        let kept = unsafe { BorrowedFd::borrow_raw(KEPT.load(Ordering::Relaxed)) };
        let duplicate = duplicate(kept, flags);
        if matches!(duplicate, Err(Errno::BADF)) {
            forget(0, u32::MAX);
        }
        duplicate.ok()
    }
}

/// Its number is about to be closed, if it is one of these.
pub fn forget(first: u32, last: u32) {
    if is_among(first, last) {
        KEPT.store(-1, Ordering::Relaxed);
    }
}

fn make() -> Result<OwnedFd, Errno> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    fcntl_dupfd_cloexec(&socket, LOWEST)
}

fn duplicate(socket: BorrowedFd<'_>, flags: SocketFlags) -> Result<OwnedFd, Errno> {
    if flags.contains(SocketFlags::CLOEXEC) { fcntl_dupfd_cloexec(socket, 0) } else { dup(socket) }
}

//! The socket behind descriptors that have nothing to show yet.
//!
//! Making and closing a socket takes 4 µs. That is more than many requests of clients, and few clients need it. A
//! duplicate of a socket that is kept takes a tenth of that. A file gets a socket of its own when its flags are set, or
//! when a thread may wait for it.

use rustix::{
    io::{Errno, dup, fcntl_dupfd_cloexec},
    net::{AddressFamily, Shutdown, SocketFlags, SocketType, shutdown, socket_with},
};
use std::{
    os::fd::{BorrowedFd, IntoRawFd, OwnedFd, RawFd},
    sync::atomic::{AtomicI32, Ordering},
};

/// The lowest number for it: above the numbers that programs expect, and below the usual limit.
const LOWEST: RawFd = 900;

/// The number of the kept socket, or -1. [`close`](crate::descriptor) and similar functions keep it up to date.
static KEPT: AtomicI32 = AtomicI32::new(-1);

/// Whether the kept socket's number is one of these.
#[inline]
pub fn is_among(first: u32, last: u32) -> bool {
    // -1 becomes the highest number, which no descriptor has.
    let kept = KEPT.load(Ordering::Relaxed) as u32;
    kept != u32::MAX && (first..=last).contains(&kept)
}

/// Whether the kept socket has this number.
#[inline]
pub fn is(fd: RawFd) -> bool {
    is_among(fd as u32, fd as u32)
}

/// The right to use the kept socket, which comes with the table's lock.
pub struct Template(());

impl Template {
    /// No socket is kept yet.
    pub const fn new() -> Self {
        Self(())
    }

    /// Another descriptor of the kept socket; `None` if `flags` or limits do not allow one.
    pub fn duplicate(&mut self, flags: SocketFlags) -> Option<OwnedFd> {
        // This flag belongs to the socket, not to the descriptor.
        if flags.contains(SocketFlags::NONBLOCK) {
            return None;
        }
        if KEPT.load(Ordering::Relaxed) < 0 {
            KEPT.store(make().ok()?.into_raw_fd(), Ordering::Relaxed);
        }
        // SAFETY: the descriptor is open, because functions that close it call `forget` before. If the program has
        // closed it unseen, the call fails or duplicates another file, and only the number of the duplicate is used.
        let kept = unsafe { BorrowedFd::borrow_raw(KEPT.load(Ordering::Relaxed)) };
        let duplicate = duplicate(kept, flags);
        if matches!(duplicate, Err(Errno::BADF)) {
            forget(0, u32::MAX);
        }
        duplicate.ok()
    }
}

/// Called before descriptors from `first` to `last` are closed: forgets the kept socket if it is among them.
pub fn forget(first: u32, last: u32) {
    if is_among(first, last) {
        KEPT.store(-1, Ordering::Relaxed);
    }
}

/// A socket that has nothing to show. Whoever reads from it finds its end at once: a call on a descriptor that another thread closes
/// gets there between the moment when the table forgets the descriptor and that when the kernel closes it, and must not wait for ever.
pub fn lone(flags: SocketFlags) -> Result<OwnedFd, Errno> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None)?;
    shutdown(&socket, Shutdown::Read)?;
    Ok(socket)
}

fn make() -> Result<OwnedFd, Errno> {
    fcntl_dupfd_cloexec(lone(SocketFlags::CLOEXEC)?, LOWEST)
}

fn duplicate(socket: BorrowedFd<'_>, flags: SocketFlags) -> Result<OwnedFd, Errno> {
    if flags.contains(SocketFlags::CLOEXEC) { fcntl_dupfd_cloexec(socket, 0) } else { dup(socket) }
}

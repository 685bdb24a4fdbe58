//! The socket behind descriptors that have nothing to show yet.
//!
//! Making a socket and closing it takes 4 µs, more than many a client's request, and hardly anybody looks at it. A
//! duplicate of one that is kept takes a tenth of that. A file gets a socket of its own when its flags are set, or when
//! somebody may wait for it.

use rustix::{
    fs::{Stat, fstat},
    io::{Errno, dup, fcntl_dupfd_cloexec},
    net::{AddressFamily, SocketFlags, SocketType, socket_with},
};
use std::{
    mem::ManuallyDrop,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd},
};

/// Above the numbers that programs count on, and below the usual limit.
const LOWEST: RawFd = 900;

/// A socket that is kept: its number, device and inode. The program may close any number that it finds, and use it for
/// something else.
pub struct Template(Option<(RawFd, (u64, u64))>);

impl Template {
    /// None yet.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Another descriptor of the socket, if `flags` and limits allow.
    pub fn duplicate(&mut self, flags: SocketFlags) -> Option<OwnedFd> {
        // That flag belongs to the socket, not to the descriptor.
        if flags.contains(SocketFlags::NONBLOCK) {
            return None;
        }
        if let Some((kept, identity)) = self.0 {
            // SAFETY: whatever is open under the number is only duplicated, and looked at before it is used.
            let kept = unsafe { BorrowedFd::borrow_raw(kept) };
            if let Ok(duplicate) = duplicate(kept, flags)
                && fstat(&duplicate).is_ok_and(|stat| identify(&stat) == identity)
            {
                return Some(duplicate);
            }
            self.0 = None;
        }
        let kept = ManuallyDrop::new(make().ok()?);
        self.0 = Some((kept.as_raw_fd(), identify(&fstat(&*kept).ok()?)));
        duplicate(kept.as_fd(), flags).ok()
    }
}

fn make() -> Result<OwnedFd, Errno> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    fcntl_dupfd_cloexec(&socket, LOWEST)
}

fn duplicate(socket: BorrowedFd<'_>, flags: SocketFlags) -> Result<OwnedFd, Errno> {
    if flags.contains(SocketFlags::CLOEXEC) { fcntl_dupfd_cloexec(socket, 0) } else { dup(socket) }
}

fn identify(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}

//! Making a real descriptor show the readiness of the file that it stands for.
//!
//! The descriptor is that of a datagram socket that is connected to itself. It is readable while a datagram of its own
//! waits in its queue. It is not writable while that datagram takes more than a quarter of the smallest send buffer.
//! (Of an AF_ALG socket that can be polled, at least one of the two is true.)
//!
//! Until there is something to show or to set, a [`template`](crate::template) may stand behind the descriptor.

use crate::process;
use crate::{errno, interpose::real};
use algkit_afalg::{Errno, Readiness};
use libc::{c_int, sa_family_t, sockaddr, socklen_t};
use rustix::{
    fs::{fcntl_getfl, fcntl_setfl},
    io::{DupFlags, FdFlags, dup3, fcntl_getfd},
    net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, getsockname, recv, send, socket_with,
        sockopt,
    },
};
use std::{
    mem,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
};

/// The contents of a datagram that leaves the socket writable, and of one that does not.
const SMALL: [u8; 1] = [0];
const LARGE: [u8; 1536] = [0; 1536];

/// The readiness that the descriptor shows.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Level {
    /// There is nothing in the queue.
    #[default]
    Writable,
    Both,
    Readable,
}

/// The state of the socket behind a descriptor and its duplicates.
#[derive(Default)]
pub struct Mirror {
    armed: bool,
    level: Level,
    /// The process that has connected the socket to itself.
    generation: u32,
    /// Whether the same socket may stand behind descriptors of other files.
    shared: bool,
}

impl Mirror {
    /// Whether a thread may wait for the descriptor.
    #[inline]
    pub fn is_armed(&self) -> bool {
        self.armed
    }

    /// Connects the socket to itself. In a child process, a socket of its own replaces the parent's first.
    pub fn arm(&mut self, fds: &[RawFd]) -> Result<(), Errno> {
        let generation = process::generation();
        if self.armed && self.generation == generation {
            return Ok(());
        }
        let fd = first(fds)?;
        if generation != 0 || self.shared {
            replace(fds)?;
        }
        // The kernel chooses an address in the abstract name space.
        name(fd)?;
        connect(fd, &getsockname(fd)?)?;
        // The kernel raises the size to the smallest possible.
        sockopt::set_socket_send_buffer_size(fd, 1)?;
        *self = Self { armed: true, level: Level::Writable, generation, shared: false };
        Ok(())
    }

    /// The mirror of a new file. `shared` says whether its socket may stand behind other files, too.
    pub fn new(shared: bool) -> Self {
        Self { shared, ..Self::default() }
    }

    /// Puts a socket of its own behind the descriptors, if theirs is shared with other files.
    pub fn unshare(&mut self, fds: &[RawFd]) -> Result<(), Errno> {
        if std::mem::take(&mut self.shared) { replace(fds) } else { Ok(()) }
    }

    /// Makes the socket show `readiness`.
    pub fn show(&mut self, fds: &[RawFd], readiness: Readiness) {
        let Ok(fd) = first(fds) else { return };
        let level = match readiness {
            Readiness { readable: false, .. } => Level::Writable,
            Readiness { writable: true, .. } => Level::Both,
            Readiness { writable: false, .. } => Level::Readable,
        };
        if level == self.level {
            return;
        }
        // The child of a fork leaves the parent's socket alone.
        if self.generation != process::generation() {
            self.armed = false;
            return;
        }
        if self.level != Level::Writable {
            let _ = recv(fd, &mut [0; 1][..], RecvFlags::DONTWAIT);
        }
        let datagram: &[u8] = match level {
            Level::Writable => &[],
            Level::Both => &SMALL,
            Level::Readable => &LARGE,
        };
        if !datagram.is_empty() {
            let _ = send(fd, datagram, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
        }
        self.level = level;
    }
}

fn first(fds: &[RawFd]) -> Result<BorrowedFd<'_>, Errno> {
    let &fd = fds.first().ok_or(Errno::BADF)?;
    // SAFETY: the table says that the descriptor is open. If the program has closed it unseen, calls fail with EBADF.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// Gives the socket an address that the kernel chooses.
fn name(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    let address = sockaddr { sa_family: libc::AF_UNIX as sa_family_t, sa_data: [0; 14] };
    let real = real!(fn bind(c_int, *const sockaddr, socklen_t) -> c_int).ok_or(Errno::NOSYS)?;
    // SAFETY: of the address, the kernel reads only the family, as the length says.
    match unsafe { real(fd.as_raw_fd(), &raw const address, size_of::<sa_family_t>() as socklen_t) } {
        0 => Ok(()),
        _ => Err(errno::last()),
    }
}

/// Puts a new socket behind descriptors whose socket is shared with the parent process or with other files.
fn replace(fds: &[RawFd]) -> Result<(), Errno> {
    let fresh = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    fcntl_setfl(&fresh, fcntl_getfl(first(fds)?)?)?;
    for &fd in fds {
        // SAFETY: as in `first`; the `ManuallyDrop` does not close the descriptor.
        let mut target = mem::ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(fd) });
        let closes = fcntl_getfd(&*target)?.contains(FdFlags::CLOEXEC);
        dup3(&fresh, &mut target, if closes { DupFlags::CLOEXEC } else { DupFlags::empty() })?;
    }
    Ok(())
}

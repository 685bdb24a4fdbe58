//! Making a real descriptor say what the file behind it is ready for.
//!
//! The descriptor is that of a datagram socket. Connected to itself, it is readable while a datagram of
//! its own waits in its queue, and not writable while that datagram takes more than a quarter of the
//! smallest send buffer. No AF_ALG socket that can be polled is neither readable nor writable.
//!
//! Until there is something to show, or to set, a [`template`](crate::template) may stand behind the descriptor.

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

/// Bytes that leave a socket writable, and that do not.
const SMALL: [u8; 1] = [0];
const LARGE: [u8; 1536] = [0; 1536];

/// What the descriptor shows.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Level {
    /// Nothing in the queue.
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
    /// The process that connected the socket.
    generation: u32,
    /// Whether descriptors of other files may have the same socket behind them.
    shared: bool,
}

impl Mirror {
    /// Whether somebody may wait for the descriptor.
    #[inline]
    pub fn is_armed(&self) -> bool {
        self.armed
    }

    /// Connects the socket to itself. In a child the parent's socket is first replaced.
    pub fn arm(&mut self, fds: &[RawFd]) -> Result<(), Errno> {
        let generation = process::generation();
        if self.armed && self.generation == generation {
            return Ok(());
        }
        let fd = first(fds)?;
        if generation != 0 || self.shared {
            replace(fds)?;
        }
        // An address of the kernel's choice, in the abstract name space.
        name(fd)?;
        connect(fd, &getsockname(fd)?)?;
        // The kernel raises it to the smallest there is.
        sockopt::set_socket_send_buffer_size(fd, 1)?;
        *self = Self { armed: true, level: Level::Writable, generation, shared: false };
        Ok(())
    }

    /// That of a file whose socket may stand behind other files, too.
    pub fn new(shared: bool) -> Self {
        Self { shared, ..Self::default() }
    }

    /// Puts a socket of their own behind descriptors whose socket is shared with other files.
    pub fn unshare(&mut self, fds: &[RawFd]) -> Result<(), Errno> {
        if std::mem::take(&mut self.shared) { replace(fds) } else { Ok(()) }
    }

    /// Shows what the file is ready for.
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
    // SAFETY: the table says that it is open; if the program closed it in secret, calls fail with EBADF.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// Gives the socket a name of the kernel's choice.
fn name(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    let address = sockaddr { sa_family: libc::AF_UNIX as sa_family_t, sa_data: [0; 14] };
    let real = real!(fn bind(c_int, *const sockaddr, socklen_t) -> c_int).ok_or(Errno::NOSYS)?;
    // SAFETY: of the address the kernel reads the family, which is there.
    match unsafe { real(fd.as_raw_fd(), &raw const address, size_of::<sa_family_t>() as socklen_t) } {
        0 => Ok(()),
        _ => Err(errno::last()),
    }
}

/// Puts a socket of this process behind descriptors whose socket is shared with the parent.
fn replace(fds: &[RawFd]) -> Result<(), Errno> {
    let fresh = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    fcntl_setfl(&fresh, fcntl_getfl(first(fds)?)?)?;
    for &fd in fds {
        // SAFETY: as in `first`; nobody but the table owns it, and it is not closed here.
        let mut target = mem::ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(fd) });
        let closes = fcntl_getfd(&*target)?.contains(FdFlags::CLOEXEC);
        dup3(&fresh, &mut target, if closes { DupFlags::CLOEXEC } else { DupFlags::empty() })?;
    }
    Ok(())
}

//! Making a real descriptor show the readiness of the file that it stands for.
//!
//! The descriptor is that of a datagram socket that sends to itself. It is readable while a datagram of its own
//! waits in its queue. It is not writable while that datagram takes more than a quarter of the smallest send buffer.
//! (Of an AF_ALG socket that can be polled, at least one of the two is true.)
//!
//! The socket is not connected. So what sends to it without this library, as io_uring does, fails with `ENOTCONN`, and
//! does not get its text back as if that were encrypted. Other processes may send to its address, but a filter
//! passes only datagrams that begin with a number that they do not know.
//!
//! Until there is something to show or to set, a [`template`](crate::template) may stand behind the descriptor.

use crate::{errno, interpose::real, kernel::kernel, process};
use algkit_afalg::{Errno, Readiness, datagrams::only_with};
use libc::{SO_ATTACH_FILTER, SOL_SOCKET, SYS_setsockopt, c_int, c_long, sa_family_t, sock_fprog, sockaddr, socklen_t};
use rustix::{
    fs::{fcntl_getfl, fcntl_setfl},
    io::{DupFlags, FdFlags, dup3, fcntl_getfd},
    net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, getsockname, recv, sendto, socket_with, sockopt,
    },
    rand::{GetRandomFlags, getrandom},
};
use std::{
    mem,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
};

/// The lengths of a datagram that leaves the socket writable, and of one that does not.
const SMALL: usize = 8;
const LARGE: usize = 1536;

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
    /// The process whose socket it is.
    generation: u32,
    /// The beginning of each datagram.
    secret: [u8; 8],
    /// Whether the same socket may stand behind descriptors of other files.
    shared: bool,
}

impl Mirror {
    /// Whether a thread may wait for the descriptor.
    #[inline]
    pub fn is_armed(&self) -> bool {
        self.armed
    }

    /// Prepares the socket to send to itself. In a child process, a socket of its own replaces the parent's first.
    pub fn arm(&mut self, fds: &[RawFd]) -> Result<(), Errno> {
        let generation = process::generation();
        if self.armed && self.generation == generation {
            return Ok(());
        }
        let fd = first(fds)?;
        if generation != 0 || self.shared {
            replace(fds)?;
        }
        let mut secret = [0; 8];
        getrandom(&mut secret, GetRandomFlags::empty())?;
        accept_only(fd, &secret)?;
        // The kernel chooses an address in the abstract name space.
        name(fd)?;
        // The kernel raises the size to the smallest possible.
        sockopt::set_socket_send_buffer_size(fd, 1)?;
        *self = Self { armed: true, level: Level::Writable, generation, secret, shared: false };
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
        let mut datagram = [0; LARGE];
        datagram[..self.secret.len()].copy_from_slice(&self.secret);
        let len = match level {
            Level::Writable => 0,
            Level::Both => SMALL,
            Level::Readable => LARGE,
        };
        if let (1.., Ok(own)) = (len, getsockname(fd)) {
            let _ = sendto(fd, &datagram[..len], SendFlags::DONTWAIT | SendFlags::NOSIGNAL, &own);
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

/// Makes the kernel drop datagrams to this socket that do not begin with `secret`.
fn accept_only(fd: BorrowedFd<'_>, secret: &[u8; 8]) -> Result<(), Errno> {
    let program = only_with(secret);
    let program = sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    let at = (&raw const program).expose_provenance() as c_long;
    let len = size_of::<sock_fprog>() as c_long;
    kernel(SYS_setsockopt, [fd.as_raw_fd().into(), SOL_SOCKET.into(), SO_ATTACH_FILTER.into(), at, len]).map(drop)
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

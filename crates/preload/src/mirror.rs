//! Making a real descriptor show the readiness of the file that it stands for.
//!
//! Until a thread may wait for the descriptor, any socket may stand behind it, also a [`template`] that stands
//! behind others. Then it becomes one end of a [pair](stand_in), of which the library keeps the other end.

use crate::{kernel::kernel, process, reserve::Own, template};
use algkit_afalg::{
    Errno, Readiness,
    stand_in::{self, Shown},
};
use libc::{SYS_fcntl, c_int, c_long};
use rustix::{
    fs::{fcntl_getfl, fcntl_setfl},
    io::{DupFlags, FdFlags, dup3, fcntl_getfd},
    net::{
        SocketFlags,
        sockopt::{Timeout, set_socket_timeout, socket_timeout},
    },
};
use std::{
    mem,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
};

/// The state of the socket behind a descriptor and its duplicates.
#[derive(Default)]
pub struct Mirror {
    /// The other end of the pair, once a thread may wait for the descriptor.
    ours: Option<Own>,
    shown: Shown,
    /// The process whose pair it is.
    generation: u32,
    /// Whether the same socket may stand behind descriptors of other files.
    shared: bool,
    /// Whether a thread waits for events at the descriptor and not for states (`EPOLLET`).
    pub repeats: bool,
}

impl Mirror {
    /// Whether a thread may wait for the descriptor.
    #[inline]
    pub fn is_armed(&self) -> bool {
        self.ours.is_some()
    }

    /// Puts a pair of sockets behind the descriptors. The child of a `fork` makes another than its parent's.
    pub fn arm(&mut self, fds: &[RawFd]) -> Result<(), Errno> {
        let generation = process::generation();
        if self.is_armed() && self.generation == generation {
            return Ok(());
        }
        // The pair would be the child's, and this state the parent's.
        if process::borrows_memory() {
            return Err(Errno::PERM);
        }
        let (ours, theirs) = stand_in::pair()?;
        replace(fds, &theirs, !self.shared)?;
        drop(theirs);
        *self = Self { ours: Some(Own::keep(ours)), generation, ..Self::default() };
        Ok(())
    }

    /// The mirror of a new file. `shared` says whether its socket may stand behind other files, too.
    pub fn new(shared: bool) -> Self {
        Self { shared, ..Self::default() }
    }

    /// Puts a socket of its own behind the descriptors, if theirs is shared with other files.
    pub fn unshare(&mut self, fds: &[RawFd]) -> Result<(), Errno> {
        if !mem::take(&mut self.shared) {
            return Ok(());
        }
        replace(fds, &template::lone(SocketFlags::CLOEXEC)?, false)
    }

    /// Makes the descriptors show `readiness`.
    pub fn show(&mut self, fds: &[RawFd], readiness: Readiness) {
        if self.shown.is(readiness) {
            return;
        }
        // The child of a fork leaves the parent's pair alone.
        if self.generation != process::generation() {
            self.ours = None;
            return;
        }
        if let Some(ours) = &self.ours {
            let _ = self.shown.show(readiness, ours, || first(fds));
        }
    }

    /// Wakes those who wait for events, after data has passed through the file.
    #[cold]
    pub fn repeat(&self, fds: &[RawFd]) {
        let ours = self.ours.as_ref().filter(|_| self.generation == process::generation());
        if let (Some(ours), Ok(theirs)) = (ours, first(fds)) {
            let _ = self.shown.repeat(ours, theirs);
        }
    }

    /// Moves the library's end to another number, if it has the number `fd`.
    pub fn make_way(&mut self, fd: RawFd) {
        self.ours = self.ours.take().and_then(|ours| ours.away_from(fd));
    }
}

fn first(fds: &[RawFd]) -> Result<BorrowedFd<'_>, Errno> {
    let &fd = fds.first().ok_or(Errno::BADF)?;
    // SAFETY: the table says that the descriptor is open. If the program has closed it unseen, calls fail with EBADF.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

// Linux has these (asm-generic/fcntl.h), and the `libc` crate does not.
pub const F_SETSIG: c_int = 10;
const F_GETSIG: c_int = 11;
pub const F_SETOWN_EX: c_int = 15;
const F_GETOWN_EX: c_int = 16;

/// Lets `fresh` send the signal that `old` sends (`O_ASYNC`), to the same receiver.
fn copy_signal(old: BorrowedFd<'_>, fresh: &OwnedFd) -> Result<(), Errno> {
    let fcntl = |fd: RawFd, command: c_int, argument| kernel(SYS_fcntl, [fd.into(), command.into(), argument, 0, 0]);
    let (old, fresh) = (old.as_raw_fd(), fresh.as_raw_fd());
    // `struct f_owner_ex`: the kind of receiver, and its number.
    let mut receiver: [c_int; 2] = [0; 2];
    let at = receiver.as_mut_ptr().expose_provenance() as c_long;
    fcntl(old, F_GETOWN_EX, at)?;
    // One that has ended gets no signals.
    let _ = fcntl(fresh, F_SETOWN_EX, at);
    fcntl(fresh, F_SETSIG, fcntl(old, F_GETSIG, 0)?).map(drop)
}

/// Puts `fresh` behind descriptors, whose flags and timeouts stay as they are. `signals` says whether a receiver of signals may have been set.
fn replace(fds: &[RawFd], fresh: &OwnedFd, signals: bool) -> Result<(), Errno> {
    let old = first(fds)?;
    if signals {
        copy_signal(old, fresh)?;
    }
    fcntl_setfl(fresh, fcntl_getfl(old)?)?;
    for timeout in [Timeout::Recv, Timeout::Send] {
        if let Some(time) = socket_timeout(old, timeout)? {
            set_socket_timeout(fresh, timeout, Some(time))?;
        }
    }
    for &fd in fds {
        // SAFETY: as in `first`; the `ManuallyDrop` does not close the descriptor.
        let mut target = mem::ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(fd) });
        let closes = fcntl_getfd(&*target)?.contains(FdFlags::CLOEXEC);
        dup3(fresh, &mut target, if closes { DupFlags::CLOEXEC } else { DupFlags::empty() })?;
    }
    Ok(())
}

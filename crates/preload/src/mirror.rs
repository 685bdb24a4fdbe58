//! Making a real descriptor show the readiness of the file that it stands for.
//!
//! Until a thread may wait for the descriptor, any socket may stand behind it, also a [`template`](crate::template) that stands
//! behind others. Then it becomes one end of a [pair](stand_in), of which the library keeps the other end.

use crate::{process, reserve::Own};
use algkit_afalg::{
    Errno, Readiness,
    stand_in::{self, Shown},
};
use rustix::{
    fs::{fcntl_getfl, fcntl_setfl},
    io::{DupFlags, FdFlags, dup3, fcntl_getfd},
    net::{
        AddressFamily, SocketFlags, SocketType, socket_with,
        sockopt::{Timeout, set_socket_timeout, socket_timeout},
    },
};
use std::{
    mem,
    os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd},
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
        replace(fds, &theirs)?;
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
        replace(fds, &socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?)
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

/// Puts `fresh` behind descriptors, whose flags and timeouts stay as they are.
fn replace(fds: &[RawFd], fresh: &OwnedFd) -> Result<(), Errno> {
    let old = first(fds)?;
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

//! A file that is served, and the socket that stands for it in the target.
//!
//! The target holds one end of a [socket pair](stand_in), so the kernel itself implements everything about descriptors:
//! `close`, `fork`, `exec`, flags, `fstat`, `poll`, `select`, `epoll`. The supervisor holds the other end. There it shows
//! the file's readiness, and it sees a hangup when the target has closed its last descriptor. The cookie of the
//! target's end (`SO_COOKIE`), which no other socket ever has, identifies the file, for any process and any descriptor
//! number.

use crate::serve::{park::Parked, program::Account, target::Target};
use algkit_afalg::{
    Errno, File,
    stand_in::{self, Shown},
};
use rustix::net::sockopt;
use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// A file that is served.
#[derive(Debug)]
pub struct Served {
    /// The cookie of the target's end.
    pub cookie: u64,
    /// The inode of the target's end, which another socket can get after 2³² more. It identifies the file where
    /// `pidfd_getfd` is forbidden.
    pub inode: u64,
    /// The resources of the program that has made the file.
    pub account: Arc<Account>,
    /// Whether the file is a socket. Otherwise it is `/dev/crypto`.
    pub is_socket: bool,
    /// The number of calls that wait at the file.
    pub parked: AtomicUsize,
    /// Whether a program waits for events at the file and not for states (`EPOLLET`).
    pub repeats: AtomicBool,
    end: OwnedFd,
    state: Mutex<State>,
}

/// The part of a file that its lock protects.
#[derive(Debug)]
pub struct State {
    /// The file.
    pub file: File,
    /// The calls that wait at the file.
    pub parked: Vec<Parked>,
    /// Whether the target has closed the file.
    pub closed: bool,
    shown: Shown,
    /// The number of bytes that the file kept at the last count.
    held: usize,
}

impl Served {
    /// A file, and the descriptor to be given to the target.
    pub fn new(file: File, nonblocking: bool, account: Arc<Account>) -> Result<(Self, OwnedFd), Errno> {
        let (end, theirs) = stand_in::pair()?;
        let (cookie, inode) = (sockopt::socket_cookie(&theirs)?, rustix::fs::fstat(&theirs)?.st_ino);
        let is_socket = !matches!(file, File::Device(_));
        let mut shown = Shown::default();
        shown.show(file.readiness(), &end, || Ok(&theirs))?;
        let state = State { file, parked: Vec::new(), closed: false, shown, held: 0 };
        if !nonblocking {
            let flags = rustix::fs::fcntl_getfl(&theirs)?;
            rustix::fs::fcntl_setfl(&theirs, flags - rustix::fs::OFlags::NONBLOCK)?;
        }
        let (parked, repeats, state) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(state));
        Ok((Self { cookie, inode, account, is_socket, parked, repeats, end, state }, theirs))
    }

    /// The supervisor's end of the socket pair.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.end.as_fd()
    }

    /// Waits until no other thread works on the file, and locks it.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the file, unless another thread works on it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Makes the target's socket show the file's readiness, and counts the bytes that the file keeps. `fd` is the
    /// target's descriptor, and `known` the target's end of the file, if the caller has it.
    pub fn show(&self, state: &mut State, target: &Target<'_>, fd: i32, known: Option<OwnedFd>) {
        let held = state.file.held();
        self.account.bytes.add(held);
        self.account.bytes.subtract(std::mem::replace(&mut state.held, held));
        let readiness = state.file.readiness();
        if state.shown.is(readiness) {
            return;
        }
        // Where `pidfd_getfd` is forbidden, the target may see a spurious event, which may happen with any socket.
        let _ = state.shown.show(readiness, &self.end, || known.map_or_else(|| self.theirs(target, fd), Ok));
    }

    /// Wakes those who wait for events, after data has passed through the file. `fd` is the target's descriptor.
    pub fn repeat(&self, state: &State, target: &Target<'_>, fd: i32) {
        if self.repeats.load(Ordering::Relaxed)
            && let Ok(theirs) = self.theirs(target, fd)
        {
            let _ = state.shown.repeat(&self.end, theirs);
        }
    }

    /// The target's end of the file.
    fn theirs(&self, target: &Target<'_>, fd: i32) -> Result<OwnedFd, Errno> {
        let theirs = target.fetch(fd)?;
        if sockopt::socket_cookie(&theirs)? == self.cookie { Ok(theirs) } else { Err(Errno::BADF) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.account.files.fetch_sub(1, Ordering::Relaxed);
        let held = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).held;
        self.account.bytes.subtract(held);
    }
}

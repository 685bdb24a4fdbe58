//! The open files that served descriptors stand for, and waiting for them to change.

use crate::{
    lock::{Found, Guard, Inside, Lock},
    mirror::Mirror,
    process, reserve,
    slots::Slots,
};
use algkit_afalg::{Errno, File, Readiness};
use rustix::{
    net::sockopt::{Timeout, socket_timeout},
    thread::futex,
};
use smallvec::SmallVec;
use std::{
    os::fd::{BorrowedFd, RawFd},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// An open file description: what one descriptor or several duplicates stand for.
///
/// Entries are never freed, only reused. So a reference stays valid when another thread closes the descriptor;
/// [`Entry::enter`] finds out whether the descriptor still stands for the entry.
#[derive(Default)]
pub struct Entry {
    state: Lock<State>,
    is_device: AtomicBool,
    is_netlink: AtomicBool,
    /// The number of files that the entry has stood for.
    files: AtomicU32,
    /// Incremented when the file changes while a thread waits.
    changes: AtomicU32,
    waiters: AtomicU32,
    /// The entry that was made before this one, in the list of all entries.
    next: Option<&'static Entry>,
}

/// The entry of each served descriptor. Changed only with the table's lock held.
pub static BY_NUMBER: Slots<Entry> = Slots::new();

/// The entry of the descriptor, if it is served.
#[inline]
pub fn of(fd: RawFd) -> Option<&'static Entry> {
    BY_NUMBER.get(fd).filter(|_| !process::has_diverged())
}

/// The part of an entry that its lock protects.
#[derive(Default)]
pub struct State {
    /// The file; `None` if the entry is free.
    pub file: Option<File>,
    /// The descriptors that stand for the entry.
    pub fds: SmallVec<[RawFd; 4]>,
    pub mirror: Mirror,
    /// Whether `O_NONBLOCK` is set.
    pub is_nonblocking: bool,
}

/// An entry that is locked for a request on one of its descriptors.
pub struct Entered {
    entry: &'static Entry,
    fd: RawFd,
    state: Guard<'static, State>,
    /// Declared last, so that it is dropped after the lock is released.
    _inside: Inside,
}

impl Entry {
    /// A free entry, in front of `next` in the list of all entries.
    pub fn new(next: Option<&'static Self>) -> Self {
        Self { next, ..Self::default() }
    }

    /// The entry that was made before this one.
    pub fn next(&self) -> Option<&'static Self> {
        self.next
    }

    /// Locks the state, whatever it is used for. The caller must be [`Inside`] a request.
    pub fn lock(&'static self) -> Guard<'static, State> {
        self.state.lock()
    }

    /// Locks the state before a `fork`.
    pub fn hold(&self, found: Found) {
        self.state.hold(found);
    }

    /// Unlocks the state after a `fork`.
    pub fn let_go(&self) {
        self.state.let_go();
    }

    /// Locks the state for a request on `fd`. [`Errno::BADF`] if the descriptor does not stand for this entry any more.
    /// [`Errno::BUSY`] in a signal handler that interrupts another request of its thread.
    #[inline(always)]
    pub fn enter(&'static self, fd: RawFd) -> Result<Entered, Errno> {
        let inside = Inside::begin()?;
        let state = self.lock();
        match of(fd) {
            Some(entry) if std::ptr::eq(entry, self) && state.file.is_some() => {
                Ok(Entered { entry: self, fd, state, _inside: inside })
            }
            _ => Err(Errno::BADF),
        }
    }

    /// Puts a new file's state into the entry.
    pub fn occupy(&'static self, state: State) {
        self.is_device.store(matches!(state.file, Some(File::Device(_))), Ordering::Relaxed);
        self.is_netlink.store(matches!(state.file, Some(File::Netlink(_))), Ordering::Relaxed);
        let mut place = self.lock();
        self.files.fetch_add(1, Ordering::Relaxed);
        *place = state;
    }

    /// [`Errno::NOTSOCK`] if the file is a device, for calls that need a socket.
    #[inline]
    pub fn check_socket(&self) -> Result<(), Errno> {
        if self.is_device.load(Ordering::Relaxed) { Err(Errno::NOTSOCK) } else { Ok(()) }
    }

    /// Whether received messages have a sender's address. Only those of netlink do: port 0, the kernel.
    pub fn has_sender(&self) -> bool {
        self.is_netlink.load(Ordering::Relaxed)
    }

    /// Wakes the threads that wait for a change. Called after the state has been unlocked.
    #[inline]
    pub fn wake(&self) {
        if self.waiters.load(Ordering::Relaxed) > 0 {
            self.changes.fetch_add(1, Ordering::Relaxed);
            let _ = futex::wake(&self.changes, futex::Flags::PRIVATE, i32::MAX as u32);
        }
    }
}

impl Entered {
    /// The file that the descriptor stands for.
    #[inline]
    pub fn file(&mut self) -> Result<&mut File, Errno> {
        self.state.file.as_mut().ok_or(Errno::BADF)
    }

    /// The locked state.
    pub fn state(&mut self) -> &mut State {
        &mut self.state
    }

    /// The readiness that `poll` reports.
    pub fn readiness(&self) -> Readiness {
        self.state.readiness()
    }

    /// Whether `O_NONBLOCK` is set.
    pub fn is_nonblocking(&self) -> bool {
        self.state.is_nonblocking
    }

    /// Unlocks after a call that may have changed the file, and wakes threads that wait.
    #[inline(always)]
    pub fn leave(mut self) {
        self.state.reflect();
        let entry = self.entry;
        drop(self);
        entry.wake();
    }

    /// The same, after data has passed through the file.
    #[inline(always)]
    pub fn leave_after(mut self, passed: bool) {
        if passed {
            self.state.repeat();
        }
        self.leave();
    }

    /// Unlocks for other threads, and locks again.
    #[cold]
    pub fn reenter(self) -> Result<Self, Errno> {
        let again = self.again();
        self.leave();
        again()
    }

    /// Locks again for the same file. The function fails with [`Errno::BADF`] if that has been closed, though another one
    /// may have got its number and its entry.
    fn again(&self) -> impl FnOnce() -> Result<Self, Errno> + use<> {
        let (entry, fd, file) = (self.entry, self.fd, self.entry.files.load(Ordering::Relaxed));
        move || {
            let entered = entry.enter(fd)?;
            if entry.files.load(Ordering::Relaxed) == file { Ok(entered) } else { Err(Errno::BADF) }
        }
    }

    /// The time that a call which receives waits. AF_ALG has no timeouts, but a netlink socket has (`SO_RCVTIMEO`).
    pub fn patience(&self) -> Option<Duration> {
        if !self.entry.has_sender() || reserve::is_filtered() {
            return None;
        }
        // SAFETY: the descriptor is borrowed only during the call, and is open, as the table says.
        let socket = unsafe { BorrowedFd::borrow_raw(self.fd) };
        socket_timeout(socket, Timeout::Recv).ok().flatten()
    }

    /// Unlocks, waits until the file changes, and locks again. [`Errno::INTR`] if a signal arrives, as for any call that
    /// waits.
    pub fn wait(self) -> Result<Self, Errno> {
        self.wait_until(None)
    }

    /// The same, but not longer than until `deadline`: [`Errno::AGAIN`] if it comes first.
    pub fn wait_until(mut self, deadline: Option<Instant>) -> Result<Self, Errno> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        self.state.reflect();
        let (entry, again) = (self.entry, self.again());
        entry.waiters.fetch_add(1, Ordering::Relaxed);
        let seen = entry.changes.load(Ordering::Relaxed);
        drop(self);
        let left = left.and_then(|left| futex::Timespec::try_from(left).ok());
        let woken = futex::wait(&entry.changes, futex::Flags::PRIVATE, seen, left.as_ref());
        entry.waiters.fetch_sub(1, Ordering::Relaxed);
        match woken {
            Err(Errno::INTR) => Err(Errno::INTR),
            Err(Errno::TIMEDOUT) => Err(Errno::AGAIN),
            _ => again(),
        }
    }
}

impl State {
    /// The readiness that `poll` reports.
    pub fn readiness(&self) -> Readiness {
        self.file.as_ref().map(File::readiness).unwrap_or_default()
    }

    /// Makes the descriptor's socket show the file's readiness, if a thread may wait for it.
    #[inline]
    pub fn reflect(&mut self) {
        if self.mirror.is_armed() && !reserve::is_filtered() {
            let readiness = self.readiness();
            self.mirror.show(&self.fds, readiness);
        }
    }

    /// Wakes those who wait for events at the descriptor, after data has passed through the file.
    #[inline]
    pub fn repeat(&mut self) {
        if self.mirror.repeats && !reserve::is_filtered() {
            self.reflect();
            self.mirror.repeat(&self.fds);
        }
    }

    /// Gives the file a socket of its own, so that changing its flags does not change those of other files.
    pub fn unshare(&mut self) -> Result<(), Errno> {
        if reserve::is_filtered() { Ok(()) } else { self.mirror.unshare(&self.fds) }
    }

    /// Makes the descriptor's socket show the file's readiness from now on.
    pub fn arm(&mut self) -> Result<(), Errno> {
        self.mirror.arm(&self.fds)?;
        self.reflect();
        Ok(())
    }
}

//! What a served descriptor stands for, and waiting for it to change.

use crate::{
    lock::{Guard, Inside, Lock},
    mirror::Mirror,
    options::Options,
    reserve,
    slots::Slots,
};
use algkit_afalg::{Errno, File, Readiness};
use rustix::thread::futex;
use smallvec::SmallVec;
use std::{
    os::fd::RawFd,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

/// An open file description: what one descriptor or several duplicates stand for.
///
/// Entries are never freed, only used again, so that a reference stays good while another thread closes
/// the descriptor; whoever locks one finds out whether it still is what the descriptor stands for.
#[derive(Default)]
pub struct Entry {
    state: Lock<State>,
    is_device: AtomicBool,
    is_netlink: AtomicBool,
    /// Goes up when something has changed while somebody waits.
    changes: AtomicU32,
    waiters: AtomicU32,
    /// The entry that was made before this one.
    next: Option<&'static Entry>,
}

/// Which descriptor stands for which entry, changed by who has the lock on the table.
pub static BY_NUMBER: Slots<Entry> = Slots::new();

/// What the descriptor stands for, if it is served.
#[inline]
pub fn of(fd: RawFd) -> Option<&'static Entry> {
    BY_NUMBER.get(fd)
}

/// What an entry's lock protects.
#[derive(Default)]
pub struct State {
    /// What it stands for; nothing in an entry that is free.
    pub file: Option<File>,
    /// The duplicates, by number.
    pub fds: SmallVec<[RawFd; 4]>,
    pub mirror: Mirror,
    pub options: Options,
    /// `O_NONBLOCK`.
    pub is_nonblocking: bool,
}

/// A locked entry that a descriptor stands for.
pub struct Entered {
    entry: &'static Entry,
    state: Guard<'static, State>,
    /// Dropped last.
    _inside: Inside,
}

impl Entry {
    /// One that stands for nothing yet.
    pub fn new(next: Option<&'static Self>) -> Self {
        Self { next, ..Self::default() }
    }

    /// The entry that was made before this one.
    pub fn next(&self) -> Option<&'static Self> {
        self.next
    }

    /// The state, whatever it is used for, for who is [`Inside`].
    pub fn lock(&'static self) -> Guard<'static, State> {
        self.state.lock()
    }

    /// Before a `fork`.
    pub fn hold(&self) {
        self.state.hold();
    }

    /// After a `fork`.
    pub fn let_go(&self) {
        self.state.let_go();
    }

    /// The state, if this is what the descriptor stands for. [`Errno::BUSY`] in a signal handler that interrupts another
    /// request of this thread.
    #[inline(always)]
    pub fn enter(&'static self, fd: RawFd) -> Result<Entered, Errno> {
        let inside = Inside::begin()?;
        let state = self.lock();
        match of(fd) {
            Some(entry) if std::ptr::eq(entry, self) && state.file.is_some() => {
                Ok(Entered { entry: self, state, _inside: inside })
            }
            _ => Err(Errno::BADF),
        }
    }

    /// What the entry is used for from now on.
    pub fn occupy(&'static self, state: State) {
        self.is_device.store(matches!(state.file, Some(File::Device(_))), Ordering::Relaxed);
        self.is_netlink.store(matches!(state.file, Some(File::Netlink(_))), Ordering::Relaxed);
        *self.lock() = state;
    }

    /// Refuses what is no socket, in calls for sockets only.
    #[inline]
    pub fn check_socket(&self) -> Result<(), Errno> {
        if self.is_device.load(Ordering::Relaxed) { Err(Errno::NOTSOCK) } else { Ok(()) }
    }

    /// Whether what is received has a sender with an address: port 0 of netlink, the kernel.
    pub fn has_sender(&self) -> bool {
        self.is_netlink.load(Ordering::Relaxed)
    }

    /// Wakes those who wait for a change. Called after the state has been unlocked.
    #[inline]
    pub fn wake(&self) {
        if self.waiters.load(Ordering::Relaxed) > 0 {
            self.changes.fetch_add(1, Ordering::Relaxed);
            let _ = futex::wake(&self.changes, futex::Flags::PRIVATE, i32::MAX as u32);
        }
    }
}

impl Entered {
    /// What the descriptor stands for.
    #[inline]
    pub fn file(&mut self) -> Result<&mut File, Errno> {
        self.state.file.as_mut().ok_or(Errno::BADF)
    }

    /// The lock's content.
    pub fn state(&mut self) -> &mut State {
        &mut self.state
    }

    /// What `poll` would say.
    pub fn readiness(&self) -> Readiness {
        self.state.readiness()
    }

    /// `O_NONBLOCK`.
    pub fn is_nonblocking(&self) -> bool {
        self.state.is_nonblocking
    }

    /// Unlocks, after a call that may have changed something.
    #[inline(always)]
    pub fn leave(mut self) {
        self.state.reflect();
        let entry = self.entry;
        drop(self);
        entry.wake();
    }

    /// Unlocks until something changes; [`Errno::INTR`] if a signal arrives, as for any call that waits.
    pub fn wait(mut self) -> Result<(), Errno> {
        self.state.reflect();
        let entry = self.entry;
        entry.waiters.fetch_add(1, Ordering::Relaxed);
        let seen = entry.changes.load(Ordering::Relaxed);
        drop(self);
        let woken = futex::wait(&entry.changes, futex::Flags::PRIVATE, seen, None);
        entry.waiters.fetch_sub(1, Ordering::Relaxed);
        match woken {
            Err(Errno::INTR) => Err(Errno::INTR),
            _ => Ok(()),
        }
    }
}

impl State {
    /// What `poll` would say.
    pub fn readiness(&self) -> Readiness {
        self.file.as_ref().map(File::readiness).unwrap_or_default()
    }

    /// Lets the descriptor itself say what the file is ready for, if someone waits for it.
    #[inline]
    pub fn reflect(&mut self) {
        if self.mirror.is_armed() && !reserve::is_filtered() {
            let readiness = self.readiness();
            self.mirror.show(&self.fds, readiness);
        }
    }

    /// Gives the file a socket of its own, whose flags can be set without others' seeing it.
    pub fn unshare(&mut self) -> Result<(), Errno> {
        if reserve::is_filtered() { Ok(()) } else { self.mirror.unshare(&self.fds) }
    }

    /// From now on the descriptor itself says what the file is ready for.
    pub fn arm(&mut self) -> Result<(), Errno> {
        self.mirror.arm(&self.fds)?;
        self.reflect();
        Ok(())
    }
}

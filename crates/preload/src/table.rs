//! The table of served descriptors and of the entries that they stand for.

use crate::{
    entry::{BY_NUMBER, Entry, State},
    lock::{Found, Guard, Inside, Lock},
    mirror::Mirror,
    process, reserve,
    template::{self, Template},
};
use algkit_afalg::{Errno, File};
use rustix::net::SocketFlags;
use std::{
    os::fd::{IntoRawFd, RawFd},
    ptr,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
};

/// Held while the map from descriptors to entries changes. It is locked before any entry.
static ENTRIES: Lock<Entries> = Lock::new(Entries { free: Vec::new(), template: Template::new() });

/// All entries: the one that was made last, from which [`Entry::next`] leads to the others.
static LAST: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());

/// Whether a signal handler has closed descriptors while its thread was in the middle of a request.
static IS_STALE: AtomicBool = AtomicBool::new(false);

/// The free entries, and the socket that new descriptors are duplicated from.
pub struct Entries {
    free: Vec<&'static Entry>,
    template: Template,
}

/// The table's lock, held in the middle of a request. It is not to be taken apart: variables are dropped in the reverse
/// order, and a handler that came when only the mark is gone would wait for a lock of its own thread.
pub struct Locked {
    entries: Guard<'static, Entries>,
    /// Declared last, so that it is dropped after the lock is released.
    _inside: Inside,
}

/// Locks the table. [`Errno::BUSY`] in a signal handler that interrupts another request of its thread.
pub fn lock() -> Result<Locked, Errno> {
    let inside = Inside::begin()?;
    let mut entries = ENTRIES.lock();
    if IS_STALE.swap(false, Ordering::Relaxed) {
        entries.sweep();
    }
    Ok(Locked { entries, _inside: inside })
}

/// Locks the table and all entries before a `fork`.
pub fn hold(found: Found) {
    ENTRIES.hold(found);
    all().for_each(|entry| entry.hold(found));
}

/// Unlocks all entries and the table after a `fork`.
pub fn let_go() {
    all().for_each(Entry::let_go);
    ENTRIES.let_go();
}

/// Whether any descriptor has ever been served.
#[inline]
pub fn is_used() -> bool {
    !LAST.load(Ordering::Relaxed).is_null()
}

/// Calls `act` with every open file, except in a signal handler that interrupts a request.
pub fn each_file(mut act: impl FnMut(&mut File)) {
    if let Ok(_locked) = lock() {
        all().for_each(|entry| entry.lock().file.iter_mut().for_each(&mut act));
    }
}

fn all() -> impl Iterator<Item = &'static Entry> {
    // SAFETY: the pointer is null or to an entry, and entries are never freed.
    std::iter::successors(unsafe { LAST.load(Ordering::Acquire).as_ref() }, |entry| entry.next())
}

pub use crate::entry::of as entry;

/// Makes a descriptor for `file`. `flags` may contain `NONBLOCK` and `CLOEXEC`.
pub fn install(file: File, flags: SocketFlags) -> Result<RawFd, Errno> {
    process::claim();
    // The descriptor would be the child's, and the table the parent's.
    if process::borrows_memory() {
        return Err(Errno::BUSY);
    }
    let mut locked = lock()?;
    let entries = &mut *locked.entries;
    // If the file is dropped on failure, the lock must still be held, so that no child finds it half dropped.
    let file = file;
    let (fd, shared) = make(&mut entries.template, flags)?;
    let entry = entries.free.pop().unwrap_or_else(|| {
        let next = all().next();
        let entry: &Entry = Box::leak(Box::new(Entry::new(next)));
        LAST.store(ptr::from_ref(entry).cast_mut(), Ordering::Release);
        entry
    });
    let is_nonblocking = flags.contains(SocketFlags::NONBLOCK);
    let mirror = Mirror::new(shared);
    entry.occupy(State { file: Some(file), mirror, is_nonblocking, ..State::default() });
    entries.clear(fd);
    entries.set(fd, entry);
    Ok(fd)
}

/// Makes a descriptor, and returns whether its socket may stand behind other files, too.
fn make(template: &mut Template, flags: SocketFlags) -> Result<(RawFd, bool), Errno> {
    if reserve::is_filtered() {
        return Ok((reserve::take_socket()?, true));
    }
    if let Some(duplicate) = template.duplicate(flags) {
        return Ok((duplicate.into_raw_fd(), true));
    }
    match template::lone(flags) {
        Ok(socket) => Ok((socket.into_raw_fd(), false)),
        Err(Errno::MFILE) => Ok((reserve::take_socket()?, true)),
        Err(errno) => Err(errno),
    }
}

/// Records that `new` is a duplicate of `old`.
pub fn duplicated(old: RawFd, new: RawFd) {
    // The callers have checked that a request can begin.
    let Ok(mut locked) = lock() else { return };
    template::forget(new as u32, new as u32);
    locked.entries.clear(new);
    if let Some(entry) = entry(old) {
        locked.entries.set(new, entry);
    }
}

/// Forgets a descriptor that has been closed, or is about to be.
pub fn forget(fd: RawFd) {
    forget_range(fd as u32, fd as u32);
}

/// Forgets every descriptor from `first` to `last`. A file is dropped when its last descriptor is forgotten. If a
/// signal handler has interrupted a request to come here, the file is dropped when the table is used next.
pub fn forget_range(first: u32, last: u32) {
    let locked = lock();
    template::forget(first, last);
    match locked {
        Ok(mut locked) => served(first, last).for_each(|fd| locked.entries.clear(fd)),
        Err(_) => {
            served(first, last).for_each(|fd| BY_NUMBER.clear(fd));
            IS_STALE.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether the table knows the descriptor: it is served, or it is the template, or the reserve's or the library's own.
#[inline]
pub fn knows(fd: RawFd) -> bool {
    entry(fd).is_some() || template::is(fd) || reserve::has(fd) || reserve::is_own(fd)
}

/// Called before the program puts a file under the number `fd`: the library's own descriptor with that number moves.
pub fn make_way(fd: RawFd) -> Result<(), Errno> {
    // A child that borrows this memory has descriptors of its own.
    if reserve::is_own(fd) && !process::borrows_memory() {
        let _locked = lock()?;
        all().for_each(|entry| entry.lock().mirror.make_way(fd));
    }
    Ok(())
}

/// The served descriptors from `first` to `last`.
pub fn served(first: u32, last: u32) -> impl Iterator<Item = RawFd> {
    BY_NUMBER.numbers(first, last)
}

impl Entries {
    fn set(&mut self, fd: RawFd, entry: &'static Entry) {
        entry.lock().fds.push(fd);
        BY_NUMBER.set(fd, entry);
    }

    fn clear(&mut self, fd: RawFd) {
        let Some(entry) = entry(fd) else { return };
        BY_NUMBER.clear(fd);
        self.drop_unless(entry, |&mut other| other != fd);
    }

    /// Removes descriptors from entries that a signal handler has forgotten without the lock.
    #[cold]
    fn sweep(&mut self) {
        for swept in all() {
            self.drop_unless(swept, |&mut fd| entry(fd).is_some_and(|entry| ptr::eq(entry, swept)));
        }
    }

    /// Keeps the entry's descriptors for which `stays` returns true. An entry without any becomes free.
    fn drop_unless(&mut self, entry: &'static Entry, stays: impl FnMut(&mut RawFd) -> bool) {
        let mut state = entry.lock();
        let had_some = !state.fds.is_empty();
        state.fds.retain(stays);
        if had_some && state.fds.is_empty() {
            *state = State::default();
            self.free.push(entry);
        }
        drop(state);
        entry.wake();
    }
}

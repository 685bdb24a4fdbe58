//! From the number of a descriptor to what it stands for.

use crate::{
    entry::{BY_NUMBER, Entry, State},
    lock::{Guard, Inside, Lock},
    mirror::Mirror,
    options::Options,
    process, reserve,
    template::{self, Template},
};
use algkit_afalg::{Errno, File};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use std::{
    os::fd::{IntoRawFd, RawFd},
    ptr,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
};

/// Held by whoever changes which descriptor stands for what. Taken before the lock of any entry.
static ENTRIES: Lock<Entries> = Lock::new(Entries { free: Vec::new(), template: Template::new() });

/// Every entry: the one that was made last, from which [`Entry::next`] leads to the others.
static LAST: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());

/// Whether a signal handler has closed descriptors while its thread was in the middle of a request.
static IS_STALE: AtomicBool = AtomicBool::new(false);

/// The entries that stand for nothing, and what descriptors are made of.
pub struct Entries {
    free: Vec<&'static Entry>,
    template: Template,
}

/// The lock on the table, in the middle of a request.
pub struct Locked {
    entries: Guard<'static, Entries>,
    /// Dropped last.
    _inside: Inside,
}

/// The lock on the table. [`Errno::BUSY`] in a signal handler that interrupts another request of this thread.
pub fn lock() -> Result<Locked, Errno> {
    let inside = Inside::begin()?;
    let mut entries = ENTRIES.lock();
    if IS_STALE.swap(false, Ordering::Relaxed) {
        entries.sweep();
    }
    Ok(Locked { entries, _inside: inside })
}

/// Before a `fork`.
pub fn hold() {
    ENTRIES.hold();
    all().for_each(Entry::hold);
}

/// After a `fork`.
pub fn let_go() {
    all().for_each(Entry::let_go);
    ENTRIES.let_go();
}

/// Whether any descriptor was ever served.
#[inline]
pub fn is_used() -> bool {
    !LAST.load(Ordering::Relaxed).is_null()
}

/// Does something with every file that is open, unless this comes in the middle of a request.
pub fn each_file(mut act: impl FnMut(&mut File)) {
    if let Ok(_locked) = lock() {
        all().for_each(|entry| entry.lock().file.iter_mut().for_each(&mut act));
    }
}

fn all() -> impl Iterator<Item = &'static Entry> {
    // SAFETY: null or an entry, and those are never freed.
    std::iter::successors(unsafe { LAST.load(Ordering::Acquire).as_ref() }, |entry| entry.next())
}

pub use crate::entry::of as entry;

/// A new descriptor for a file. `flags` may say `NONBLOCK` and `CLOEXEC`.
pub fn install(file: File, options: Options, flags: SocketFlags) -> Result<RawFd, Errno> {
    process::claim();
    let Locked { mut entries, _inside } = lock()?;
    // Should it come to be dropped, then under the lock, so that no child finds it half gone.
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
    entry.occupy(State { file: Some(file), options, mirror, is_nonblocking, ..State::default() });
    entries.clear(fd);
    entries.set(fd, entry);
    Ok(fd)
}

/// A descriptor to stand for a file, and whether its socket may stand for others, too.
fn make(template: &mut Template, flags: SocketFlags) -> Result<(RawFd, bool), Errno> {
    if reserve::is_filtered() {
        return Ok((reserve::take_socket()?, true));
    }
    if let Some(duplicate) = template.duplicate(flags) {
        return Ok((duplicate.into_raw_fd(), true));
    }
    match socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None) {
        Ok(socket) => Ok((socket.into_raw_fd(), false)),
        Err(Errno::MFILE) => Ok((reserve::take_socket()?, true)),
        Err(errno) => Err(errno),
    }
}

/// A duplicate that the kernel has made.
pub fn duplicated(old: RawFd, new: RawFd) {
    // Who duplicates has looked whether it can be noted.
    let Ok(Locked { mut entries, _inside }) = lock() else { return };
    template::forget(new as u32, new as u32);
    entries.clear(new);
    if let Some(entry) = entry(old) {
        entries.set(new, entry);
    }
}

/// Forgets a descriptor that has been closed, or is about to be.
pub fn forget(fd: RawFd) {
    forget_range(fd as u32, fd as u32);
}

/// Forgets every descriptor from `first` to `last`. What they stood for is dropped when nothing else stands for it; if a signal
/// handler has interrupted a request to come here, when the table is used next.
pub fn forget_range(first: u32, last: u32) {
    let locked = lock();
    template::forget(first, last);
    match locked {
        Ok(Locked { mut entries, _inside }) => served(first, last).for_each(|fd| entries.clear(fd)),
        Err(_) => {
            served(first, last).for_each(|fd| BY_NUMBER.clear(fd));
            IS_STALE.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether the number of a descriptor means something here: it is served, or what served ones are made of.
#[inline]
pub fn knows(fd: RawFd) -> bool {
    entry(fd).is_some() || template::is(fd) || reserve::has(fd)
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

    /// Forgets what descriptors stood for that were closed without the lock.
    #[cold]
    fn sweep(&mut self) {
        for swept in all() {
            self.drop_unless(swept, |&mut fd| entry(fd).is_some_and(|entry| ptr::eq(entry, swept)));
        }
    }

    /// Keeps the duplicates that `stays` says; an entry without any stands for nothing.
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

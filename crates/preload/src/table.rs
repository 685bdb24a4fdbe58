//! From the number of a descriptor to what it stands for.

use crate::{
    entry::{Entry, State},
    fork,
    mirror::Mirror,
    options::Options,
    process,
    template::{self, Template},
};
use algkit_afalg::{Errno, File};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use std::{
    os::fd::{IntoRawFd, OwnedFd, RawFd},
    ptr,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicPtr, Ordering},
    },
};

/// Descriptors in a chunk, and chunks: together the highest number that Linux allows by default.
const CHUNK: usize = 4096;
const CHUNKS: usize = 256;

type Chunk = Box<[AtomicPtr<Entry>]>;

static SLOTS: [OnceLock<Chunk>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];

/// Held by whoever changes which descriptor stands for what. Taken before the lock of any entry.
static ENTRIES: Mutex<Entries> = Mutex::new(Entries { all: Vec::new(), free: Vec::new(), template: Template::new() });

/// Every entry, and those that stand for nothing.
pub struct Entries {
    pub all: Vec<&'static Entry>,
    free: Vec<&'static Entry>,
    template: Template,
}

/// The lock on the table.
pub fn lock() -> MutexGuard<'static, Entries> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[inline]
fn slot(fd: RawFd) -> Option<&'static AtomicPtr<Entry>> {
    // A negative number becomes a large one.
    let number = fd as usize;
    SLOTS.get(number / CHUNK)?.get()?.get(number % CHUNK)
}

/// What the descriptor stands for, if it is served.
#[inline]
pub fn entry(fd: RawFd) -> Option<&'static Entry> {
    // SAFETY: a slot is null or points to an entry, and those are never freed.
    unsafe { slot(fd)?.load(Ordering::Acquire).as_ref() }
}

/// A new descriptor for a file. `flags` may say `NONBLOCK` and `CLOEXEC`.
pub fn install(file: File, options: Options, flags: SocketFlags) -> Result<RawFd, Errno> {
    fork::prepare_for();
    process::claim();
    let mut entries = lock();
    // Should it come to be dropped, then under the lock, so that no child finds it half gone.
    let file = file;
    let (socket, shared) = match entries.template.duplicate(flags) {
        Some(duplicate) => (duplicate, true),
        None => (socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None)?, false),
    };
    let entry = entries.free.pop().unwrap_or_else(|| {
        let entry: &Entry = Box::leak(Box::default());
        entries.all.push(entry);
        entry
    });
    let is_nonblocking = flags.contains(SocketFlags::NONBLOCK);
    let mirror = Mirror::new(shared);
    entry.occupy(State { file: Some(file), options, mirror, is_nonblocking, ..State::default() });
    entries.point(socket, entry)
}

/// A duplicate that the kernel has made.
pub fn duplicated(old: RawFd, new: RawFd) {
    let mut entries = lock();
    entries.template.forget(new as u32, new as u32);
    entries.clear(new);
    if let Some(entry) = entry(old) {
        entries.set(new, entry);
    }
}

/// Forgets a descriptor that has been closed, or is about to be.
pub fn forget(fd: RawFd) {
    let mut entries = lock();
    entries.template.forget(fd as u32, fd as u32);
    entries.clear(fd);
}

/// Forgets every descriptor from `first` to `last`.
pub fn forget_range(first: u32, last: u32) {
    let mut entries = lock();
    entries.template.forget(first, last);
    for fd in served(first, last) {
        entries.clear(fd);
    }
}

/// Whether the number of a descriptor means something here: it is served, or what served ones are made of.
#[inline]
pub fn knows(fd: RawFd) -> bool {
    entry(fd).is_some() || template::is(fd)
}

/// The served descriptors from `first` to `last`.
pub fn served(first: u32, last: u32) -> Vec<RawFd> {
    let range = first as usize..=last as usize;
    let chunks = SLOTS.iter().enumerate().filter_map(|(at, chunk)| Some((at * CHUNK, chunk.get()?)));
    chunks
        .flat_map(|(start, chunk)| (start..).zip(chunk.iter()))
        .filter(|(fd, slot)| range.contains(fd) && !slot.load(Ordering::Acquire).is_null())
        .map(|(fd, _)| fd as RawFd)
        .collect()
}

impl Entries {
    fn point(&mut self, socket: OwnedFd, entry: &'static Entry) -> Result<RawFd, Errno> {
        let fd = socket.into_raw_fd();
        self.clear(fd);
        self.set(fd, entry);
        Ok(fd)
    }

    fn set(&mut self, fd: RawFd, entry: &'static Entry) {
        let number = fd as usize;
        let Some(chunk) = SLOTS.get(number / CHUNK) else { return };
        let chunk = chunk.get_or_init(|| (0..CHUNK).map(|_| AtomicPtr::new(ptr::null_mut())).collect());
        entry.lock().fds.push(fd);
        if let Some(slot) = chunk.get(number % CHUNK) {
            slot.store(ptr::from_ref(entry).cast_mut(), Ordering::Release);
        }
    }

    fn clear(&mut self, fd: RawFd) {
        let Some(entry) = entry(fd) else { return };
        if let Some(slot) = slot(fd) {
            slot.store(ptr::null_mut(), Ordering::Release);
        }
        let mut state = entry.lock();
        state.fds.retain(|&mut other| other != fd);
        if state.fds.is_empty() {
            *state = State::default();
            self.free.push(entry);
        }
        drop(state);
        entry.wake();
    }
}

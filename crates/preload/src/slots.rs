//! A map from descriptors to references, which is read without a lock.

use std::{
    os::fd::RawFd,
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicPtr, Ordering},
    },
};

/// The number of descriptors in a chunk, and of chunks: together as many as Linux allows by default.
const CHUNK: usize = 4096;
const CHUNKS: usize = 256;

type Chunk<T> = Box<[AtomicPtr<T>]>;

/// A map from descriptors to references.
pub struct Slots<T: 'static>([OnceLock<Chunk<T>>; CHUNKS]);

impl<T> Slots<T> {
    /// A map without entries.
    pub const fn new() -> Self {
        Self([const { OnceLock::new() }; CHUNKS])
    }

    #[inline]
    fn slot(&self, fd: RawFd) -> Option<&AtomicPtr<T>> {
        // A negative number becomes one that is too large.
        let number = fd as usize;
        self.0.get(number / CHUNK)?.get()?.get(number % CHUNK)
    }

    /// The descriptor's entry.
    #[inline]
    pub fn get(&self, fd: RawFd) -> Option<&'static T> {
        // SAFETY: the pointer is null, or was made from a `&'static` reference by `set`.
        unsafe { self.slot(fd)?.load(Ordering::Acquire).as_ref() }
    }

    /// Sets the descriptor's entry. A descriptor beyond the largest possible one is ignored.
    pub fn set(&self, fd: RawFd, value: &'static T) {
        let number = fd as usize;
        let Some(chunk) = self.0.get(number / CHUNK) else { return };
        let chunk = chunk.get_or_init(|| (0..CHUNK).map(|_| AtomicPtr::new(ptr::null_mut())).collect());
        if let Some(slot) = chunk.get(number % CHUNK) {
            slot.store(ptr::from_ref(value).cast_mut(), Ordering::Release);
        }
    }

    /// Removes the descriptor's entry.
    pub fn clear(&self, fd: RawFd) {
        if let Some(slot) = self.slot(fd) {
            slot.store(ptr::null_mut(), Ordering::Release);
        }
    }

    /// The descriptors from `first` to `last` that have an entry.
    pub fn numbers(&self, first: u32, last: u32) -> impl Iterator<Item = RawFd> {
        let range = first as usize..=last as usize;
        let chunks = self.0.iter().enumerate().filter_map(|(at, chunk)| Some((at * CHUNK, chunk.get()?)));
        chunks
            .flat_map(|(start, chunk)| (start..).zip(chunk.iter()))
            .filter(move |(fd, slot)| range.contains(fd) && !slot.load(Ordering::Acquire).is_null())
            .map(|(fd, _)| fd as RawFd)
    }
}

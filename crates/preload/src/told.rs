//! The programs that the user has been told about, so that each is reported once and not at each start.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use std::{
    ptr,
    sync::atomic::{AtomicU32, Ordering},
};

/// Hashes of names, in memory that child processes share, because most programs are started by a child. They are only
/// compared: a hostile child that writes to them causes its parent to write a line too many or too few.
pub struct Told([AtomicU32; PLACES]);

/// The number of hashes: one page.
const PLACES: usize = 1024;

impl Told {
    /// An empty set, if there is memory for it.
    pub fn new() -> Option<&'static Self> {
        let flags = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: this makes a new mapping, at an address that the kernel chooses.
        let page = unsafe { mmap_anonymous(ptr::null_mut(), size_of::<Self>(), flags, MapFlags::SHARED).ok()? };
        // SAFETY: the page is aligned, zeroed, as long as the value, never unmapped, and accessed only through this
        // reference.
        Some(unsafe { &*page.cast::<Self>() })
    }

    /// Whether this is the first call with `name`. If there is no place left for it, each call counts as the first.
    pub fn is_first(&self, name: &[u8]) -> bool {
        // FNV-1a, with the lowest bit set, because 0 means an empty place.
        let hash =
            name.iter().fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) | 1;
        for step in 0..8 {
            let place = &self.0[(hash as usize / 2 + step) % PLACES];
            match place.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(there) if there == hash => return false,
                Err(_) => {}
            }
        }
        true
    }
}

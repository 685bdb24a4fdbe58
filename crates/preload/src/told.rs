//! Which programs the user was told of, so that each is told of once and not at each start.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use std::{
    ptr,
    sync::atomic::{AtomicU32, Ordering},
};

/// Numbers made of names, in memory that children share: most programs are started by a child. Another number there makes a line
/// too many or too few, and nothing else.
pub struct Told([AtomicU32; PLACES]);

/// A page of them.
const PLACES: usize = 1024;

impl Told {
    /// Of nothing, if there is memory for it.
    pub fn new() -> Option<&'static Self> {
        let flags = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a fresh mapping, at an address of the kernel's choice.
        let page = unsafe { mmap_anonymous(ptr::null_mut(), size_of::<Self>(), flags, MapFlags::SHARED).ok()? };
        // SAFETY: page-aligned, zeroed, as long as the value, never unmapped, and accessed in no other way.
        Some(unsafe { &*page.cast::<Self>() })
    }

    /// Whether this is the first time that the name is asked for. With no place left, each time is.
    pub fn is_first(&self, name: &[u8]) -> bool {
        // FNV-1a, which knows no 0 that matters.
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

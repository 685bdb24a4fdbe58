//! Which process this is: the one that made the entries; its child, with a copy of them; or a child that still runs in
//! the parent's memory.
//!
//! Between `vfork` and `exec`, a child has its own descriptors and the parent's memory. The descriptors that it closes
//! and duplicates must not change the table.

use crate::{reserve, vfork};
use rustix::{
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous},
    process::getpid,
};
use std::{
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicI32, AtomicU32, Ordering},
    },
};

/// The number of the process that owns the memory, in a page that the kernel clears in a child with memory of its own.
static OWNER: OnceLock<Option<&'static AtomicI32>> = OnceLock::new();

static GENERATION: AtomicU32 = AtomicU32::new(0);

const PAGE: usize = 4096;

/// Stores the number of the process, when it makes its first entry.
pub fn claim() {
    OWNER.get_or_init(|| {
        // SAFETY: this makes a new mapping, at an address that the kernel chooses.
        let page = unsafe {
            mmap_anonymous(ptr::null_mut(), PAGE, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE).ok()?
        };
        // SAFETY: the page is the mapping made above. The advice clears it in children only.
        unsafe { madvise(page, PAGE, Advice::LinuxWipeOnFork).ok()? };
        // SAFETY: the page is aligned, zeroed, never unmapped, and accessed only through this reference.
        let owner = unsafe { &*page.cast::<AtomicI32>() };
        owner.store(getpid().as_raw_nonzero().get(), Ordering::Relaxed);
        Some(owner)
    });
}

/// Whether this process runs in the memory of another one, which waits for it to call `exec`.
pub fn borrows_memory() -> bool {
    let Some(Some(owner)) = OWNER.get() else { return false };
    // A process that has installed a filter makes no such children.
    if reserve::is_filtered() {
        return false;
    }
    match owner.load(Ordering::Relaxed) {
        0 => {
            owner.store(getpid().as_raw_nonzero().get(), Ordering::Relaxed);
            GENERATION.fetch_add(1, Ordering::Relaxed);
            false
        }
        owner => vfork::is_possible() && owner != getpid().as_raw_nonzero().get(),
    }
}

/// A number that is different in a process and in each child that has copied its memory.
pub fn generation() -> u32 {
    borrows_memory();
    GENERATION.load(Ordering::Relaxed)
}

//! Which process this is: the one that made the entries, its child with a copy of them, or a child that
//! still runs in the parent's memory.
//!
//! Between `vfork` and `exec` a child has descriptors of its own and the parent's memory. What it closes
//! and duplicates must leave no trace in the table.

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

/// The owner's number, in a page that the kernel clears in a child with memory of its own.
static OWNER: OnceLock<Option<&'static AtomicI32>> = OnceLock::new();

static GENERATION: AtomicU32 = AtomicU32::new(0);

const PAGE: usize = 4096;

/// Remembers the process, when it makes its first entry.
pub fn claim() {
    OWNER.get_or_init(|| {
        // SAFETY: a fresh mapping, at an address of the kernel's choice.
        let page = unsafe {
            mmap_anonymous(ptr::null_mut(), PAGE, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE).ok()?
        };
        // SAFETY: the mapping made above; the advice takes effect in children only.
        unsafe { madvise(page, PAGE, Advice::LinuxWipeOnFork).ok()? };
        // SAFETY: page-aligned, zeroed, never unmapped, and accessed in no other way.
        let owner = unsafe { &*page.cast::<AtomicI32>() };
        owner.store(getpid().as_raw_nonzero().get(), Ordering::Relaxed);
        Some(owner)
    });
}

/// Whether the memory is another process's, which waits for this one to `exec`.
pub fn borrows_memory() -> bool {
    let Some(Some(owner)) = OWNER.get() else { return false };
    // Whoever has installed a filter makes no such child any more.
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

/// A number that differs between a process and the children that copied its memory.
pub fn generation() -> u32 {
    borrows_memory();
    GENERATION.load(Ordering::Relaxed)
}

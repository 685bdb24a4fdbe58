//! Which process this is: the one that made the entries; its child, with a copy of them; or a child that still runs in
//! the parent's memory.
//!
//! Between `vfork` and `exec`, a child has its own descriptors and the parent's memory. The descriptors that it closes
//! and duplicates must not change the table. From the first of them on, the table is wrong for the child, and nothing is
//! served to it.

use crate::reserve;
use rustix::{
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous},
    process::getpid,
};
use std::{
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering},
    },
};

/// The number of the process that owns the memory, in a page that the kernel clears in a child with memory of its own.
static OWNER: OnceLock<Option<&'static AtomicI32>> = OnceLock::new();

static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Whether this process has ever lent its memory to a child with other descriptors.
static HAS_LENT: AtomicBool = AtomicBool::new(!cfg!(any(target_arch = "x86_64", target_arch = "aarch64")));

/// Whether such a child has ever closed or duplicated a descriptor that the table knows.
static HAS_DIVERGED: AtomicBool = AtomicBool::new(false);

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
        owner => HAS_LENT.load(Ordering::Relaxed) && owner != getpid().as_raw_nonzero().get(),
    }
}

/// Called by a process that is about to lend its memory to a child with other descriptors. The number of the process is
/// stored before, as the child would store its own.
pub fn share_memory() {
    claim();
    borrows_memory();
    HAS_LENT.store(true, Ordering::Relaxed);
}

/// Whether the table follows what this process does to its descriptors: not if it runs in the memory of another one.
pub fn keeps_table() -> bool {
    let borrows = borrows_memory();
    if borrows {
        HAS_DIVERGED.store(true, Ordering::Relaxed);
    }
    !borrows
}

/// Whether the table is wrong for this process.
#[inline]
pub fn has_diverged() -> bool {
    HAS_DIVERGED.load(Ordering::Relaxed) && borrows_memory()
}

/// A number that is different in a process and in each child that has copied its memory.
pub fn generation() -> u32 {
    borrows_memory();
    GENERATION.load(Ordering::Relaxed)
}

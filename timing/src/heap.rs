//! What is left in memory that is given back.
//!
//! Under valgrind with this allocator, the bytes of freed blocks that were computed from hidden bytes are
//! counted: those of a key, a round key, a hash state, a keystream. Blocks are zeroed before they are handed
//! out, but padding in a value that is moved there is undefined as well: what counts is the difference to
//! the same work without anything hidden.

use crate::valgrind;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    slice,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

static UNWIPED: AtomicUsize = AtomicUsize::new(0);
static BLAME: AtomicBool = AtomicBool::new(false);

/// The system's allocator, watched.
pub struct Watched;

// SAFETY: memory comes from `System` and goes back to it; nothing but its contents is looked at.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller vouches for the layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block has that many bytes, which nobody uses any more; they were all written, by
        // `alloc_zeroed` to begin with.
        let bytes = unsafe { slice::from_raw_parts(block, layout.size()) };
        let left = valgrind::undefined(bytes);
        UNWIPED.fetch_add(left, Relaxed);
        if left > 0 && BLAME.load(Relaxed) {
            valgrind::complain(bytes);
        }
        // SAFETY: as for the caller.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Undefined bytes so far in blocks that were freed.
pub fn unwiped() -> usize {
    UNWIPED.load(Relaxed)
}

/// From now on, has valgrind log who frees them.
pub fn blame() {
    BLAME.store(true, Relaxed);
}

//! Secrets that are left in freed memory.
//!
//! Under valgrind, this allocator counts the bytes of freed blocks that were computed from hidden bytes: those of a
//! key, a round key, a hash state, a keystream. Blocks are zeroed before they are handed out, but padding in a value
//! that is moved there is undefined as well. So the result is the difference to the same work without hidden bytes.

use crate::valgrind;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    slice,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

static UNWIPED: AtomicUsize = AtomicUsize::new(0);
static BLAME: AtomicBool = AtomicBool::new(false);

/// The system's allocator with a check of blocks that are freed.
pub struct Watched;

// SAFETY: memory comes from `System` and goes back to it. Only the contents are read.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout is valid (precondition of this function).
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block has `layout.size()` bytes, and nothing else uses it any more (precondition). All of them
        // are initialized, since `alloc_zeroed` has written them.
        let bytes = unsafe { slice::from_raw_parts(block, layout.size()) };
        let left = valgrind::undefined(bytes);
        UNWIPED.fetch_add(left, Relaxed);
        if left > 0 && BLAME.load(Relaxed) {
            valgrind::complain(bytes);
        }
        // SAFETY: block and layout belong together (precondition of this function).
        unsafe { System.dealloc(block, layout) }
    }
}

/// The number of undefined bytes in blocks that have been freed so far.
pub fn unwiped() -> usize {
    UNWIPED.load(Relaxed)
}

/// From now on, valgrind logs the callers that free them.
pub fn blame() {
    BLAME.store(true, Relaxed);
}

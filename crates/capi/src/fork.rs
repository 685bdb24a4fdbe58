//! Makes `fork` wait for the library's locks. The child of a program with threads has only the thread that forked, so a
//! lock that another thread held is never unlocked there. Therefore a fork begins when no thread holds a lock of the
//! library, and no thread takes one during the fork.

use std::{
    cell::UnsafeCell,
    sync::{Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// A thread that may take a lock of the library holds this for reading; a thread that forks holds it for writing.
static LOCKS: RwLock<()> = RwLock::new(());

/// The guard of a thread that forks, from before the fork until after it, in the parent and in the child.
struct Forking(UnsafeCell<Option<RwLockWriteGuard<'static, ()>>>);

// SAFETY: the cell is used by the thread alone that has written `LOCKS`, and the guard leaves it in the same thread.
unsafe impl Sync for Forking {}

static FORKING: Forking = Forking(UnsafeCell::new(None));

/// No fork begins while the guard exists. A thread has one guard at a time, because a fork that waits admits no second
/// one.
pub fn kept_away() -> RwLockReadGuard<'static, ()> {
    static REGISTERED: Once = Once::new();
    // SAFETY: the functions take no arguments, and glibc forgets them when the library is unloaded.
    REGISTERED.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(after), Some(after));
    });
    LOCKS.read().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" fn before() {
    let guard = LOCKS.write().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: this thread has written `LOCKS`.
    unsafe { *FORKING.0.get() = Some(guard) };
}

unsafe extern "C" fn after() {
    // SAFETY: `before` has run in this thread, or in the one of which this is the child's copy.
    drop(unsafe { (*FORKING.0.get()).take() });
}

//! Makes `fork` wait for the library's locks. The child of a program with threads has only the thread that forked, so a
//! lock that another thread held is never unlocked there. Therefore a fork begins when no thread holds a lock of the
//! library, and no thread takes one during the fork.

use std::{
    cell::Cell,
    hint::black_box,
    mem::ManuallyDrop,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// A thread that may take a lock of the library holds this for reading; a thread that forks holds it for writing.
static LOCKS: RwLock<()> = RwLock::new(());

thread_local! {
    /// Whether this thread holds [`LOCKS`].
    static HOLDS: Cell<bool> = const { Cell::new(false) };

    /// The guard of a thread that forks, from before the fork until after it, in the parent and in the child. It has no
    /// destructor, which could not run after the library was unloaded.
    static FORKING: Cell<Option<ManuallyDrop<RwLockWriteGuard<'static, ()>>>> = const { Cell::new(None) };
}

/// The loader calls this function when the library is loaded, so the handlers are there before any thread uses it.
#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

extern "C" fn init() {
    // SAFETY: the functions take no arguments, and glibc forgets them when the library is unloaded.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) };
}

/// No fork begins while this exists.
pub struct Guard {
    _locks: RwLockReadGuard<'static, ()>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        HOLDS.set(false);
    }
}

/// Keeps forks away. Returns `None` if this thread does so already: inside of a call that has a guard, and inside of a
/// handler that the program has for its forks. A second guard could wait for a fork that waits for the first one.
pub fn kept_away() -> Option<Guard> {
    // Without this reference, a program that links the static library would leave `INIT` out.
    black_box(&INIT);
    (!HOLDS.replace(true)).then(|| Guard { _locks: LOCKS.read().unwrap_or_else(PoisonError::into_inner) })
}

unsafe extern "C" fn before() {
    // A handler of the program may fork.
    if !HOLDS.replace(true) {
        FORKING.set(Some(ManuallyDrop::new(LOCKS.write().unwrap_or_else(PoisonError::into_inner))));
    }
}

unsafe extern "C" fn after() {
    if let Some(guard) = FORKING.take() {
        HOLDS.set(false);
        drop(ManuallyDrop::into_inner(guard));
    }
}

//! `fork` while other threads are at work: the child's copy of every state is one between two calls.

use crate::{aio, entry::State, table};
use std::{
    cell::RefCell,
    sync::{MutexGuard, Once},
};

/// Every lock there is.
struct Held {
    _entries: MutexGuard<'static, table::Entries>,
    _states: Vec<MutexGuard<'static, State>>,
    _contexts: MutexGuard<'static, aio::Contexts>,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// Sees to it that no `fork` happens in the middle of a call, from the first served descriptor on.
pub fn prepare_for() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the handlers are functions of this library, which is never unloaded.
        unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) };
    });
}

unsafe extern "C" fn before() {
    let entries = table::lock();
    let states = entries.all.iter().map(|entry| entry.lock()).collect();
    let held = Held { _entries: entries, _states: states, _contexts: aio::lock() };
    // A thread on its way out has no such place any more; its child gets what it gets.
    let _ = HELD.try_with(|place| place.replace(Some(held)));
}

unsafe extern "C" fn after() {
    let _ = HELD.try_with(RefCell::take);
}

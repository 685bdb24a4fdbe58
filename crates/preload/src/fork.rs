//! `fork` while other threads are at work: every state is between two calls, and from then on both processes have it.

use crate::{aio, entry::State, region::Region, table};
use std::{
    cell::RefCell,
    sync::{MutexGuard, Once},
};

/// Every lock there is, but those that processes have in common: a lock belongs to a thread of one of them.
struct Held {
    _entries: MutexGuard<'static, table::Entries>,
    states: Vec<MutexGuard<'static, State>>,
    _contexts: MutexGuard<'static, aio::Contexts>,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// Sees to it that processes share states, from the first served descriptor on.
pub fn prepare_for() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the handlers are functions of this library, which is never unloaded.
        unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    });
}

unsafe extern "C" fn before() {
    let entries = table::lock();
    let mut states: Vec<_> = entries.all.iter().map(|entry| entry.lock()).collect();
    for (entry, state) in entries.all.iter().zip(&mut states) {
        if state.share() {
            // Who waits does so where other processes can wake it.
            entry.wake();
        }
    }
    Region::pass_on();
    let held = Held { _entries: entries, states, _contexts: aio::lock() };
    // A thread on its way out has no such place any more; its child gets what it gets.
    let _ = HELD.try_with(|place| place.replace(Some(held)));
}

unsafe extern "C" fn in_parent() {
    let _ = HELD.try_with(RefCell::take);
}

unsafe extern "C" fn in_child() {
    if let Ok(Some(held)) = HELD.try_with(RefCell::take) {
        held.states.iter().for_each(|state| state.join());
        Region::arrive();
    }
}

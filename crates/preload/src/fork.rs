//! `fork` while other threads are at work: the child's copy of every state is one between two calls, but for that of a
//! request that a signal handler interrupts to fork, which goes on in both processes.
//!
//! Nothing is allocated here: the handler of a crash may have interrupted the allocator.

use crate::{aio, report, table};

/// The loader calls it: no `fork` happens in the middle of another thread's call.
#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

extern "C" fn init() {
    // SAFETY: the handlers are functions of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(in_child)) };
}

unsafe extern "C" fn before() {
    table::hold();
    aio::hold();
}

unsafe extern "C" fn after() {
    aio::let_go();
    table::let_go();
}

unsafe extern "C" fn in_child() {
    // SAFETY: as in the parent.
    unsafe { after() };
    report::begin_anew();
}

//! `fork` while other threads are at work. All locks are taken before, so that the child's copy of every state is one
//! between two requests. The exception is a request that a signal handler interrupts to fork: it continues in both
//! processes.
//!
//! Nothing is allocated here, because the handler of a crash may have interrupted the allocator.

use crate::{
    aio,
    lock::{begin_fork, end_fork},
    report, table,
};

/// The loader calls this function when the library is loaded. From then on, no `fork` happens in the middle of another
/// thread's request.
#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

extern "C" fn init() {
    // SAFETY: the handlers are functions of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(in_child)) };
}

unsafe extern "C" fn before() {
    let found = begin_fork();
    table::hold(found);
    aio::hold(found);
}

unsafe extern "C" fn after() {
    aio::let_go();
    table::let_go();
    end_fork();
}

unsafe extern "C" fn in_child() {
    // SAFETY: the locks are those that `before` has taken, in the child as in the parent.
    unsafe { after() };
    report::begin_anew();
}

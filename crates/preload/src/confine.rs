//! Programs that confine themselves by a seccomp filter: the descriptors that they may need later are made before.

use crate::{
    errno,
    interpose::{interpose, real},
    kernel::kernel,
    process, reserve, table,
};
use algkit_afalg::Errno;
use libc::{PR_SET_SECCOMP, RLIMIT_NOFILE, SYS_prctl, c_int, c_long, c_uint, c_ulong, pid_t, rlimit, rlimit64};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program has installed a filter.
static IS_CONFINED: AtomicBool = AtomicBool::new(false);

/// Whether the program has installed a filter, whether or not descriptors were kept for it.
pub fn is_confined() -> bool {
    IS_CONFINED.load(Ordering::Relaxed)
}

/// Makes the reserve of descriptors, if the program has asked for AF_ALG.
fn fill() {
    if table::is_used() && !process::borrows_memory() {
        reserve::fill();
    }
}

interpose! {
    fn eventfd(count: c_uint, flags: c_int) -> c_int
    where true = reserve::gives_event(flags) => reserve::take_event(count)

    /// The last four arguments are optional. If a caller passes fewer, their registers hold anything.
    fn prctl(option: c_int, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_int
    where PR_SET_SECCOMP = option => {
        confine(SYS_prctl, [option.into(), a as c_long, b as c_long, c as c_long, d as c_long]).map(|_| 0)
    }
}

/// Defines functions that set limits. Before the limit on descriptors changes, the reserve is made.
macro_rules! limits {
    ($(fn $name:ident($($arg:ident: $type:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) -> c_int {
            before_limit(resource!($($arg),*));
            match real!(fn $name($($type),*) -> c_int) {
                // SAFETY: the arguments go unchanged to the function that they are meant for.
                Some(real) => unsafe { real($($arg),*) },
                None => errno::answer(|| Err(Errno::NOSYS)),
            }
        }
    )*};
}

/// The expression for the resource that is limited, from the arguments of `setrlimit` or `prlimit`.
macro_rules! resource {
    ($resource:ident, $limit:ident) => {
        $resource
    };
    ($process:ident, $resource:ident, $new:ident, $old:ident) => {
        if $new.is_null() { !0 } else { $resource }
    };
}

limits! {
    fn setrlimit(resource: c_uint, limit: *const rlimit);
    fn setrlimit64(resource: c_uint, limit: *const rlimit64);
    fn prlimit(process: pid_t, resource: c_uint, new: *const rlimit, old: *mut rlimit);
    fn prlimit64(process: pid_t, resource: c_uint, new: *const rlimit64, old: *mut rlimit64);
}

/// Called before a limit of any process is set: makes the reserve if the limit is that on descriptors.
pub fn before_limit(resource: c_uint) {
    if resource == RLIMIT_NOFILE {
        fill();
    }
}

/// Makes the system call `number`, by which the program confines itself, after making the reserve.
pub fn confine(number: c_long, arguments: [c_long; 5]) -> Result<c_long, Errno> {
    fill();
    // The process number is stored now, since `getpid` may be forbidden afterwards.
    process::generation();
    let done = kernel(number, arguments)?;
    IS_CONFINED.store(true, Ordering::Relaxed);
    reserve::filtered();
    Ok(done)
}

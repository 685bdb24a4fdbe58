//! Children that run in the parent's memory with descriptors of their own.
//!
//! `vfork` makes such a child, until it calls `exec`, and `clone` does with some flags. The kernel gives the child
//! another process number, but asking for it at each `close` would cost as much as closing. So the two functions are
//! defined here, to record whether there has ever been such a child; then they do what they always do. `posix_spawn`
//! needs no such function, because its child closes descriptors by the C library's own system calls.

use crate::{interpose::real, process};
use libc::{CLONE_FILES, CLONE_VM, c_int, c_long, c_void};

/// Whether `clone` with these flags makes such a child.
pub fn lends(flags: c_long) -> bool {
    flags as c_int & (CLONE_VM | CLONE_FILES) == CLONE_VM
}

/// `vfork` returns twice to the same place on the stack, which a function called in between would overwrite. So this
/// function has returned from all functions that it calls before it jumps to the C library's `vfork`.
///
/// # Safety
/// The same as for the C library's `vfork`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn vfork() -> libc::pid_t {
    #[cfg(target_arch = "x86_64")]
    std::arch::naked_asm!(
        "push rax", // aligns the stack for the call
        "call {prepare}",
        "pop rcx",
        "jmp rax",
        prepare = sym prepare,
    );
    #[cfg(target_arch = "aarch64")]
    std::arch::naked_asm!(
        "stp x29, x30, [sp, #-16]!",
        "bl {prepare}",
        "ldp x29, x30, [sp], #16",
        "mov x16, x0", // the register for indirect calls
        "br x16",
        prepare = sym prepare,
    );
}

/// Records the child that is about to be made; returns the function that makes it.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
extern "C" fn prepare() -> *const c_void {
    process::share_memory();
    let real = real!(fn vfork() -> libc::pid_t).map(|real| real as *const c_void);
    // `fork` is right too: its child has memory of its own, and may do all that `vfork` allows.
    real.unwrap_or(libc::fork as *const c_void)
}

/// The last three arguments are optional. If a caller passes fewer, their places hold anything.
///
/// # Safety
/// The same as for the C library's `clone`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn clone(
    run: *const c_void,
    stack: *mut c_void,
    flags: c_int,
    argument: *mut c_void,
    parent_tid: *mut c_void,
    tls: *mut c_void,
    child_tid: *mut c_void,
) -> c_int {
    if lends(flags.into()) {
        process::share_memory();
    }
    match real!(
        fn clone(*const c_void, *mut c_void, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int
    ) {
        // SAFETY: the arguments go unchanged to the function that they are meant for.
        Some(real) => unsafe { real(run, stack, flags, argument, parent_tid, tls, child_tid) },
        None => crate::errno::answer(|| Err(algkit_afalg::Errno::NOSYS)),
    }
}

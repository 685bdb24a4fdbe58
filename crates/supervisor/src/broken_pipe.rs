//! SIGPIPE as it was when this process began. Rust's runtime ignores it, and has it do its default action in the programs that it starts. But
//! systemd starts services with SIGPIPE ignored, and a program may rely on that.

use std::{
    hint::black_box,
    io,
    mem::zeroed,
    os::unix::process::CommandExt,
    process::Command,
    ptr,
    sync::atomic::{AtomicBool, Ordering},
};

static IGNORED: AtomicBool = AtomicBool::new(false);

/// The loader calls this function before Rust's runtime begins.
#[used]
#[unsafe(link_section = ".init_array")]
static RECORD: extern "C" fn() = record;

extern "C" fn record() {
    // SAFETY: zeros are a valid value of the structure, and the call fills it.
    let ignored = unsafe {
        let mut action: libc::sigaction = zeroed();
        libc::sigaction(libc::SIGPIPE, ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    };
    IGNORED.store(ignored, Ordering::Relaxed);
}

/// Lets `command` begin with SIGPIPE ignored, if this process did.
pub fn keep(command: &mut Command) {
    // Without this reference, a linker may leave `RECORD` out.
    black_box(&RECORD);
    if !IGNORED.load(Ordering::Relaxed) {
        return;
    }
    let ignore = || {
        // SAFETY: the call takes no function.
        match unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) } {
            libc::SIG_ERR => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    };
    // SAFETY: `ignore` makes one system call, which is allowed between fork and exec.
    unsafe { command.pre_exec(ignore) };
}

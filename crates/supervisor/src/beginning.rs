//! What Rust's runtime changes before `main`, as it was when this process began. The runtime ignores SIGPIPE, and has it do its default action in
//! the programs that it starts; but systemd starts services with SIGPIPE ignored, and a program may rely on that. The runtime also opens /dev/null
//! where a standard descriptor is closed, so that no other file gets its number; but what is written there is lost.

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
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

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
    for (closed, fd) in CLOSED.iter().zip(0..) {
        // SAFETY: the call only asks, and takes any number.
        closed.store(unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1, Ordering::Relaxed);
    }
}

/// Which of standard input, output and error were closed when this process began. Rust's runtime has opened /dev/null in their places.
pub fn closed() -> [bool; 3] {
    // Without this reference, a linker may leave `RECORD` out.
    black_box(&RECORD);
    CLOSED.each_ref().map(|closed| closed.load(Ordering::Relaxed))
}

/// Lets `command` begin with SIGPIPE ignored and standard descriptors closed, as far as this process began so. Rust's runtime changes both.
/// [`supervise`](crate::supervise) does this by itself.
pub fn keep(command: &mut Command) {
    let (ignored, closed) = (IGNORED.load(Ordering::Relaxed), closed());
    if !ignored && closed == [false; 3] {
        return;
    }
    let restore = move || {
        for (fd, _) in (0..).zip(closed).filter(|(_, closed)| *closed) {
            // SAFETY: the runtime has opened the descriptor, and the program that is about to begin owns it.
            unsafe { libc::close(fd) };
        }
        // SAFETY: the call takes no function.
        match ignored && unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) } == libc::SIG_ERR {
            true => Err(io::Error::last_os_error()),
            false => Ok(()),
        }
    };
    // SAFETY: `restore` makes system calls only, which are allowed between fork and exec.
    unsafe { command.pre_exec(restore) };
}

//! The options of `algkit run` that say what to allow, what to report and what to count, and where reports go.
//!
//! The command passes them in environment variables. These are read when the library is loaded, and never in a program
//! that has gained privileges. The destinations are opened then, too, because the program may change its user, folder
//! and limits afterwards.

use crate::{interpose::real, kernel::kernel, lock::Inside, reserve, table};
use algkit_afalg::{
    Errno,
    service::{self, Settings},
    usage,
};
use libc::{SYS_write, c_int, c_long};
use rustix::{
    fs::{FileType, Mode, OFlags, fstat, open},
    io::dup,
    process::{Resource, getrlimit},
};
use std::{
    env,
    io::{self, Write},
    mem,
    os::fd::{BorrowedFd, OwnedFd},
    process, ptr,
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether each destination ([`reserve::Kept`]) is a file on a disk.
static IS_FILE: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// Whether the process writes statistics at its end.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// The loader calls this function when the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

extern "C" fn init() {
    // SAFETY: `getauxval` takes any number and only reads.
    let is_secure = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    const VARIABLES: [&str; 5] = ["ALGKIT_ALLOW", "ALGKIT_DENY", "ALGKIT_AS_LINUX", "ALGKIT_LOG", "ALGKIT_STATS"];
    if is_secure || !VARIABLES.iter().any(|name| env::var_os(name).is_some()) {
        return;
    }
    match Settings::of_variables(|name| env::var(name).ok()) {
        Ok(settings) => {
            let file = env::var("ALGKIT_STATS").ok().filter(|name| !name.is_empty());
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
            let stats = file.and_then(|name| open(name, flags, Mode::from_raw_mode(0o644)).ok());
            // SAFETY: descriptor 2 is borrowed only during the call. If it is closed, `dup` fails.
            let stderr = dup(unsafe { BorrowedFd::borrow_raw(2) });
            if settings.level > 0 || settings.counts {
                keep(reserve::Kept::Log, stderr.ok());
            }
            keep(reserve::Kept::Stats, stats);
            if settings.counts {
                COUNTS.store(true, Ordering::Relaxed);
                // SAFETY: the function belongs to this library, which is never unloaded.
                unsafe { libc::atexit(report) };
            }
            service::configure(Settings { tell: Some(tell), ..settings });
        }
        Err(name) => {
            let line = format!("algkit: {name} is not understood, and nothing that it asks for is done\n");
            // If this fails, nobody is left to report it to.
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }
}

fn keep(what: reserve::Kept, fd: Option<OwnedFd>) {
    let kind = fd.as_ref().and_then(|fd| fstat(fd).ok()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    IS_FILE[what as usize].store(kind == Some(FileType::RegularFile), Ordering::Relaxed);
    reserve::keep(what, fd);
}

/// The program's name, as the kernel shows it, at most 15 bytes. A process with a filter may not ask for it.
fn name() -> String {
    if reserve::is_filtered() {
        return String::from("confined");
    }
    let mut name = [0_u8; 16];
    // SAFETY: the kernel writes at most 16 bytes to `name`.
    let _ =
        kernel(libc::SYS_prctl, [libc::PR_GET_NAME.into(), name.as_mut_ptr().expose_provenance() as c_long, 0, 0, 0]);
    service::visible(&String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap_or_default()))
}

/// The line as it is written: it says which process it is from.
fn signed(line: &str) -> String {
    format!("algkit: {}[{}]: {line}\n", name(), process::id())
}

fn tell(line: &str) {
    // If this fails, nobody is left to tell.
    let _ = write(reserve::Kept::Log, &signed(line));
}

/// Whether the size of files is limited. A write beyond the limit ends the process, and OpenSSH's unprivileged process
/// sets the limit to 0. In a process with a filter, the limit cannot be asked for.
fn is_limited() -> bool {
    reserve::is_filtered() || getrlimit(Resource::Fsize).current.is_some()
}

/// Writes `text`, where that is possible. A part is a failure: that of a full disk, or of a pipe that nobody empties.
fn write(to: reserve::Kept, text: &str) -> Result<(), Errno> {
    let is_file = IS_FILE[to as usize].load(Ordering::Relaxed);
    let Some(fd) = reserve::kept(to).filter(|_| !is_file || !is_limited()) else { return Ok(()) };
    without_stopping(|| {
        let (text, len) = (text.as_ptr().expose_provenance() as c_long, text.len() as c_long);
        match kernel(SYS_write, [fd.into(), text, len, 0, 0])? {
            written if written == len => Ok(()),
            _ => Err(Errno::NOSPC),
        }
    })
}

/// Calls `write` with SIGTTOU blocked, if that is allowed. In the background of a terminal with `stty tostop`, a line of the
/// library's must not stop a program that writes none.
fn without_stopping<R>(write: impl FnOnce() -> R) -> R {
    if reserve::is_filtered() {
        return write();
    }
    // SAFETY: a `sigset_t` of zeros is a valid value, and the pointers are to local variables.
    let before = unsafe {
        let (mut set, mut before): (libc::sigset_t, libc::sigset_t) = (mem::zeroed(), mem::zeroed());
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGTTOU);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before);
        before
    };
    let written = write();
    // SAFETY: the set is what the call above has written.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    written
}

/// Writes the statistics of this process, once.
extern "C" fn report() {
    // A handler that interrupts a request may have interrupted the allocator, or the counting, and may end the process.
    if !COUNTS.swap(false, Ordering::Relaxed) || Inside::check().is_err() {
        return;
    }
    table::each_file(|file| file.settle());
    let lines = usage::report();
    if !lines.is_empty() {
        let text: String = lines.lines().map(signed).collect();
        let to = if reserve::kept(reserve::Kept::Stats).is_some() { reserve::Kept::Stats } else { reserve::Kept::Log };
        if let Err(errno) = write(to, &text) {
            // The error's number, because its name may be in a file that a filter does not let this process open.
            tell(&format!("cannot write statistics: error {}", errno.raw_os_error()));
        }
    }
}

/// Called in the child of a `fork`, which counts only what it does itself.
pub fn begin_anew() {
    if COUNTS.load(Ordering::Relaxed) {
        table::each_file(|file| file.forget_usage());
        usage::forget();
    }
}

/// Defines functions that end a process without calling what `atexit` has registered.
macro_rules! ends {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(status: c_int) -> ! {
            if !crate::process::borrows_memory() {
                report();
            }
            if let Some(real) = real!(fn $name(c_int) -> ()) {
                // SAFETY: the argument goes unchanged to the function that it is meant for.
                unsafe { real(status) };
            }
            // SAFETY: `abort` has no preconditions; the functions above do not return.
            unsafe { libc::abort() }
        }
    )*};
}

ends! { _exit _Exit }

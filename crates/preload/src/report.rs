//! What `algkit run` was asked to allow, to tell and to count, and where that goes.
//!
//! The command passes it in variables of the environment, which are looked at when the library is loaded, and never in a program that
//! has gained privileges. Where it goes is opened then, too: the program may change its user, folder and limits afterwards.

use crate::{interpose::real, kernel::kernel, reserve, table};
use algkit_afalg::{
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
    os::fd::{BorrowedFd, OwnedFd},
    process,
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether what is written to is a file on a disk, by [`reserve::Kept`].
static IS_FILE: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// Whether what was done is reported at the end.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// The loader calls it.
#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

extern "C" fn init() {
    // SAFETY: the kernel's word about this program.
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
            // SAFETY: standard error, or what stands in its place.
            let stderr = dup(unsafe { BorrowedFd::borrow_raw(2) });
            if settings.level > 0 || (settings.counts && stats.is_none()) {
                keep(reserve::Kept::Log, stderr.ok());
            }
            keep(reserve::Kept::Stats, stats);
            if settings.counts {
                COUNTS.store(true, Ordering::Relaxed);
                // SAFETY: the function is of this library, which is never unloaded.
                unsafe { libc::atexit(report) };
            }
            service::configure(Settings { tell: Some(tell), ..settings });
        }
        Err(name) => eprintln!("algkit: {name} is not understood, and nothing that it asks for is done"),
    }
}

fn keep(what: reserve::Kept, fd: Option<OwnedFd>) {
    let kind = fd.as_ref().and_then(|fd| fstat(fd).ok()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    IS_FILE[what as usize].store(kind == Some(FileType::RegularFile), Ordering::Relaxed);
    reserve::keep(what, fd);
}

/// The program's name, as the kernel shows it.
fn name() -> String {
    let mut name = [0_u8; 16];
    // SAFETY: room for a name.
    let _ =
        kernel(libc::SYS_prctl, [libc::PR_GET_NAME.into(), name.as_mut_ptr().expose_provenance() as c_long, 0, 0, 0]);
    String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
}

fn tell(line: &str) {
    let name = if reserve::is_filtered() { String::from("confined") } else { name() };
    write(reserve::Kept::Log, &format!("algkit: {name}[{}]: {line}\n", process::id()));
}

/// Whether a write to a file may be one byte too many, which ends the process: OpenSSH's process in front of the authentication
/// allows itself files of no bytes. Behind a filter the limit cannot be asked for.
fn is_limited() -> bool {
    let limit = || getrlimit(Resource::Fsize).current;
    reserve::is_filtered() || limit().is_some()
}

/// Whatever was written, or not: there is nobody to tell.
fn write(to: reserve::Kept, text: &str) {
    let is_file = IS_FILE[to as usize].load(Ordering::Relaxed);
    if let Some(fd) = reserve::kept(to).filter(|_| !is_file || !is_limited()) {
        let _ = kernel(SYS_write, [fd.into(), text.as_ptr().expose_provenance() as c_long, text.len() as c_long, 0, 0]);
    }
}

/// Writes what this process has done, once.
extern "C" fn report() {
    if !COUNTS.swap(false, Ordering::Relaxed) {
        return;
    }
    table::each_file(|file| file.settle());
    let lines = usage::report();
    if !lines.is_empty() {
        let name = if reserve::is_filtered() { String::from("confined") } else { name() };
        let text: String = lines.lines().map(|line| format!("algkit: {name}[{}]: {line}\n", process::id())).collect();
        let to = if reserve::kept(reserve::Kept::Stats).is_some() { reserve::Kept::Stats } else { reserve::Kept::Log };
        write(to, &text);
    }
}

/// In the child of a `fork`, which counts for itself.
pub fn begin_anew() {
    if COUNTS.load(Ordering::Relaxed) {
        table::each_file(|file| file.forget_usage());
        usage::forget();
    }
}

/// Functions that end a process without what `atexit` was told.
macro_rules! ends {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(status: c_int) -> ! {
            if !crate::process::borrows_memory() {
                report();
            }
            if let Some(real) = real!(fn $name(c_int) -> ()) {
                // SAFETY: the argument is the caller's.
                unsafe { real(status) };
            }
            // SAFETY: there is no way back.
            unsafe { libc::abort() }
        }
    )*};
}

ends! { _exit _Exit }

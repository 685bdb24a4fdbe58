//! Serves AF_ALG and `/dev/crypto` to a program of any kind, from outside of it.
//!
//! The program runs under a seccomp filter that stops some system calls and notifies this process
//! (`SECCOMP_RET_USER_NOTIF`). This process does what the kernel's crypto API would have done, and answers in its
//! place. That needs no privilege, and it works for any program: it may be static, bypass the C library, start threads
//! and other programs. Linux 5.9 or later is needed.
//!
//! A file that is served is an [`algkit_afalg::File`] in this process, and one end of a socket pair in the program.
//! `docs/run-seccomp.md` says what follows from that, and what a hostile program cannot do.

mod beginning;
mod error;
mod terminal;
// The filter and the numbers of system calls exist for these CPUs.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod serve;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "elsewhere.rs"]
mod serve;

pub use beginning::{closed as closed_at_beginning, keep as keep_beginning};
pub use error::{Error, Unavailable};
pub use serve::{available, client};
pub use terminal::without_stopping;

use std::process::{Command, ExitStatus};

/// Limits and options of a supervisor.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The largest number of files that are open at once, in all programs together.
    pub files: usize,
    /// The largest number of files that are open at once in one program with its children (`docs/run-seccomp.md` says
    /// what a program is).
    pub files_of_program: usize,
    /// The approximate largest number of bytes that the files of one program keep: sessions, text that was sent and not
    /// received yet, and the texts of `/proc/crypto` that it has open.
    pub memory_of_program: usize,
    /// The same for the files of all programs together.
    pub memory: usize,
    /// The largest number of threads that serve requests.
    pub threads: usize,
    /// The largest number of threads that are busy with requests of one program at once.
    pub threads_of_program: usize,
    /// A function that runs on a thread of its own on SIGUSR1. Without it, SIGUSR1 goes to the program.
    pub on_usr1: Option<fn()>,
    /// Behave as on Linux before 5.19, where a signal interrupts every call that waits for the supervisor.
    #[doc(hidden)]
    pub interruptible: bool,
}

impl Default for Options {
    fn default() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let threads_of_program = cpus.clamp(4, 16);
        Self {
            files: 8192,
            files_of_program: 1024,
            memory_of_program: 64 << 20,
            memory: 1 << 30,
            threads: 16 * threads_of_program,
            threads_of_program,
            on_usr1: None,
            interruptible: false,
        }
    }
}

/// Runs `command`, and serves it and its descendants until the last of them has ended. Returns the status of the
/// command itself.
///
/// From before the command starts until this function returns, programs of the same user cannot trace or dump the
/// calling process. The calling process adopts the program's orphans and waits for them. As process 1 of a PID
/// namespace, it waits for every child that it has not started by this function.
///
/// Signals to the calling process are passed on to the command, and after its end to the orphans. The statistics of
/// files are [settled](algkit_afalg::File::settle) before [`Options::on_usr1`] runs, and before this function returns.
///
/// # Errors
/// [`Error`] if the kernel does not support supervision, if the program cannot be started, or if a system call of the
/// supervisor fails.
pub fn supervise(mut command: Command, options: &Options) -> Result<ExitStatus, Error> {
    beginning::keep(&mut command);
    serve::supervise(command, options)
}

//! Serves AF_ALG and `/dev/crypto` to a program of any kind, from outside.
//!
//! The program runs under a seccomp filter that stops a few system calls and notifies this process
//! (`SECCOMP_RET_USER_NOTIF`), which does what the kernel's crypto API would have done and answers in its place. It
//! needs no privilege and nothing of the program: it may be static, bypass the C library, start threads and other
//! programs. Linux 5.9 or later is needed.
//!
//! A file that is served is an [`algkit_afalg::File`] here and one end of a pair of sockets in the program. See
//! `docs/run-seccomp.md` for what follows from that, and for what the program is not trusted with.

mod error;
// The numbers of system calls, and what a filter sees of them, are known for these CPUs.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod serve;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "elsewhere.rs"]
mod serve;

pub use error::{Error, Unavailable};

use std::process::{Command, ExitStatus};

/// How to supervise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The most files that are open at once, in all.
    pub files: usize,
    /// The most of them that one program has open, with its children (see `docs/run-seccomp.md` for what a program is).
    pub files_of_program: usize,
    /// The most bytes that the files of one program keep, about: text that was sent and not yet received, sessions.
    pub memory_of_program: usize,
    /// The most threads that serve.
    pub threads: usize,
    /// The most of them that are busy with one program's requests, while others go on.
    pub threads_of_program: usize,
    /// What SIGUSR1 does, on a thread of its own, instead of going to the program.
    pub on_usr1: Option<fn()>,
    /// Do as on Linux before 5.19, where a signal interrupts every call that waits for the supervisor.
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
            threads: 16 * threads_of_program,
            threads_of_program,
            on_usr1: None,
            interruptible: false,
        }
    }
}

/// Whether this kernel can do it. A filter of somebody else's may still forbid it.
pub fn available() -> Result<(), Error> {
    serve::available()
}

/// The process that the calling thread serves now, as `name[number]`: for
/// [`Settings::client`](algkit_afalg::service::Settings::client).
pub fn client() -> String {
    serve::client()
}

/// Runs `command`, and serves it and its descendants until the last of them is gone. The status is that of the
/// command itself.
///
/// Before the command starts, and until this returns, the calling process cannot be traced or dumped by programs of its
/// own user. It adopts the program's orphans and waits for them. As process 1 of a PID namespace it waits for every child
/// that it has not started by this function.
///
/// Signals that the calling process is sent go to the command; after its end, to the orphans. What its files have done is
/// [settled](algkit_afalg::File::settle) before [`Options::on_usr1`], and when this returns.
pub fn supervise(command: Command, options: &Options) -> Result<ExitStatus, Error> {
    serve::supervise(command, options)
}

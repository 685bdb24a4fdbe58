use std::{ffi::OsString, io};
use thiserror::Error;

/// The reason why a program could not be supervised.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel, a filter that already confines this process, or a limit does not allow supervision.
    #[error("{0}")]
    Unavailable(Unavailable),
    /// The program could not be started.
    #[error("{}: {source}", program.display())]
    Spawn {
        /// The program's name or path.
        program: OsString,
        /// The error of starting it.
        source: io::Error,
    },
    /// A system call of the supervisor itself failed.
    #[error("{call}: {source}")]
    System {
        /// The name of the system call.
        call: &'static str,
        /// The error that it returned.
        source: io::Error,
    },
}

/// The feature that is missing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The kernel is older than 5.9, or was built without `CONFIG_SECCOMP_FILTER`.
    #[error("the kernel has no {0} (Linux 5.9 and later have it)")]
    Kernel(&'static str),
    /// The supervisor does not know this CPU's system calls. It knows those of x86-64 and AArch64.
    #[error("it knows the system calls of x86-64 and AArch64, not those of {0}")]
    Cpu(&'static str),
    /// The kernel refused the filter.
    #[error("the filter was refused: {0}")]
    Refused(io::Error),
    /// The process is supervised already, and a process has at most one supervisor.
    #[error("this process is supervised already, and Linux allows one supervisor")]
    Supervised,
    /// `/proc` is not mounted, or not for the PID namespace of this process.
    #[error("/proc is not mounted, or shows the processes of another PID namespace")]
    Proc,
    /// The limit of open files leaves no descriptors to serve.
    #[error("the limit of open files, {0}, is too low")]
    Files(u64),
}

use std::{ffi::OsString, io};
use thiserror::Error;

/// Why a program could not be supervised.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel, or a filter that already confines this process, does not allow it.
    #[error("seccomp user notification is not available: {0}")]
    Unavailable(Unavailable),
    /// The program could not be started.
    #[error("{}: {source}", program.display())]
    Spawn {
        /// The program.
        program: OsString,
        /// Why.
        source: io::Error,
    },
    /// A system call of the supervisor's own failed.
    #[error("{call}: {source}")]
    System {
        /// The call.
        call: &'static str,
        /// Why.
        source: io::Error,
    },
}

/// What is missing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The kernel is older than 5.9, or built without `CONFIG_SECCOMP_FILTER`.
    #[error("the kernel has no {0} (Linux 5.9 and later have it)")]
    Kernel(&'static str),
    /// This CPU's system calls are not known to it; x86-64's and AArch64's are.
    #[error("it knows the system calls of x86-64 and AArch64, not those of {0}")]
    Cpu(&'static str),
    /// The filter was refused.
    #[error("the filter was refused: {0}")]
    Refused(io::Error),
    /// A process has at most one supervisor.
    #[error("this process is supervised already, and Linux allows one supervisor")]
    Supervised,
    /// There is no room for descriptors of its own.
    #[error("the limit of open files, {0}, is too low")]
    Files(u64),
}

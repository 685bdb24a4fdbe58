//! Programs that are told to end when this process ends, also if it is killed.
//!
//! The kernel does this for a process that asks for it itself (PR_SET_PDEATHSIG in prctl(2)). So the command starts itself under another name, asks, and
//! becomes the program.

use crate::error::Error;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use std::{
    ffi::{OsStr, OsString},
    io,
    os::unix::process::CommandExt,
    path::Path,
    process::{self, Command},
};

/// The name under which the command becomes another program.
const NAME: &str = "algkit-tied";

/// The command that runs `program`, which gets SIGTERM when the thread that starts it ends.
pub fn command(program: &Path) -> Command {
    // The link is good even if the file has been replaced since.
    let mut command = Command::new("/proc/self/exe");
    command.arg0(NAME).arg(process::id().to_string()).arg(program);
    command
}

pub fn is_called(program: &OsStr) -> bool {
    program == NAME
}

/// Becomes the program, or returns why not. The arguments are the name, the number of the process that has started it, the program and its arguments.
pub fn run(arguments: &[OsString]) -> Error {
    let [_, parent, program, arguments @ ..] = arguments else {
        return Error::Usage(format!("{NAME}: a program is missing"));
    };
    let failed = |source| Error::Run { program: program.clone(), source };
    if let Err(errno) = set_parent_process_death_signal(Some(Signal::TERM)) {
        return failed(errno.into());
    }
    // If it ended before the line above, nothing tells of it any more.
    if getppid().map(|now| now.as_raw_nonzero().to_string()) != parent.to_str().map(str::to_owned) {
        return failed(io::Error::other("the process that has started it is gone"));
    }
    failed(Command::new(program).args(arguments).exec())
}

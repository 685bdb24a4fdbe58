//! The supervisor on a CPU whose system calls it does not know: nothing can be served there.

use crate::{Error, Options, Unavailable};
use std::{
    env::consts::ARCH,
    process::{Command, ExitStatus},
};

/// Why the kernel does not support supervision.
pub fn available() -> Result<(), Error> {
    Err(Error::Unavailable(Unavailable::Cpu(ARCH)))
}

pub fn supervise(_: Command, _: &Options) -> Result<ExitStatus, Error> {
    Err(Error::Unavailable(Unavailable::Cpu(ARCH)))
}

/// No process is served.
pub fn client() -> String {
    String::new()
}

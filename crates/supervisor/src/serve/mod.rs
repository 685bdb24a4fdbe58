//! Starting a program under the filter, and serving its calls.

mod aio;
mod bpf;
mod calls;
mod client;
mod clock;
mod closed;
mod event;
mod handles;
mod launch;
mod leader;
mod listings;
mod lost;
mod msghdr;
mod park;
mod pool;
mod proc;
mod program;
mod request;
mod served;
mod server;
mod sys;
mod target;
mod transfer;

use crate::Error;
pub use client::current as client;
pub use event::supervise;

/// Whether the kernel supports supervision. A filter that this process runs under may still forbid it.
pub fn available() -> Result<(), Error> {
    launch::check().map_err(Error::Unavailable)
}

impl Error {
    fn system(call: &'static str) -> impl FnOnce(rustix::io::Errno) -> Self {
        move |errno| Self::System { call, source: errno.into() }
    }
}

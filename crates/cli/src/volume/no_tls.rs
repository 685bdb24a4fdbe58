//! What `algkit volume serve` has in the place of TLS if the feature `tls` is off: the way to get it.

use crate::error::Error;
use std::{io, os::unix::net::UnixStream, path::Path};

/// There is none.
pub enum Server {}

impl Server {
    pub fn new(_: &Path, _: bool) -> Result<Self, Error> {
        let reason = "this algkit was built without TLS; cargo install --locked --path crates/cli --features tls builds one with it";
        Err(Error::option("--tls-certificates", reason))
    }

    pub fn serve<'a>(
        &self,
        _: &'a UnixStream,
        _: impl FnOnce(&'a UnixStream, &'a UnixStream) -> io::Result<()>,
    ) -> io::Result<()> {
        match *self {}
    }
}

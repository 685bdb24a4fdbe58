//! What programs have in common that serve a volume until they are asked to end.

use crate::{
    error::Error,
    out::{complain, to_stdout},
    signals,
};
use signal_hook::iterator::Signals;
use std::{
    env,
    io::{self, Write},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            ffi::OsStrExt,
            net::{SocketAddr, UnixDatagram},
        },
    },
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// How long clients may keep the server from ending.
pub const FAREWELL: Duration = Duration::from_secs(5);

/// The most failures that are told of.
const TOLD: u32 = 20;

/// The signals that ask the server to end. From now on they do not end it by themselves.
pub fn asked_to_end() -> Result<Signals, Error> {
    Signals::new(signals::that_end()).map_err(|source| Error::Read { name: "signals".to_owned(), source })
}

/// Tells on standard error what clients are told by an error number.
pub struct Failures {
    path: PathBuf,
    count: AtomicU32,
}

impl Failures {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), count: AtomicU32::new(0) }
    }

    /// How many there were.
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    pub fn tell(&self, error: &algkit_volume::Error) {
        match self.count.fetch_add(1, Ordering::Relaxed) {
            TOLD => complain(&"further failures are not told of"),
            n if n < TOLD => complain(&format_args!("`{}`: {error}", self.path.display())),
            _ => {}
        }
    }
}

/// Says that the path can be used.
pub fn announce(path: &Path) -> Result<(), Error> {
    say(path.as_os_str().as_bytes())
}

/// Prints the line that says where to find what is served, and tells systemd. If the line cannot be written, also because its reader has left, nobody
/// learns of the server, which is an error. Whoever has closed the output does not want the line.
pub fn say(line: &[u8]) -> Result<(), Error> {
    io::stdout().write_all(&[line, b"\n"].concat()).map_err(to_stdout)?;
    notify("READY=1");
    Ok(())
}

/// Tells systemd, or whoever started the server and waits (sd_notify(3)).
pub fn notify(state: &str) {
    let Some(path) = env::var_os("NOTIFY_SOCKET") else { return };
    let address = match path.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(&path),
    };
    // Whoever set the variable wrongly misses the message.
    let send = |address| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address);
    let _ = address.and_then(send);
}

//! `algkit volume serve`: a volume as a network block device.

use super::{
    Access, Place,
    args::serve::ServeArgs,
    service::{FAREWELL, Failures, asked_to_end, notify, say},
    tls,
    turn::locked,
};
use crate::{answer::Answer, error::Error};
use algkit_volume::{
    WriteAt,
    nbd::{Client, Export},
};
use rustix::{
    fs::{Mode, OFlags, open},
    io::Errno,
    net::{Shutdown as How, shutdown, sockopt::set_socket_keepalive},
    process::umask,
};
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fs,
    io::{self, Read, Write},
    net::{IpAddr, Shutdown, TcpListener},
    os::{
        fd::{AsFd, OwnedFd},
        unix::{
            ffi::OsStrExt,
            fs::{FileTypeExt, MetadataExt},
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    thread,
    time::Duration,
};

/// The most connections at a time, and threads of one: with the memory of a thread they bound that of all.
const CONNECTIONS: usize = 16;
const THREADS: usize = 8;

/// How long a client may be silent before it has chosen the export.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn run(args: &ServeArgs) -> Result<Answer, Error> {
    if let Some(address) = args.tcp.filter(|address| !address.ip().is_loopback() && !args.tls_verify_peer) {
        let reason =
            format!("other machines reach {}; it needs --tls-certificates and --tls-verify-peer", address.ip());
        return Err(Error::option("--tcp", reason));
    }
    let folder = args.tls_certificates.as_deref();
    let tls = folder.map(|folder| tls::Server::new(folder, args.tls_verify_peer)).transpose()?;
    let place = Place::open(&args.place, if args.read_only { Access::Read } else { Access::Data })?;
    let volume = place.volume(&place.data.file, &args.unlock, &args.kind)?;
    // From now on a signal ends the server in order.
    let mut signals = asked_to_end()?;
    let (listener, uri) = Listener::bind(args)?;
    let failures = Failures::new(&place.data.path);
    let failed = |error: &algkit_volume::Error| failures.tell(error);
    let export = Export {
        read_only: args.read_only,
        discard: args.allow_discards,
        block_size: volume.sector_size().max(4096) as u32,
        failed: &failed,
        ..Export::new(&volume)
    };
    let server = Server::new(&export, tls);
    let served = thread::scope(|scope| {
        scope.spawn(|| server.accept(&listener, scope));
        let told = say(uri.as_bytes());
        if told.is_ok() {
            signals.forever().next();
        }
        notify("STOPPING=1");
        // The thread that accepts clients ends with this.
        listener.close();
        server.stop();
        told
    });
    if !args.read_only {
        volume.sync().map_err(|error| place.data.error(error))?;
    }
    served.map(|()| Answer::Yes)
}

/// What clients connect to.
enum Listener {
    /// With the socket's path and the number of its inode.
    Unix(UnixListener, PathBuf, u64),
    Tcp(TcpListener),
}

impl Listener {
    /// With its URI.
    fn bind(args: &ServeArgs) -> Result<(Self, String), Error> {
        let scheme = if args.tls_certificates.is_some() { "nbds" } else { "nbd" };
        if let Some(address) = args.tcp {
            let failed = |source| Error::Listen { name: address.to_string(), source };
            let listener = TcpListener::bind(address).map_err(failed)?;
            let address = listener.local_addr().map_err(failed)?;
            return Ok((Self::Tcp(listener), format!("{scheme}://{address}")));
        }
        let path = args.socket.clone().unwrap_or_else(|| {
            let mut name = args.place.image.file_name().unwrap_or_default().to_owned();
            name.push(".sock");
            name.into()
        });
        let (listener, path, inode) =
            bind_unix(&path).map_err(|source| Error::Listen { name: format!("`{}`", path.display()), source })?;
        let uri = format!("{scheme}+unix:///?socket={}", escaped(path.as_os_str().as_bytes()));
        Ok((Self::Unix(listener, path, inode), uri))
    }

    /// The next client, and where it comes from. A unix socket stands for any: all that is done with it works on a TCP socket as well.
    fn accept(&self) -> io::Result<(UnixStream, Origin)> {
        match self {
            Self::Unix(listener, ..) => listener.accept().map(|(stream, _)| (stream, Origin::default())),
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept()?;
                stream.set_nodelay(true)?;
                // A client whose machine lost power never says so, and would keep its place.
                set_socket_keepalive(&stream, true)?;
                Ok((OwnedFd::from(stream).into(), origin(address.ip())))
            }
        }
    }

    /// No further client gets in, and whoever waits for one learns of it.
    fn close(&self) {
        let socket = match self {
            Self::Unix(listener, path, inode) => {
                // By now, another server may have its socket there. If this one is gone already, so much the better.
                if path.symlink_metadata().is_ok_and(|there| there.ino() == *inode) {
                    let _ = fs::remove_file(path);
                }
                listener.as_fd()
            }
            Self::Tcp(listener) => listener.as_fd(),
        };
        let _ = shutdown(socket, How::Both);
    }
}

/// Listens on a new socket. With its path, which does not depend on the folder of whoever reads it, and the number of its inode.
fn bind_unix(path: &Path) -> io::Result<(UnixListener, PathBuf, u64)> {
    let _turn = turn_in(path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")));
    remove_stale(path);
    // It is the owner's from the beginning on.
    let before = umask(Mode::RWXG | Mode::RWXO);
    let bound = UnixListener::bind(path);
    umask(before);
    let listener = bound?;
    let found = fs::canonicalize(path).and_then(|path| Ok((path.symlink_metadata()?.ino(), path)));
    let (inode, path) = found.inspect_err(|_| drop(fs::remove_file(path)))?;
    Ok((listener, path, inode))
}

/// A lock on the folder of sockets. Of two servers that find one stale socket, the second would remove the new one of the first, too. Whoever may read
/// the folder may hold the lock, so nobody waits long.
fn turn_in(folder: &Path) -> Option<OwnedFd> {
    let folder = open(folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    locked(&folder, Duration::from_secs(1)).then_some(folder)
}

/// Removes a socket that nobody listens on any more.
fn remove_stale(path: &Path) {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|there| there.file_type().is_socket());
    let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    if is_socket && UnixStream::connect(path).is_err_and(refused) {
        // If it stays, binding fails and says why.
        let _ = fs::remove_file(path);
    }
}

/// A path in a URI (RFC 3986, section 2.1).
fn escaped(path: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._~-".contains(byte);
    path.iter().map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The network of a client: its address in IPv4, and half of it in IPv6, as whoever has one address there has all that begin with the same half.
type Origin = u64;

fn origin(address: IpAddr) -> Origin {
    match address.to_canonical() {
        IpAddr::V4(address) => u32::from(address).into(),
        IpAddr::V6(address) => (u128::from(address) >> 64) as u64,
    }
}

/// Connections by their numbers, which grow.
#[derive(Default)]
struct Connections {
    open: BTreeMap<u64, Connection>,
    stopping: bool,
}

struct Connection {
    /// What ends it.
    handle: Arc<UnixStream>,
    origin: Origin,
    /// Whether the client has chosen the export. Before that it may be anybody.
    has_chosen: bool,
}

impl Connections {
    /// Whether there is a place for one more, as a client gives way if all are taken.
    fn make_room(&mut self) -> bool {
        self.open.len() < CONNECTIONS || self.dismiss()
    }

    /// Ends the connection of a client that is still choosing, if there is any: of the origin that has most of them, the one that came first. So whoever
    /// connects and says nothing, or little, keeps nobody out, and whoever connects without end nobody from elsewhere.
    fn dismiss(&mut self) -> bool {
        let choosing = || self.open.iter().filter(|(_, connection)| !connection.has_chosen);
        let crowd = |origin| choosing().filter(|(_, connection)| connection.origin == origin).count();
        let last = choosing().max_by_key(|(number, connection)| (crowd(connection.origin), Reverse(**number)));
        let Some(connection) = last.map(|(number, _)| *number).and_then(|number| self.open.remove(&number)) else {
            return false;
        };
        // Its thread ends with this. It may have left already.
        let _ = connection.handle.shutdown(Shutdown::Both);
        true
    }
}

struct Server<'a> {
    export: &'a Export<'a>,
    /// What clients have to begin first, if anything.
    tls: Option<tls::Server>,
    connections: Mutex<Connections>,
    /// Is notified when one has ended.
    ended: Condvar,
    threads: usize,
}

impl<'a> Server<'a> {
    fn new(export: &'a Export<'a>, tls: Option<tls::Server>) -> Self {
        let threads = thread::available_parallelism().map_or(2, |cpus| cpus.get().clamp(2, THREADS));
        Self { export, tls, connections: Mutex::default(), ended: Condvar::new(), threads }
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves whoever connects, until the listener is closed. A client that comes when all have chosen the export is refused.
    fn accept<'scope>(&'scope self, listener: &Listener, scope: &'scope thread::Scope<'scope, '_>) {
        for number in 0.. {
            let (stream, origin) = match listener.accept() {
                Ok(client) => client,
                Err(_) if self.connections().stopping => return,
                // A client that left at once, or no descriptors: others end.
                Err(error) => {
                    if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) {
                        self.connections().dismiss();
                    }
                    thread::sleep(Duration::from_millis(10));
                    continue;
                }
            };
            let mut connections = self.connections();
            if connections.stopping {
                return;
            }
            if connections.make_room() {
                let stream = Arc::new(stream);
                connections.open.insert(number, Connection { handle: Arc::clone(&stream), origin, has_chosen: false });
                let work = move || {
                    // A client that leaves in the middle, or breaks the protocol, has itself to blame.
                    let _ = self.serve(number, &stream);
                    let _ = stream.shutdown(Shutdown::Both);
                    self.connections().open.remove(&number);
                    self.ended.notify_all();
                };
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    connections.open.remove(&number);
                }
            }
        }
    }

    fn serve(&self, number: u64, stream: &UnixStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut client = Client::greet(&mut &*stream, &mut &*stream)?;
        match &self.tls {
            None => self.serve_disk(number, client, stream, stream, stream),
            Some(tls) if client.wait_for_tls(&mut &*stream, &mut &*stream)? => {
                tls.serve(stream, |input, output| self.serve_disk(number, client, stream, input, output))
            }
            Some(_) => Ok(()),
        }
    }

    fn serve_disk(
        &self,
        number: u64,
        client: Client,
        stream: &UnixStream,
        mut input: impl Read + Send,
        mut output: impl Write + Send,
    ) -> io::Result<()> {
        // A client that has had to give way is not there any more.
        let keep_place = || self.connections().open.get_mut(&number).map(|client| client.has_chosen = true).is_some();
        let Some(session) = client.choose(self.export, &mut input, &mut output, keep_place)? else { return Ok(()) };
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        let hang_up = || drop(stream.shutdown(Shutdown::Both));
        session.serve(self.export, input, output, hang_up, self.threads)
    }

    /// Lets clients have the replies to what they have asked for, and no more.
    fn stop(&self) {
        self.export.stopping.store(true, Ordering::Relaxed);
        let mut connections = self.connections();
        connections.stopping = true;
        for how in [Shutdown::Read, Shutdown::Both] {
            connections.open.values().for_each(|connection| drop(connection.handle.shutdown(how)));
            let waiting = self.ended.wait_timeout_while(connections, FAREWELL, |left| !left.open.is_empty());
            connections = waiting.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This test is a server that has found a stale socket, and has not bound its own yet, when another server starts.
    #[test]
    fn one_of_two_servers_gets_a_stale_socket() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        // Dropping it leaves the socket.
        drop(UnixListener::bind(&path).unwrap());
        let turn = turn_in(folder.path()).unwrap();
        let other = thread::spawn({
            let path = path.clone();
            move || bind_unix(&path)
        });
        thread::sleep(Duration::from_millis(200));
        remove_stale(&path);
        let _mine = UnixListener::bind(&path).unwrap();
        drop(turn);
        assert_eq!(other.join().unwrap().unwrap_err().kind(), io::ErrorKind::AddrInUse);
        assert!(UnixStream::connect(&path).is_ok());
    }

    /// Somebody connects again and again, faster than others can choose the export.
    #[test]
    fn whoever_floods_the_server_keeps_nobody_else_out() {
        let mut connections = Connections::default();
        let mut ends = Vec::new();
        let mut connect = |number, address: &str| {
            let (handle, end) = UnixStream::pair().unwrap();
            let handle = Arc::new(handle);
            ends.push(end);
            assert!(connections.make_room());
            let origin = origin(address.parse().unwrap());
            connections.open.insert(number, Connection { handle, origin, has_chosen: false });
            connections.open.keys().copied().collect::<Vec<_>>()
        };
        connect(0, "192.0.2.1");
        connect(1, "2001:db8::1");
        for number in 2..100 {
            connect(number, if number % 2 == 0 { "192.0.2.2" } else { "::ffff:192.0.2.2" });
        }
        for number in 100..200 {
            connect(number, &format!("2001:db8:0:1::{number}"));
        }
        let open = connect(200, "192.0.2.3");
        assert_eq!((open.len(), &open[..2], open.last()), (CONNECTIONS, &[0, 1][..], Some(&200)));
    }

    #[test]
    fn paths_in_uris() {
        assert_eq!(escaped(b"/run/a b/d?&.sock"), "/run/a%20b/d%3F%26.sock");
    }
}

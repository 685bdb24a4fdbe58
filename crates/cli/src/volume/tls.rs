//! TLS 1.3 for the clients of `algkit volume serve`, with certificates in files that are named as qemu-nbd and nbdkit have them.

use crate::error::Error;
use rustls::{
    RootCertStore, ServerConfig, ServerConnection,
    crypto::ring,
    pki_types::{
        CertificateDer, CertificateRevocationListDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
    server::WebPkiClientVerifier,
    version::TLS13,
};
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Bytes of records that are read at a time.
const AHEAD: usize = 64 << 10;

/// What is said of a private key that cannot be used.
const NO_KEY: &str = "it is no RSA key of 2048 bits or more, no ECDSA key on P-256 or P-384, and no Ed25519 key";

/// What the server shows to clients and demands of them.
pub struct Server(Arc<ServerConfig>);

impl Server {
    /// Reads `server-cert.pem` and `server-key.pem` in the folder; with `verifies_peer`, clients need a certificate that one of `ca-cert.pem` has signed
    /// and that is not in `ca-crl.pem`, if that is there.
    pub fn new(folder: &Path, verifies_peer: bool) -> Result<Self, Error> {
        let provider = Arc::new(algkit_rustls::provider(ring::default_provider()));
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(refused)?;
        let config = if verifies_peer {
            let mut roots = RootCertStore::empty();
            let authorities = folder.join("ca-cert.pem");
            for certificate in all::<CertificateDer<'_>>(&authorities)? {
                roots.add(certificate).map_err(|error| Error::read(&authorities, io::Error::other(error)))?;
            }
            let revoked = folder.join("ca-crl.pem");
            // A list that is there and cannot be read is an error, as without it those who are revoked would get in.
            let revoked = match revoked.symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                _ => all::<CertificateRevocationListDer<'_>>(&revoked)?,
            };
            // Authorities without a list have revoked nothing.
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .with_crls(revoked)
                .allow_unknown_revocation_status()
                .build()
                .map_err(refused)?;
            config.with_client_cert_verifier(verifier)
        } else {
            config.with_no_client_auth()
        };
        let (certificate, key) = (folder.join("server-cert.pem"), folder.join("server-key.pem"));
        let read = PrivateKeyDer::from_pem_file(&key).map_err(|error| unreadable(&key, error))?;
        let mut config = config.with_single_cert(all(&certificate)?, read).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => refused("server-key.pem is not the key of server-cert.pem"),
            rustls::Error::General(_) => Error::read(&key, io::Error::other(NO_KEY)),
            error => Error::read(&certificate, io::Error::other(error)),
        })?;
        // A session that is resumed would not look at the client's certificate again, which may have expired.
        config.send_tls13_tickets = 0;
        Ok(Self(Arc::new(config)))
    }

    /// Begins TLS, and calls `work` with what the client sends and with what it gets.
    pub fn serve(
        &self,
        socket: &UnixStream,
        work: impl FnOnce(Input<'_>, Output<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut state = ServerConnection::new(Arc::clone(&self.0)).map_err(io::Error::other)?;
        state.complete_io(&mut &*socket)?;
        if state.is_handshaking() {
            // It has begun, and has been silent since then for as long as the socket waits.
            return Err(io::ErrorKind::TimedOut.into());
        }
        let state = Mutex::new(state);
        let input = Input { socket: BufReader::with_capacity(AHEAD, socket), state: &state };
        let ended = work(input, Output { socket, state: &state, records: Vec::new() });
        // The client learns that nobody else has cut the connection. It may have left.
        let mut state = lock(&state);
        state.send_close_notify();
        let _ = state.write_tls(&mut &*socket);
        ended
    }
}

fn lock(state: &Mutex<ServerConnection>) -> MutexGuard<'_, ServerConnection> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a client sends, decrypted. While it sends nothing, other threads can send.
pub struct Input<'a> {
    socket: BufReader<&'a UnixStream>,
    state: &'a Mutex<ServerConnection>,
}

impl Read for Input<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match lock(self.state).reader().read(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            // This waits for the client, and leaves the state to those who send.
            self.socket.fill_buf()?;
            let mut state = lock(self.state);
            state.read_tls(&mut self.socket)?;
            state.process_new_packets().map_err(io::Error::other)?;
        }
    }
}

/// What a client gets, which is encrypted here.
pub struct Output<'a> {
    socket: &'a UnixStream,
    state: &'a Mutex<ServerConnection>,
    /// Encrypted records that go to the socket next.
    records: Vec<u8>,
}

impl Write for Output<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let mut state = lock(self.state);
        let taken = state.writer().write(data)?;
        self.records.clear();
        while state.wants_write() {
            state.write_tls(&mut self.records)?;
        }
        drop(state);
        self.socket.write_all(&self.records)?;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All objects of a kind in a file; it is an error if there are none.
fn all<T: PemObject>(path: &Path) -> Result<Vec<T>, Error> {
    let found: Result<Vec<T>, _> = T::pem_file_iter(path).and_then(Iterator::collect);
    found
        .and_then(|found| if found.is_empty() { Err(pem::Error::NoItemsFound) } else { Ok(found) })
        .map_err(|error| unreadable(path, error))
}

fn unreadable(path: &Path, error: pem::Error) -> Error {
    let source = match error {
        pem::Error::Io(source) => source,
        pem::Error::NoItemsFound => io::Error::other("it has no such object in PEM, or only an encrypted one"),
        pem::Error::MissingSectionEnd { .. } => io::Error::other("it is cut off"),
        error => io::Error::other(error),
    };
    Error::read(path, source)
}

fn refused(reason: impl ToString) -> Error {
    Error::option("--tls-certificates", reason.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::server::ResolvesServerCertUsingSni;
    use std::time::{Duration, Instant};

    #[test]
    fn a_client_that_begins_and_falls_silent_is_left_in_time() {
        let patience = Duration::from_secs(2);
        let config = ServerConfig::builder_with_provider(Arc::new(algkit_rustls::provider(ring::default_provider())))
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(ResolvesServerCertUsingSni::new()));
        let (mut client, socket) = UnixStream::pair().unwrap();
        socket.set_read_timeout(Some(patience)).unwrap();
        // The head of a record, and no more.
        client.write_all(&[22, 3, 1, 2, 0, 1]).unwrap();
        let start = Instant::now();
        assert!(Server(Arc::new(config)).serve(&socket, |_, _| Ok(())).is_err());
        assert!(start.elapsed() < 2 * patience, "{:?}", start.elapsed());
    }
}

//! Serves the files of a folder over HTTPS, a thread for each connection. It prints its port, and then the suite of each connection.
//!
//! usage: https_server CERTIFICATE.pem KEY.pem FOLDER [PORT]

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use std::{
    env,
    error::Error,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Component, Path},
    sync::Arc,
    thread,
    time::Duration,
};

/// The longest request in bytes. The rest of a longer one is not read, so that no client fills the memory.
const MAX_REQUEST: u64 = 1 << 14;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [certificate, key, folder, port @ ..] = &arguments[..] else {
        return Err("usage: https_server CERTIFICATE.pem KEY.pem FOLDER [PORT]".into());
    };
    let certificates = CertificateDer::pem_file_iter(certificate)?.collect::<Result<Vec<_>, _>>()?;

    // algkit's cipher suites, and the key exchange and signatures of ring.
    let provider = algkit_rustls::provider(ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates, PrivateKeyDer::from_pem_file(key)?)?;
    config.ticketer = ring::Ticketer::new()?;
    let config = Arc::new(config);

    let listener = TcpListener::bind(("localhost", port.first().map_or(Ok(0), |port| port.parse())?))?;
    println!("{}", listener.local_addr()?.port());
    for socket in listener.incoming() {
        let socket = match socket {
            Ok(socket) => socket,
            Err(error) => {
                // Too many files are open, for example. Connections that end meanwhile make room.
                eprintln!("{error}");
                thread::sleep(Duration::from_millis(100));
                continue;
            }
        };
        let (config, folder) = (Arc::clone(&config), folder.clone());
        thread::spawn(move || {
            if let Err(error) = serve(socket, config, Path::new(&folder)) {
                eprintln!("{error}");
            }
        });
    }
    Ok(())
}

fn serve(socket: TcpStream, config: Arc<ServerConfig>, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut stream = BufReader::new(StreamOwned::new(ServerConnection::new(config)?, socket)).take(MAX_REQUEST);
    let mut request = String::new();
    stream.read_line(&mut request)?;
    let mut line = request.clone();
    while !line.trim_end().is_empty() {
        line.clear();
        stream.read_line(&mut line)?;
    }
    let mut stream = stream.into_inner().into_inner();
    println!("{:?}", stream.conn.negotiated_cipher_suite().ok_or("no cipher suite")?.suite());

    let path = Path::new(request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/'));
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let file = if inside { File::open(folder.join(path)).ok() } else { None };
    match file.filter(|file| file.metadata().is_ok_and(|data| data.is_file())) {
        Some(mut file) => {
            let length = file.metadata()?.len();
            write!(stream, "HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n")?;
            io::copy(&mut BufReader::with_capacity(1 << 16, &mut file), &mut stream)?;
        }
        None => write!(stream, "HTTP/1.0 404 Not Found\r\n\r\n")?,
    }
    stream.conn.send_close_notify();
    stream.flush()?;
    Ok(())
}

//! Fetches a page over HTTPS and writes its body to standard output.
//!
//! usage: https_client HOST:PORT PATH [CA.pem [SUITE]]
//!
//! The authorities are those of Debian, or those in CA.pem. SUITE, such as TLS13_AES_128_GCM_SHA256, leaves only that one in the provider.

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};
use std::{
    env,
    error::Error,
    io::{self, BufRead, BufReader, Write},
    net::TcpStream,
    sync::Arc,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(address), Some(path)) = (arguments.next(), arguments.next()) else {
        return Err("usage: https_client HOST:PORT PATH [CA.pem [SUITE]]".into());
    };
    let (host, _) = address.rsplit_once(':').ok_or("the address is HOST:PORT")?;

    // algkit's cipher suites, and the key exchange and signatures of ring.
    let mut provider = algkit_rustls::provider(ring::default_provider());
    let authorities = arguments.next().unwrap_or_else(|| "/etc/ssl/certs/ca-certificates.crt".into());
    if let Some(name) = arguments.next() {
        provider.cipher_suites.retain(|suite| format!("{:?}", suite.suite()) == name);
    }

    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(authorities)? {
        roots.add(certificate?)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connection = ClientConnection::new(Arc::new(config), host.to_owned().try_into()?)?;
    let mut stream = StreamOwned::new(connection, TcpStream::connect(&address)?);
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n")?;

    // The end of the text is authentic as well: a connection that is cut is an error of `copy`.
    let mut response = BufReader::with_capacity(1 << 16, stream);
    let mut line = String::new();
    response.read_line(&mut line)?;
    if line.split(' ').nth(1) != Some("200") {
        return Err(line.into());
    }
    while line.trim_end() != "" {
        line.clear();
        response.read_line(&mut line)?;
    }
    io::copy(&mut response, &mut io::stdout().lock())?;
    let tls = &response.get_ref().conn;
    eprintln!("{:?}", tls.negotiated_cipher_suite().ok_or("no cipher suite")?.suite());
    Ok(())
}

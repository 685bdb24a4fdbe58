//! Connections in memory: every suite, with algkit on one side and ring on the other, and with algkit on both.

use rustls::{
    ClientConfig, ClientConnection, Connection, RootCertStore, ServerConfig, ServerConnection, SupportedCipherSuite,
    client::Resumption,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    quic::{self, KeyChange, Keys, PacketKey, Secrets},
};
use std::{
    io::{Read, Write},
    sync::Arc,
};

const RSA: (&[u8], &[u8]) = (include_bytes!("certs/rsa.pem"), include_bytes!("certs/rsa-key.pem"));
const ECDSA: (&[u8], &[u8]) = (include_bytes!("certs/ecdsa.pem"), include_bytes!("certs/ecdsa-key.pem"));

fn only(suite: SupportedCipherSuite, provider: CryptoProvider) -> Arc<CryptoProvider> {
    let mut provider = provider;
    provider.cipher_suites.retain(|other| *other == suite);
    Arc::new(provider)
}

fn configs(client: Arc<CryptoProvider>, server: Arc<CryptoProvider>) -> (Arc<ClientConfig>, Arc<ServerConfig>) {
    let suite = client.cipher_suites[0];
    let rsa = format!("{:?}", suite.suite()).contains("_RSA_");
    let (certificate, key) = if rsa { RSA } else { ECDSA };
    let certificate = CertificateDer::from_pem_slice(certificate).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let versions = [suite.version()];
    let client = ClientConfig::builder_with_provider(client).with_protocol_versions(&versions).unwrap();
    let mut client = client.with_root_certificates(roots).with_no_client_auth();
    client.resumption = Resumption::in_memory_sessions(4);
    let server = ServerConfig::builder_with_provider(server).with_protocol_versions(&versions).unwrap();
    let key = PrivateKeyDer::from_pem_slice(key).unwrap();
    let server = server.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    (Arc::new(client), Arc::new(server))
}

/// Everything that `from` has to say, to `to`; returns the text in it.
fn pass(from: &mut Connection, to: &mut Connection) -> Vec<u8> {
    let mut records = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut records).unwrap();
    }
    let (mut records, mut text) = (&records[..], Vec::new());
    while !records.is_empty() {
        to.read_tls(&mut records).unwrap();
        let len = to.process_new_packets().unwrap().plaintext_bytes_to_read();
        let old = text.len();
        text.resize(old + len, 0);
        to.reader().read_exact(&mut text[old..]).unwrap();
    }
    text
}

fn connect(client: &Arc<ClientConfig>, server: &Arc<ServerConfig>) -> (Connection, Connection) {
    let client = ClientConnection::new(Arc::clone(client), "localhost".try_into().unwrap()).unwrap();
    let (mut client, mut server) =
        (Connection::Client(client), Connection::Server(ServerConnection::new(Arc::clone(server)).unwrap()));
    while client.is_handshaking() || server.is_handshaking() {
        pass(&mut client, &mut server);
        pass(&mut server, &mut client);
    }
    (client, server)
}

/// Texts of many lengths, across the ends of records.
fn talk(from: &mut Connection, to: &mut Connection) {
    for len in [1, 2, 15, 16, 17, 1350, 16_383, 16_384, 16_385, 40_000] {
        let text: Vec<u8> = (0..len).map(|i: u32| (i * 11 + len) as u8).collect();
        from.writer().write_all(&text).unwrap();
        assert_eq!(pass(from, to), text);
    }
}

fn try_all(make: impl Fn(SupportedCipherSuite) -> (Arc<CryptoProvider>, Arc<CryptoProvider>)) {
    for suite in ring::ALL_CIPHER_SUITES {
        let (client, server) = make(*suite);
        let (client, server) = configs(client, server);
        for resumed in [false, true] {
            let (mut client, mut server) = connect(&client, &server);
            assert_eq!(client.negotiated_cipher_suite(), Some(*suite));
            let kind = client.handshake_kind().unwrap();
            assert_eq!(kind == rustls::HandshakeKind::Resumed, resumed, "{suite:?}: {kind:?}");
            talk(&mut client, &mut server);
            talk(&mut server, &mut client);
            if suite.tls13().is_some() {
                client.refresh_traffic_keys().unwrap();
                talk(&mut client, &mut server);
                talk(&mut server, &mut client);
            }
        }
    }
}

fn ours() -> CryptoProvider {
    algkit_rustls::provider(ring::default_provider())
}

#[test]
fn a_client() {
    try_all(|suite| (only(suite, ours()), only(suite, ring::default_provider())));
}

#[test]
fn a_server() {
    try_all(|suite| (only(suite, ring::default_provider()), only(suite, ours())));
}

#[test]
fn both_sides() {
    try_all(|suite| (only(suite, ours()), only(suite, ours())));
}

/// Connections with this provider at the client, then at the server, and ring on the other side.
#[cfg(any(feature = "ring", feature = "aws-lc-rs", feature = "graviola"))]
fn beside_ring(provider: fn() -> CryptoProvider) {
    try_all(|suite| (only(suite, provider()), only(suite, ring::default_provider())));
    try_all(|suite| (only(suite, ring::default_provider()), only(suite, provider())));
}

#[cfg(feature = "ring")]
#[test]
fn with_ring() {
    beside_ring(algkit_rustls::ring);
}

#[cfg(feature = "aws-lc-rs")]
#[test]
fn with_aws_lc_rs() {
    beside_ring(algkit_rustls::aws_lc_rs);
}

#[cfg(feature = "graviola")]
#[test]
fn with_graviola() {
    beside_ring(algkit_rustls::graviola);
}

/// With an exporter and with the secrets for a kernel, a program takes keys out of a connection: they are those of ring's side.
#[test]
fn keys_for_others() {
    for suite in ring::ALL_CIPHER_SUITES {
        let (client, server) = configs(only(*suite, ours()), only(*suite, ring::default_provider()));
        let (mut client, mut server) = ((*client).clone(), (*server).clone());
        client.enable_secret_extraction = true;
        server.enable_secret_extraction = true;
        let (client, server) = connect(&Arc::new(client), &Arc::new(server));
        let exported = |side: &Connection| side.export_keying_material([0; 40], b"label", Some(b"context")).unwrap();
        assert_eq!(exported(&client), exported(&server));
        let (client, server) =
            (client.dangerous_extract_secrets().unwrap(), server.dangerous_extract_secrets().unwrap());
        assert_eq!(format!("{:?}", client.tx.0), format!("{:?}", server.rx.0));
        let parts = |secrets: rustls::ConnectionTrafficSecrets| match secrets {
            rustls::ConnectionTrafficSecrets::Aes128Gcm { key, iv } => (16, key, iv),
            rustls::ConnectionTrafficSecrets::Aes256Gcm { key, iv } => (32, key, iv),
            rustls::ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => (33, key, iv),
            _ => panic!("another AEAD"),
        };
        let ((kind, key, iv), (other_kind, other_key, other_iv)) = (parts(client.tx.1), parts(server.rx.1));
        assert_eq!((kind, key.as_ref()), (other_kind, other_key.as_ref()));
        // The explicit part of a nonce of TLS 1.2 is each side's own.
        let fixed = if suite.tls13().is_some() || kind == 33 { 12 } else { 4 };
        assert_eq!(iv.as_ref()[..fixed], other_iv.as_ref()[..fixed]);
    }
}

/// A handshake of QUIC; returns the keys for packets that each side has after it, and the secrets for later ones.
fn connect_quic(client: Arc<ClientConfig>, server: Arc<ServerConfig>) -> [(Keys, Secrets); 2] {
    let version = quic::Version::V1;
    let client = quic::ClientConnection::new(client, version, "localhost".try_into().unwrap(), b"client".to_vec());
    let server = quic::ServerConnection::new(server, version, b"server".to_vec());
    let mut sides = [quic::Connection::from(client.unwrap()), quic::Connection::from(server.unwrap())];
    let (mut keys, mut turn) = ([None, None], 0);
    while keys.iter().any(Option::is_none) {
        // What is written with each key is read by itself.
        loop {
            let mut messages = Vec::new();
            let change = sides[turn].write_hs(&mut messages);
            sides[1 - turn].read_hs(&messages).unwrap();
            match change {
                Some(KeyChange::OneRtt { keys: last, next }) => keys[turn] = Some((last, next)),
                None if messages.is_empty() => break,
                _ => (),
            }
        }
        turn = 1 - turn;
    }
    assert_eq!(sides[0].quic_transport_parameters(), Some(&b"server"[..]));
    keys.map(Option::unwrap)
}

fn packet(from: &dyn PacketKey, to: &dyn PacketKey) {
    let text = [7; 1200];
    let mut payload = text.to_vec();
    let tag = from.encrypt_in_place(9, b"header", &mut payload).unwrap();
    payload.extend_from_slice(tag.as_ref());
    assert_eq!(to.decrypt_in_place(9, b"header", &mut payload).unwrap(), text);
}

/// Packets in both directions, with the keys of a handshake and with those of an update.
#[test]
fn quic_with_ring_on_the_other_side() {
    for suite in ring::ALL_CIPHER_SUITES.iter().filter(|suite| suite.tls13().is_some()) {
        for ours_is_client in [true, false] {
            let (client, server) =
                if ours_is_client { (ours(), ring::default_provider()) } else { (ring::default_provider(), ours()) };
            let (client, server) = configs(only(*suite, client), only(*suite, server));
            let [(client, mut client_next), (server, mut server_next)] = connect_quic(client, server);
            for (from, to) in [(&client.local, &server.remote), (&server.local, &client.remote)] {
                packet(&*from.packet, &*to.packet);
                let (mut first, mut number) = (0x41, [1, 2, 3, 4]);
                from.header.encrypt_in_place(&[5; 16], &mut first, &mut number).unwrap();
                to.header.decrypt_in_place(&[5; 16], &mut first, &mut number).unwrap();
                assert_eq!((first, number), (0x41, [1, 2, 3, 4]));
            }
            let (client, server) = (client_next.next_packet_keys(), server_next.next_packet_keys());
            packet(&*client.local, &*server.remote);
            packet(&*server.local, &*client.remote);
        }
    }
}

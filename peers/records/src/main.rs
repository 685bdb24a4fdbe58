//! Records of TLS 1.3 and packets of QUIC, as rustls makes and opens them, with the cipher suites of several providers in turns; and whole
//! handshakes. It prints the fastest time of each, and the median over rounds of what each takes in algkit's time.
//!
//! usage: records [--quick]

use rustls::{
    CipherSuite, ClientConfig, ClientConnection, Connection, ContentType, NamedGroup, ProtocolVersion, RootCertStore,
    ServerConfig, ServerConnection, Side, Tls13CipherSuite,
    client::Resumption,
    crypto::{
        CryptoProvider,
        cipher::{AeadKey, InboundOpaqueMessage, Iv, OutboundChunks, OutboundPlainMessage},
        ring,
    },
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    quic::{Keys, Version},
};
use std::{
    env,
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

/// The number of providers.
const PROVIDERS: usize = if cfg!(feature = "from-source") { 4 } else { 3 };

/// Encrypts or decrypts one message.
type Work = Box<dyn FnMut()>;

fn main() {
    let quick = env::args().nth(1).as_deref() == Some("--quick");
    let (rounds, slice) = if quick { (3, Duration::from_micros(100)) } else { (201, Duration::from_millis(1)) };
    let providers: [(&str, CryptoProvider); PROVIDERS] = [
        ("algkit", algkit_rustls::provider(ring::default_provider())),
        #[cfg(feature = "from-source")]
        ("aws-lc-rs", rustls::crypto::aws_lc_rs::default_provider()),
        ("ring", ring::default_provider()),
        ("graviola", rustls_graviola::default_provider()),
    ];
    println!(
        "{:<44}{}",
        "ns, and times algkit's",
        providers.each_ref().map(|(name, _)| format!("{name:>20}")).concat()
    );
    for suite in [
        CipherSuite::TLS13_AES_128_GCM_SHA256,
        CipherSuite::TLS13_AES_256_GCM_SHA384,
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
    ] {
        let suites = providers.each_ref().map(|(_, provider)| {
            let mut suites = provider.cipher_suites.iter().filter_map(|suite| suite.tls13());
            suites.find(|other| other.common.suite == suite).expect("every provider has the suites of TLS 1.3")
        });
        let name = suite.as_str().expect("it has a name");
        // rustls lets nobody else make a key of 16 bytes. QUIC's first packets have one.
        if suite == CipherSuite::TLS13_AES_128_GCM_SHA256 {
            for seals in [true, false] {
                let op = if seals { "seal" } else { "open" };
                row(&format!("QUIC {name} {op} 1350"), suites.map(|suite| packet(suite, 1350, seals)), rounds, slice);
            }
            continue;
        }
        for len in [16_384, 1350] {
            for seals in [true, false] {
                let op = if seals { "seal" } else { "open" };
                row(&format!("{name} {op} {len}"), suites.map(|suite| Some(record(suite, len, seals))), rounds, slice);
            }
        }
    }
    row("handshake", providers.map(|(_, provider)| Some(handshake(provider))), rounds, slice);
}

/// Measures what is there, in turns.
fn row(name: &str, mut works: [Option<Work>; PROVIDERS], rounds: usize, slice: Duration) {
    let mut times = vec![Vec::with_capacity(rounds); works.len()];
    for _ in 0..rounds {
        for (work, times) in works.iter_mut().zip(&mut times) {
            let Some(work) = work else { continue };
            let (begun, mut calls) = (Instant::now(), 0u32);
            while begun.elapsed() < slice {
                (0..16).for_each(|_| work());
                calls += 16;
            }
            times.push(begun.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
        }
    }
    let own = times[0].clone();
    let cells: String = times
        .iter()
        .map(|times| match times.iter().copied().reduce(f64::min) {
            Some(fastest) => {
                let mut ratios: Vec<f64> = times.iter().zip(&own).map(|(time, own)| time / own).collect();
                ratios.sort_by(f64::total_cmp);
                format!("{:>20}", format!("{fastest:.0} ({:.2})", ratios[ratios.len() / 2]))
            }
            None => format!("{:>20}", "-"),
        })
        .collect();
    println!("{name:<44}{cells}");
}

/// A record of TLS 1.3. What is opened is copied from elsewhere first, as decryption is in place.
fn record(suite: &'static Tls13CipherSuite, len: usize, seals: bool) -> Work {
    let aead = suite.aead_alg;
    let (key, iv) = (|| AeadKey::from([7; 32]), || Iv::from([9; 12]));
    let text = vec![1; len];
    let mut encrypter = aead.encrypter(key(), iv());
    let (typ, version) = (ContentType::ApplicationData, ProtocolVersion::TLSv1_2);
    let mut seal = move |seq| {
        let message = OutboundPlainMessage { typ, version, payload: OutboundChunks::Single(&text) };
        encrypter.encrypt(message, seq).expect("it is short enough")
    };
    if seals {
        let mut seq = 0;
        return Box::new(move || {
            black_box(seal(seq));
            seq += 1;
        });
    }
    let sealed = seal(0).encode().split_off(5);
    let (mut decrypter, mut buffer) = (aead.decrypter(key(), iv()), sealed.clone());
    Box::new(move || {
        buffer.copy_from_slice(&sealed);
        let message = InboundOpaqueMessage::new(typ, version, &mut buffer);
        assert_eq!(decrypter.decrypt(message, 0).expect("it is authentic").payload.len(), len);
    })
}

/// A packet of QUIC, with the protection of its header. graviola's provider has no QUIC.
fn packet(suite: &'static Tls13CipherSuite, len: usize, seals: bool) -> Option<Work> {
    let keys = |side| Some(Keys::initial(Version::V1, suite, suite.quic?, b"connection", side));
    let (client, server) = (keys(Side::Client)?.local, keys(Side::Server)?.remote);
    let (plain_header, text) = ([0xc3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7], vec![1; len]);
    let seal = move |buffer: &mut Vec<u8>| {
        let mut header = plain_header;
        buffer.clear();
        buffer.extend_from_slice(&text);
        let tag = client.packet.encrypt_in_place(7, &header, buffer).expect("it is short enough");
        buffer.extend_from_slice(tag.as_ref());
        let (first, rest) = header.split_at_mut(1);
        client.header.encrypt_in_place(&buffer[..16], &mut first[0], &mut rest[8..]).expect("the lengths are right");
        header
    };
    let mut buffer = Vec::with_capacity(len + 16);
    if seals {
        return Some(Box::new(move || {
            black_box(seal(&mut buffer));
        }));
    }
    let header = seal(&mut buffer);
    let sealed = buffer.clone();
    Some(Box::new(move || {
        buffer.copy_from_slice(&sealed);
        let mut header = header;
        let (first, rest) = header.split_at_mut(1);
        server.header.decrypt_in_place(&buffer[..16], &mut first[0], &mut rest[8..]).expect("the lengths are right");
        assert_eq!(server.packet.decrypt_in_place(7, &header, &mut buffer).expect("it is authentic").len(), len);
    }))
}

/// A handshake of TLS 1.3, of both sides in memory: X25519, ECDSA with P-256, nothing resumed.
fn handshake(mut provider: CryptoProvider) -> Work {
    provider.kx_groups.retain(|group| group.name() == NamedGroup::X25519);
    let provider = Arc::new(provider);
    let certificate = CertificateDer::from_pem_slice(include_bytes!("../../../crates/rustls/tests/certs/ecdsa.pem"));
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../../../crates/rustls/tests/certs/ecdsa-key.pem"));
    let (certificate, key) = (certificate.expect("a certificate"), key.expect("a key"));
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("its own authority");
    let versions = [&rustls::version::TLS13];
    let client = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_protocol_versions(&versions);
    let mut client = client.expect("TLS 1.3").with_root_certificates(roots).with_no_client_auth();
    client.resumption = Resumption::disabled();
    let server = ServerConfig::builder_with_provider(provider).with_protocol_versions(&versions);
    let server = server.expect("TLS 1.3").with_no_client_auth().with_single_cert(vec![certificate], key);
    let (client, server) = (Arc::new(client), Arc::new(server.expect("a pair")));
    let mut records = Vec::new();
    let mut pass = move |from: &mut Connection, to: &mut Connection| {
        records.clear();
        while from.wants_write() {
            from.write_tls(&mut records).expect("it is a vector");
        }
        let mut records = &records[..];
        while !records.is_empty() {
            to.read_tls(&mut records).expect("it is a slice");
            to.process_new_packets().expect("both sides agree");
        }
    };
    Box::new(move || {
        let client = ClientConnection::new(Arc::clone(&client), "localhost".try_into().expect("a name"));
        let server = ServerConnection::new(Arc::clone(&server));
        let mut client = Connection::from(client.expect("a client"));
        let mut server = Connection::from(server.expect("a server"));
        while client.is_handshaking() || server.is_handshaking() {
            pass(&mut client, &mut server);
            pass(&mut server, &mut client);
        }
    })
}

//! QUIC by the crate quinn: each cipher suite, with algkit's on one side and ring's on the other, over loopback.

use quinn::{
    ClientConfig, Endpoint, ServerConfig,
    crypto::rustls::{QuicClientConfig, QuicServerConfig},
};
use rustls::{
    CipherSuite, RootCertStore,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    quic::Suite,
    version::TLS13,
};
use std::{net::Ipv4Addr, sync::Arc};

const CERTIFICATE: &[u8] = include_bytes!("../../crates/rustls/tests/certs/ecdsa.pem");
const KEY: &[u8] = include_bytes!("../../crates/rustls/tests/certs/ecdsa-key.pem");
const BYTES: usize = 10_000_000;

/// A provider with one suite, and its suite for the first packets, which is always AES-128-GCM.
fn only(suite: CipherSuite, mut provider: CryptoProvider) -> (Arc<CryptoProvider>, Suite) {
    let all = provider.cipher_suites.iter();
    let initial = all.filter(|other| other.suite() == CipherSuite::TLS13_AES_128_GCM_SHA256);
    let initial = initial.filter_map(|suite| suite.tls13()?.quic_suite()).next().unwrap();
    provider.cipher_suites.retain(|other| other.suite() == suite);
    assert_eq!(provider.cipher_suites.len(), 1);
    (Arc::new(provider), initial)
}

fn server(suite: CipherSuite, provider: CryptoProvider) -> Endpoint {
    let (provider, initial) = only(suite, provider);
    let config = rustls::ServerConfig::builder_with_provider(provider).with_protocol_versions(&[&TLS13]).unwrap();
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    let config = QuicServerConfig::with_initial(Arc::new(config), initial).unwrap();
    Endpoint::server(ServerConfig::with_crypto(Arc::new(config)), (Ipv4Addr::LOCALHOST, 0).into()).unwrap()
}

fn client(suite: CipherSuite, provider: CryptoProvider) -> Endpoint {
    let (provider, initial) = only(suite, provider);
    let config = rustls::ClientConfig::builder_with_provider(provider).with_protocol_versions(&[&TLS13]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(CERTIFICATE).unwrap()).unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let config = QuicClientConfig::with_initial(Arc::new(config), initial).unwrap();
    let mut endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    endpoint.set_default_client_config(ClientConfig::new(Arc::new(config)));
    endpoint
}

/// The server sends back what it gets. The client changes the keys in the middle.
async fn echo(server: Endpoint, client: Endpoint) {
    let text: Vec<u8> = (0..BYTES).map(|i| (i % 251) as u8).collect();
    let address = server.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let connection = server.accept().await.unwrap().await.unwrap();
        let (mut send, mut receive) = connection.accept_bi().await.unwrap();
        while let Some(chunk) = receive.read_chunk(1 << 16, true).await.unwrap() {
            send.write_chunk(chunk.bytes).await.unwrap();
        }
        send.finish().unwrap();
        connection.closed().await;
    });
    let connection = client.connect(address, "localhost").unwrap().await.unwrap();
    let (mut send, mut receive) = connection.open_bi().await.unwrap();
    let (first, second) = text.split_at(BYTES / 2);
    let (first, second) = (first.to_vec(), second.to_vec());
    let changing = connection.clone();
    let sending = tokio::spawn(async move {
        send.write_all(&first).await.unwrap();
        changing.force_key_update();
        send.write_all(&second).await.unwrap();
        send.finish().unwrap();
    });
    assert!(receive.read_to_end(BYTES).await.unwrap() == text);
    sending.await.unwrap();
    connection.close(0_u8.into(), b"");
    serving.await.unwrap();
}

#[test]
fn each_suite_on_each_side() {
    let ours = || algkit_rustls::ring();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for suite in [
        CipherSuite::TLS13_AES_128_GCM_SHA256,
        CipherSuite::TLS13_AES_256_GCM_SHA384,
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
    ] {
        runtime.block_on(async { echo(server(suite, ours()), client(suite, ring::default_provider())).await });
        runtime.block_on(async { echo(server(suite, ring::default_provider()), client(suite, ours())).await });
    }
}

//! The cipher suites: each a row of data.

use crate::{
    aead::Algorithm,
    hash,
    hmac::{self, Hkdf},
};
use rustls::{CipherSuite, SupportedCipherSuite, Tls13CipherSuite, crypto::CipherSuiteCommon};
#[cfg(feature = "tls12")]
use rustls::{
    SignatureScheme, Tls12CipherSuite,
    crypto::{KeyExchangeAlgorithm, tls12::PrfUsingHmac},
};

/// All suites, in the order in which rustls's own providers have them.
pub static ALL_CIPHER_SUITES: &[SupportedCipherSuite] = &[
    cipher_suite::TLS13_AES_256_GCM_SHA384,
    cipher_suite::TLS13_AES_128_GCM_SHA256,
    cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
    #[cfg(feature = "tls12")]
    cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    #[cfg(feature = "tls12")]
    cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    #[cfg(feature = "tls12")]
    cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    #[cfg(feature = "tls12")]
    cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    #[cfg(feature = "tls12")]
    cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    #[cfg(feature = "tls12")]
    cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
];

/// How many records may be encrypted with a key (RFC 8446, section 5.5).
const fn record_limit(aead: Algorithm) -> u64 {
    match aead {
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => 1 << 24,
        Algorithm::ChaCha20Poly1305 => u64::MAX,
    }
}

macro_rules! tls13 {
    ($($name:ident: $aead:ident, $hash:ident, $hmac:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`, for TLS 1.3 and QUIC.")]
        pub static $name: SupportedCipherSuite = SupportedCipherSuite::Tls13(&Tls13CipherSuite {
            common: CipherSuiteCommon {
                suite: CipherSuite::$name,
                hash_provider: &hash::$hash,
                confidentiality_limit: record_limit(Algorithm::$aead),
            },
            hkdf_provider: &Hkdf(&hmac::$hmac),
            aead_alg: &Algorithm::$aead,
            quic: Some(&Algorithm::$aead),
        });
    )*};
}

#[cfg(feature = "tls12")]
macro_rules! tls12 {
    ($($name:ident: $sign:ident, $aead:ident, $hash:ident, $hmac:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`, for TLS 1.2.")]
        pub static $name: SupportedCipherSuite = SupportedCipherSuite::Tls12(&Tls12CipherSuite {
            common: CipherSuiteCommon {
                suite: CipherSuite::$name,
                hash_provider: &hash::$hash,
                confidentiality_limit: record_limit(Algorithm::$aead),
            },
            prf_provider: &PrfUsingHmac(&hmac::$hmac),
            kx: KeyExchangeAlgorithm::ECDHE,
            sign: $sign,
            aead_alg: &Algorithm::$aead,
        });
    )*};
}

/// The signature schemes that a suite of TLS 1.2 allows. The lists of the provider say which of them it supports.
#[cfg(feature = "tls12")]
const ECDSA: &[SignatureScheme] = &[
    SignatureScheme::ED25519,
    SignatureScheme::ECDSA_NISTP521_SHA512,
    SignatureScheme::ECDSA_NISTP384_SHA384,
    SignatureScheme::ECDSA_NISTP256_SHA256,
];
#[cfg(feature = "tls12")]
const RSA: &[SignatureScheme] = &[
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PKCS1_SHA512,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA256,
];

/// The suites by name, for programs that set `CryptoProvider::cipher_suites` themselves.
pub mod cipher_suite {
    use super::*;

    tls13! {
        TLS13_AES_256_GCM_SHA384: Aes256Gcm, SHA384, HMAC_SHA384;
        TLS13_AES_128_GCM_SHA256: Aes128Gcm, SHA256, HMAC_SHA256;
        TLS13_CHACHA20_POLY1305_SHA256: ChaCha20Poly1305, SHA256, HMAC_SHA256;
    }

    #[cfg(feature = "tls12")]
    tls12! {
        TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: ECDSA, Aes256Gcm, SHA384, HMAC_SHA384;
        TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: ECDSA, Aes128Gcm, SHA256, HMAC_SHA256;
        TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: ECDSA, ChaCha20Poly1305, SHA256, HMAC_SHA256;
        TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: RSA, Aes256Gcm, SHA384, HMAC_SHA384;
        TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: RSA, Aes128Gcm, SHA256, HMAC_SHA256;
        TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: RSA, ChaCha20Poly1305, SHA256, HMAC_SHA256;
    }
}

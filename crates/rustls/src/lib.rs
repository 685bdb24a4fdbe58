// The example of README.md compiles only with ring.
#![cfg_attr(feature = "ring", doc = include_str!("../README.md"))]
#![cfg_attr(not(feature = "ring"), doc = "Cipher suites for rustls and QUIC, computed by algkit.")]
#![forbid(unsafe_code)]

mod aead;
mod hash;
mod hmac;
mod quic;
mod suites;
#[cfg(feature = "tls12")]
mod tls12;
mod tls13;

pub use suites::{ALL_CIPHER_SUITES, cipher_suite};

use rustls::crypto::CryptoProvider;

/// Replaces the cipher suites of `base` by algkit's. The result has the same suites in the same order, so a suite that `base` does not have
/// is not added. A suite that algkit does not have stays that of `base`, and so do key exchange, signatures, private keys and random numbers.
pub fn provider(mut base: CryptoProvider) -> CryptoProvider {
    for suite in &mut base.cipher_suites {
        if let Some(own) = ALL_CIPHER_SUITES.iter().find(|own| own.suite() == suite.suite()) {
            *suite = *own;
        }
    }
    base
}

/// algkit's cipher suites, with key exchange, signatures and random numbers of ring.
#[cfg(feature = "ring")]
pub fn ring() -> CryptoProvider {
    provider(rustls::crypto::ring::default_provider())
}

/// algkit's cipher suites, with key exchange, signatures and random numbers of aws-lc-rs.
#[cfg(feature = "aws-lc-rs")]
pub fn aws_lc_rs() -> CryptoProvider {
    provider(rustls::crypto::aws_lc_rs::default_provider())
}

/// algkit's cipher suites, with key exchange, signatures and random numbers of graviola, which is for x86-64 with AVX2 and for AArch64.
#[cfg(feature = "graviola")]
pub fn graviola() -> CryptoProvider {
    provider(rustls_graviola::default_provider())
}

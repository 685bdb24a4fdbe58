// What the page shows compiles with ring.
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

/// `base` with algkit's cipher suites: the same suites in the same order, so that what `base` leaves out stays out. A suite that algkit
/// does not have stays the one of `base`, and so does everything else: key exchange, signatures, private keys, random numbers.
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

#![doc = include_str!("../README.md")]
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

//! Ciphers and hashes of the past, and national standards: Twofish, and wrapped RustCrypto crates.

pub(crate) mod arc4;
pub(crate) mod ciphers;
pub(crate) mod des;
pub(crate) mod hashes;
mod twofish;

//! Legacy ciphers and hashes, and national standards: Twofish, ARC4, and wrapped RustCrypto crates.

pub(crate) mod arc4;
pub(crate) mod ciphers;
pub(crate) mod des;
pub(crate) mod hashes;
mod twofish;

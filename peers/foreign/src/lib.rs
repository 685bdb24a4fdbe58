//! Where the shared objects are.

// Their build scripts make what ours links.
use {peers_botan3 as _, peers_openssl4 as _};

/// A library's name and its shared object; empty for one that this CPU does not have.
pub const OBJECTS: &[(&str, &str)] = &[
    ("OpenSSL 4", env!("OPENSSL4")),
    ("OpenSSL 3", env!("OPENSSL3")),
    ("ipsec-mb", env!("IPSEC_MB")),
    ("Botan 3", env!("BOTAN3")),
    ("libgcrypt", env!("GCRYPT")),
    ("libsodium", env!("SODIUM")),
];

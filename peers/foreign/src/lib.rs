//! The paths of the shared objects that the build script has made.

// Linked for their build scripts alone, which make the libraries behind the shared objects.
#[cfg(feature = "from-source")]
use {peers_botan3 as _, peers_openssl4 as _};

/// The name of each library and the path of its shared object, which is empty for a library that this CPU does not
/// have, or that was not built.
pub const OBJECTS: &[(&str, &str)] = &[
    ("OpenSSL 4", env!("OPENSSL4")),
    ("OpenSSL 3", env!("OPENSSL3")),
    ("ipsec-mb", env!("IPSEC_MB")),
    ("Botan 3", env!("BOTAN3")),
    ("libgcrypt", env!("GCRYPT")),
    ("libsodium", env!("SODIUM")),
];

//! Botan 3 from source; what matters is in the build script.

//! Botan 3, built from source by the build script.

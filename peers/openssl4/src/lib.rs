//! OpenSSL 4, built from source by the build script.

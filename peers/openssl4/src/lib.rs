//! OpenSSL 4 from source; what matters is in the build script.

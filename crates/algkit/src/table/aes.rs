//! AES

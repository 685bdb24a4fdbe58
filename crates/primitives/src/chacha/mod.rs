//! chacha

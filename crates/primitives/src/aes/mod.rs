//! aes

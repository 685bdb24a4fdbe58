//! poly1305

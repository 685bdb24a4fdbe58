//! gcm

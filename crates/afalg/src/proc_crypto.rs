//! The text of `/proc/crypto`.

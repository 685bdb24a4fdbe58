//! The text of `/proc/crypto`.

/// TEMPORARY
pub fn text() -> String { String::new() }

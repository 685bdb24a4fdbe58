//! sha1

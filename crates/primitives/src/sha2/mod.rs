//! sha2

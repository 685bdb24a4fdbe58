//! blake2

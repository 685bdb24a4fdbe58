//! keccak

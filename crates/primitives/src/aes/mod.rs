//! AES (FIPS 197).
//!
//! * [`RoundKeys`]: the key schedule that every driver shares.
//! * [`AesKey`]: a key for CPUs with AES instructions, and the block loops that modes are built on.

mod key;
mod rounds;

pub use key::RoundKeys;
pub use rounds::{AesKey, decrypt_blocks, encrypt_blocks};

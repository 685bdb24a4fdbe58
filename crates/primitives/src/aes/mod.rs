//! AES (FIPS 197).
//!
//! * [`RoundKeys`]: the key schedule that every driver shares.
//! * [`AesKey`]: a key for CPUs with AES instructions, and the block loops that modes are built on.
//! * [`Bitslice`]: batches of blocks in constant time, for CPUs without AES instructions.
//! * [`AesFixedTime`], [`AesGeneric`]: single blocks by table, with and without care for the cache.

mod bitslice;
mod fixed_time;
mod generic;
mod key;
mod rounds;
mod sbox;

pub use bitslice::{Bitslice, BitsliceToken};
pub use fixed_time::AesFixedTime;
pub use generic::AesGeneric;
pub use key::RoundKeys;
pub use rounds::{AesKey, decrypt_blocks, encrypt_blocks};

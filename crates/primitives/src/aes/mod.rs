//! AES (FIPS 197).
//!
//! * [`RoundKeys`]: the key schedule that every driver shares.
//! * [`AesKey`] and [`XtsKey`]: keys for CPUs with AES instructions, NEON or AltiVec, which look up the S-box in
//!   registers (`neon`), and the modes fused with them. Each mode is one text for every width of vector:
//!
//! | mode | file | blocks at once |
//! | --- | --- | --- |
//! | ECB, CBC decryption, CTR, XCTR, XTS | `ecb`, `cbc`, `ctr`, `xctr`, `xts` | 8 vectors (`pass`) |
//! | CBC encryption, CBC-MAC | `cbc`, `cbcmac` | one: each block depends on the one before |
//! | CCM | `ccm` | one of CBC-MAC and one of CTR together |
//! | CBC encryption, CBC-MAC and CCM of many messages | `lanes` | one of each of 8 or 16 messages |
//!
//! * [`Bitslice`]: batches of blocks in constant time, for CPUs without AES instructions.
//! * [`AesFixedTime`], [`AesGeneric`]: single blocks by table; the former keeps its table in the cache, to hide which
//!   entries it reads.

#[cfg(all(target_arch = "arm", unix))]
mod arm;
mod bitslice;
mod cbc;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod cbc_sha;
mod cbcmac;
mod ccm;
mod ctr;
mod ecb;
#[cfg(test)]
mod fips197;
mod fixed_time;
mod generic;
#[cfg(any(target_arch = "powerpc64", target_arch = "riscv64", all(target_arch = "arm", unix)))]
mod integer;
mod inverse;
pub(crate) mod key;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pass;
#[cfg(target_arch = "powerpc64")]
mod powerpc;
#[cfg(target_arch = "riscv64")]
mod riscv;
pub(crate) mod rounds;
pub(crate) mod sbox;
#[cfg(test)]
mod testing;
mod xctr;
mod xts;

pub use bitslice::{Bitslice, BitsliceToken};
pub use fixed_time::AesFixedTime;
pub use generic::AesGeneric;
pub use key::RoundKeys;
pub use lanes::{CbcJob, CcmJob, MacJob, cbc_encrypt_batch, cbc_mac_batch, ccm_batch};
pub use rounds::{AesKey, decrypt_blocks, encrypt_blocks};
pub use xts::XtsKey;

//! AES for 64-bit PowerPC: with the instructions of POWER8, and with AltiVec alone.
//!
//! Stable Rust has assembly for PowerPC and no type for its vectors. So a vector is an [`Integer`](crate::simd::Integer)
//! in memory between two blocks of assembly, and one such block does all rounds of several AES blocks.
//!
//! A vector register that LVX has loaded holds the same number as the integer, on both byte orders. The block's first
//! byte is the number's lowest, which the instructions call byte 15.

mod altivec;
mod power8;

//! The arithmetic of algkit: block ciphers, modes, stream ciphers, authenticators and hashes.
//!
//! Every algorithm is written once, over a small vector trait, and instantiated for each kind of
//! CPU through a [`cpu::Token`]: a value that can only be made by detecting the features it stands
//! for, and that runs a piece of code compiled for them. Nothing here knows of algorithm names,
//! priorities or policies; those are the business of the `algkit` crate.
//!
//! The crate is `no_std` and never allocates. Key material is wiped when it is dropped. Unless a
//! module says otherwise, no branch and no address depends on a key, a plaintext or a digest state.
#![no_std]
// Without vectors some of what drivers share has no user.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused))]
// Arm's intrinsics are inlined where their features are, which is inside `Token::vectorize` once the text
// around them has been inlined there; the lint looks at the text alone.
#![cfg_attr(target_arch = "aarch64", allow(unknown_lints, inline_always_mismatching_target_features))]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(test)]
extern crate std;

pub mod aegis;
pub mod aes;
pub mod blake2;
pub mod chacha;
pub mod chacha20poly1305;
pub mod cpu;
pub mod crc32;
pub mod gcm;
pub mod ghash;
pub mod hash;
mod inout;
pub mod keccak;
mod lanes;
pub mod michael;
pub mod nhpoly1305;
pub mod poly1305;
pub mod serpent;
pub mod sha1;
pub mod sha2;
pub mod simd;
pub mod twofish;
pub mod vmac;
mod words32;
pub mod xxhash;

/// What public traits have above them that unsafe code relies on: nobody else can implement them.
mod sealed {
    pub trait Sealed {}
}

pub use inout::{InOut, Packet, UnequalLengths};

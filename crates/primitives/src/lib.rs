//! The arithmetic of algkit: block ciphers, modes, stream ciphers, authenticators and hashes.
//!
//! Every algorithm is written once, generic over a small vector trait, and instantiated for each kind of CPU. A
//! [`cpu::Token`] proves that the CPU has a set of features: it can be made only by detecting them, and it runs code
//! that is compiled for them. Names of algorithms, priorities and policies belong to the crate `algkit`.
//!
//! The crate is `no_std` and never allocates. Key material is wiped when it is dropped. Unless a
//! module says otherwise, no branch and no address depends on a key, a plaintext or a digest state.
#![no_std]
// Without vector registers, no driver uses some of the shared helpers.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused))]
// Arm's intrinsics are inlined into functions that have their features: `Token::vectorize` inlines the generic code
// first. The lint sees only the generic code, which does not name the features.
#![cfg_attr(target_arch = "aarch64", allow(unknown_lints, inline_always_mismatching_target_features))]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(test)]
extern crate std;

pub mod aegis;
pub mod aes;
mod aligned;
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
mod turns;
pub mod twofish;
pub mod vmac;
mod words32;
pub mod xxhash;

/// The supertrait of public traits that unsafe code relies on. No other crate can name it, so none can implement them.
mod sealed {
    pub trait Sealed {}
}

pub use inout::{InOut, Packet, UnequalLengths};
pub use turns::Turns;

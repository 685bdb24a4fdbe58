//! The Linux kernel's crypto API, in user space.
//!
//! Ask for an algorithm by the kernel's name and get the fastest driver that this CPU runs, that is
//! constant-time and that has passed its self-test:
//!
//! ```
//! let key = [7; 32];
//! let sealed = algkit::aead("gcm(aes)")?.key(&key)?.seal(&[0; 12], b"header", b"attack at dawn")?;
//! let text = algkit::aead("gcm(aes)")?.key(&key)?.open(&[0; 12], b"header", &sealed)?;
//! assert_eq!(text, b"attack at dawn");
//!
//! let digest = algkit::hash("sha256")?.digest(b"abc")?;
//! assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
//! # Ok::<(), algkit::Error>(())
//! ```
//!
//! A driver can be asked for by its own name, alone or inside a template: `xts-aes-aesni`,
//! `cbc(aes-fixed-time)`. `ALGKIT_CPU=-vaes,-avx512` hides CPU features, and a [`Registry`] of one's
//! own does the same for a part of a program.
#![forbid(unsafe_code)]
// A build without some of the families of drivers uses only some of what they share.
#![cfg_attr(
    not(all(
        feature = "aes",
        feature = "blake2",
        feature = "chacha",
        feature = "checksum",
        feature = "legacy",
        feature = "rng",
        feature = "serpent",
        feature = "sha",
        feature = "sha3"
    )),
    allow(unused)
)]

mod adapters;
pub mod batch;
mod blockwise;
pub mod driver;
mod error;
mod kind;
mod name;
mod parts;
mod registry;
#[cfg(feature = "rng")]
mod rng;
#[cfg(any(feature = "aead", feature = "cipher", feature = "digest"))]
pub mod rustcrypto;
mod selftest;
mod settings;
mod sizes;
mod table;
mod tag;
mod templates;
mod text;
mod tfm;

pub use algkit_primitives::{InOut, Packet, cpu};
pub use driver::{Driver, DriverRef, SelfTest};
pub use error::Error;
pub use kind::{Direction, Policy, Timing, Type, WeakKeys};
pub use name::Name;
pub use parts::Parts;
pub use registry::{MAX_KNOWN, Registry};
pub use selftest::{Extent, Known, Vector};
pub use settings::{CPU_VARIABLE, TIMING_VARIABLE, mask_cpu};
pub use sizes::Sizes;
pub use table::CATALOGUE;
pub use templates::authenc::{authenc_key, split_authenc_key};
pub use text::Text;
pub use tfm::{Aead, Cipher, Hash, Rng, Skcipher, State, Transform, Unkeyed};

/// A block cipher of the [global registry](Registry::global).
pub fn cipher(name: &str) -> Result<Unkeyed<Cipher>, Error> {
    Registry::global()?.cipher(name)
}

/// A cipher with a mode, of the [global registry](Registry::global).
pub fn skcipher(name: &str) -> Result<Unkeyed<Skcipher>, Error> {
    Registry::global()?.skcipher(name)
}

/// An AEAD of the [global registry](Registry::global).
pub fn aead(name: &str) -> Result<Unkeyed<Aead>, Error> {
    Registry::global()?.aead(name)
}

/// A hash of the [global registry](Registry::global).
pub fn hash(name: &str) -> Result<Unkeyed<Hash>, Error> {
    Registry::global()?.hash(name)
}

/// A random number generator of the [global registry](Registry::global).
pub fn rng(name: &str) -> Result<Unkeyed<Rng>, Error> {
    Registry::global()?.rng(name)
}

/// The programs in the READMEs compile and run as they stand there.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../README.md")]
mod readmes {}

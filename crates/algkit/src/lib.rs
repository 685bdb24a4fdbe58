//! The Linux kernel's crypto API, in user space.
//!
//! Ask for an algorithm by the kernel's name and get the fastest driver that this CPU runs, that is
//! constant-time and that has passed its self-test:
//!
//! ```
//! let aead = algkit::aead("gcm(aes)")?.key(&[7; 32])?; // 16, 24 or 32 bytes: AES-128, -192 or -256
//! let nonce = [1; 12]; // never the same for two messages under one key
//! let sealed = aead.seal(&nonce, b"header", b"attack at dawn")?;
//! assert_eq!(aead.open(&nonce, b"header", &sealed)?, b"attack at dawn");
//!
//! let digest = algkit::hash("sha256")?.digest(b"abc")?;
//! assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
//! # Ok::<(), algkit::Error>(())
//! ```
//!
//! # Types
//!
//! | ask with | for | and get, once it has a key |
//! | --- | --- | --- |
//! | [`aead`](fn@aead) | `gcm(aes)`, `rfc7539(chacha20,poly1305)`, `ccm(aes)` | [`Aead`]: `seal` and `open`, or `encrypt` and `decrypt` in place |
//! | [`skcipher`](fn@skcipher) | `xts(aes)`, `ctr(aes)`, `cbc(aes)`, `chacha20` | [`Skcipher`]: `encrypt` and `decrypt`; it does not authenticate |
//! | [`hash`](fn@hash) | `sha256`, `blake2b-512`; with a key `hmac(sha256)`, `cmac(aes)` | [`Hash`](struct@Hash): `digest`, `start` for a message in pieces, `verify` for a tag |
//! | [`cipher`](fn@cipher) | `aes`, `serpent` | [`Cipher`]: single blocks, to build modes on |
//! | [`rng`](fn@rng) | `stdrng` | [`Rng`]: random bytes |
//!
//! Each of these functions looks the name up and returns an [`Unkeyed`]: it knows its driver and takes a key with
//! `.key(…)`. For a plain hash, call `.unkeyed()` or directly `.digest(…)`. The result is a *transform*. It is
//! `Send` and `Sync`, immutable, and wipes its key when it is dropped. Keep it: setting up a key costs as much as
//! several calls.
//!
//! # Without a name
//!
//! The algorithms that TLS, volumes and file hashes use most have functions of their own. The type of the argument
//! fixes the key's length:
//!
//! ```
//! # #[cfg(all(feature = "aes", feature = "sha"))] {
//! let gcm = algkit::aes_256_gcm(&[7; 32]);
//! let mac = algkit::hmac_sha256(b"key");
//! let digest = algkit::sha256().digest(b"abc");
//! # }
//! ```
//!
//! They are [`sha256`], [`sha384`], [`sha512`], [`hmac_sha256`], [`hmac_sha384`], [`hmac_sha512`], [`aes_128_gcm`], [`aes_256_gcm`],
//! [`chacha20_poly1305`], [`aes_128`], [`aes_256`] and [`chacha20`] for QUIC's headers, and [`aes_128_xts`] and [`aes_256_xts`], which refuse a key of two equal halves.
//!
//! There is no error to handle, because there is always a driver. If the registry has none, because an environment
//! variable is malformed or the program has unregistered the drivers, this crate's own drivers serve. The functions
//! panic in one case: **no driver of the algorithm has passed its self-test**, not even the portable one. Then this
//! build or this machine computes wrongly, and there is no right answer to return. A program that prefers an error
//! looks the algorithm up by name.
//!
//! # IVs and nonces
//!
//! Lengths are in bytes. [`Driver::shape`](Driver) holds them. A call refuses every other length.
//!
//! | algorithm | IV | rule |
//! | --- | --- | --- |
//! | `gcm(aes)`, `rfc7539(chacha20,poly1305)` | 12 | **never the same twice under one key**: a counter, or at most 2<sup>32</sup> random ones |
//! | `gcm(aes)` | any other, from 1 on | the same; it is hashed first, and short random ones repeat soon |
//! | `ccm(aes)` | 16 | the first byte is L − 1, L being 2 to 8; a nonce of 15 − L bytes; L zeros ([`ccm_iv`] makes it of the nonce). Never the same twice |
//! | `rfc4106(gcm(aes))`, `rfc4309(ccm(aes))`, `rfc4543(gcm(aes))`, `rfc7539esp(chacha20,poly1305)` | 8 | IPsec's: the key ends in a salt of 4 bytes (`rfc4309`: 3), and the *associated data ends in the IV once more*, which is not authenticated as such (`rfc4543` authenticates it) |
//! | `ctr(aes)` | 16 | a counter, big-endian; no two messages may use the same counts |
//! | `chacha20` | 16 | a counter of 32 bits, little-endian, then a nonce of 12 bytes; as for CTR |
//! | `cbc(aes)` | 16 | unpredictable, for example random |
//! | `xts(aes)` | 16 | the number of the sector, little-endian; the same sector keeps its number |
//!
//! `encrypt` and `decrypt` of a [`Skcipher`] take the IV by mutable reference. CBC and CTR leave in it the IV for
//! the next piece of the same message, if this piece was whole blocks. `encrypt_once` and `decrypt_once` do not change it.
//! `kw(aes)` leaves the first word of the wrapped key in it, so `encrypt_once` refuses key wrap. XTS, RFC 3686, XCTR and
//! ChaCha20 do not change it, so **a second call with it uses the same key stream or tweaks again**: give them a message
//! in one call, or set the IV for each.
//!
//! Three names need more explanation. `poly1305` alone takes the 32-byte one-time key (r, then s) as its *key*. A
//! second message under that key reveals it, so use `rfc7539(chacha20,poly1305)`. The key of `vmac64(aes)` is the
//! message's 16-byte nonce, whose first bit is 0, followed by the cipher's key. `keccak` is the sponge with the
//! padding of 2011, before SHA-3 was standardized. It is not a standardized hash: those are `sha3-256` and its
//! siblings.
//!
//! # Errors
//!
//! Every function returns one [`Error`], whose message names the value that was wrong. Lengths are checked before
//! anything is written, so an error leaves all buffers unchanged. The exceptions are [`Error::Authentication`] (the
//! tag was wrong) and [`Error::Rng`]: the output has been overwritten with zeros. No input makes a function panic.
//!
//! ```
//! use algkit::Error;
//!
//! let error = algkit::aead("aes-gcm").unwrap_err();
//! assert_eq!(error.with_suggestion(), "unknown algorithm `aes-gcm`; did you mean `gcm(aes)`?");
//! let aead = algkit::aead("gcm(aes)")?.key(&[7; 16])?;
//! assert!(matches!(aead.seal(&[], b"", b"text"), Err(Error::IvLength { got: 0, want: 12, .. })));
//! assert!(matches!(aead.open(&[1; 12], b"", &[0; 20]), Err(Error::Authentication)));
//! # Ok::<(), algkit::Error>(())
//! ```
//!
//! # Many messages
//!
//! [`batch::run`] takes many requests, each with its own key, IV and length, and processes several at the same
//! time. CBC encryption, CMAC, CCM and hashes become several times as fast, because a single message leaves most of
//! the CPU idle in these modes. CTR, XTS and GCM gain nothing. [`batch::each`] takes the requests from an iterator, as packets
//! arrive, and needs no list.
//!
//! # Sectors
//!
//! [`sectors`] encrypts consecutive sectors in one call. Each sector's IV is derived from its number, as in
//! dm-crypt:
//!
//! ```
//! # #[cfg(feature = "aes")] {
//! use algkit::sectors::Sectors;
//!
//! let key: [u8; 64] = std::array::from_fn(|i| i as u8);
//! let xts = algkit::aes_256_xts(&key)?;
//! let mut image = vec![0; 4 * 512];
//! Sectors::new(100, 512).encrypt(&xts, &mut image)?; // sectors 100 to 103
//! Sectors::new(102, 512).decrypt(&xts, &mut image[2 * 512..])?; // any of them can be read without the others
//! assert_eq!(image[2 * 512..], [0; 2 * 512]);
//! # }
//! # Ok::<(), algkit::Error>(())
//! ```
//!
//! # Texts longer than memory
//!
//! `open` and `decrypt` of an [`Aead`] release no plaintext before they have checked the tag, so the whole text has to
//! fit into memory.
//! [`stream`] cuts a text into chunks and seals each one by itself. A chunk cannot be left out, repeated or moved,
//! and the end cannot be cut off.
//!
//! # Which driver serves
//!
//! A name stands for the driver with the highest priority that this CPU runs, that is constant-time, and that
//! passes its self-test. The test runs before the first use. A driver can also be asked for by its own name, alone
//! or inside a template: `xts-aes-aesni`, `cbc(aes-fixed-time)`. Drivers with secret-dependent table lookups
//! (`twofish-generic`) serve only if they are asked for by their own name, or if [`Policy`] allows them.
//!
//! `ALGKIT_CPU=-vaes,-avx512` hides CPU features, to test or to measure other drivers. A [`Registry`] of your own
//! does the same for one part of a program.
//!
//! # Threads and fork
//!
//! Everything can be shared by threads. A lookup takes a lock for a moment. So where a process with several threads
//! calls `fork` and the child does not call `exec`, another thread may hold that lock, and the child would wait for it
//! forever. Look up and key what the child needs before the fork: transforms take no lock, except [`Rng`].
//!
//! # Features
//!
//! | feature | brings | default |
//! | --- | --- | --- |
//! | `aes`, `serpent` | the cipher and its modes; with `aes` GHASH and POLYVAL | yes |
//! | `chacha` | ChaCha, Poly1305 and their AEAD | yes |
//! | `sha`, `sha3`, `blake2` | hashes; with `sha` the functions of HMAC | yes |
//! | `checksum` | CRC-32, CRC-32C, XXH64 | yes |
//! | `rng` | random number generators | yes |
//! | `legacy` | DES, Twofish, Camellia, SM4, MD5 and the like, and 14 more crates | no |
//! | `aead`, `cipher`, `digest` | the traits of the RustCrypto crates of these names, in the module `rustcrypto` | no |
//!
//! A program that needs only some of the families is smaller with `default-features = false`. The templates
//! (`hmac`, `cbc`, …) are always there and work on the ciphers and hashes that are built in.
//!
//! # Drivers of your own
//!
//! A [`Driver`] is a row of data and a function that makes keyed instances. [`Registry::register`] adds it, and
//! every template can use it from then on. `examples/custom_driver.rs` adds a block cipher. Types of this interface
//! can grow: end a `match` on [`Type`] or [`driver::TextRule`] with a catch-all arm, and start a [`driver::Shape`]
//! with the constructor for its type.
#![forbid(unsafe_code)]
// On targets without vector drivers, and with some driver families disabled, some shared code is unused.
#![cfg_attr(
    not(all(
        any(target_arch = "x86_64", target_arch = "aarch64"),
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
mod always;
pub mod batch;
mod blockwise;
pub mod driver;
mod entropy;
mod error;
mod iv;
pub mod kdf;
pub mod key_wrap;
mod kind;
mod name;
mod nearest;
mod registry;
#[cfg(feature = "rng")]
mod rng;
#[cfg(any(feature = "aead", feature = "cipher", feature = "digest"))]
pub mod rustcrypto;
pub mod sectors;
mod selftest;
mod settings;
mod sizes;
pub mod stream;
mod table;
mod tag;
mod templates;
mod text;
mod tfm;
mod wiped;

pub use algkit_primitives::{InOut, Packet, Turns, cpu};
#[cfg(feature = "aes")]
pub use always::{aes_128, aes_128_gcm, aes_128_xts, aes_256, aes_256_gcm, aes_256_xts};
#[cfg(feature = "chacha")]
pub use always::{chacha20, chacha20_poly1305};
#[cfg(feature = "sha")]
pub use always::{hmac_sha256, hmac_sha384, hmac_sha512, sha256, sha384, sha512};
pub use driver::{Driver, DriverRef, SelfTest};
pub use error::Error;
pub use iv::ccm_iv;
pub use kind::{Direction, Policy, Timing, Type, WeakKeys};
pub use name::Name;
pub use registry::{MAX_KNOWN, Registry};
pub use selftest::{Extent, Known, Vector};
pub use settings::{CPU_VARIABLE, TIMING_VARIABLE, mask_cpu};
pub use sizes::Sizes;
pub use table::CATALOGUE;
pub use templates::authenc::{authenc_key, split_authenc_key};
pub use text::Text;
pub use tfm::{Aead, Cipher, Hash, Rng, Sealing, Skcipher, State, Transform, Unkeyed, Unverified};

/// Looks up a single-block cipher in the [global registry](Registry::global).
pub fn cipher(name: &str) -> Result<Unkeyed<Cipher>, Error> {
    Registry::global()?.cipher(name)
}

/// Looks up a symmetric cipher with a mode in the [global registry](Registry::global).
pub fn skcipher(name: &str) -> Result<Unkeyed<Skcipher>, Error> {
    Registry::global()?.skcipher(name)
}

/// Looks up an AEAD in the [global registry](Registry::global).
pub fn aead(name: &str) -> Result<Unkeyed<Aead>, Error> {
    Registry::global()?.aead(name)
}

/// Looks up a hash or MAC in the [global registry](Registry::global).
pub fn hash(name: &str) -> Result<Unkeyed<Hash>, Error> {
    Registry::global()?.hash(name)
}

/// Looks up a random number generator in the [global registry](Registry::global).
pub fn rng(name: &str) -> Result<Unkeyed<Rng>, Error> {
    Registry::global()?.rng(name)
}

/// Compiles and runs the programs in the READMEs as they stand there.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../README.md")]
mod readmes {}

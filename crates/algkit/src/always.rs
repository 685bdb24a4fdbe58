//! What a build with the family always has, without a name that could be misspelt and without an error to handle.
//!
//! These are for TLS, volumes and hashing. Every other algorithm is had by its name: [`crate::aead`] and its like.
//!
//! Each function gives what the [global registry](Registry::global) has for the name. If that has nothing, as an environment
//! variable is malformed or the program has taken the drivers out, it gives the best driver of this crate for this CPU.
//!
//! When they panic is said at [`crate`], under "Without a name".

#[cfg(any(feature = "aes", feature = "chacha"))]
use crate::Aead;
#[cfg(feature = "sha")]
use crate::Hash;
#[cfg(feature = "aes")]
use crate::Skcipher;
use crate::{Error, Registry, Transform, WeakKeys};
use std::sync::LazyLock;

/// This crate's drivers on this CPU, whatever the environment or the program say of the global registry.
static OWN: LazyLock<Registry> = LazyLock::new(Registry::default);

/// The transform `name` with this key.
fn keyed<T: Transform>(name: &str, key: &[u8]) -> Result<T, Error> {
    let make = |registry: &Registry| registry.transform::<T>(name)?.key_with(key, WeakKeys::Refuse);
    Registry::global().and_then(make).or_else(|_| make(&OWN))
}

/// The transform `name` with this key, which is no weak one.
fn sure<T: Transform>(name: &str, key: &[u8]) -> T {
    keyed(name, key).unwrap_or_else(|error| panic!("{error}"))
}

/// SHA-256 (FIPS 180-4): `sha256`.
///
/// ```
/// let digest = algkit::sha256().digest(b"abc");
/// assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
///
/// It panics only if [no driver passes its self-test](crate#without-a-name).
#[cfg(feature = "sha")]
pub fn sha256() -> Hash {
    sure("sha256", &[])
}

/// SHA-384 (FIPS 180-4): `sha384`. As [`sha256`].
#[cfg(feature = "sha")]
pub fn sha384() -> Hash {
    sure("sha384", &[])
}

/// SHA-512 (FIPS 180-4): `sha512`. As [`sha256`].
#[cfg(feature = "sha")]
pub fn sha512() -> Hash {
    sure("sha512", &[])
}

/// HMAC (RFC 2104) with SHA-256: `hmac(sha256)`. The key has any length; less than 32 bytes are less than it can use.
///
/// ```
/// // RFC 4231, test case 2.
/// let mac = algkit::hmac_sha256(b"Jefe");
/// assert_eq!(mac.digest(b"what do ya want for nothing?")[..4], [0x5b, 0xdc, 0xc1, 0x46]);
/// ```
///
/// It panics only if [no driver passes its self-test](crate#without-a-name).
#[cfg(feature = "sha")]
pub fn hmac_sha256(key: &[u8]) -> Hash {
    sure("hmac(sha256)", key)
}

/// HMAC (RFC 2104) with SHA-384: `hmac(sha384)`. As [`hmac_sha256`].
#[cfg(feature = "sha")]
pub fn hmac_sha384(key: &[u8]) -> Hash {
    sure("hmac(sha384)", key)
}

/// HMAC (RFC 2104) with SHA-512: `hmac(sha512)`. As [`hmac_sha256`].
#[cfg(feature = "sha")]
pub fn hmac_sha512(key: &[u8]) -> Hash {
    sure("hmac(sha512)", key)
}

/// AES-128-GCM (SP 800-38D): `gcm(aes)`. As [`aes_256_gcm`].
#[cfg(feature = "aes")]
pub fn aes_128_gcm(key: &[u8; 16]) -> Aead {
    sure("gcm(aes)", key)
}

/// AES-256-GCM (SP 800-38D): `gcm(aes)`, with nonces of 12 bytes, never the same twice under one key, and tags of 16.
///
/// ```
/// let gcm = algkit::aes_256_gcm(&[7; 32]);
/// let nonce = [1; 12]; // never the same for two messages under one key
/// let sealed = gcm.seal(&nonce, b"header", b"attack at dawn")?;
/// assert_eq!(gcm.open(&nonce, b"header", &sealed)?, b"attack at dawn");
/// # Ok::<(), algkit::Error>(())
/// ```
///
/// It panics only if [no driver passes its self-test](crate#without-a-name).
#[cfg(feature = "aes")]
pub fn aes_256_gcm(key: &[u8; 32]) -> Aead {
    sure("gcm(aes)", key)
}

/// ChaCha20-Poly1305 (RFC 8439): `rfc7539(chacha20,poly1305)`, with nonces of 12 bytes, never the same twice under one key, and
/// tags of 16.
///
/// ```
/// let aead = algkit::chacha20_poly1305(&[7; 32]);
/// let sealed = aead.seal(&[1; 12], b"header", b"attack at dawn")?;
/// assert_eq!(aead.open(&[1; 12], b"header", &sealed)?, b"attack at dawn");
/// # Ok::<(), algkit::Error>(())
/// ```
///
/// It panics only if [no driver passes its self-test](crate#without-a-name).
#[cfg(feature = "chacha")]
pub fn chacha20_poly1305(key: &[u8; 32]) -> Aead {
    sure("rfc7539(chacha20,poly1305)", key)
}

/// AES-128-XTS (IEEE 1619): `xts(aes)`. As [`aes_256_xts`].
#[cfg(feature = "aes")]
pub fn aes_128_xts(key: &[u8; 32]) -> Result<Skcipher, Error> {
    keyed("xts(aes)", key)
}

/// AES-256-XTS (IEEE 1619): `xts(aes)`, for [`sectors`](crate::sectors). The key is two keys of equal length.
///
/// ```
/// use algkit::sectors::Sectors;
///
/// let key: [u8; 64] = std::array::from_fn(|i| i as u8);
/// let mut image = vec![0; 4 * 512];
/// Sectors::new(100, 512).encrypt(&algkit::aes_256_xts(&key)?, &mut image)?;
///
/// assert!(matches!(algkit::aes_256_xts(&[7; 64]), Err(algkit::Error::BadKey { .. })));
/// # Ok::<(), algkit::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::BadKey`] if the two halves are equal, which SP 800-38E's users must not have (FIPS 140 implementation guidance,
/// A.9) and which shows a key that was not drawn at random. The one other error is [`Error::SelfTest`], where the functions
/// beside this one [panic](crate#without-a-name).
#[cfg(feature = "aes")]
pub fn aes_256_xts(key: &[u8; 64]) -> Result<Skcipher, Error> {
    keyed("xts(aes)", key)
}

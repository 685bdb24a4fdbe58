//! Functions for common algorithms, without a name that could be misspelt and without an error to handle.
//!
//! They serve TLS, volumes and hashing. Every other algorithm is found by its name: [`crate::aead`] and its
//! siblings.
//!
//! Each function uses the driver that the [global registry](Registry::global) finds for the name. If it finds none,
//! because an environment variable is malformed or the program has unregistered the drivers, the best driver of
//! this crate for this CPU serves.
//!
//! [`crate`], section "Without a name", says when they panic.

#[cfg(any(feature = "aes", feature = "chacha"))]
use crate::Aead;
#[cfg(feature = "aes")]
use crate::Cipher;
#[cfg(feature = "sha")]
use crate::Hash;
#[cfg(any(feature = "aes", feature = "chacha"))]
use crate::Skcipher;
use crate::{Error, Registry, Transform, WeakKeys};
use std::sync::LazyLock;

/// This crate's drivers on this CPU, unaffected by the environment and by changes to the global registry.
static OWN: LazyLock<Registry> = LazyLock::new(Registry::default);

/// The transform `name` with this key; weak keys are refused.
fn keyed<T: Transform>(name: &str, key: &[u8]) -> Result<T, Error> {
    let make = |registry: &Registry| registry.transform::<T>(name)?.key_with(key, WeakKeys::Refuse);
    Registry::global().and_then(make).or_else(|_| make(&OWN))
}

/// The transform `name` with this key, for algorithms without weak keys.
fn infallible<T: Transform>(name: &str, key: &[u8]) -> T {
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
    infallible("sha256", &[])
}

/// SHA-384 (FIPS 180-4): `sha384`. See [`sha256`] for panics.
#[cfg(feature = "sha")]
pub fn sha384() -> Hash {
    infallible("sha384", &[])
}

/// SHA-512 (FIPS 180-4): `sha512`. See [`sha256`] for panics.
#[cfg(feature = "sha")]
pub fn sha512() -> Hash {
    infallible("sha512", &[])
}

/// HMAC-SHA-256 (RFC 2104): `hmac(sha256)`. The key may have any length; fewer than 32 bytes weaken it (RFC 2104,
/// section 3).
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
    infallible("hmac(sha256)", key)
}

/// HMAC-SHA-384 (RFC 2104): `hmac(sha384)`. See [`hmac_sha256`].
#[cfg(feature = "sha")]
pub fn hmac_sha384(key: &[u8]) -> Hash {
    infallible("hmac(sha384)", key)
}

/// HMAC-SHA-512 (RFC 2104): `hmac(sha512)`. See [`hmac_sha256`].
#[cfg(feature = "sha")]
pub fn hmac_sha512(key: &[u8]) -> Hash {
    infallible("hmac(sha512)", key)
}

/// AES-128-GCM (SP 800-38D): `gcm(aes)`. See [`aes_256_gcm`].
#[cfg(feature = "aes")]
pub fn aes_128_gcm(key: &[u8; 16]) -> Aead {
    infallible("gcm(aes)", key)
}

/// AES-256-GCM (SP 800-38D): `gcm(aes)`, with 12-byte nonces and 16-byte tags. Never use a nonce twice under one
/// key.
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
    infallible("gcm(aes)", key)
}

/// ChaCha20-Poly1305 (RFC 8439): `rfc7539(chacha20,poly1305)`, with 12-byte nonces and 16-byte tags. Never use a
/// nonce twice under one key.
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
    infallible("rfc7539(chacha20,poly1305)", key)
}

/// ChaCha20 (RFC 8439): `chacha20`, whose IV is the block counter and the nonce. It does not authenticate; QUIC protects
/// headers with it.
///
/// It panics only if [no driver passes its self-test](crate#without-a-name).
#[cfg(feature = "chacha")]
pub fn chacha20(key: &[u8; 32]) -> Skcipher {
    infallible("chacha20", key)
}

/// AES-128 (FIPS 197): `aes`, single blocks. See [`aes_256`].
#[cfg(feature = "aes")]
pub fn aes_128(key: &[u8; 16]) -> Cipher {
    infallible("aes", key)
}

/// AES-256 (FIPS 197): `aes`, single blocks. No mode: equal blocks have equal ciphertexts. QUIC protects headers with it.
///
/// It panics only if [no driver passes its self-test](crate#without-a-name).
#[cfg(feature = "aes")]
pub fn aes_256(key: &[u8; 32]) -> Cipher {
    infallible("aes", key)
}

/// AES-128-XTS (IEEE 1619): `xts(aes)`. See [`aes_256_xts`].
#[cfg(feature = "aes")]
pub fn aes_128_xts(key: &[u8; 32]) -> Result<Skcipher, Error> {
    keyed("xts(aes)", key)
}

/// AES-256-XTS (IEEE 1619): `xts(aes)`, for [`sectors`](crate::sectors). The key is two AES-256 keys in sequence.
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
/// [`Error::BadKey`] if the two halves are equal: FIPS 140 forbids such keys (implementation guidance, A.9), and
/// they show that the key was not drawn at random. The only other error is [`Error::SelfTest`], where the other
/// functions of this kind [panic](crate#without-a-name).
#[cfg(feature = "aes")]
pub fn aes_256_xts(key: &[u8; 64]) -> Result<Skcipher, Error> {
    keyed("xts(aes)", key)
}

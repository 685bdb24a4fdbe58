//! The driver table: one row a driver. `algkit list`, docs/drivers.md, the self-test and the
//! benchmarks are readings of it.

#[cfg(feature = "aes")]
mod aes;
#[cfg(feature = "chacha")]
mod chacha;
mod hashes;
#[cfg(feature = "legacy")]
mod legacy;
mod row;
#[cfg(feature = "serpent")]
mod serpent;

use crate::driver::Driver;
use row::Row;

/// The rows, by family and kind of CPU.
static FAMILIES: &[&[&[Row]]] = &[
    #[cfg(feature = "aes")]
    aes::ROWS,
    #[cfg(feature = "aes")]
    hashes::clmul::ROWS,
    #[cfg(feature = "chacha")]
    chacha::ROWS,
    #[cfg(feature = "chacha")]
    hashes::poly1305::ROWS,
    #[cfg(feature = "serpent")]
    serpent::ROWS,
    #[cfg(feature = "sha")]
    hashes::sha::ROWS,
    #[cfg(feature = "sha3")]
    hashes::sha3::ROWS,
    #[cfg(feature = "blake2")]
    hashes::blake2::ROWS,
    #[cfg(feature = "checksum")]
    hashes::checksum::ROWS,
    #[cfg(feature = "legacy")]
    &[legacy::ROWS],
];

/// The drivers of this crate.
pub(crate) fn drivers() -> impl Iterator<Item = Driver> {
    FAMILIES.iter().copied().flatten().copied().flatten().map(Row::driver)
}

/// Whether `driver` takes a secret key. A plain hash takes none, and a checksum's key is a seed.
pub(crate) fn takes_secret(driver: &Driver) -> bool {
    driver.shape.keys.max() > 0 && !matches!(&*driver.name, "crc32" | "crc32c" | "xxhash64")
}

/// Algorithms of general use, template instances included: what `algkit list` shows, and what
/// `algkit test` tests, without being told names.
pub static CATALOGUE: &[&str] = &[
    "aes",
    "ecb(aes)",
    "cbc(aes)",
    "cts(cbc(aes))",
    "ctr(aes)",
    "rfc3686(ctr(aes))",
    "xts(aes)",
    "lrw(aes)",
    "pcbc(aes)",
    "xctr(aes)",
    "essiv(cbc(aes),sha256)",
    "gcm(aes)",
    "rfc4106(gcm(aes))",
    "rfc4543(gcm(aes))",
    "ccm(aes)",
    "rfc4309(ccm(aes))",
    "authenc(hmac(sha256),cbc(aes))",
    "authenc(hmac(sha1),cbc(aes))",
    "authenc(hmac(sha256),ctr(aes))",
    "authenc(hmac(sha512),cbc(aes))",
    "authenc(hmac(sha256),xts(aes))",
    "authencesn(hmac(sha256),cbc(aes))",
    "essiv(authenc(hmac(sha256),cbc(aes)),sha256)",
    "cmac(aes)",
    "xcbc(aes)",
    "cbcmac(aes)",
    "ghash",
    "polyval",
    "chacha20",
    "xchacha20",
    "xchacha12",
    "poly1305",
    "rfc7539(chacha20,poly1305)",
    "rfc7539esp(chacha20,poly1305)",
    "serpent",
    "ecb(serpent)",
    "cbc(serpent)",
    "ctr(serpent)",
    "xts(serpent)",
    "lrw(serpent)",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "keccak",
    "blake2b-160",
    "blake2b-256",
    "blake2b-384",
    "blake2b-512",
    "blake2s-128",
    "blake2s-160",
    "blake2s-224",
    "blake2s-256",
    "hmac(sha1)",
    "hmac(sha224)",
    "hmac(sha256)",
    "hmac(sha384)",
    "hmac(sha512)",
    "hmac(sha3-224)",
    "hmac(sha3-256)",
    "hmac(sha3-384)",
    "hmac(sha3-512)",
    "crc32",
    "crc32c",
    "xxhash64",
    "des",
    "des3_ede",
    "ecb(des3_ede)",
    "cbc(des3_ede)",
    "ctr(des3_ede)",
    "twofish",
    "ecb(twofish)",
    "cbc(twofish)",
    "ctr(twofish)",
    "xts(twofish)",
    "camellia",
    "ecb(camellia)",
    "cbc(camellia)",
    "ctr(camellia)",
    "xts(camellia)",
    "cast5",
    "cbc(cast5)",
    "ctr(cast5)",
    "cast6",
    "cbc(cast6)",
    "xts(cast6)",
    "blowfish",
    "ecb(blowfish)",
    "cbc(blowfish)",
    "ctr(blowfish)",
    "sm4",
    "ecb(sm4)",
    "cbc(sm4)",
    "ctr(sm4)",
    "xts(sm4)",
    "gcm(sm4)",
    "ccm(sm4)",
    "cmac(sm4)",
    "aria",
    "ecb(aria)",
    "cbc(aria)",
    "ctr(aria)",
    "gcm(aria)",
    "cmac(des3_ede)",
    "md5",
    "hmac(md5)",
    "rmd160",
    "hmac(rmd160)",
    "sm3",
    "hmac(sm3)",
    "wp256",
    "wp384",
    "wp512",
    "streebog256",
    "streebog512",
    "hmac(streebog256)",
    "hmac(streebog512)",
    "stdrng",
    "jitterentropy_rng",
];

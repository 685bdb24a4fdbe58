//! Drivers for the names in headers.

use crate::Error;
use algkit::{Hash, Name, Registry, Transform, Unkeyed};

/// Bytes of the shortest digest: MD5's.
const MIN_DIGEST: usize = 16;

/// The driver of a name. Whoever opens a volume has no choice of cipher: where every driver looks up tables at secret addresses (Twofish,
/// Camellia), the best of them serves.
pub(crate) fn transform<T: Transform>(name: &str) -> Result<Unkeyed<T>, Error> {
    let registry = Registry::global()?;
    match registry.transform(name) {
        // What has only such drivers may be a part of the name: the cipher of a mode.
        Err(algkit::Error::TableOnly { name: part, driver }) => {
            Ok(registry.transform(&with_driver(Name::parse(name)?, &part, &driver).to_string())?)
        }
        found => Ok(found?),
    }
}

/// The name with a driver in the place of an algorithm.
fn with_driver(name: Name, algorithm: &str, driver: &str) -> Name {
    if name.to_string() == algorithm {
        return Name { base: driver.to_owned(), args: Vec::new() };
    }
    Name { base: name.base, args: name.args.into_iter().map(|arg| with_driver(arg, algorithm, driver)).collect() }
}

/// The hash that a header calls `name`: libgcrypt's names where they are not the kernel's. Checksums are refused, and `digest_null`, whose
/// digest is empty.
pub(crate) fn hash(name: &str) -> Result<Hash, Error> {
    let hash = transform::<Hash>(kernel_name(name))?.key(&[])?;
    match hash.digest_size() {
        MIN_DIGEST.. => Ok(hash),
        _ => Err(Error::Unsupported { what: format!("`{name}` as a hash") }),
    }
}

/// A checksum that begins with this value.
pub(crate) fn seeded(name: &str, seed: &[u8]) -> Result<Hash, Error> {
    Ok(transform::<Hash>(name)?.key(seed)?)
}

/// HMAC with that hash.
pub(crate) fn hmac(name: &str, key: &[u8]) -> Result<Hash, Error> {
    hash(name)?;
    Ok(transform::<Hash>(&format!("hmac({})", kernel_name(name)))?.key(key)?)
}

fn kernel_name(name: &str) -> &str {
    match name {
        "ripemd160" => "rmd160",
        "whirlpool" => "wp512",
        "stribog256" => "streebog256",
        "stribog512" => "streebog512",
        name => name,
    }
}

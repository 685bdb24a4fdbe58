//! Drivers for the names in headers.

use crate::Error;
use algkit::{Hash, Name, Registry, Transform, Unkeyed};

/// Bytes of the shortest digest: MD5's.
const MIN_DIGEST: usize = 16;

/// The driver for a name. Whoever opens a volume cannot choose its cipher. So where every driver looks up tables at secret addresses
/// (Twofish, Camellia), the best of these drivers is taken.
pub(crate) fn transform<T: Transform>(name: &str) -> Result<Unkeyed<T>, Error> {
    let registry = Registry::global()?;
    match registry.transform(name) {
        // The algorithm that has only such drivers may be a part of the name, as the cipher of a mode is.
        Err(algkit::Error::TableOnly { name: part, driver }) => {
            Ok(registry.transform(&with_driver(Name::parse(name)?, &part, &driver).to_string())?)
        }
        found => Ok(found?),
    }
}

/// `name` with `driver` in the place of `algorithm`.
fn with_driver(name: Name, algorithm: &str, driver: &str) -> Name {
    if name.to_string() == algorithm {
        return Name { base: driver.to_owned(), args: Vec::new() };
    }
    Name { base: name.base, args: name.args.into_iter().map(|arg| with_driver(arg, algorithm, driver)).collect() }
}

/// The hash that a header calls `name`. Headers have libgcrypt's names, and some differ from the kernel's. Checksums are refused, and so is
/// `digest_null`, whose digest is empty.
pub(crate) fn hash(name: &str) -> Result<Hash, Error> {
    let hash = transform::<Hash>(kernel_name(name))?.key(&[])?;
    match hash.digest_size() {
        MIN_DIGEST.. => Ok(hash),
        _ => Err(Error::Unsupported { what: format!("`{name}` as a hash") }),
    }
}

/// A checksum whose initial value is `seed`.
pub(crate) fn seeded(name: &str, seed: &[u8]) -> Result<Hash, Error> {
    Ok(transform::<Hash>(name)?.key(seed)?)
}

/// HMAC with the hash that a header calls `name`.
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

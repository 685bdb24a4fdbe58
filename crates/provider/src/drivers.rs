//! The way from a name to a driver, and to a key for it.

use crate::{abi::PROV_R_CIPHER_OPERATION_FAILED, core::Reason};
use algkit::{Error, Policy, Registry, Transform, Unkeyed, WeakKeys, cpu::CpuFeatures};
use std::sync::{LazyLock, OnceLock};

/// For ciphers of which every driver looks secrets up in tables: OpenSSL has them, and has them so too.
static TABLES: LazyLock<Registry> = LazyLock::new(|| Registry::new(CpuFeatures::detect(), Policy::Table));

/// The driver of a name, which `place` remembers.
pub fn find<T: Transform>(
    place: &'static OnceLock<Unkeyed<T>>,
    name: impl FnOnce() -> String,
) -> Result<&'static Unkeyed<T>, Error> {
    if let Some(found) = place.get() {
        return Ok(found);
    }
    let name = name();
    let found = match Registry::global()?.transform(&name) {
        Err(Error::TableOnly { .. }) => TABLES.transform(&name)?,
        found => found?,
    };
    Ok(place.get_or_init(|| found))
}

/// As [`find`], with a key. No key is weak, as in OpenSSL.
pub fn keyed<T: Transform>(
    place: &'static OnceLock<Unkeyed<T>>,
    name: impl FnOnce() -> String,
    key: &[u8],
) -> Result<T, Reason> {
    find(place, name)
        .and_then(|unkeyed| unkeyed.key_with(key, WeakKeys::Allow))
        .map_err(|_| PROV_R_CIPHER_OPERATION_FAILED)
}

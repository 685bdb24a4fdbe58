//! Looks up drivers by name, and keys them.

use crate::{
    core::{Reason, reason},
    fork,
};
use algkit::{Error, Policy, Registry, Transform, Unkeyed, WeakKeys, cpu::CpuFeatures};
use std::sync::{LazyLock, OnceLock};

/// For ciphers all of whose drivers read tables at secret addresses. OpenSSL's own code for these ciphers does so too.
static TABLES: LazyLock<Registry> = LazyLock::new(|| Registry::new(CpuFeatures::detect(), Policy::Table));

/// Looks up the driver of a name, and keeps it in `place`.
pub fn find<T: Transform>(
    place: &'static OnceLock<Unkeyed<T>>,
    name: impl FnOnce() -> String,
) -> Result<&'static Unkeyed<T>, Error> {
    if let Some(found) = place.get() {
        return Ok(found);
    }
    let name = name();
    let _guard = fork::kept_away();
    let found = match Registry::global()?.transform(&name) {
        Err(Error::TableOnly { .. }) => TABLES.transform(&name)?,
        found => found?,
    };
    Ok(place.get_or_init(|| found))
}

/// As [`find`], with a key. Weak keys are accepted, as in OpenSSL.
pub fn keyed<T: Transform>(
    place: &'static OnceLock<Unkeyed<T>>,
    name: impl FnOnce() -> String,
    key: &[u8],
) -> Result<T, Reason> {
    find(place, name).and_then(|unkeyed| unkeyed.key_with(key, WeakKeys::Allow)).map_err(reason)
}

//! Finds the driver for the name in an address.

use crate::{
    Errno,
    abi::{Address, CRYPTO_ALG_KERN_DRIVER_ONLY},
    service::{settings, tell},
};
use algkit::{Error, Policy, Registry, Transform, Unkeyed};
use std::sync::OnceLock;

/// The driver that serves `address`. A name that has only drivers with timing=table is served too: clients expect
/// twofish or des3_ede to exist, and the kernel's drivers also use tables.
pub(super) fn find<T: Transform>(address: &Address<'_>) -> Result<Unkeyed<T>, Errno> {
    if address.features & address.mask & CRYPTO_ALG_KERN_DRIVER_ONLY != 0 {
        return Err(Errno::NOENT);
    }
    transform(str::from_utf8(address.name).map_err(|_| Errno::NOENT)?)
}

/// The driver that serves `name`, whatever its timing, if the policy permits the algorithm.
pub(crate) fn transform<T: Transform>(name: &str) -> Result<Unkeyed<T>, Errno> {
    let found = any_driver(name).map_err(|error| {
        tell(2, format_args!("refused {name}: {error}"));
        match error {
            Error::SelfTest { .. } => Errno::LIBBAD,
            _ => Errno::NOENT,
        }
    })?;
    if !settings().policy.permits(name, &found.driver().name) {
        tell(1, format_args!("refused {name}: the policy does not permit it"));
        return Err(Errno::NOENT);
    }
    Ok(found)
}

fn any_driver<T: Transform>(name: &str) -> Result<Unkeyed<T>, Error> {
    let registry = Registry::global()?;
    match registry.transform(name) {
        Err(Error::TableOnly { .. }) => any_timing(registry).transform(name),
        found => found,
    }
}

/// A registry for this CPU whose policy allows timing=table for algorithm names.
pub(crate) fn any_timing(registry: &Registry) -> &'static Registry {
    static ANY: OnceLock<Registry> = OnceLock::new();
    ANY.get_or_init(|| Registry::new(registry.cpu(), Policy::Table))
}

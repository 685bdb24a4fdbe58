//! The registry as the kernel's listings show it: for `/proc/crypto` and NETLINK_CRYPTO.

use crate::{
    Errno,
    alg::{any_timing, chunk_size},
    service::settings,
};
use algkit::{CATALOGUE, Driver, DriverRef, Registry, SelfTest, Type};
use std::{
    collections::HashSet,
    sync::{Arc, Once, Weak},
};

/// The module name of all drivers in the kernel's listings.
pub(crate) const MODULE: &str = "algkit";

/// Bits of `cra_flags` (linux/crypto.h).
mod flag {
    pub(super) const CIPHER: u32 = 0x1;
    pub(super) const AEAD: u32 = 0x3;
    pub(super) const SKCIPHER: u32 = 0x5;
    pub(super) const RNG: u32 = 0xc;
    pub(super) const SHASH: u32 = 0xe;
    pub(super) const ASYNC: u32 = 0x80;
    pub(super) const TESTED: u32 = 0x400;
    pub(super) const INSTANCE: u32 = 0x800;
    pub(super) const OPTIONAL_KEY: u32 = 0x4000;
}

/// A driver as the kernel describes it to users. Sizes are in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Entry(pub(crate) DriverRef, &'static Registry);

/// A weak reference to an entry: a client that reads a listing slowly keeps no driver alive.
#[derive(Clone, Debug)]
pub(crate) struct WeakEntry(Weak<Driver>, &'static Registry);

impl WeakEntry {
    /// The entry, if the driver still exists.
    pub(crate) fn upgrade(&self) -> Option<Entry> {
        Some(Entry(self.0.upgrade()?, self.1))
    }
}

impl Entry {
    pub(crate) fn downgrade(&self) -> WeakEntry {
        WeakEntry(Arc::downgrade(&self.0), self.1)
    }

    /// Whether the policy permits it under its driver's or its algorithm's name.
    fn is_permitted(&self) -> bool {
        settings().policy.permits(&self.0.driver, &self.0.name)
    }

    /// Removes an instance of a template from the list. The next lookup builds it again.
    pub(crate) fn remove(&self) -> Result<(), Errno> {
        if self.flags() & flag::INSTANCE == 0 {
            return Err(Errno::INVAL);
        }
        if self.reference_count() > 1 {
            return Err(Errno::BUSY);
        }
        self.1.unregister(&self.0.driver).map_err(|_| Errno::NOENT)
    }

    /// Changes the priority of the driver.
    pub(crate) fn set_priority(&self, priority: u32) -> Result<(), Errno> {
        self.1.set_priority(&self.0.driver, priority).map_err(|_| Errno::NOENT)
    }

    /// `cra_refcnt`: 1 plus the number of users.
    pub(crate) fn reference_count(&self) -> u32 {
        number(self.1.reference_count(&self.0))
    }

    /// Whether requests run outside of this process.
    pub(crate) fn is_async(&self) -> bool {
        self.0.asynchronous
    }

    /// `cra_flags`: the type, and properties of the driver.
    pub(crate) fn flags(&self) -> u32 {
        let driver = &*self.0;
        let kind = match driver.kind {
            Type::Cipher => flag::CIPHER,
            Type::Skcipher => flag::SKCIPHER,
            Type::Aead => flag::AEAD,
            Type::Hash => flag::SHASH,
            Type::Rng => flag::RNG,
            _ => 0,
        };
        let tested = if self.is_tested() { flag::TESTED } else { 0 };
        let asynchronous = if self.is_async() { flag::ASYNC } else { 0 };
        let instance = if driver.driver.contains('(') { flag::INSTANCE } else { 0 };
        let shape = &driver.shape;
        let keyed_if_asked = driver.kind == Type::Hash && shape.optional_key && shape.keys.max() > 0;
        kind | tested | instance | asynchronous | if keyed_if_asked { flag::OPTIONAL_KEY } else { 0 }
    }

    /// Whether the driver has passed its self-test.
    pub(crate) fn is_tested(&self) -> bool {
        self.0.selftest() == SelfTest::Passed
    }

    /// The name of the type in `/proc/crypto`.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.0.kind {
            Type::Cipher => "cipher",
            Type::Skcipher => "skcipher",
            Type::Aead => "aead",
            Type::Hash => "shash",
            Type::Rng => "rng",
            _ => "unknown",
        }
    }

    pub(crate) fn priority(&self) -> u32 {
        self.0.priority()
    }

    pub(crate) fn block_size(&self) -> u32 {
        // The kernel declares 1 here, though CBC-MAC works in whole blocks like CMAC.
        if self.0.name.starts_with("cbcmac(") { 1 } else { number(self.0.shape.blocksize) }
    }

    pub(crate) fn min_key_size(&self) -> u32 {
        number(self.0.shape.keys.min())
    }

    pub(crate) fn max_key_size(&self) -> u32 {
        number(self.0.shape.keys.max())
    }

    pub(crate) fn iv_size(&self) -> u32 {
        number(self.0.shape.ivsize)
    }

    pub(crate) fn chunk_size(&self) -> u32 {
        number(chunk_size(&self.0))
    }

    pub(crate) fn digest_size(&self) -> u32 {
        number(self.0.shape.digestsize)
    }

    pub(crate) fn max_auth_size(&self) -> u32 {
        number(self.0.shape.tags.max())
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// All drivers that this CPU runs and the policy permits, newest first. Each has been self-tested.
pub(crate) fn entries() -> Vec<Entry> {
    static COMMON: Once = Once::new();

    let Ok(registry) = Registry::global() else { return Vec::new() };
    let registries = [registry, any_timing(registry)];
    COMMON.call_once(|| {
        for name in CATALOGUE.iter().rev() {
            let _ = registries[1].find_any(name); // names without a driver are not listed
        }
        // The self-test of a generator builds its hash or cipher. So these are in the first list too, where they are in later ones.
        merge(registries);
    });
    merge(registries)
}

/// The drivers of two registries. Of two drivers with the same name, the first registry's is used.
fn merge(registries: [&'static Registry; 2]) -> Vec<Entry> {
    let mut names = HashSet::new();
    let all = registries.into_iter().flat_map(|r| r.drivers().into_iter().rev().map(move |driver| Entry(driver, r)));
    all.filter(Entry::is_permitted)
        .filter(|Entry(driver, registry)| registry.is_usable(driver) && names.insert(driver.driver.clone()))
        .inspect(|Entry(driver, registry)| drop(registry.test(driver)))
        .collect()
}

/// The driver that serves the algorithm `name`.
pub(crate) fn by_name(name: &str) -> Option<Entry> {
    find(name).filter(|entry| entry.0.name == name)
}

/// The driver named `driver`.
pub(crate) fn by_driver(driver: &str) -> Option<Entry> {
    find(driver).filter(|entry| entry.0.driver == driver)
}

/// An entry that is already in the list. Nothing is looked up or built for it.
pub(crate) fn listed(pick: impl Fn(&Driver) -> bool) -> Option<Entry> {
    let registry = Registry::global().ok()?;
    let entries = |r: &'static Registry| r.drivers().into_iter().map(move |driver| Entry(driver, r));
    let mut all = [registry, any_timing(registry)].into_iter().flat_map(entries);
    all.find(|entry| pick(&entry.0) && entry.is_permitted())
}

fn find(name: &str) -> Option<Entry> {
    let registry = Registry::global().ok()?;
    let ask = |registry: &'static Registry| registry.find_any(name).ok().map(|driver| Entry(driver, registry));
    ask(registry).or_else(|| ask(any_timing(registry))).filter(Entry::is_permitted)
}

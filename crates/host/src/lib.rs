//! Drivers that use the host's kernel: `afalg:NAME` and `cryptodev:NAME` send requests to its AF_ALG sockets or its
//! `/dev/crypto`. They are for crypto engines that only the kernel can reach.
//!
//! They are off unless [`from_environment`] finds [`HOST_VARIABLE`] set, or a program calls [`register`]. Each
//! driver has the kernel's priority and is self-tested like any other. How the kernel's code treats secrets is not
//! known here, so these drivers count as `timing=table`: they serve under their own names. An algorithm's name
//! selects one only if the policy is [`algkit::Policy::Table`], or if the driver was chosen by name: `afalg:NAME!`.
//!
//! **The kernel may fail, a request may not.** Each keyed instance contains one of this library's own drivers with
//! the same key. It processes what the kernel refuses: when a message is longer than a socket accepts, the process
//! is out of descriptors, or an engine has died. So every request gets a correct result. An instance is made only
//! if the kernel accepts the key, and the kernel's first result is compared with that of the own driver.
//!
//! Nothing is kept in the kernel between requests, so a process may fork, and threads may share an instance. Some
//! of the system calls bypass the C library. A program whose requests should be served by `algkit run` instead of
//! the kernel needs `--via seccomp`.
#![deny(unsafe_code)]

mod aead;
mod afalg;
mod cipher;
mod cryptodev;
mod hash;
mod listing;

use algkit::{
    Driver, DriverRef, Error, Registry, Timing, Type,
    driver::{BadKey, Keyed},
};
use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

/// The environment variable that enables drivers of the host's kernel: `ALGKIT_HOST=afalg,cryptodev`.
///
/// `afalg` registers the drivers that /proc/crypto lists, `cryptodev` those that `/dev/crypto` has. The kernel
/// lists an instance of a template only after it was requested, which `afalg:xts(aes)` does. NAME is an algorithm
/// or a driver. With `afalg:NAME!` the driver also serves its algorithm's name, before all others, for example when
/// it belongs to a crypto engine.
pub const HOST_VARIABLE: &str = "ALGKIT_HOST";

/// An interface of the host's kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// AF_ALG sockets.
    AfAlg,
    /// `/dev/crypto` of cryptodev-linux.
    Cryptodev,
}

/// The longest text in bytes of one request to the kernel: the 16 pages that a socket can hold.
const MAX_TEXT: usize = 1 << 16;

/// The number of requests that the host refused.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// The number of requests of this process that the host's kernel has refused and this library has processed.
/// Requests that were not sent to the kernel because of their length do not count.
pub fn refused() -> u64 {
    REFUSED.load(Ordering::Relaxed)
}

/// The host's result; counts a refusal if there is none.
fn answer<T>(result: std::io::Result<T>) -> Option<T> {
    if result.is_err() {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
    result.ok()
}

/// Registers the drivers of the host that [`HOST_VARIABLE`] lists. It is an error if the host lacks one that is named. Does nothing if the variable is not
/// set.
pub fn from_environment(registry: &Registry) -> Result<(), Error> {
    let Some(value) = std::env::var_os(HOST_VARIABLE) else { return Ok(()) };
    let mut chosen = Vec::new();
    for item in items(&value.to_string_lossy()) {
        match item.split_once(':') {
            None if item == "afalg" => register(registry, Host::AfAlg),
            None if item == "cryptodev" => register(registry, Host::Cryptodev),
            Some(("afalg", name)) => {
                let driver = register_one(registry, name.strip_suffix('!').unwrap_or(name))?;
                chosen.extend(name.ends_with('!').then_some(driver));
            }
            _ => {
                let reason = format!("`{item}` is none of `afalg`, `afalg:NAME`, `afalg:NAME!` and `cryptodev`");
                return Err(Error::Setting { setting: HOST_VARIABLE, reason });
            }
        }
    }
    // Preferred only after all registrations, because those look up this library's own drivers by their algorithms.
    chosen.iter().try_for_each(|driver| registry.prefer(driver))
}

/// Splits a list at commas and spaces outside of parentheses.
fn items(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let outside = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && (c == ',' || c == ' ')
    };
    list.split(outside).filter(|item| !item.is_empty()).collect()
}

/// Registers the host's drivers whose algorithms this library has too, to compare with and to fall back on. A host
/// without the interface has no drivers.
pub fn register(registry: &Registry, host: Host) {
    match host {
        Host::AfAlg if afalg::is_available() => {
            listing::read().iter().for_each(|listed| add(registry, afalg::driver(registry, listed)));
        }
        Host::AfAlg => {}
        Host::Cryptodev => {
            let listed = listing::read();
            cryptodev::drivers(registry, &listed).into_iter().for_each(|driver| add(registry, Some(driver)));
        }
    }
}

/// Registers the host's driver `name`, or its best driver of the algorithm `name`. AF_ALG is asked for that name
/// first, so that the kernel instantiates templates. Returns the name of the registered driver.
fn register_one(registry: &Registry, name: &str) -> Result<String, Error> {
    let refuse = |reason| Error::Setting { setting: HOST_VARIABLE, reason };
    if !afalg::is_available() {
        return Err(refuse(format!("the host has no AF_ALG, and so no `{name}`")));
    }
    let mut listed = listing::read().into_iter().find(|l| l.driver == name);
    if listed.is_none() {
        let kind = registry.find_any(name)?.kind;
        afalg::instantiate(kind, name).map_err(|_| refuse(format!("the host's AF_ALG has no `{name}`")))?;
        let of_that_name = |l: &listing::Listed| l.name == name || l.driver == name;
        listed = listing::read().into_iter().filter(of_that_name).max_by_key(|l| l.priority);
    }
    let driver = listed.and_then(|listed| afalg::driver(registry, &listed));
    let driver = driver.ok_or_else(|| refuse(format!("algkit has no driver to check the host's `{name}` with")))?;
    let serves_as = driver.driver.clone();
    add(registry, Some(driver));
    Ok(serves_as)
}

/// Adds a driver unless it is registered already.
fn add(registry: &Registry, driver: Option<Driver>) {
    if let Some(driver) = driver {
        let _ = registry.register(driver); // a driver may be in two lists
    }
}

/// This library's driver of an algorithm that the host has, as the fallback. `None` if there is none, if it is of
/// another type, or if the host's interface differs from it.
fn own(registry: &Registry, kind: Type, name: &str) -> Option<DriverRef> {
    let own = registry.find(kind, name).ok()?;
    let served = match kind {
        Type::Skcipher => cipher::Chaining::of(name).is_some(),
        Type::Aead => true,
        // The kernel takes the key of poly1305 and the nonce of VMAC from the beginning of the message.
        Type::Hash => !own.shape.extendable && name != "poly1305" && !name.starts_with("vmac64("),
        _ => false,
    };
    (served && !own.driver.contains(':')).then_some(own)
}

/// A driver of the host with the name `name`. `key` makes its transforms.
///
/// The first instance processes a test message. If the result differs from the own driver's, no instance is ever
/// made.
fn driver(
    own: DriverRef,
    name: String,
    priority: u32,
    key: impl Fn(&[u8]) -> std::io::Result<HostTransform> + Send + Sync + 'static,
) -> Driver {
    let probed = OnceLock::new();
    let (algorithm, shape, kind) = (own.name.clone(), own.shape.clone(), own.kind);
    let mut driver = Driver::new(algorithm, name, kind, shape, move |cpu, bytes, weak| {
        let keyed = (own.make)(cpu, bytes, weak)?;
        let host = key(bytes).map_err(|_| BadKey("the host's kernel does not take the key"))?;
        let (keyed, sound) = match (keyed, host) {
            (Keyed::Skcipher(ops), HostTransform::Cipher(host)) => {
                let chaining = cipher::Chaining::of(&own.name).ok_or(BadKey(MISMATCH))?;
                let cipher = cipher::Cipher { host, own: ops, chaining };
                let sound = *probed.get_or_init(|| cipher.is_sound(own.shape.ivsize));
                (Keyed::Skcipher(Box::new(cipher)), sound)
            }
            (Keyed::Aead(ops), HostTransform::Aead(host)) => {
                let aead = aead::Aead { host, own: ops };
                let sound = *probed.get_or_init(|| aead.is_sound(own.shape.ivsize, own.shape.tags.max()));
                (Keyed::Aead(Box::new(aead)), sound)
            }
            (Keyed::Hash(ops), HostTransform::Hash(host)) => {
                let hash = hash::Hash::new(host, ops);
                let sound = *probed.get_or_init(|| hash.is_sound(own.shape.digestsize));
                (Keyed::Hash(Box::new(hash)), sound)
            }
            _ => return Err(BadKey(MISMATCH)),
        };
        if sound { Ok(keyed) } else { Err(BadKey("the host's kernel does not answer as it should")) }
    });
    (driver.timing, driver.asynchronous) = (Timing::Table, true);
    driver.with_priority(priority)
}

const MISMATCH: &str = "the host's driver is of another type";

/// A keyed transform in the host's kernel.
enum HostTransform {
    Cipher(Box<dyn cipher::HostCipher>),
    Aead(Box<dyn aead::HostAead>),
    Hash(Box<dyn hash::HostHash>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_may_hold_commas() {
        assert_eq!(
            items("afalg,cryptodev, afalg:essiv(cbc(aes),sha256),afalg:xts(aes)"),
            ["afalg", "cryptodev", "afalg:essiv(cbc(aes),sha256)", "afalg:xts(aes)"]
        );
        assert!(items("").is_empty() && items(" , ").is_empty());
    }
}

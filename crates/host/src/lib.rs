//! Drivers that go the other way: `afalg:NAME` and `cryptodev:NAME` let the host's kernel do the work, through its own
//! AF_ALG sockets or its `/dev/crypto`, for crypto engines that only the kernel can reach.
//!
//! They are off unless [`from_environment`] finds [`HOST_VARIABLE`] set or a program calls [`register`]. Each is
//! listed under the kernel's priority and self-tested like any other driver. How the kernel's code treats secrets is not
//! known here, so they count as `timing=table`: they serve under their own names, and an algorithm's name stands for one
//! only if the policy is [`algkit::Policy::Table`], or if the driver was chosen by name: `afalg:NAME!`.
//!
//! **The kernel may fail, a request may not.** Each keyed instance has one of this library's own drivers beside it, with the
//! same key, and what the kernel refuses is done there: a message longer than a socket takes, a process out of
//! descriptors, an engine that has died. The answer is right either way; an instance is not made at all unless the kernel
//! takes the key, and the kernel's first answer is compared with the own driver's.
//!
//! Nothing is kept in the kernel between requests, so that a process may fork and threads may share an instance.
//! Some of the system calls go around the C library: a program that is to be served by `algkit run` instead of the kernel wants
//! `--via seccomp`.
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

/// The variable that lets the host's kernel do work: `ALGKIT_HOST=afalg,cryptodev`.
///
/// `afalg` offers what /proc/crypto lists, `cryptodev` what `/dev/crypto` knows. The kernel lists an instance of a template
/// once it has been asked for it, which `afalg:xts(aes)` does. NAME is an algorithm or a driver. With `afalg:NAME!` the driver
/// also serves the algorithm's plain name, before all others: the crypto engine that somebody bought.
pub const HOST_VARIABLE: &str = "ALGKIT_HOST";

/// A way into the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// AF_ALG sockets.
    AfAlg,
    /// `/dev/crypto`, of cryptodev-linux.
    Cryptodev,
}

/// The longest text that one request takes to the kernel, in bytes: 16 pages, as a socket holds them.
const MAX_TEXT: usize = 1 << 16;

/// Requests that the host refused.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// How many requests of this process the host's kernel has refused, so that they were done here. Those that were never
/// offered to it, for their length, do not count.
pub fn refused() -> u64 {
    REFUSED.load(Ordering::Relaxed)
}

/// What the host answered, if it did.
fn answer<T>(result: std::io::Result<T>) -> Option<T> {
    if result.is_err() {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
    result.ok()
}

/// Registers what [`HOST_VARIABLE`] asks for, as far as the host has it; nothing if it is not set.
pub fn from_environment(registry: &Registry) -> Result<(), Error> {
    let Some(value) = std::env::var_os(HOST_VARIABLE) else { return Ok(()) };
    let mut chosen = Vec::new();
    for item in items(&value.to_string_lossy()) {
        match item.split_once(':') {
            None if item == "afalg" => register(registry, Host::AfAlg),
            None if item == "cryptodev" => register(registry, Host::Cryptodev),
            Some(("afalg", name)) => {
                let driver = register_one(registry, name.strip_suffix('!').unwrap_or(name))?;
                chosen.extend(driver.filter(|_| name.ends_with('!')));
            }
            _ => {
                let reason = format!("`{item}` is none of `afalg`, `afalg:NAME`, `afalg:NAME!` and `cryptodev`");
                return Err(Error::Setting { setting: HOST_VARIABLE, reason });
            }
        }
    }
    // At the end: what is registered finds this library's own drivers by the names of their algorithms.
    chosen.iter().try_for_each(|driver| registry.prefer(driver))
}

/// The items between commas that stand in no parentheses.
fn items(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let outside = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && (c == ',' || c == ' ')
    };
    list.split(outside).filter(|item| !item.is_empty()).collect()
}

/// Registers what the host offers and this library has as well, to compare it with and to fall back on. A host without the
/// interface offers nothing.
pub fn register(registry: &Registry, host: Host) {
    match host {
        Host::AfAlg if afalg::is_there() => {
            listing::read().iter().for_each(|listed| add(registry, afalg::driver(registry, listed)));
        }
        Host::AfAlg => {}
        Host::Cryptodev => {
            let listed = listing::read();
            cryptodev::drivers(registry, &listed).into_iter().for_each(|driver| add(registry, Some(driver)));
        }
    }
}

/// Registers the host's driver `name`, or its best one of the algorithm `name`, which AF_ALG is asked for so that it
/// instantiates templates. The name under which it serves here, unless the host has no AF_ALG.
fn register_one(registry: &Registry, name: &str) -> Result<Option<String>, Error> {
    if !afalg::is_there() {
        return Ok(None);
    }
    let refuse = |reason| Error::Setting { setting: HOST_VARIABLE, reason };
    let mut listed = listing::read().into_iter().find(|l| l.driver == name);
    if listed.is_none() {
        let kind = registry.find_any(name)?.kind;
        afalg::ask_for(kind, name).map_err(|_| refuse(format!("the host's AF_ALG has no `{name}`")))?;
        let of_that_name = |l: &listing::Listed| l.name == name || l.driver == name;
        listed = listing::read().into_iter().filter(of_that_name).max_by_key(|l| l.priority);
    }
    let driver = listed.and_then(|listed| afalg::driver(registry, &listed));
    let driver = driver.ok_or_else(|| refuse(format!("`{name}` of the host is nothing that algkit could check")))?;
    let serves_as = driver.driver.clone();
    add(registry, Some(driver));
    Ok(Some(serves_as))
}

/// Adds a driver that is not there yet.
fn add(registry: &Registry, driver: Option<Driver>) {
    if let Some(driver) = driver {
        let _ = registry.register(driver); // what two lists have in common is there
    }
}

/// This library's driver of an algorithm that the host has: what to fall back on. None if there is none, or of another
/// kind, or if the host could not be its equal.
fn own(registry: &Registry, kind: Type, name: &str) -> Option<DriverRef> {
    let own = registry.find(kind, name).ok()?;
    let served = match kind {
        Type::Skcipher => cipher::Chaining::of(name).is_some(),
        Type::Aead => true,
        // The kernel takes the key of poly1305, and the nonce of VMAC, from the beginning of the message.
        Type::Hash => !own.shape.extendable && name != "poly1305" && !name.starts_with("vmac64("),
        _ => false,
    };
    (served && !own.driver.contains(':')).then_some(own)
}

/// A driver `name` of the host, whose transforms `key` makes.
///
/// Its first instance answers a message, and no instance is ever made if that answer is not the own driver's.
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

/// What a key makes in the host's kernel.
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

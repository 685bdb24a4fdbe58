//! The algorithm that a socket is bound to.

use super::{digest::Digester, generator::Generator, lookup};
use crate::{Errno, abi::Address};
use algkit::{Aead, Error, Hash, Skcipher, Unkeyed, WeakKeys};
use std::sync::Arc;

/// An algorithm, and its transform if it has a key or needs none.
#[derive(Debug)]
pub(super) enum Algorithm {
    Skcipher { driver: Unkeyed<Skcipher>, keyed: Option<Arc<Skcipher>> },
    Aead { driver: Unkeyed<Aead>, keyed: Option<Arc<Aead>>, tag_len: usize },
    Hash { driver: Unkeyed<Hash>, ready: Option<Digester> },
    Rng(Generator),
}

impl Algorithm {
    pub(super) fn find(address: &Address<'_>) -> Result<Self, Errno> {
        match address.kind {
            b"skcipher" => {
                let driver: Unkeyed<Skcipher> = lookup::find(address)?;
                let keyed = keyless(&driver, driver.driver().shape.keys.max() == 0);
                Ok(Self::Skcipher { driver, keyed })
            }
            b"aead" => {
                let driver: Unkeyed<Aead> = lookup::find(address)?;
                let tag_len = driver.driver().shape.tags.max();
                Ok(Self::Aead { driver, keyed: None, tag_len })
            }
            b"hash" => {
                let driver = lookup::find(address)?;
                let ready = Digester::without_key(&driver);
                Ok(Self::Hash { driver, ready })
            }
            b"rng" => Ok(Self::Rng(Generator::new(lookup::find(address)?))),
            _ => Err(Errno::NOENT),
        }
    }

    /// Whether the algorithm can be used: it has a key or needs none.
    pub(super) fn is_ready(&self) -> bool {
        match self {
            Self::Skcipher { keyed, .. } => keyed.is_some(),
            Self::Aead { keyed, .. } => keyed.is_some(),
            Self::Hash { ready, .. } => ready.is_some(),
            Self::Rng(_) => true,
        }
    }

    pub(super) fn set_key(&mut self, key: &[u8]) -> Result<(), Errno> {
        match self {
            Self::Skcipher { driver, keyed } => {
                let sizes = &driver.driver().shape.keys;
                if key.len() < sizes.min() || key.len() > sizes.max() {
                    return Err(Errno::INVAL); // the previous key stays
                }
                replace(keyed, driver.key_with(key, WeakKeys::Allow))
            }
            Self::Aead { driver, keyed, .. } => replace(keyed, driver.key_with(key, WeakKeys::Allow)),
            Self::Hash { driver, ready } => set_hash_key(driver, ready, key),
            Self::Rng(generator) => generator.seed(key),
        }
    }

    pub(super) fn set_entropy(&mut self, entropy: &[u8]) -> Result<(), Errno> {
        let Self::Rng(generator) = self else { return Err(Errno::NOPROTOOPT) };
        generator.set_entropy(entropy)
    }

    pub(super) fn set_tag_len(&mut self, len: usize) -> Result<(), Errno> {
        let Self::Aead { driver, tag_len, .. } = self else { return Err(Errno::NOPROTOOPT) };
        if !driver.driver().shape.tags.allows(len) {
            return Err(Errno::INVAL);
        }
        *tag_len = len;
        Ok(())
    }
}

/// The transform of a driver that needs no key.
fn keyless<T: algkit::Transform>(driver: &Unkeyed<T>, works: bool) -> Option<Arc<T>> {
    works.then(|| driver.key(&[]).ok().map(Arc::new)).flatten()
}

fn set_hash_key(driver: &Unkeyed<Hash>, ready: &mut Option<Digester>, key: &[u8]) -> Result<(), Errno> {
    let shape = &driver.driver().shape;
    if shape.keys.max() == 0 || driver.driver().name == "poly1305" {
        return Err(Errno::NOSYS);
    }
    if shape.optional_key && key.is_empty() {
        return Err(Errno::INVAL);
    }
    let keyed = Digester::with_key(driver, key);
    let result = keyed.as_ref().map(|_| ()).ok_or(Errno::INVAL);
    if keyed.is_some() || !shape.optional_key {
        *ready = keyed; // where a key is optional, the previous one stays
    }
    result
}

/// Sets the new key. A refused key also removes the previous one.
fn replace<T>(keyed: &mut Option<Arc<T>>, new: Result<T, Error>) -> Result<(), Errno> {
    *keyed = new.ok().map(Arc::new);
    keyed.as_ref().map(|_| ()).ok_or(Errno::INVAL)
}

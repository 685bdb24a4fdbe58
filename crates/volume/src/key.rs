//! The key of a volume.

use crate::Error;
use algkit::{Skcipher, Unkeyed, WeakKeys};
use std::fmt;
use zeroize::Zeroizing;

/// What a volume is encrypted with. [`Key`] is one that is here, in bytes; a handle to a key that somebody else holds can stand in for it.
pub trait VolumeKey: Send + Sync {
    /// Bytes of key.
    fn size(&self) -> usize;

    /// The cipher with this key.
    fn cipher(&self, cipher: &Unkeyed<Skcipher>) -> Result<Skcipher, Error>;
}

/// A key in bytes, which are overwritten when it is dropped.
#[derive(Clone)]
pub struct Key(Zeroizing<Vec<u8>>);

impl Key {
    /// Takes the bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl VolumeKey for Key {
    fn size(&self) -> usize {
        self.0.len()
    }

    /// Weak keys are taken: the volume was made with this key, and dm-crypt takes it.
    fn cipher(&self, cipher: &Unkeyed<Skcipher>) -> Result<Skcipher, Error> {
        Ok(cipher.key_with(&self.0, WeakKeys::Allow)?)
    }
}

/// What a passphrase opened.
#[derive(Debug)]
pub struct Unlocked {
    /// The key slot.
    pub slot: u32,
    /// The key in it.
    pub key: Key,
}

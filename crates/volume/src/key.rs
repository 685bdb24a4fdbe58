//! The key of a volume.

use crate::Error;
use algkit::{Skcipher, Unkeyed, WeakKeys};
use std::fmt;
use zeroize::Zeroizing;

/// The key of a volume. [`Key`] has its bytes; a handle to a key that another process or a device holds can stand in for it.
pub trait VolumeKey: Send + Sync {
    /// The length of the key in bytes.
    fn size(&self) -> usize;

    /// The cipher with this key.
    fn cipher(&self, cipher: &Unkeyed<Skcipher>) -> Result<Skcipher, Error>;

    /// The bytes of the key, if they are in this process. Some sector ciphers need parts of the key.
    fn bytes_here(&self) -> Option<&[u8]> {
        None
    }
}

/// A key in bytes, which are overwritten when it is dropped. Where the system allows it, their memory stays out of the swap space.
pub struct Key(Zeroizing<Vec<u8>>);

impl Key {
    /// Takes the bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        // Where the system's limit is reached, the key is used without being locked. A lock is on a whole page, which other keys may share, so
        // no page is unlocked before the process ends.
        if let Ok(guard) = region::lock(bytes.as_ptr(), bytes.len()) {
            std::mem::forget(guard);
        }
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

impl Clone for Key {
    fn clone(&self) -> Self {
        Self::new(self.0.to_vec())
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

    /// Weak keys are accepted: the volume was made with this key, and dm-crypt accepts it.
    fn cipher(&self, cipher: &Unkeyed<Skcipher>) -> Result<Skcipher, Error> {
        Ok(cipher.key_with(&self.0, WeakKeys::Allow)?)
    }

    fn bytes_here(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
}

/// The key of a volume, which the header's digest has confirmed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unlocked {
    /// The key slot that held the key, if a passphrase opened one.
    pub slot: Option<u32>,
    /// The key.
    pub key: Key,
    /// The other key of a volume under reencryption, which has an old one and a new one.
    pub other: Option<Key>,
}

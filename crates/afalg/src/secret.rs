//! Memory for secret texts.

use std::ops::{Deref, DerefMut};
use zeroize::optimization_barrier;

/// A buffer that is wiped on drop, in wide stores. `Zeroizing` wipes byte by byte: for 64 KiB that takes three
/// times as long as their encryption.
///
/// Growing beyond the capacity leaves an unwiped copy behind.
#[derive(Default)]
pub(crate) struct Secret(Vec<u8>);

impl Secret {
    /// `len` zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        Self(vec![0; len])
    }
}

/// Overwrites `bytes` with zeros.
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    optimization_barrier(bytes);
}

impl Drop for Secret {
    fn drop(&mut self) {
        // Bytes beyond the length, up to the capacity, may hold old contents.
        self.0.clear();
        self.0.resize(self.0.capacity(), 0);
        optimization_barrier(&self.0[..]);
    }
}

impl Deref for Secret {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Secret {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

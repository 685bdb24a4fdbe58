//! Memory for texts.

use std::ops::{Deref, DerefMut};
use zeroize::optimization_barrier;

/// Bytes that are wiped when dropped, in wide stores: byte by byte, as `Zeroizing` does it, 64 KiB take three times
/// as long as their encryption.
///
/// What grows beyond its capacity leaves a copy behind.
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
        // Bytes that were taken off may still be there, up to the capacity.
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

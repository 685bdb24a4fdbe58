//! Bytes that nobody may find in memory later.

use std::ops::{Deref, DerefMut};
use zeroize::optimization_barrier;

/// Bytes that are wiped on drop. The wipe is a fill, which uses the CPU's vectors: `Zeroizing` writes each byte by itself, and 64 of them take
/// as long as AES of a short message.
#[derive(Clone)]
pub(crate) struct Wiped<const N: usize>(pub(crate) [u8; N]);

impl<const N: usize> Default for Wiped<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Deref for Wiped<N> {
    type Target = [u8; N];

    fn deref(&self) -> &[u8; N] {
        &self.0
    }
}

impl<const N: usize> DerefMut for Wiped<N> {
    fn deref_mut(&mut self) -> &mut [u8; N] {
        &mut self.0
    }
}

impl<const N: usize> Drop for Wiped<N> {
    fn drop(&mut self) {
        self.0 = [0; N];
        optimization_barrier(&self.0);
    }
}

//! A driver in a comparison, and a pair of drivers with the same key.

use crate::driver::{Driver, Keyed, WeakKeys};
use algkit_primitives::cpu::CpuFeatures;

/// One driver of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) cpu: CpuFeatures,
    pub(crate) driver: &'a Driver,
}

impl Side<'_> {
    pub(super) fn key(&self, key: &[u8]) -> Result<Keyed, String> {
        self.driver.key(self.cpu, key, WeakKeys::Allow).map_err(|error| format!("key of {} bytes: {error}", key.len()))
    }
}

/// Instances of both drivers with the same key.
pub(super) struct KeyedPair {
    pub(super) key_len: usize,
    pub(super) subject: Keyed,
    pub(super) other: Keyed,
}

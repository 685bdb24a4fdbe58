//! The driver table: one row a driver.

mod aes;

use crate::driver::Driver;

/// The drivers of this crate.
pub(crate) fn drivers() -> impl Iterator<Item = Driver> {
    [].into_iter()
}

/// Whether inputs of the algorithm are secrets. Checksums have none.
pub(crate) fn takes_secret(name: &str) -> bool {
    !matches!(name, "crc32" | "crc32c" | "xxhash64")
}

/// Algorithms that `algkit list` shows.
pub static CATALOGUE: &[&str] = &[];

//! The driver table: one row per driver. `algkit list`, docs/drivers.md, the self-test and the benchmarks all read
//! it.

#[cfg(feature = "aes")]
mod aegis;
#[cfg(feature = "aes")]
mod aes;
#[cfg(feature = "blake2")]
mod blake2;
mod catalogue;
#[cfg(feature = "chacha")]
mod chacha;
#[cfg(feature = "checksum")]
mod checksum;
#[cfg(feature = "aes")]
mod clmul;
#[cfg(feature = "legacy")]
mod legacy;
mod michael;
mod null;
#[cfg(feature = "chacha")]
mod poly1305;
mod row;
#[cfg(feature = "serpent")]
mod serpent;
#[cfg(feature = "sha")]
mod sha;
#[cfg(feature = "sha3")]
mod sha3;

pub use catalogue::CATALOGUE;

use crate::driver::Driver;
use row::Row;

/// The rows, by family and kind of CPU.
static FAMILIES: &[&[&[Row]]] = &[
    #[cfg(feature = "aes")]
    aes::ROWS,
    #[cfg(feature = "aes")]
    aegis::ROWS,
    #[cfg(feature = "aes")]
    clmul::ROWS,
    #[cfg(feature = "chacha")]
    chacha::ROWS,
    #[cfg(feature = "chacha")]
    poly1305::ROWS,
    #[cfg(feature = "serpent")]
    serpent::ROWS,
    #[cfg(feature = "sha")]
    sha::ROWS,
    #[cfg(feature = "sha3")]
    sha3::ROWS,
    #[cfg(feature = "blake2")]
    blake2::ROWS,
    #[cfg(feature = "checksum")]
    checksum::ROWS,
    #[cfg(feature = "legacy")]
    legacy::ROWS,
    michael::ROWS,
    null::ROWS,
];

/// The drivers of this crate.
pub(crate) fn drivers() -> impl Iterator<Item = Driver> {
    FAMILIES.iter().copied().flatten().copied().flatten().map(Row::driver)
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, path::Path};

    #[test]
    fn names_are_unique_and_sources_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        let registry = crate::Registry::new(crate::cpu::CpuFeatures::NONE, crate::Policy::Table);
        let mut names = HashSet::new();
        for driver in registry.drivers() {
            assert!(names.insert(driver.driver.clone()), "two drivers are called {}", driver.driver);
            let exists = match driver.source.strip_prefix("crate ") {
                Some(name) => manifest.contains(&format!("\"dep:{name}\"")),
                None if ["rng/", "adapters/"].iter().any(|folder| driver.source.starts_with(folder)) => {
                    root.join("src").join(driver.source).is_file()
                }
                None => root.join("../primitives/src").join(driver.source).is_file(),
            };
            assert!(exists, "{}: there is no {:?}", driver.driver, driver.source);
        }
    }
}

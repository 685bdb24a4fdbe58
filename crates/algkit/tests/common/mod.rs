//! Registries for CPUs with fewer features than this one, so that every driver is reached.
#![allow(dead_code, reason = "each test binary uses its own part")]

use algkit::{CATALOGUE, DriverRef, Policy, Registry, cpu::CpuFeatures, mask_cpu};

/// `ALGKIT_CPU` settings that bring one family of drivers after another to the top. Those that
/// this CPU or architecture lacks anyway change nothing.
pub const MASKS: &[&str] = &[
    "",
    "-avx512",
    "-vaes",
    "-vaes,-avx512",
    "-avx2",
    "-aes,-sha,-pclmul,-sha2,-sha3",
    "-aes,-sha,-pclmul,-avx512",
    "-aes,-sha,-pclmul,-avx2",
    "-aes,-sha,-pclmul,-sse4.2,-sse4.1,-ssse3",
    NO_VECTORS,
];

/// Nothing but general registers.
pub const NO_VECTORS: &str =
    "-sse2,-ssse3,-sse4.1,-sse4.2,-aes,-pclmul,-avx,-avx2,-avx512,-vaes,-vpclmul,-sha,-gfni,-neon,-sha2,-sha3";

/// A registry for this CPU less what `mask` hides.
pub fn masked(mask: &str, policy: Policy) -> Registry {
    Registry::new(mask_cpu(CpuFeatures::detect(), mask).expect(mask), policy)
}

/// Every usable driver that the catalogue leads to in `registry`, template instances included.
pub fn drivers(registry: &Registry) -> Vec<DriverRef> {
    for name in CATALOGUE {
        if let Err(error) = registry.find_any(name) {
            panic!("{name}: {error}");
        }
    }
    registry.drivers().into_iter().filter(|driver| registry.is_usable(driver)).collect()
}

/// The usable drivers of the algorithm `name`, under every mask, each once.
pub fn drivers_of(name: &str) -> Vec<(Registry, Vec<DriverRef>)> {
    let mut seen = Vec::new();
    MASKS
        .iter()
        .map(|mask| {
            let registry = masked(mask, Policy::Table);
            registry.find_any(name).unwrap_or_else(|error| panic!("{name}, {mask}: {error}"));
            let mut list = registry.drivers();
            list.retain(|d| d.name == name && registry.is_usable(d) && !seen.contains(&d.driver));
            seen.extend(list.iter().map(|d| d.driver.clone()));
            (registry, list)
        })
        .collect()
}

//! Every driver of an algorithm that this CPU can run.

use algkit::{CATALOGUE, Name, Policy, Registry, Type, cpu::CpuFeatures, mask_cpu};
use std::{collections::BTreeMap, sync::LazyLock};

/// The CPU features that each registry hides, so that each possible choice of a driver is made by some registry.
/// `-sse2` hides all: only portable code is left.
pub const MASKS: &[&str] = &[
    "",
    "-vaes",
    "-avx512",
    "-vaes,-avx512",
    "-avx2",
    "-aes",
    "-aes,-avx512",
    "-aes,-avx2",
    "-sha",
    "-pclmul",
    "-sse2",
    "-aes,-pclmul,-neon",
];

static REGISTRIES: LazyLock<Vec<(&str, Registry)>> = LazyLock::new(|| {
    let registry = |mask| Registry::new(mask_cpu(CpuFeatures::detect(), mask).expect("a mask"), Policy::Table);
    MASKS.iter().map(|&mask| (mask, registry(mask))).collect()
});

/// A driver and a registry that has it.
pub struct Choice {
    /// The mask of the registry and the driver's name.
    pub label: String,
    /// The driver's name.
    pub driver: String,
    /// The registry to look the driver up in.
    pub registry: &'static Registry,
}

/// The type of the algorithm `name`.
pub fn kind(name: &str) -> Type {
    REGISTRIES[0].1.find_any(name).unwrap_or_else(|e| panic!("{name}: {e}")).kind
}

/// The drivers of `name`: those that each mask leads to, every row of the table, and every template instance with one
/// part replaced by a driver of that part.
pub fn of(name: &str) -> Vec<Choice> {
    let kind = kind(name);
    let mut found = BTreeMap::new();
    for (mask, registry) in REGISTRIES.iter() {
        let driver = registry.find(kind, name).unwrap_or_else(|e| panic!("{name} under `{mask}`: {e}"));
        found.entry(driver.driver.clone()).or_insert((*mask, registry));
    }
    let (mask, registry) = &REGISTRIES[0];
    let parsed = Name::parse(name).expect("a name of the catalogue");
    for spelling in spellings(registry, &parsed) {
        if let Ok(driver) = registry.find(kind, &spelling) {
            assert_eq!(driver.name, name, "{spelling}");
            found.entry(driver.driver.clone()).or_insert((*mask, registry));
        }
    }
    let choice =
        |(driver, (mask, registry)): (String, _)| Choice { label: format!("{driver} [{mask}]"), driver, registry };
    found.into_iter().map(choice).collect()
}

/// The names that are `name` with itself or one of its parts replaced by the name of a driver from the table.
fn spellings(registry: &Registry, name: &Name) -> Vec<String> {
    let text = name.to_string();
    let rows = registry.drivers();
    let usable = rows.iter().filter(|d| d.name == text && registry.is_usable(d));
    let mut list: Vec<String> = usable.map(|d| d.driver.clone()).collect();
    for (i, arg) in name.args.iter().enumerate() {
        for spelling in spellings(registry, arg) {
            let args: Vec<String> = name
                .args
                .iter()
                .enumerate()
                .map(|(j, a)| if i == j { spelling.clone() } else { a.to_string() })
                .collect();
            list.push(format!("{}({})", name.base, args.join(",")));
        }
    }
    list
}

/// The names of algkit's algorithms.
pub fn algorithms() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().copied()
}

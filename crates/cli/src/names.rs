//! Drivers, and which of them serve under the names of their algorithms.

use algkit::{CATALOGUE, Driver, DriverRef, Error, Name, Registry, Type};
use std::{cmp::Reverse, collections::HashSet};

/// A list of drivers, with those that their algorithms' names select.
pub struct Survey {
    /// Sorted by algorithm, then by descending priority.
    pub drivers: Vec<DriverRef>,
    chosen: HashSet<String>,
}

impl Survey {
    /// Looks up every name of the catalogue, so that template instances are made and the serving drivers are
    /// tested.
    pub fn of(registry: &Registry) -> Self {
        for name in CATALOGUE {
            // A name without an allowed driver is left out, or listed without a chosen driver.
            let _ = of_any_timing(registry, name);
        }
        let mut drivers = registry.drivers();
        let chosen = chosen(registry, &drivers);
        // The lookups have added drivers.
        drivers = registry.drivers();
        drivers.sort_by_cached_key(|d| (d.name.clone(), Reverse(d.priority()), d.driver.clone()));
        Self { drivers, chosen }
    }

    /// Whether the algorithm's name selects this driver.
    pub fn is_chosen(&self, driver: &Driver) -> bool {
        self.chosen.contains(&driver.driver)
    }

    /// The drivers of an algorithm in order of preference, or the driver of that name.
    pub fn named(registry: &Registry, name: &str) -> Result<Self, Error> {
        // Tests the driver that serves. If none does, the list shows that.
        let _ = of_any_timing(registry, name);
        let drivers = registry.drivers_of(name)?;
        let chosen = chosen(registry, &drivers);
        Ok(Self { drivers, chosen })
    }
}

/// The drivers that are selected by the algorithm names of these drivers.
fn chosen(registry: &Registry, drivers: &[DriverRef]) -> HashSet<String> {
    let names: HashSet<(Type, &str)> = drivers.iter().map(|d| (d.kind, &*d.name)).collect();
    let found = names.into_iter().filter_map(|(kind, name)| registry.find(kind, name).ok());
    found.map(|driver| driver.driver.clone()).collect()
}

/// The driver that `name` selects. If the timing policy allows none, the best driver whatever its timing, or a
/// template over such drivers.
pub fn of_any_timing(registry: &Registry, name: &str) -> Result<DriverRef, Error> {
    let mut asked = Name::parse(name)?;
    loop {
        let found = registry.find_any(&asked.to_string());
        let Err(Error::TableOnly { name, driver }) = &found else { return found };
        let next = with_driver(asked.clone(), &Name::parse(name)?, &Name::parse(driver)?);
        if next == asked {
            return found;
        }
        asked = next;
    }
}

/// `name` with every occurrence of the algorithm replaced by the driver.
fn with_driver(name: Name, algorithm: &Name, driver: &Name) -> Name {
    if name == *algorithm {
        return driver.clone();
    }
    let args = name.args.into_iter().map(|arg| with_driver(arg, algorithm, driver)).collect();
    Name { base: name.base, args }
}

/// The MAC and the mode in an `authenc` name; its key consists of a key for each.
pub fn authenc_parts(name: &str) -> Option<(Name, Name)> {
    let mut name = Name::parse(name).ok()?;
    if matches!(name.base.as_str(), "essiv" | "seqiv" | "echainiv") && !name.args.is_empty() {
        name = name.args.swap_remove(0);
    }
    match <[Name; 2]>::try_from(name.args) {
        Ok([mac, mode]) if matches!(name.base.as_str(), "authenc" | "authencesn") => Some((mac, mode)),
        _ => None,
    }
}

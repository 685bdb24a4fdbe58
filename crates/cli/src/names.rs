//! What names stand for, and the drivers behind them.

use algkit::{CATALOGUE, Driver, DriverRef, Error, Name, Registry, Type};
use std::{cmp::Reverse, collections::HashSet};

/// Every driver, and which of them the names stand for.
pub struct Survey {
    /// Sorted by algorithm, then the highest priority first.
    pub drivers: Vec<DriverRef>,
    chosen: HashSet<String>,
}

impl Survey {
    /// Looks up every name of the catalogue, so that template instances join and the drivers that
    /// serve are tested.
    pub fn of(registry: &Registry) -> Self {
        for name in CATALOGUE {
            // A name without a driver that may serve is left out, or listed with none chosen.
            let _ = of_any_timing(registry, name);
        }
        let mut drivers = registry.drivers();
        let chosen = chosen(registry, &drivers);
        // Some have joined since.
        drivers = registry.drivers();
        drivers.sort_by_cached_key(|d| (d.name.clone(), Reverse(d.priority()), d.driver.clone()));
        Self { drivers, chosen }
    }

    /// Whether the algorithm's name stands for this driver.
    pub fn is_chosen(&self, driver: &Driver) -> bool {
        self.chosen.contains(&driver.driver)
    }

    /// The drivers of an algorithm, those that serve first, or the one of that name.
    pub fn named(registry: &Registry, name: &str) -> Result<Self, Error> {
        // The one that serves is tested. If none does, that is what the list shows.
        let _ = of_any_timing(registry, name);
        let drivers = registry.drivers_of(name)?;
        let chosen = chosen(registry, &drivers);
        Ok(Self { drivers, chosen })
    }
}

/// What the names of the algorithms stand for that these are drivers of.
fn chosen(registry: &Registry, drivers: &[DriverRef]) -> HashSet<String> {
    let names: HashSet<(Type, &str)> = drivers.iter().map(|d| (d.kind, &*d.name)).collect();
    let found = names.into_iter().filter_map(|(kind, name)| registry.find(kind, name).ok());
    found.map(|driver| driver.driver.clone()).collect()
}

/// The driver that `name` stands for; where the timing policy allows none, the best there is, or
/// one that is made of those.
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

/// `name` with a driver in place of the algorithm, wherever that occurs.
fn with_driver(name: Name, algorithm: &Name, driver: &Name) -> Name {
    if name == *algorithm {
        return driver.clone();
    }
    let args = name.args.into_iter().map(|arg| with_driver(arg, algorithm, driver)).collect();
    Name { base: name.base, args }
}

/// The MAC and the mode that an `authenc` is made of; its key is made of a key for each.
pub fn authenc_parts(name: &str) -> Option<(Name, Name)> {
    let mut name = Name::parse(name).ok()?;
    if name.base == "essiv" && !name.args.is_empty() {
        name = name.args.swap_remove(0);
    }
    match <[Name; 2]>::try_from(name.args) {
        Ok([mac, mode]) if matches!(name.base.as_str(), "authenc" | "authencesn") => Some((mac, mode)),
        _ => None,
    }
}

//! What a registry keeps: drivers, and the results of lookups up to a limit.

use crate::{
    Error, Vector,
    driver::{Driver, DriverRef},
};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

#[derive(Default, Debug)]
pub(super) struct State {
    /// Every driver, in the order of registration. A template's instance is added when it is first asked for.
    pub(super) drivers: Vec<DriverRef>,
    /// Registered known answers, for algorithms that this crate does not have.
    pub(super) answers: Vec<&'static [Vector]>,
    /// The results of lookups, by type.
    pub(super) found: [HashMap<String, Found>; 5],
    /// How often `found` was cleared. A lookup stores its result only if this number has not changed since it
    /// began.
    pub(super) generation: u64,
    /// How often drivers were withdrawn: removed, taken out of service, or given another priority, which template
    /// instances inherit. What a lookup has found or composed since an earlier count may be built on one of them.
    pub(super) withdrawals: u64,
    /// The number of lookups that were not answered from `found`. It serves as the clock for [`Found::used`].
    pub(super) lookups: u64,
}

/// The result of a lookup.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) driver: DriverRef,
    /// [`State::lookups`] at the time of its last use.
    pub(super) used: AtomicU64,
}

impl State {
    pub(super) fn known(&self) -> usize {
        self.drivers.len() + self.found.iter().map(HashMap::len).sum::<usize>()
    }

    /// The index of a driver in `drivers`.
    pub(super) fn position(&self, driver: &str) -> Result<usize, Error> {
        self.drivers.iter().position(|d| d.driver == driver).ok_or_else(|| Error::Unknown(driver.to_owned()))
    }

    /// Clears all lookup results.
    pub(super) fn forget(&mut self) {
        self.found = Default::default();
        self.generation += 1;
    }

    /// Forgets the least recently used half of the names, and then the template instances that nobody holds.
    pub(super) fn evict(&mut self) {
        let mut uses: Vec<u64> = self.found.iter().flatten().map(|(_, found)| found.used.load(Relaxed)).collect();
        if !uses.is_empty() {
            let middle = uses.len() / 2;
            let limit = *uses.select_nth_unstable(middle).1;
            self.found.iter_mut().for_each(|names| names.retain(|_, found| found.used.load(Relaxed) > limit));
        }
        // An instance holds the drivers that it is built on, so they become free only after it is removed. Drivers
        // that a long test retired stay, because a new instance would serve again. The state is locked, so a free
        // driver cannot gain a holder meanwhile.
        let free = |d: &DriverRef| d.is_composed() && d.retired.get().is_none() && Arc::strong_count(d) == 1;
        while self.drivers.iter().any(free) {
            self.drivers.retain(|d| !free(d));
        }
    }

    /// Removes the template instances that are built on `driver`. Existing holders keep them.
    pub(super) fn remove_built_on(&mut self, driver: &str) {
        self.drivers.retain(|other| !is_built_on(other, driver));
        self.withdraw();
    }

    /// Clears all lookup results. Lookups that have not ended begin again.
    pub(super) fn withdraw(&mut self) {
        self.withdrawals += 1;
        self.forget();
    }
}

/// Whether `part` is one of the drivers of which `driver` is composed.
pub(super) fn is_built_on(driver: &Driver, part: &str) -> bool {
    driver.parts.iter().any(|name| name == part)
}

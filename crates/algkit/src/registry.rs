//! The registry: finds the driver for a name.

mod listing;
mod lookup;
mod reference;
mod selftests;
mod state;
mod suggestion;
#[cfg(all(test, feature = "rng"))]
mod tests;

#[cfg(feature = "rng")]
use crate::driver::Failure;
use crate::{
    Error, Name, Policy, Vector,
    driver::{Driver, DriverRef},
    settings, table,
};
use algkit_primitives::cpu::{CpuFeatures, FeatureSet};
use state::State;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, atomic::Ordering::Relaxed};

/// A set of drivers and the CPU that they run on.
///
/// Most programs use [`Registry::global`]. Lookups are thread-safe and cheap: a name that was looked up before
/// costs a shared lock and a hash lookup.
#[derive(Debug)]
pub struct Registry {
    cpu: CpuFeatures,
    /// The CPU features that drivers are chosen for: this CPU's or another's.
    features: FeatureSet,
    policy: Policy,
    /// The most drivers and names that it keeps.
    limit: usize,
    state: Arc<RwLock<State>>,
}

/// The priority of a driver that runs on this CPU but is slower than all others there.
const LAST: u32 = 1;

/// The default limit of drivers and names in a registry. Each new name can add template instances, and a program
/// that looks names up for others must not grow without bound. Beyond the limit, the names that were used least
/// recently are forgotten, and with them the instances that nobody holds.
pub const MAX_KNOWN: usize = 4096;

impl Default for Registry {
    fn default() -> Self {
        Self::new(CpuFeatures::detect(), Policy::default())
    }
}

impl Registry {
    /// A registry with the drivers of this crate, for a CPU with these features.
    pub fn new(cpu: CpuFeatures, policy: Policy) -> Self {
        Self::empty(cpu, policy).filled()
    }

    /// A registry with the drivers of this crate that resolves names for *another* CPU, with the given features. No
    /// driver's code runs: none is self-tested, and drivers that need the other CPU take no key.
    ///
    /// ```
    /// use algkit::{Policy, Registry, Type, cpu::FeatureSet};
    /// # #[cfg(target_arch = "x86_64")] {
    /// let plain = Registry::foreign(FeatureSet::NONE, Policy::Constant);
    /// assert_eq!(plain.find(Type::Skcipher, "ctr(aes)")?.driver, "ctr-aes-u64bs");
    /// # }
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn foreign(features: FeatureSet, policy: Policy) -> Self {
        Self { features, ..Self::empty(CpuFeatures::NONE, policy) }.filled()
    }

    fn filled(self) -> Self {
        let drivers = table::drivers();
        #[cfg(feature = "rng")]
        let drivers = drivers.chain(crate::rng::drivers(self.finder()));
        self.write().drivers = drivers.map(|driver| Arc::new(self.ranked(driver))).collect();
        self
    }

    /// `driver` with the lowest priority if this CPU lacks a feature that the driver prefers.
    fn ranked(&self, driver: Driver) -> Driver {
        let deterred = self.is_usable(&driver) && !self.features.contains(driver.prefers);
        if deterred { driver.with_priority(LAST) } else { driver }
    }

    /// A registry without drivers.
    pub fn empty(cpu: CpuFeatures, policy: Policy) -> Self {
        Self { cpu, features: cpu.features(), policy, limit: MAX_KNOWN, state: Arc::default() }
    }

    /// The lookup function for drivers that need other drivers. It holds a weak reference, because those drivers
    /// are part of the registry.
    #[cfg(feature = "rng")]
    fn finder(&self) -> crate::rng::Find {
        let (cpu, features, policy, limit) = (self.cpu, self.features, self.policy, self.limit);
        let state = Arc::downgrade(&self.state);
        Arc::new(move |kind, name| {
            let state = state.upgrade().ok_or(Failure("its registry no longer exists"))?;
            let found = Registry { cpu, features, policy, limit, state }.find(kind, name);
            found.map_err(|_| Failure("no driver of the algorithm that it is built on can serve"))
        })
    }

    /// This registry with another limit for drivers and names instead of [`MAX_KNOWN`].
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// The registry of this process: this crate's drivers on this CPU, masked by `ALGKIT_CPU`, with the policy of
    /// `ALGKIT_TIMING`. A program with more rights than its caller (set-user-ID) ignores both variables.
    ///
    /// A malformed variable is an error and is not ignored: somebody set it on purpose. The error is not cached;
    /// the next call reads the variables again.
    pub fn global() -> Result<&'static Self, Error> {
        static GLOBAL: OnceLock<Registry> = OnceLock::new();
        if let Some(registry) = GLOBAL.get() {
            return Ok(registry);
        }
        let (cpu, policy) = settings::of_process()?;
        Ok(GLOBAL.get_or_init(|| Self::new(cpu, policy)))
    }

    /// The CPU features that drivers may use, after masking.
    pub fn cpu(&self) -> CpuFeatures {
        self.cpu
    }

    /// The timing policy.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Adds a driver, of this crate or another. Its self-test runs when it is first chosen.
    ///
    /// A driver that wraps another one looks that one up before it is registered, or by the other driver's own name.
    /// One that looks up a name which it serves itself fails its self-test.
    pub fn register(&self, driver: Driver) -> Result<(), Error> {
        Name::parse(&driver.name)?;
        Name::parse(&driver.driver)?;
        let mut state = self.write();
        if state.drivers.iter().any(|d| d.driver == driver.driver) {
            return Err(Error::Duplicate(driver.driver));
        }
        state.drivers.push(Arc::new(self.ranked(driver)));
        state.forget(); // the new driver may be better than an earlier result
        Ok(())
    }

    /// Removes a driver, given by its own name, and the template instances that are built on it. Existing
    /// transforms keep working.
    pub fn unregister(&self, driver: &str) -> Result<(), Error> {
        let mut state = self.write();
        let at = state.position(driver)?;
        state.drivers.remove(at);
        state.remove_built_on(driver);
        Ok(())
    }

    /// Changes a driver's priority, as `CRYPTO_MSG_UPDATEALG` does in the kernel. Names are looked up anew, and
    /// template instances that are built on the driver are built anew. Existing transforms keep their driver.
    pub fn set_priority(&self, driver: &str, priority: u32) -> Result<(), Error> {
        let mut state = self.write();
        let at = state.position(driver)?;
        state.drivers[at].priority.store(priority, Relaxed);
        state.remove_built_on(driver);
        Ok(())
    }

    /// Makes a driver the first choice for its algorithm, before all other present drivers and whatever its timing,
    /// as the user has chosen it by name. Templates built on it inherit the preference.
    pub fn prefer(&self, driver: &str) -> Result<(), Error> {
        let mut state = self.write();
        let chosen = &state.drivers[state.position(driver)?];
        let others = state.drivers.iter().filter(|d| d.kind == chosen.kind && d.name == chosen.name);
        let highest = others.map(|d| d.priority()).max().unwrap_or_default();
        chosen.priority.store(highest.saturating_add(1), Relaxed);
        chosen.preferred.store(true, Relaxed);
        state.remove_built_on(driver);
        Ok(())
    }

    /// The number of users of `driver`: 1 for the registry, 1 for each transform and each [`Unkeyed`](crate::Unkeyed) of it, and 1
    /// for each template instance that is built on it. The reference passed in, which must come from this registry,
    /// is not counted.
    pub fn reference_count(&self, driver: &DriverRef) -> usize {
        let state = self.read();
        let names = state.found.iter().flatten().filter(|(_, found)| Arc::ptr_eq(&found.driver, driver)).count();
        Arc::strong_count(driver).saturating_sub(1 + names)
    }

    /// Adds known answers for the self-tests of drivers.
    ///
    /// A driver without another driver to compare with serves only if there are known answers of its algorithm. A
    /// new cipher `c` needs them for `c` itself and for each `mode(c)` that will be used. They have to be there before
    /// the driver is first looked up, because its self-test runs once.
    pub fn register_answers(&self, answers: &'static [Vector]) {
        self.write().answers.push(answers);
    }

    /// Every driver of `name` (an algorithm or a driver), usable or not, in the order of preference. Nothing is
    /// tested, and no new instance is kept.
    ///
    /// For a template, each driver of one part is combined with the best driver of every other part. Any other
    /// combination can be found by its full name.
    ///
    /// ```
    /// let registry = algkit::Registry::global()?;
    /// let drivers = registry.drivers_of("cbc(aes)")?;
    /// assert!(drivers.iter().any(|driver| driver.driver == "cbc(aes-fixed-time)"));
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn drivers_of(&self, name: &str) -> Result<Vec<DriverRef>, Error> {
        listing::Listing::new(self).of(&Name::parse(name)?)
    }

    /// Every driver in the registry, with the template instances made so far.
    pub fn drivers(&self) -> Vec<DriverRef> {
        self.read().drivers.clone()
    }

    /// Whether the CPU has the features that `driver` needs.
    pub fn is_usable(&self, driver: &Driver) -> bool {
        self.features.contains(driver.needs)
    }

    /// Whether the registry is for another CPU.
    fn is_foreign(&self) -> bool {
        self.features != self.cpu.features()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The registry: finds the driver for a name.

mod listing;
mod reference;
#[cfg(all(test, feature = "rng"))]
mod tests;

#[cfg(feature = "rng")]
use crate::driver::Failure;
use crate::{
    Error, Name, Policy, Vector,
    driver::{Driver, DriverRef, SelfTest, Type},
    entropy,
    selftest::{self, Extent, Side, Turn},
    settings, table,
    templates::{Lookup, TEMPLATES},
    tfm::{Aead, Cipher, Hash, Rng, Skcipher, Transform, Unkeyed},
};
use algkit_primitives::cpu::{CpuFeatures, FeatureSet};
use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

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

#[derive(Default, Debug)]
struct State {
    /// Every driver, in the order of registration. A template's instance is added when it is first asked for.
    drivers: Vec<DriverRef>,
    /// Registered known answers, for algorithms that this crate does not have.
    answers: Vec<&'static [Vector]>,
    /// The results of lookups, by type.
    found: [HashMap<String, Found>; 5],
    /// How often `found` was cleared. A lookup stores its result only if this number has not changed since it
    /// began.
    generation: u64,
    /// How often drivers were withdrawn: removed, taken out of service, or given another priority, which template
    /// instances inherit. What a lookup has found or composed since an earlier count may be built on one of them.
    withdrawals: u64,
    /// The number of lookups that were not answered from `found`. It serves as the clock for [`Found::used`].
    lookups: u64,
}

/// The result of a lookup.
#[derive(Debug)]
struct Found {
    driver: DriverRef,
    /// [`State::lookups`] at the time of its last use.
    used: AtomicU64,
}

/// The priority of a driver that runs on this CPU but is slower than all others there.
const LAST: u32 = 1;

/// The default limit of drivers and names in a registry. Each new name can add template instances, and a program
/// that looks names up for others must not grow without bound. Beyond the limit, the names that were used least
/// recently are forgotten, and with them the instances that nobody holds.
pub const MAX_KNOWN: usize = 4096;

/// How often a lookup begins, if drivers are withdrawn each time before it ends. One that began without end would never
/// answer a program that registers and removes drivers all the time.
const TRIES: usize = 8;

impl State {
    fn known(&self) -> usize {
        self.drivers.len() + self.found.iter().map(HashMap::len).sum::<usize>()
    }

    /// The index of a driver in `drivers`.
    fn position(&self, driver: &str) -> Result<usize, Error> {
        self.drivers.iter().position(|d| d.driver == driver).ok_or_else(|| Error::Unknown(driver.to_owned()))
    }

    /// Clears all lookup results.
    fn forget(&mut self) {
        self.found = Default::default();
        self.generation += 1;
    }

    /// Forgets the least recently used half of the names, and then the template instances that nobody holds.
    fn evict(&mut self) {
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
    fn remove_built_on(&mut self, driver: &str) {
        self.drivers.retain(|other| !is_built_on(other, driver));
        self.withdraw();
    }

    /// Clears all lookup results. Lookups that have not ended begin again.
    fn withdraw(&mut self) {
        self.withdrawals += 1;
        self.forget();
    }
}

/// Whether `part` is one of the drivers of which `driver` is composed.
fn is_built_on(driver: &Driver, part: &str) -> bool {
    driver.parts.iter().any(|name| name == part)
}

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

    /// The number of users of `driver`: 1 for the registry, 1 for each transform and each [`Unkeyed`] of it, and 1
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

    /// Runs a self-test with the known answers that were registered.
    fn run_test(&self, driver: &Driver, extent: Extent) -> Result<(), String> {
        let answers = self.read().answers.clone();
        selftest::run(&Side { cpu: self.cpu, driver }, &answers, reference::of(driver), extent)
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

    /// Looks up a single-block cipher by its algorithm's or driver's name.
    pub fn cipher(&self, name: &str) -> Result<Unkeyed<Cipher>, Error> {
        self.transform(name)
    }

    /// Looks up a symmetric cipher with a mode by its algorithm's or driver's name.
    pub fn skcipher(&self, name: &str) -> Result<Unkeyed<Skcipher>, Error> {
        self.transform(name)
    }

    /// Looks up an AEAD by its algorithm's or driver's name.
    pub fn aead(&self, name: &str) -> Result<Unkeyed<Aead>, Error> {
        self.transform(name)
    }

    /// Looks up a hash or MAC by its algorithm's or driver's name.
    pub fn hash(&self, name: &str) -> Result<Unkeyed<Hash>, Error> {
        self.transform(name)
    }

    /// Looks up a random number generator by its algorithm's or driver's name.
    pub fn rng(&self, name: &str) -> Result<Unkeyed<Rng>, Error> {
        self.transform(name)
    }

    /// Looks up a transform of type `T` by its algorithm's or driver's name.
    pub fn transform<T: Transform>(&self, name: &str) -> Result<Unkeyed<T>, Error> {
        Ok(Unkeyed::new(self.find(T::TYPE, name)?, self.cpu))
    }

    /// The best driver for `name` (an algorithm or a driver) that is usable, allowed by the policy and has passed
    /// its self-test.
    pub fn find(&self, kind: Type, name: &str) -> Result<DriverRef, Error> {
        let mut parsed = None;
        for _ in 0..TRIES {
            let (generation, withdrawals) = {
                let state = self.read();
                if let Some(found) = state.found[kind as usize].get(name) {
                    found.used.store(state.lookups, Relaxed);
                    return Ok(found.driver.clone());
                }
                (state.generation, state.withdrawals)
            };
            let name_of = match &mut parsed {
                Some(name) => &*name,
                none => none.insert(Name::parse(name)?),
            };
            let resolved = self.resolve(kind, name_of, withdrawals);
            let mut state = self.write();
            if state.withdrawals != withdrawals {
                continue;
            }
            let driver = resolved?;
            state.lookups += 1;
            if state.generation == generation && self.has_room(&mut state) {
                let used = AtomicU64::new(state.lookups);
                state.found[kind as usize].insert(name.to_owned(), Found { driver: driver.clone(), used });
            }
            return Ok(driver);
        }
        Err(Error::Withdrawn(name.to_owned()))
    }

    /// Whether one more driver or name can be kept. If there is no room, what nobody holds or has asked for lately is
    /// forgotten.
    fn has_room(&self, state: &mut State) -> bool {
        if state.known() >= self.limit {
            state.evict();
        }
        state.known() < self.limit
    }

    /// The best driver for `name`, whatever its type. Block cipher modes are tried first.
    pub fn find_any(&self, name: &str) -> Result<DriverRef, Error> {
        let mut error = match self.find(Type::Skcipher, name) {
            Ok(driver) => return Ok(driver),
            Err(Error::WrongType { found, .. }) => return self.find(found, name),
            Err(error) => error,
        };
        for kind in [Type::Aead, Type::Hash, Type::Cipher, Type::Rng] {
            match self.find(kind, name) {
                Ok(driver) => return Ok(driver),
                Err(e @ (Error::Unknown(_) | Error::BadParameters { .. })) if matches!(error, Error::Unknown(_)) => {
                    error = e;
                }
                Err(_) => {}
            }
        }
        Err(error)
    }

    /// Runs the short self-test of `driver` if it has not run yet; returns the outcome. A test for which the operating system
    /// gave no entropy fails this time, and runs again at the next call.
    pub fn test(&self, driver: &Driver) -> SelfTest {
        let untested = driver.selftest.get().is_none() && self.is_usable(driver) && !self.is_foreign();
        match untested.then(|| selftest::take(driver)) {
            None | Some(Turn::Over) => driver.selftest(),
            Some(Turn::Circle) => SelfTest::Failed("it is being tested, and looks itself up".to_owned()),
            Some(Turn::Own(own)) => {
                let (mut outcome, missing) = entropy::watched(|| self.run_test(driver, Extent::Short));
                if own.looked_up() {
                    outcome = Err("looks up a name that it serves itself".to_owned());
                } else if missing && outcome.is_err() {
                    return SelfTest::Failed(entropy::MISSING.to_owned());
                }
                let _ = driver.selftest.set(outcome);
                drop(own);
                driver.selftest()
            }
        }
    }

    /// Runs a self-test of the given extent; returns the outcome. The short one runs once, the long one at every
    /// call. A driver that fails the long test no longer serves, nor do those built on it. Existing transforms are
    /// not revoked.
    pub fn test_extent(&self, driver: &Driver, extent: Extent) -> SelfTest {
        if extent == Extent::Long
            && self.test(driver) == SelfTest::Passed
            && let Err(reason) = self.run_test(driver, extent)
        {
            self.retire(driver, reason);
        }
        self.test(driver)
    }

    /// Takes `driver` out of service, and every template instance that is built on it.
    fn retire(&self, driver: &Driver, reason: String) {
        let mut state = self.write();
        for built_on in state.drivers.iter().filter(|other| is_built_on(other, &driver.driver)) {
            let _ = built_on.retired.set(format!("{} failed: {reason}", driver.driver));
        }
        let _ = driver.retired.set(reason);
        state.withdraw();
    }

    /// `withdrawals` is [`State::withdrawals`] from before the lookup.
    fn resolve(&self, kind: Type, name: &Name, withdrawals: u64) -> Result<DriverRef, Error> {
        let text = name.to_string();
        let mut by_driver = self.named(|d| d.driver == text);
        let mut by_name = self.named(|d| d.name == text && d.driver != text);
        let mut template_error = None;
        match self.instantiate(name, withdrawals) {
            Ok(Some(instance)) => {
                // The name `cbc(aes-fixed-time)` stands for exactly one driver of `cbc(aes)`; the name `cbc(aes)`
                // stands for several.
                let list = if instance.name == text { &mut by_name } else { &mut by_driver };
                if !list.iter().any(|d| d.driver == instance.driver) {
                    list.push(instance);
                }
            }
            Ok(None) => {}
            Err(error) => template_error = Some(error),
        }
        let exact = !by_driver.is_empty();
        let candidates = if exact { by_driver } else { by_name };
        if candidates.is_empty() {
            return Err(template_error.unwrap_or(Error::Unknown(text)));
        }
        // Where no other driver serves either, the missing room is the reason.
        let full = template_error.filter(|error| matches!(error, Error::Full(_)));
        self.best_of(candidates, kind, exact, text).map_err(|error| full.unwrap_or(error))
    }

    /// The best of the drivers that have the name `text`. `exact` says that it is a driver's name.
    fn best_of(
        &self,
        mut candidates: Vec<DriverRef>,
        kind: Type,
        exact: bool,
        text: String,
    ) -> Result<DriverRef, Error> {
        if let Some(other) = candidates.iter().map(|d| d.kind).find(|&k| k != kind)
            && candidates.iter().all(|d| d.kind != kind)
        {
            return Err(Error::WrongType { name: text, found: other, wanted: kind });
        }
        candidates.retain(|d| d.kind == kind && self.is_usable(d));
        if candidates.is_empty() {
            return Err(Error::NotUsable(text));
        }
        candidates.sort_by_key(|d| std::cmp::Reverse(d.priority()));
        let best = candidates[0].clone();
        candidates.retain(|d| exact || self.allows(d));
        if candidates.is_empty() {
            return Err(Error::TableOnly { name: text, driver: best.driver.clone() });
        }
        let mut reason = String::new();
        for driver in candidates {
            match self.test(&driver) {
                // Another driver of the name would want entropy too, or would serve for good in the place of this one.
                SelfTest::Failed(why) if why == entropy::MISSING => {
                    return Err(Error::Rng { name: driver.driver.clone(), reason: entropy::MISSING });
                }
                SelfTest::Failed(why) => reason = why,
                _ => return Ok(driver),
            }
        }
        Err(Error::SelfTest { name: text, reason })
    }

    /// Whether the policy lets an algorithm's name stand for `driver`. Templates look up a plain hash by its
    /// algorithm's name and then give it secrets, so drivers from elsewhere (`afalg:sha256-ni`) are not allowed
    /// there either.
    fn allows(&self, driver: &Driver) -> bool {
        let without_secret = || !driver.takes_secret() && !driver.driver.contains(':');
        self.policy == Policy::Table || driver.is_eligible() || without_secret()
    }

    fn named(&self, pick: impl Fn(&Driver) -> bool) -> Vec<DriverRef> {
        self.read().drivers.iter().filter(|d| pick(d)).cloned().collect()
    }

    /// The driver that a template makes of `name`. It is kept for later lookups, unless one of its parts may have been
    /// withdrawn meanwhile: whoever withdraws a driver removes what is built on it, and cannot see what is not there yet.
    fn instantiate(&self, name: &Name, withdrawals: u64) -> Result<Option<DriverRef>, Error> {
        let Some((_, build)) = TEMPLATES.iter().find(|(base, _)| *base == name.base && !name.args.is_empty()) else {
            return Ok(None);
        };
        let instance = build(self, name)?;
        let mut state = self.write();
        if state.withdrawals != withdrawals {
            return Err(Error::Withdrawn(name.to_string()));
        }
        if let Some(known) = state.drivers.iter().find(|d| d.driver == instance.driver) {
            return Ok(Some(known.clone()));
        }
        if !self.has_room(&mut state) {
            return Err(Error::Full(name.to_string()));
        }
        let instance = Arc::new(instance);
        state.drivers.push(instance.clone());
        Ok(Some(instance))
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lookup for Registry {
    fn find(&self, kind: Type, name: &Name) -> Result<DriverRef, Error> {
        Registry::find(self, kind, &name.to_string())
    }
}

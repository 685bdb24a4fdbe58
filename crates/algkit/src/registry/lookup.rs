//! Lookups: from a name to the best driver that may serve it.

use super::{
    Registry,
    state::{Found, State},
};
use crate::{
    Error, Name, Policy,
    driver::{Driver, DriverRef, SelfTest, Type},
    entropy,
    templates::{Lookup, template},
    tfm::{Aead, Cipher, Hash, Rng, Skcipher, Transform, Unkeyed},
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// How often a lookup begins, if drivers are withdrawn each time before it ends. Without a limit it would never return in
/// a program that registers and removes drivers all the time.
const TRIES: usize = 8;

impl Registry {
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
    pub(super) fn allows(&self, driver: &Driver) -> bool {
        let without_secret = || !driver.takes_secret() && !driver.driver.contains(':');
        self.policy == Policy::Table || driver.is_eligible() || without_secret()
    }

    fn named(&self, pick: impl Fn(&Driver) -> bool) -> Vec<DriverRef> {
        self.read().drivers.iter().filter(|d| pick(d)).cloned().collect()
    }

    /// The driver that a template makes of `name`. It is kept for later lookups, unless one of its parts may have been
    /// withdrawn meanwhile: whoever withdraws a driver removes what is built on it, and cannot see what is not there yet.
    fn instantiate(&self, name: &Name, withdrawals: u64) -> Result<Option<DriverRef>, Error> {
        let Some(build) = template(name) else { return Ok(None) };
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
}

impl Lookup for Registry {
    fn find(&self, kind: Type, name: &Name) -> Result<DriverRef, Error> {
        Registry::find(self, kind, &name.to_string())
    }
}

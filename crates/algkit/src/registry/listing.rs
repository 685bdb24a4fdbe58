//! Every driver of a name, composed ones included.

use super::Registry;
use crate::{
    Error, Name,
    driver::{DriverRef, SelfTest, Type},
    templates::{Lookup, template},
};
use std::{cell::RefCell, cmp::Reverse, collections::HashMap};

/// Lists drivers without adding them to the registry.
pub(super) struct Listing<'a> {
    registry: &'a Registry,
    /// The drivers that are in the registry.
    known: Vec<DriverRef>,
    /// Results by name: a template asks for its parts repeatedly.
    listed: RefCell<HashMap<String, Vec<DriverRef>>>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(registry: &'a Registry) -> Self {
        Self { registry, known: registry.drivers(), listed: RefCell::default() }
    }

    /// See [`Registry::drivers_of`].
    pub(super) fn of(&self, name: &Name) -> Result<Vec<DriverRef>, Error> {
        let text = name.to_string();
        if let Some(drivers) = self.listed.borrow().get(&text) {
            return Ok(drivers.clone());
        }
        let mut drivers: Vec<_> = self.known.iter().filter(|d| d.name == text || d.driver == text).cloned().collect();
        let composed = self.composed(name);
        for instance in composed.as_ref().into_iter().flatten() {
            if !drivers.iter().any(|d| d.driver == instance.driver) {
                drivers.push(instance.clone());
            }
        }
        if drivers.is_empty() {
            return composed.and(Err(Error::Unknown(text)));
        }
        drivers.sort_by_key(|d| {
            let serves = self.registry.is_usable(d) && !matches!(d.selftest(), SelfTest::Failed(_));
            Reverse((serves, self.registry.allows(d), d.priority()))
        });
        self.listed.borrow_mut().insert(text, drivers.clone());
        Ok(drivers)
    }

    /// The instances that the template in `name` makes: one of the best driver of each part, and one for each other
    /// driver of one part with the best drivers of the other parts.
    fn composed(&self, name: &Name) -> Result<Vec<DriverRef>, Error> {
        let Some(build) = template(name) else { return Ok(Vec::new()) };
        let best = Parts { listing: self, instead: None, choices: RefCell::default() };
        let mut instances = vec![build(&best, name)?];
        for (part, choices) in best.choices.into_inner().into_iter().enumerate() {
            for choice in 1..choices {
                let parts = Parts { listing: self, instead: Some((part, choice)), choices: RefCell::default() };
                // Some combinations do not fit together, and a driver whose name is too long cannot be found. Both
                // are left out.
                instances.extend(build(&parts, name).ok().filter(|instance| Name::parse(&instance.driver).is_ok()));
            }
        }
        let known = |driver: &str| self.known.iter().find(|d| d.driver == driver).cloned();
        Ok(instances.into_iter().map(|instance| known(&instance.driver).unwrap_or_else(|| instance.into())).collect())
    }
}

/// The parts of one instance, for a template to look up.
struct Parts<'a> {
    listing: &'a Listing<'a>,
    /// `(part, driver)`: for the part with this index, use the driver with this index instead of the best.
    instead: Option<(usize, usize)>,
    /// The number of drivers of each part, in the order of the lookups.
    choices: RefCell<Vec<usize>>,
}

impl Lookup for Parts<'_> {
    fn find(&self, kind: Type, name: &Name) -> Result<DriverRef, Error> {
        let mut drivers = self.listing.of(name)?;
        let found = drivers[0].kind;
        drivers.retain(|d| d.kind == kind);
        if drivers.is_empty() {
            return Err(Error::WrongType { name: name.to_string(), found, wanted: kind });
        }
        let mut choices = self.choices.borrow_mut();
        let choice = self.instead.filter(|(part, _)| *part == choices.len()).map_or(0, |(_, choice)| choice);
        choices.push(drivers.len());
        drivers.into_iter().nth(choice).ok_or_else(|| Error::Unknown(name.to_string()))
    }
}

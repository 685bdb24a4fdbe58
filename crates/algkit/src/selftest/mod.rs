//! Self-tests: known answers, then a randomized comparison with a portable driver.
//!
//! The model is the kernel's crypto/testmgr.c. A driver is tested when it is first chosen, and
//! serves only if
//!
//! 1. it gives the published answers for its algorithm, both ways, however the text lies in memory
//!    ([`layout`]);
//! 2. it agrees with another driver of the same algorithm, the most portable there is, on random
//!    keys, IVs and texts of telling lengths, the chaining IV and the refusals included. Where there
//!    is no other driver, the same messages show that the layout makes no difference;
//! 3. many messages at once are what they are one by one ([`batch`]).
//!
//! A driver with neither known answers nor a second opinion does not serve, unless one of this crate's
//! templates made it: its parts have been tested, and the template with other parts.

mod batch;
mod compare;
mod exercise;
mod inputs;
mod known;
mod layout;
mod random;
mod rng;
mod vectors;

pub use vectors::{Known, Vector};

use crate::{
    Driver, Registry,
    driver::{Keyed, Type, WeakKeys},
};
use algkit_primitives::cpu::CpuFeatures;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How much a self-test does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Known answers and a few random comparisons, in under a millisecond.
    Short,
    /// Every layout, and many more random comparisons.
    Long,
}

/// Tests `driver`; the error says what it failed at. A panic is a failure.
///
/// This runs while other threads wait for the outcome, so it never asks `registry` for a driver
/// that is under test.
pub(crate) fn run(registry: &Registry, driver: &Driver, extent: Extent) -> Result<(), String> {
    // A driver that has panicked is never used again, so that what it left behind does not matter.
    catch_unwind(AssertUnwindSafe(|| test(registry, driver, extent))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        Err(format!("panicked: {message}"))
    })
}

fn test(registry: &Registry, driver: &Driver, extent: Extent) -> Result<(), String> {
    let subject = Side { cpu: registry.cpu(), driver };
    let answers = known::check(&subject, &registry.answers(), extent)?;
    if driver.kind == Type::Rng {
        return rng::check(&subject); // two of them agree on nothing
    }
    match registry.reference(driver) {
        Some(other) => compare::check(&subject, &Side { cpu: registry.cpu(), driver: &other }, extent),
        None if answers == 0 && !driver.composed => {
            Err("no known answers and no other driver to test it with".to_owned())
        }
        None => compare::check(&subject, &subject, extent),
    }
}

/// One side of a comparison.
#[derive(Clone, Copy)]
struct Side<'a> {
    cpu: CpuFeatures,
    driver: &'a Driver,
}

impl Side<'_> {
    fn key(&self, key: &[u8]) -> Result<Keyed, String> {
        self.driver.key(self.cpu, key, WeakKeys::Allow).map_err(|error| format!("key of {} bytes: {error}", key.len()))
    }
}

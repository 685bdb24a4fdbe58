//! Self-tests: known answers, then a randomized comparison with a portable driver.
//!
//! The model is the kernel's crypto/testmgr.c. A driver is tested when it is first chosen, and
//! serves only if
//!
//! 1. it gives the published answers for its algorithm, in both directions, in different memory layouts
//!    ([`layout`]);
//! 2. it agrees with another driver of the same algorithm, the most portable one, on random
//!    keys, IVs and texts of critical lengths, including the chaining IV and the refusals;
//! 3. it gives the same outputs for a batch of messages as for the single messages ([`batch`]).
//!
//! Without another driver, only the known answers verify values, and random messages verify properties that need no
//! second driver ([`properties`]). A driver without known answers and without another driver does not serve. The
//! exception is a driver made by one of this crate's templates: its parts have been tested, and the crate's tests
//! compare the template over other parts.

mod batch;
mod compare;
mod exercise;
mod extent;
mod inputs;
mod known;
mod layout;
mod properties;
mod random;
mod rng;
mod side;
mod turn;
mod vectors;

pub use extent::Extent;
pub(crate) use side::Side;
pub(crate) use turn::{Turn, take};
pub use vectors::{Known, Vector};

use crate::driver::{DriverRef, Type};
use crate::text::MAX_GRANULE;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Tests `subject` with the built-in known answers, those of `answers`, and `reference`, another driver of the same
/// algorithm, if there is one. The error says what failed. A panic is a failure.
///
/// Other threads wait meanwhile for the outcome ([`take`]), so nothing here but the driver's own code may look up drivers in a registry.
pub(crate) fn run(
    subject: &Side<'_>,
    answers: &[&'static [Vector]],
    reference: Option<DriverRef>,
    extent: Extent,
) -> Result<(), String> {
    // A driver that panicked is never used again, so the state that it left does not matter.
    let outcome = catch_unwind(AssertUnwindSafe(|| test(subject, answers, reference, extent)));
    outcome.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        Err(format!("panicked: {message}"))
    })
}

fn test(
    subject: &Side<'_>,
    answers: &[&'static [Vector]],
    reference: Option<DriverRef>,
    extent: Extent,
) -> Result<(), String> {
    let block = subject.driver.shape.blocksize;
    if matches!(subject.driver.kind, Type::Cipher | Type::Skcipher) && !(1..=MAX_GRANULE).contains(&block) {
        return Err(format!("blocks of {block} bytes, where 1 to {MAX_GRANULE} are possible"));
    }
    let answers = known::check(subject, answers, extent)?;
    if subject.driver.kind == Type::Rng {
        return rng::check(subject); // two generators never agree on output
    }
    match reference {
        Some(other) => compare::check(subject, &Side { cpu: subject.cpu, driver: &other }, extent),
        None if answers == 0 && !subject.driver.is_composed() => {
            Err("no known answers and no other driver to test it with".to_owned())
        }
        None => properties::check(subject, extent),
    }
}

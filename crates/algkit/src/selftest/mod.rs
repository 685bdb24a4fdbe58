//! Self-tests: known answers, then a randomized comparison with a portable driver.
//!
//! The model is the kernel's crypto/testmgr.c. A driver is tested when it is first chosen, and
//! serves only if
//!
//! 1. it gives the published answers for its algorithm, both ways, however the text lies in memory
//!    ([`layout`]);
//! 2. it agrees with another driver of the same algorithm, the most portable there is, on random
//!    keys, IVs and texts of telling lengths, the chaining IV and the refusals included;
//! 3. a batch of messages gives what they give one by one ([`batch`]).
//!
//! Where there is no other driver, nothing vouches for a value but the known answers, and random messages show what needs no
//! second opinion ([`properties`]). A driver with neither known answers nor another driver does not serve, unless one of this
//! crate's templates made it: its parts have been tested, and the crate's tests compare the template over other parts.

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
mod vectors;

pub use extent::Extent;
pub(crate) use side::Side;
pub use vectors::{Known, Vector};

use crate::driver::{DriverRef, Type};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Tests `subject`, with the known answers of `answers` beside the built-in ones and with `reference`, another driver of the
/// same algorithm, if there is one; the error says what it failed at. A panic is a failure.
///
/// This runs while other threads wait for the outcome, so nothing here asks a registry for a driver.
pub(crate) fn run(
    subject: &Side<'_>,
    answers: &[&'static [Vector]],
    reference: Option<DriverRef>,
    extent: Extent,
) -> Result<(), String> {
    // A driver that has panicked is never used again, so that what it left behind does not matter.
    catch_unwind(AssertUnwindSafe(|| test(subject, answers, reference, extent))).unwrap_or_else(|panic| {
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
    let answers = known::check(subject, answers, extent)?;
    if subject.driver.kind == Type::Rng {
        return rng::check(subject); // two of them agree on nothing
    }
    match reference {
        Some(other) => compare::check(subject, &Side { cpu: subject.cpu, driver: &other }, extent),
        None if answers == 0 && !subject.driver.composed => {
            Err("no known answers and no other driver to test it with".to_owned())
        }
        None => properties::check(subject, extent),
    }
}

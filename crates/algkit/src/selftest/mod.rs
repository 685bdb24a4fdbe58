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
mod vectors;

pub use extent::Extent;
pub(crate) use side::Side;
pub use vectors::{Known, Vector};

use crate::driver::{Driver, DriverRef, Type};
use std::{
    cell::RefCell,
    mem::ManuallyDrop,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

/// A driver that this thread tests, and whether it was looked up meanwhile, which only its own code can have done.
struct UnderTest {
    driver: *const Driver,
    looked_up: bool,
}

thread_local! {
    /// The innermost test comes last: a driver's code may look up other drivers. Without a test the list has no memory,
    /// so a thread's end has nothing to drop: a destructor would tie the thread to the library.
    static UNDER_TEST: RefCell<ManuallyDrop<Vec<UnderTest>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Whether this thread is testing `driver`. Then to wait for the outcome would be to wait forever.
pub(crate) fn is_under_test_here(driver: &Driver) -> bool {
    UNDER_TEST.with_borrow_mut(|tests| {
        let test = tests.iter_mut().find(|test| ptr::eq(test.driver, driver));
        test.map(|test| test.looked_up = true).is_some()
    })
}

/// Tests `subject` with the built-in known answers, those of `answers`, and `reference`, another driver of the same
/// algorithm, if there is one. The error says what failed. A panic is a failure.
///
/// Other threads wait meanwhile for the outcome, so nothing here may look up drivers in a registry.
pub(crate) fn run(
    subject: &Side<'_>,
    answers: &[&'static [Vector]],
    reference: Option<DriverRef>,
    extent: Extent,
) -> Result<(), String> {
    UNDER_TEST.with_borrow_mut(|tests| tests.push(UnderTest { driver: subject.driver, looked_up: false }));
    // A driver that panicked is never used again, so the state that it left does not matter.
    let outcome = catch_unwind(AssertUnwindSafe(|| test(subject, answers, reference, extent)));
    let own = UNDER_TEST.with_borrow_mut(|tests| {
        let own = tests.pop();
        if tests.is_empty() {
            **tests = Vec::new();
        }
        own
    });
    if own.is_some_and(|own| own.looked_up) {
        return Err("looks up a name that it serves itself".to_owned());
    }
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

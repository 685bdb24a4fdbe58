//! The entropy of the operating system.
//!
//! It can be missing for a while: early in the boot, or where a sandbox forbids the system call. That is no defect of the
//! driver that wanted it, so a self-test in which it was missing has no outcome.

use std::cell::Cell;

/// Why a call fails for which there is no entropy.
pub(crate) const MISSING: &str = "the operating system gives no entropy";

thread_local! {
    /// How often entropy was missing in this thread.
    static MISSES: Cell<u64> = const { Cell::new(0) };

    /// Whether it is missing, for tests.
    #[cfg(test)]
    static WITHHELD: Cell<bool> = const { Cell::new(false) };
}

/// Fills `out` from the operating system's generator (`getrandom`), once that has been seeded. The error is [`MISSING`].
#[cfg(feature = "rng")]
pub(crate) fn fill(out: &mut [u8]) -> Result<(), &'static str> {
    #[cfg(test)]
    let withheld = WITHHELD.get();
    #[cfg(not(test))]
    let withheld = false;
    if !withheld && getrandom::fill(out).is_ok() {
        return Ok(());
    }
    MISSES.set(MISSES.get().wrapping_add(1));
    Err(MISSING)
}

/// Calls `work`; returns its result, and whether entropy was missing meanwhile.
pub(crate) fn watched<R>(work: impl FnOnce() -> R) -> (R, bool) {
    let before = MISSES.get();
    let result = work();
    (result, MISSES.get() != before)
}

/// Calls `work`, for which there is no entropy.
#[cfg(test)]
pub(crate) fn withheld<R>(work: impl FnOnce() -> R) -> R {
    WITHHELD.set(true);
    let result = work();
    WITHHELD.set(false);
    result
}

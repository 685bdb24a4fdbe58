//! The extent of a self-test.

/// How much a self-test covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Extent {
    /// Known answers and a few random comparisons, in under a millisecond.
    Short,
    /// Every layout and many more random comparisons.
    Long,
}

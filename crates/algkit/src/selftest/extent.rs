//! How long a self-test takes.

/// How much a self-test does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Known answers and a few random comparisons, in under a millisecond.
    Short,
    /// Every layout, and many more random comparisons.
    Long,
}

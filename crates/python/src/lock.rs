//! The interpreter's lock.

use pyo3::Python;

/// Shorter texts are done before another thread would have woken. hashlib has the same limit.
pub(crate) const LONG: usize = 2048;

/// Calls `work`, without the interpreter's lock if `work` processes a long text.
pub(crate) fn released<T: Send>(py: Python<'_>, len: usize, work: impl FnOnce() -> T + Send) -> T {
    if len < LONG { work() } else { py.detach(work) }
}

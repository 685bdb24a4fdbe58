//! The interpreter's lock.

use pyo3::Python;

/// Texts of fewer bytes are done before another thread would have woken. hashlib draws the line at the same length.
pub(crate) const LONG: usize = 2048;

/// Calls `work`; other threads run meanwhile if it is about a text of many bytes.
pub(crate) fn released<T: Send>(py: Python<'_>, len: usize, work: impl FnOnce() -> T + Send) -> T {
    if len < LONG { work() } else { py.detach(work) }
}

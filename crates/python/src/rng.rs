//! Random bytes.

use crate::{
    buffer::{Source, Target},
    error::exception,
};
use pyo3::{exceptions::PyOverflowError, prelude::*, types::PyBytes};

#[pyclass(frozen, module = "algkit")]
pub(crate) struct Rng(::algkit::Rng);

#[pyfunction]
#[pyo3(signature = (name="stdrng", seed=None, /))]
pub(crate) fn rng(name: &str, seed: Option<Source>) -> PyResult<Rng> {
    let seed = seed.as_ref().map_or(&[][..], Source::bytes);
    ::algkit::rng(name).and_then(|rng| rng.key(seed)).map(Rng).map_err(exception)
}

#[pyfunction]
#[pyo3(signature = (size, /))]
pub(crate) fn random_bytes(py: Python<'_>, size: usize) -> PyResult<Bound<'_, PyBytes>> {
    rng("stdrng", None)?.bytes(py, size)
}

impl Rng {
    /// Fills a buffer. A thread waits for the generator's lock without holding the interpreter's.
    fn generate(&self, py: Python<'_>, out: &mut [u8]) -> PyResult<()> {
        py.detach(|| self.0.generate(&[], out)).map_err(exception)
    }
}

#[pymethods]
impl Rng {
    #[getter]
    fn name(&self) -> &str {
        &self.0.driver().name
    }

    #[getter]
    fn driver(&self) -> &str {
        &self.0.driver().driver
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }

    #[pyo3(signature = (size, /))]
    fn bytes<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        // Python's own function would take such a size as negative, and call that an internal error.
        if isize::try_from(size).is_err() {
            return Err(PyOverflowError::new_err(format!("{size} bytes are more than a `bytes` object can have")));
        }
        PyBytes::new_with(py, size, |out| self.generate(py, out))
    }

    #[pyo3(signature = (buffer, /))]
    fn fill(&self, py: Python<'_>, mut buffer: Target) -> PyResult<()> {
        self.generate(py, buffer.whole())
    }
}

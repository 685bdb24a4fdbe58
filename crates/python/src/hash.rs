//! Hashes and MACs, with the methods of `hashlib`.

use crate::{
    buffer::{Items, Source},
    error::{InvalidTag, exception},
    lock::{LONG, released},
};
use ::algkit::{
    State,
    batch::{self, Request},
};
use pyo3::{prelude::*, sync::MutexExt, types::PyBytes};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[pyclass(frozen, module = "algkit")]
pub(crate) struct Hash {
    hash: Arc<::algkit::Hash>,
    state: Mutex<State>,
}

fn keyed(name: &str, key: Option<&Source>) -> Result<::algkit::Hash, ::algkit::Error> {
    let hash = ::algkit::hash(name)?;
    match key {
        Some(key) => hash.key(key.bytes()),
        None => hash.unkeyed(),
    }
}

#[pyfunction]
#[pyo3(signature = (name, data=None, /, *, key=None))]
pub(crate) fn hash(py: Python<'_>, name: &str, data: Option<Source>, key: Option<Source>) -> PyResult<Hash> {
    let hash = keyed(name, key.as_ref()).map_err(exception)?;
    let hash = Hash { state: Mutex::new(hash.start()), hash: Arc::new(hash) };
    if let Some(data) = data {
        hash.update(py, data);
    }
    Ok(hash)
}

#[pyfunction]
#[pyo3(signature = (name, messages, /, *, key=None))]
pub(crate) fn digest_many<'py>(
    py: Python<'py>,
    name: &str,
    messages: Items<Source>,
    key: Option<Source>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let Items(messages) = messages;
    let hash = keyed(name, key.as_ref()).map_err(exception)?;
    let mut digests = vec![vec![0; hash.digest_size()]; messages.len()];
    released(py, messages.iter().map(Source::len).sum(), || {
        let messages = messages.iter().zip(&mut digests);
        batch::each(messages.map(|(message, out)| Request::digest(&hash, message.bytes(), out)), |result| result)
    })
    .map_err(exception)?;
    Ok(digests.iter().map(|digest| PyBytes::new(py, digest)).collect())
}

impl Hash {
    /// The state. A thread that waits while another works on it releases the interpreter's lock, so that all others run.
    fn state(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn finished(&self, py: Python<'_>) -> Vec<u8> {
        self.state(py).clone().finish()
    }
}

#[pymethods]
impl Hash {
    #[getter]
    fn name(&self) -> &str {
        &self.hash.driver().name
    }

    #[getter]
    fn driver(&self) -> &str {
        &self.hash.driver().driver
    }

    #[getter]
    fn digest_size(&self) -> usize {
        self.hash.digest_size()
    }

    #[getter]
    fn block_size(&self) -> usize {
        self.hash.driver().shape.blocksize
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.hash)
    }

    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: Source) {
        if data.len() < LONG {
            return self.state(py).update(data.bytes());
        }
        // The state is locked after the interpreter's lock is released: who waits for it holds nothing that another thread waits for.
        py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).update(data.bytes()));
    }

    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.finished(py))
    }

    fn hexdigest(&self, py: Python<'_>) -> String {
        self.finished(py).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn copy(&self, py: Python<'_>) -> Self {
        Self { hash: Arc::clone(&self.hash), state: Mutex::new(self.state(py).clone()) }
    }

    #[pyo3(signature = (tag, /))]
    fn verify(&self, py: Python<'_>, tag: Source) -> PyResult<()> {
        use subtle::ConstantTimeEq;
        if self.finished(py).ct_eq(tag.bytes()).into() {
            Ok(())
        } else {
            Err(InvalidTag::new_err("the tag is another"))
        }
    }
}

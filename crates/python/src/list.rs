//! The drivers, with the fields of `algkit list --json`.

use crate::error::exception;
use ::algkit::{Driver, Registry, Type};
use pyo3::{prelude::*, types::PyDict};

#[pyfunction]
#[pyo3(signature = (name=None, /))]
pub(crate) fn list<'py>(py: Python<'py>, name: Option<&str>) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let registry = Registry::global().map_err(exception)?;
    let drivers = match name {
        Some(name) => registry.drivers_of(name).map_err(exception)?,
        None => registry.drivers(),
    };
    drivers.iter().map(|driver| row(py, registry, driver)).collect()
}

fn row<'py>(py: Python<'py>, registry: &Registry, driver: &Driver) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", &driver.name)?;
    row.set_item("driver", &driver.driver)?;
    row.set_item("type", driver.kind.to_string())?;
    row.set_item("priority", driver.priority())?;
    row.set_item("timing", driver.timing.to_string())?;
    row.set_item("cpu", driver.needs.iter().map(|feature| feature.name()).collect::<Vec<_>>())?;
    row.set_item("usable", registry.is_usable(driver))?;
    row.set_item("selftest", driver.selftest().to_string())?;
    let shape = &driver.shape;
    let is = |kind| driver.kind == kind;
    // The key of a random number generator is its seed.
    let keyed = shape.keys.max() > 0 && !is(Type::Rng);
    for (field, applies, value) in [
        ("blocksize", !is(Type::Rng), shape.blocksize),
        ("min_keysize", keyed, shape.keys.min()),
        // If any length is accepted, there is no maximum.
        ("max_keysize", keyed && shape.keys.max() < usize::MAX, shape.keys.max()),
        ("ivsize", is(Type::Skcipher) || is(Type::Aead), shape.ivsize),
        ("maxauthsize", is(Type::Aead), shape.tags.max()),
        ("digestsize", is(Type::Hash), shape.digestsize),
    ] {
        if applies {
            row.set_item(field, value)?;
        }
    }
    Ok(row)
}

//! Errors as exceptions.

use pyo3::{PyErr, create_exception, exceptions::PyValueError};

create_exception!(algkit, Error, PyValueError, "A name, a key or a length that is wrong; the text names it.");
create_exception!(
    algkit,
    InvalidTag,
    Error,
    "The text is not authentic: its tag, or what it is a tag of, was changed."
);

/// The exception for an error of the library.
pub(crate) fn exception(error: algkit::Error) -> PyErr {
    match error {
        algkit::Error::Authentication => InvalidTag::new_err(error.to_string()),
        error => Error::new_err(error.with_suggestion()),
    }
}

//! The Python module `algkit`. Its interface is documented in `algkit.pyi`; the tests compare the signatures there with the module's.
//!
//! | module | what it has |
//! | --- | --- |
//! | `buffer` | the caller's memory, through the buffer protocol |
//! | `error` | algkit's errors as exceptions |
//! | `lock` | the interpreter's lock, released for long texts |
//! | `aead`, `skcipher`, `hash`, `rng`, `list` | a class or function each |
#![allow(missing_docs, reason = "the documentation is that of algkit.pyi")]

mod aead;
mod buffer;
mod error;
mod hash;
mod list;
mod lock;
mod rng;
mod skcipher;

use pyo3::prelude::*;

#[pymodule]
mod algkit {
    #[pymodule_export]
    use crate::{
        aead::{Aead, aead},
        error::{Error, InvalidTag},
        hash::{Hash, digest_many, hash},
        list::list,
        rng::{Rng, random_bytes, rng},
        skcipher::{Skcipher, skcipher},
    };

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "it is a name of Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

//! Ciphers in a mode, which do not authenticate.

use crate::{
    buffer::{Items, Source, Target, copied, zeros},
    error::{Error, exception},
    lock::released,
};
use ::algkit::{
    Direction, Text,
    batch::{self, Request},
    sectors::{SectorIv, Sectors},
};
use pyo3::{prelude::*, types::PyBytes};

#[pyclass(frozen, module = "algkit")]
pub(crate) struct Skcipher(::algkit::Skcipher);

#[pyfunction]
#[pyo3(signature = (name, key, /))]
pub(crate) fn skcipher(name: &str, key: Source) -> PyResult<Skcipher> {
    ::algkit::skcipher(name).and_then(|cipher| cipher.key(key.bytes())).map(Skcipher).map_err(exception)
}

/// Checks and converts the arguments that all functions of sectors have.
fn sectors(first: u64, sector_size: usize, iv: &str, step: u64) -> PyResult<Sectors> {
    let iv = match iv {
        "null" => SectorIv::Null,
        "plain" => SectorIv::Plain,
        "plain64" => SectorIv::Plain64,
        "plain64be" => SectorIv::Plain64be,
        "benbi" => SectorIv::Benbi,
        _ => return Err(Error::new_err(format!("`iv` is one of null, plain, plain64, plain64be, benbi, not `{iv}`"))),
    };
    if step == 0 {
        return Err(Error::new_err("`step` is 0: all sectors would have the same IV"));
    }
    Ok(Sectors::new(first, sector_size).iv(iv).step(step))
}

impl Skcipher {
    fn crypt<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        iv: &Source,
        data: &Source,
    ) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, data.len(), |out| {
            released(py, data.len(), || self.once(direction, iv.bytes(), Text::new(data.bytes(), out)?))
                .map_err(exception)
        })
    }

    fn crypt_into(
        &self,
        py: Python<'_>,
        direction: Direction,
        iv: &Source,
        data: &Source,
        mut out: Target,
    ) -> PyResult<()> {
        out.check_len(data.len())?;
        out.check_disjoint(iv, "iv")?;
        let (text, ..) = out.text(data, data.len())?;
        released(py, data.len(), || self.once(direction, iv.bytes(), text)).map_err(exception)
    }

    fn once(&self, direction: Direction, iv: &[u8], text: Text<'_>) -> Result<(), ::algkit::Error> {
        match direction {
            Direction::Encrypt => self.0.encrypt_once(iv, text),
            Direction::Decrypt => self.0.decrypt_once(iv, text),
        }
    }

    fn crypt_sectors<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        sectors: Sectors,
        data: &Source,
    ) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, data.len(), |out| {
            released(py, data.len(), || {
                out.copy_from_slice(data.bytes());
                sectors.crypt(&self.0, direction, out)
            })
            .map_err(exception)
        })
    }

    fn crypt_sectors_in(
        &self,
        py: Python<'_>,
        direction: Direction,
        sectors: Sectors,
        mut buffer: Target,
    ) -> PyResult<()> {
        let buffer = buffer.whole();
        released(py, buffer.len(), || sectors.crypt(&self.0, direction, buffer)).map_err(exception)
    }

    fn crypt_many<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        messages: &[(Source, Source)],
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.0.check_once(direction).map_err(exception)?;
        let mut ivs = messages.iter().map(|(iv, _)| copied(iv)).collect::<PyResult<Vec<_>>>()?;
        let mut texts = messages.iter().map(|(_, data)| zeros(data.len())).collect::<PyResult<Vec<_>>>()?;
        released(py, texts.iter().map(Vec::len).sum(), || {
            let mut requests = Vec::with_capacity(messages.len());
            for (((_, data), iv), out) in messages.iter().zip(&mut ivs).zip(&mut texts) {
                requests.push(Request::crypt(&self.0, direction, iv, Text::new(data.bytes(), out)?));
            }
            batch::run(&mut requests).check()
        })
        .map_err(exception)?;
        Ok(texts.iter().map(|text| PyBytes::new(py, text)).collect())
    }
}

#[pymethods]
impl Skcipher {
    #[getter]
    fn name(&self) -> &str {
        &self.0.driver().name
    }

    #[getter]
    fn driver(&self) -> &str {
        &self.0.driver().driver
    }

    #[getter]
    fn iv_size(&self) -> usize {
        self.0.driver().shape.ivsize
    }

    #[getter]
    fn block_size(&self) -> usize {
        self.0.driver().shape.blocksize
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }

    #[pyo3(signature = (iv, data, /))]
    fn encrypt<'py>(&self, py: Python<'py>, iv: Source, data: Source) -> PyResult<Bound<'py, PyBytes>> {
        self.crypt(py, Direction::Encrypt, &iv, &data)
    }

    #[pyo3(signature = (iv, data, /))]
    fn decrypt<'py>(&self, py: Python<'py>, iv: Source, data: Source) -> PyResult<Bound<'py, PyBytes>> {
        self.crypt(py, Direction::Decrypt, &iv, &data)
    }

    #[pyo3(signature = (iv, data, out, /))]
    fn encrypt_into(&self, py: Python<'_>, iv: Source, data: Source, out: Target) -> PyResult<()> {
        self.crypt_into(py, Direction::Encrypt, &iv, &data, out)
    }

    #[pyo3(signature = (iv, data, out, /))]
    fn decrypt_into(&self, py: Python<'_>, iv: Source, data: Source, out: Target) -> PyResult<()> {
        self.crypt_into(py, Direction::Decrypt, &iv, &data, out)
    }

    #[pyo3(signature = (messages, /))]
    fn encrypt_many<'py>(
        &self,
        py: Python<'py>,
        messages: Items<(Source, Source)>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.crypt_many(py, Direction::Encrypt, &messages.0)
    }

    #[pyo3(signature = (messages, /))]
    fn decrypt_many<'py>(
        &self,
        py: Python<'py>,
        messages: Items<(Source, Source)>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.crypt_many(py, Direction::Decrypt, &messages.0)
    }

    #[pyo3(signature = (first, data, /, *, sector_size=512, iv="plain64", step=1))]
    fn encrypt_sectors<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        data: Source,
        sector_size: usize,
        iv: &str,
        step: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.crypt_sectors(py, Direction::Encrypt, sectors(first, sector_size, iv, step)?, &data)
    }

    #[pyo3(signature = (first, data, /, *, sector_size=512, iv="plain64", step=1))]
    fn decrypt_sectors<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        data: Source,
        sector_size: usize,
        iv: &str,
        step: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.crypt_sectors(py, Direction::Decrypt, sectors(first, sector_size, iv, step)?, &data)
    }

    #[pyo3(signature = (first, buffer, /, *, sector_size=512, iv="plain64", step=1))]
    fn encrypt_sectors_in(
        &self,
        py: Python<'_>,
        first: u64,
        buffer: Target,
        sector_size: usize,
        iv: &str,
        step: u64,
    ) -> PyResult<()> {
        self.crypt_sectors_in(py, Direction::Encrypt, sectors(first, sector_size, iv, step)?, buffer)
    }

    #[pyo3(signature = (first, buffer, /, *, sector_size=512, iv="plain64", step=1))]
    fn decrypt_sectors_in(
        &self,
        py: Python<'_>,
        first: u64,
        buffer: Target,
        sector_size: usize,
        iv: &str,
        step: u64,
    ) -> PyResult<()> {
        self.crypt_sectors_in(py, Direction::Decrypt, sectors(first, sector_size, iv, step)?, buffer)
    }
}

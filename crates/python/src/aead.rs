//! Authenticated encryption.

use crate::{
    buffer::{Items, Source, Target, zeros},
    error::{Error, exception},
    lock::released,
};
use ::algkit::{
    Text,
    batch::{self, Request},
};
use pyo3::{prelude::*, types::PyBytes};

#[pyclass(frozen, module = "algkit")]
pub(crate) struct Aead(::algkit::Aead);

#[pyfunction]
#[pyo3(signature = (name, key, /))]
pub(crate) fn aead(name: &str, key: Source) -> PyResult<Aead> {
    ::algkit::aead(name).and_then(|aead| aead.key(key.bytes())).map(Aead).map_err(exception)
}

impl Aead {
    fn tag_len(&self) -> usize {
        self.0.max_tag_len()
    }

    /// The length of the text in `len` sealed bytes.
    fn text_len(&self, len: usize) -> PyResult<usize> {
        let tag_len = self.tag_len();
        len.checked_sub(tag_len)
            .ok_or_else(|| Error::new_err(format!("`data` has {len} bytes, and the tag alone has {tag_len}")))
    }
}

#[pymethods]
impl Aead {
    #[getter]
    fn name(&self) -> &str {
        &self.0.driver().name
    }

    #[getter]
    fn driver(&self) -> &str {
        &self.0.driver().driver
    }

    #[getter]
    fn nonce_size(&self) -> usize {
        self.0.driver().shape.ivsize
    }

    #[getter]
    fn tag_size(&self) -> usize {
        self.tag_len()
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }

    #[pyo3(signature = (nonce, data, assoc=None, /))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        nonce: Source,
        data: Source,
        assoc: Option<Source>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let assoc = assoc.as_ref().map_or(&[][..], Source::bytes);
        PyBytes::new_with(py, data.len() + self.tag_len(), |out| {
            let (text, tag) = out.split_at_mut(data.len());
            released(py, data.len(), || self.0.encrypt(nonce.bytes(), &[assoc], Text::new(data.bytes(), text)?, tag))
                .map_err(exception)
        })
    }

    #[pyo3(signature = (nonce, data, assoc=None, /))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        nonce: Source,
        data: Source,
        assoc: Option<Source>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let assoc = assoc.as_ref().map_or(&[][..], Source::bytes);
        let (text, tag) = data.bytes().split_at(self.text_len(data.len())?);
        PyBytes::new_with(py, text.len(), |out| {
            released(py, text.len(), || self.0.decrypt(nonce.bytes(), &[assoc], Text::new(text, out)?, tag))
                .map_err(exception)
        })
    }

    #[pyo3(signature = (nonce, data, out, assoc=None, /))]
    fn seal_into(
        &self,
        py: Python<'_>,
        nonce: Source,
        data: Source,
        mut out: Target,
        assoc: Option<Source>,
    ) -> PyResult<()> {
        out.check_len(data.len() + self.tag_len())?;
        out.check_disjoint(&nonce, "nonce")?;
        assoc.as_ref().map_or(Ok(()), |assoc| out.check_disjoint(assoc, "assoc"))?;
        let assoc = assoc.as_ref().map_or(&[][..], Source::bytes);
        let (text, _, tag) = out.text(&data, data.len())?;
        released(py, data.len(), || self.0.encrypt(nonce.bytes(), &[assoc], text, tag)).map_err(exception)
    }

    #[pyo3(signature = (nonce, data, out, assoc=None, /))]
    fn open_into(
        &self,
        py: Python<'_>,
        nonce: Source,
        data: Source,
        mut out: Target,
        assoc: Option<Source>,
    ) -> PyResult<()> {
        let len = self.text_len(data.len())?;
        out.check_len(len)?;
        out.check_disjoint(&nonce, "nonce")?;
        assoc.as_ref().map_or(Ok(()), |assoc| out.check_disjoint(assoc, "assoc"))?;
        let assoc = assoc.as_ref().map_or(&[][..], Source::bytes);
        let (text, tag, _) = out.text(&data, len)?;
        released(py, len, || self.0.decrypt(nonce.bytes(), &[assoc], text, tag)).map_err(exception)
    }

    #[pyo3(signature = (messages, /))]
    fn seal_many<'py>(
        &self,
        py: Python<'py>,
        messages: Items<(Source, Source, Source)>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let Items(messages) = messages;
        let sealed = messages.iter().map(|(_, data, _)| zeros(data.len() + self.tag_len()));
        let mut sealed = sealed.collect::<PyResult<Vec<_>>>()?;
        released(py, sealed.iter().map(Vec::len).sum(), || {
            let mut requests = Vec::with_capacity(messages.len());
            for ((nonce, data, assoc), out) in messages.iter().zip(&mut sealed) {
                let (text, tag) = out.split_at_mut(data.len());
                let text = Text::new(data.bytes(), text)?;
                requests.push(Request::seal(&self.0, nonce.bytes(), assoc.bytes(), text, tag));
            }
            batch::run(&mut requests).check()
        })
        .map_err(exception)?;
        Ok(sealed.iter().map(|sealed| PyBytes::new(py, sealed)).collect())
    }

    #[pyo3(signature = (messages, /))]
    fn open_many<'py>(
        &self,
        py: Python<'py>,
        messages: Items<(Source, Source, Source)>,
    ) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
        let Items(messages) = messages;
        let lens = messages.iter().map(|(_, data, _)| self.text_len(data.len())).collect::<PyResult<Vec<_>>>()?;
        let mut opened = lens.iter().map(|len| zeros(*len)).collect::<PyResult<Vec<_>>>()?;
        let authentic = released(py, lens.iter().sum(), || {
            let mut requests = Vec::with_capacity(messages.len());
            for ((nonce, data, assoc), out) in messages.iter().zip(&mut opened) {
                let (text, tag) = data.bytes().split_at(out.len());
                requests.push(Request::open(&self.0, nonce.bytes(), assoc.bytes(), Text::new(text, out)?, tag));
            }
            batch::run(&mut requests)
                .map(|result| match result {
                    Ok(()) => Ok(true),
                    Err(::algkit::Error::Authentication) => Ok(false),
                    Err(error) => Err(error),
                })
                .collect::<Result<Vec<_>, _>>()
        })
        .map_err(exception)?;
        Ok(opened.iter().zip(authentic).map(|(opened, right)| right.then(|| PyBytes::new(py, opened))).collect())
    }
}

//! The caller's memory, through the buffer protocol.
//!
//! A buffer that is held cannot be freed or resized. But another thread of the program can write to it while this one works on it without
//! the interpreter's lock. The caller has to prevent that, as with every other module that releases the lock, such as hashlib; `algkit.pyi`
//! says so.
#![allow(unsafe_code)]

use crate::error::Error;
use algkit::Text;
use pyo3::{Borrowed, conversion::FromPyObjectOwned, exceptions::PyMemoryError, ffi, prelude::*, types::PySequence};
use std::{ffi::c_int, ops::Range, ptr::NonNull, slice};

/// A contiguous buffer: its address, its length, and the object that keeps it.
struct Held {
    start: NonNull<u8>,
    len: usize,
    /// Its address stays, since the object may have made it refer to itself.
    buffer: Box<ffi::Py_buffer>,
}

// SAFETY: the memory is that of an object which `buffer` keeps alive, whatever thread looks at it.
unsafe impl Send for Held {}
// SAFETY: as above; nothing is written through a shared reference.
unsafe impl Sync for Held {}

impl Held {
    /// With these flags the object gives contiguous bytes, or refuses. They leave out the shape, which some objects lack: scalars and structures
    /// of ctypes.
    fn new(object: Borrowed<'_, '_, PyAny>, flags: c_int) -> PyResult<Self> {
        let mut buffer = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object exists, and there is room for the buffer.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &mut *buffer, flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        let len = buffer.len as usize;
        // An empty buffer may have no address.
        let start = NonNull::new(buffer.buf.cast()).filter(|_| len > 0).unwrap_or(NonNull::dangling());
        Ok(Self { start, len, buffer })
    }

    /// The addresses, to compare with others.
    fn addresses(&self) -> Range<usize> {
        let start = self.start.as_ptr() as usize;
        start..start + self.len
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.addresses(), other.addresses());
        a.start.max(b.start) < a.end.min(b.end)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: `new` has filled the buffer. If there is no interpreter any more, it holds nothing.
        Python::try_attach(|_| unsafe { ffi::PyBuffer_Release(&mut *self.buffer) });
    }
}

/// A buffer that is read: `bytes`, `bytearray`, `memoryview`, `mmap`, an array.
pub(crate) struct Source(Held);

impl<'a, 'py> FromPyObject<'a, 'py> for Source {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Held::new(object, ffi::PyBUF_SIMPLE).map(Self)
    }
}

impl Source {
    pub(crate) fn len(&self) -> usize {
        self.0.len
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.part(0..self.0.len)
    }

    /// A range of the bytes, so that the other bytes can be written at the same time.
    fn part(&self, range: Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.0.len);
        // SAFETY: the range lies in the memory that `buffer` holds. `Target::whole` is the only one to make a reference to write with, and
        // `Target::text` and `Target::apart` refuse a target that overlaps what is read.
        unsafe { slice::from_raw_parts(self.0.start.as_ptr().add(range.start), range.end - range.start) }
    }
}

/// Zeros for an output. What does not fit into memory is an exception, as everywhere in Python.
pub(crate) fn zeros(len: usize) -> PyResult<Vec<u8>> {
    let mut zeros = room(len)?;
    zeros.resize(len, 0);
    Ok(zeros)
}

/// A copy, likewise.
pub(crate) fn copied(source: &Source) -> PyResult<Vec<u8>> {
    let mut copy = room(source.len())?;
    copy.extend_from_slice(source.bytes());
    Ok(copy)
}

fn room(len: usize) -> PyResult<Vec<u8>> {
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|_| PyMemoryError::new_err(()))?;
    Ok(room)
}

/// The items of a sequence. pyo3's own `Vec` reserves memory for as many items as the sequence claims to have, and the process ends if there
/// is not as much: `range(10**12)` is enough.
pub(crate) struct Items<T>(pub(crate) Vec<T>);

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Items<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let items = object.cast::<PySequence>()?.try_iter()?;
        items.map(|item| item?.extract().map_err(Into::into)).collect::<PyResult<_>>().map(Self)
    }
}

/// A buffer that is written: a `bytearray`, or a writable `memoryview`, `mmap` or array.
pub(crate) struct Target(Held);

impl<'a, 'py> FromPyObject<'a, 'py> for Target {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Held::new(object, ffi::PyBUF_WRITABLE).map(Self)
    }
}

impl Target {
    pub(crate) fn check_len(&self, want: usize) -> PyResult<()> {
        if self.0.len == want {
            return Ok(());
        }
        Err(Error::new_err(format!("`out` has {} bytes, not {want}", self.0.len)))
    }

    /// Refuses a source that overlaps this buffer.
    pub(crate) fn check_disjoint(&self, source: &Source, name: &str) -> PyResult<()> {
        if self.0.overlaps(&source.0) { Err(Error::new_err(format!("`{name}` overlaps `out`"))) } else { Ok(()) }
    }

    /// All bytes of a target that overlaps no source.
    pub(crate) fn whole(&mut self) -> &mut [u8] {
        // SAFETY: `buffer` holds this memory. It is writable, and borrowed as long as the slice; no slice of a source that overlaps it is
        // there, as `text` and `check_disjoint` have seen to.
        unsafe { slice::from_raw_parts_mut(self.0.start.as_ptr(), self.0.len) }
    }

    /// Splits `source` and this buffer after `len` bytes. Returns the text, which is read from `source` and written here, and both rests.
    /// The buffers begin at the same address, or do not overlap.
    pub(crate) fn text<'a>(
        &'a mut self,
        source: &'a Source,
        len: usize,
    ) -> PyResult<(Text<'a>, &'a [u8], &'a mut [u8])> {
        let in_place = self.0.start == source.0.start && len > 0;
        // In place, what is written ends where the rest of the source begins, or the source has no rest.
        if in_place && self.0.len > len && source.0.len > len || !in_place && self.0.overlaps(&source.0) {
            return Err(Error::new_err("`out` overlaps `data` and begins elsewhere"));
        }
        let (dst, rest) = self.whole().split_at_mut(len);
        let text = if in_place {
            Text::from(dst)
        } else {
            Text::new(source.part(0..len), dst).map_err(crate::error::exception)?
        };
        Ok((text, source.part(len..source.len()), rest))
    }
}

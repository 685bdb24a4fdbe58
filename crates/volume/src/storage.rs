//! Storages: what volumes lie on. Bytes are read and written at any offset.

use crate::Error;
use rustix::{
    fs::{FallocateFlags, fallocate},
    io::Errno,
};
use std::{
    fs::File,
    io::{self, Seek, SeekFrom},
    os::unix::fs::FileExt,
    sync::{Arc, PoisonError, RwLock},
};

/// Bytes that can be read at any offset, by several threads at once.
pub trait ReadAt: Send + Sync {
    /// How many bytes there are.
    fn size(&self) -> Result<u64, Error>;

    /// Fills `buf` with the bytes from `offset` on. Bytes behind the end are an error.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error>;
}

/// Bytes that can be written as well.
pub trait WriteAt: ReadAt {
    /// Writes all of `data` from `offset` on. What would go behind the end is an error.
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error>;

    /// As [`Self::write_at`], but `data` may be overwritten, so a volume can encrypt it in place.
    fn write_from(&self, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        self.write_at(offset, data)
    }

    /// Says that bytes are not needed any more. The storage may drop them; until they are written again, reading them may give any bytes.
    fn discard(&self, _offset: u64, _len: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Returns when everything that was written would survive a loss of power.
    fn sync(&self) -> Result<(), Error>;
}

/// A regular file or a block device.
impl ReadAt for File {
    fn size(&self) -> Result<u64, Error> {
        let size = || {
            let metadata = self.metadata()?;
            // The metadata of a block device says 0 bytes. Seeking to its end gives the size.
            if metadata.is_file() { Ok(metadata.len()) } else { (&*self).seek(SeekFrom::End(0)) }
        };
        size().map_err(|source| Error::Storage { what: "cannot tell the size", source })
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        let len = buf.len();
        self.read_exact_at(buf, offset).map_err(|source| match source.kind() {
            // The standard library's text is about its buffer.
            kind @ io::ErrorKind::UnexpectedEof => Error::Read { offset, len, source: kind.into() },
            _ => Error::Read { offset, len, source },
        })
    }
}

impl WriteAt for File {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.write_all_at(data, offset).map_err(|source| Error::Write { offset, len: data.len(), source })
    }

    /// Punches a hole, if the file system or the device can do that.
    fn discard(&self, offset: u64, len: u64) -> Result<(), Error> {
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match fallocate(self, hole, offset, len) {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            Err(errno) => Err(Error::Write { offset, len: len as usize, source: errno.into() }),
        }
    }

    fn sync(&self) -> Result<(), Error> {
        self.sync_data().map_err(|source| Error::Storage { what: "cannot sync", source })
    }
}

/// Bytes in memory.
#[derive(Default, Debug)]
pub struct Memory(RwLock<Vec<u8>>);

impl Memory {
    /// Takes the bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(RwLock::new(bytes))
    }

    /// Gives the bytes back.
    pub fn into_inner(self) -> Vec<u8> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadAt for Memory {
    fn size(&self) -> Result<u64, Error> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).as_slice().size()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).as_slice().read_at(offset, buf)
    }
}

impl WriteAt for Memory {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        let mut bytes = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let place = range(offset, data.len(), bytes.len()).map(|range| &mut bytes[range]);
        let outside = || Error::Write { offset, len: data.len(), source: io::ErrorKind::StorageFull.into() };
        place.ok_or_else(outside)?.copy_from_slice(data);
        Ok(())
    }

    fn sync(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl ReadAt for [u8] {
    fn size(&self) -> Result<u64, Error> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
        let outside = || Error::Read { offset, len: buf.len(), source: io::ErrorKind::UnexpectedEof.into() };
        let range = range(offset, buf.len(), self.len()).ok_or_else(outside)?;
        buf.copy_from_slice(&self[range]);
        Ok(())
    }
}

/// The range of `len` bytes from `offset` on, as indices of a slice of `size` bytes; none if it reaches beyond the slice.
fn range(offset: u64, len: usize, size: usize) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(len)?;
    (end <= size).then_some(start..end)
}

/// A reference to a storage, a box with one and a shared one are storages as well.
macro_rules! through {
    ($($kind:ty),*) => {$(
        impl<S: ReadAt + ?Sized> ReadAt for $kind {
            fn size(&self) -> Result<u64, Error> {
                (**self).size()
            }

            fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
                (**self).read_at(offset, buf)
            }
        }

        impl<S: WriteAt + ?Sized> WriteAt for $kind {
            fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
                (**self).write_at(offset, data)
            }

            fn write_from(&self, offset: u64, data: &mut [u8]) -> Result<(), Error> {
                (**self).write_from(offset, data)
            }

            fn discard(&self, offset: u64, len: u64) -> Result<(), Error> {
                (**self).discard(offset, len)
            }

            fn sync(&self) -> Result<(), Error> {
                (**self).sync()
            }
        }
    )*};
}

through!(&S, Box<S>, Arc<S>);

/// The `len` bytes from `offset` on.
pub(crate) fn read(storage: &dyn ReadAt, offset: u64, len: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; len];
    storage.read_at(offset, &mut bytes)?;
    Ok(bytes)
}

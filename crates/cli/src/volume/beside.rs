//! A header in a file of its own, beside that of the data.

use super::Named;
use crate::error::Error;
use algkit_volume::{ReadAt, WriteAt};
use std::{
    fs::File,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// The file of a header, which notes whether it has failed: the library's errors do not say which of two files that was.
pub struct Beside<'a> {
    file: &'a File,
    path: &'a Path,
    failed: AtomicBool,
}

impl<'a> Beside<'a> {
    pub fn new(file: &'a File, path: &'a Path) -> Self {
        Self { file, path, failed: AtomicBool::new(false) }
    }

    /// Adds a file's name to an error: this one's if it has failed, and else that of the data.
    pub fn error(&self, source: algkit_volume::Error, data: &Named) -> Error {
        match self.failed.load(Relaxed) {
            true => Error::Volume { path: self.path.to_owned(), source },
            false => data.error(source),
        }
    }

    fn note<T>(&self, done: Result<T, algkit_volume::Error>) -> Result<T, algkit_volume::Error> {
        self.failed.fetch_or(done.is_err(), Relaxed);
        done
    }
}

impl ReadAt for Beside<'_> {
    fn size(&self) -> Result<u64, algkit_volume::Error> {
        self.note(self.file.size())
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), algkit_volume::Error> {
        self.note(self.file.read_at(offset, buf))
    }
}

impl WriteAt for Beside<'_> {
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), algkit_volume::Error> {
        self.note(WriteAt::write_at(self.file, offset, data))
    }

    fn sync(&self) -> Result<(), algkit_volume::Error> {
        self.note(self.file.sync())
    }
}

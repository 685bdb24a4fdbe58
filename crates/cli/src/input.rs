//! The input of a command.

use crate::{error::Error, output::Identity};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::{fd::AsFd, unix::fs::FileTypeExt},
    path::Path,
};
use zeroize::Zeroizing;

/// An input file or standard input.
pub struct Input {
    file: File,
    identity: Option<Identity>,
    len: Option<u64>,
    /// The name in error messages.
    name: String,
}

impl Input {
    /// Opens `path`, or standard input.
    pub fn open(path: Option<&Path>) -> Result<Self, Error> {
        let path = path.filter(|path| *path != OsStr::new("-"));
        let name = path.map_or("standard input".to_owned(), |path| format!("`{}`", path.display()));
        let opened = match path {
            Some(path) => File::open(path),
            None => stdin(),
        };
        match opened {
            Ok(file) => Self::of(file, name),
            Err(source) => Err(Error::Read { name, source }),
        }
    }

    /// A file that is open; `name` is that in error messages.
    pub fn of(file: File, name: String) -> Result<Self, Error> {
        match file.metadata() {
            Ok(metadata) if metadata.is_dir() => Err(Error::Read { name, source: rustix::io::Errno::ISDIR.into() }),
            Ok(metadata) => {
                let len = match metadata.file_type() {
                    kind if kind.is_file() => Some(metadata.len()),
                    // The metadata of a block device says 0 bytes.
                    kind if kind.is_block_device() => end_of(&file).ok(),
                    _ => None,
                };
                Ok(Self { file, identity: Identity::of(&metadata), len, name })
            }
            Err(source) => Err(Error::Read { name, source }),
        }
    }

    /// The identity of the file, if it is a regular file.
    pub fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// The length in bytes, if it is a regular file or a block device.
    pub fn len(&self) -> Option<u64> {
        self.len
    }

    /// Reads until `buffer` is full or the input ends; returns the number of bytes read.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Read { name: self.name.clone(), source }),
            }
        }
        Ok(filled)
    }

    /// Reads the whole input, with capacity for `spare` more bytes.
    pub fn read_all(&mut self, spare: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
        let read = |source| Error::Read { name: self.name.clone(), source };
        let expected = usize::try_from(self.len.unwrap_or(0)).unwrap_or(usize::MAX).saturating_add(spare);
        let mut all = Zeroizing::new(Vec::new());
        all.try_reserve(expected).map_err(|_| read(io::ErrorKind::OutOfMemory.into()))?;
        (&self.file).read_to_end(&mut all).map_err(read)?;
        Ok(all)
    }
}

/// Standard input without a buffer: what follows is for whoever reads next, in this process or after it. Rust's own takes a closed one for an empty one.
pub fn stdin() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// The place where a file ends. It goes on being read from where it was: standard input may have been read before.
fn end_of(mut file: &File) -> io::Result<u64> {
    let here = file.stream_position()?;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(here))?;
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn asking_for_the_end_of_a_file_does_not_move_it() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"read before, and read now").unwrap();
        file.seek(SeekFrom::Start(13)).unwrap();
        assert_eq!(end_of(&file).unwrap(), 25);
        let mut rest = String::new();
        file.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "and read now");
    }
}

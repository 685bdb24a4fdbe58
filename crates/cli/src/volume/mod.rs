//! `algkit volume`: encrypted volumes.

pub mod args;
mod dump;
mod format;
mod passphrase;
mod transfer;

use crate::{answer::Answer, error::Error, out::complain};
use algkit_volume::{Header, Limits, Unlocked, Volume};
use args::{OpenTestArgs, PlaceArgs, UnlockArgs, VolumeArgs, VolumeCommand};
use std::{
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
};

pub fn run(args: &VolumeArgs) -> Result<Answer, Error> {
    match &args.command {
        VolumeCommand::Dump(args) => dump::run(args),
        VolumeCommand::Format(args) => format::run(args),
        VolumeCommand::OpenTest(args) => open_test(args),
        VolumeCommand::Read(args) => transfer::read(args),
        VolumeCommand::Write(args) => transfer::write(args),
    }
}

fn open_test(args: &OpenTestArgs) -> Result<Answer, Error> {
    let place = Place::open(&args.place, Access::Read)?;
    let (header, unlocked) = place.unlock(&args.unlock)?;
    // Opening the volume also checks the key's length against its cipher, and that the data exists.
    place.volume(&header, &unlocked)?;
    Ok(Answer::Yes)
}

/// How a file is accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// A file with its name for messages.
struct Named {
    file: File,
    path: PathBuf,
}

impl Named {
    fn open(path: &Path, access: Access) -> Result<Self, Error> {
        let name = || format!("`{}`", path.display());
        let opened = OpenOptions::new().read(true).write(access == Access::Write).open(path);
        let file = opened.map_err(|source| match access {
            Access::Read => Error::Read { name: name(), source },
            Access::Write => Error::Write { name: name(), source },
        })?;
        let is_folder = file.metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_folder {
            return Err(Error::Read { name: name(), source: std::io::ErrorKind::IsADirectory.into() });
        }
        Ok(Self { file, path: path.to_owned() })
    }

    /// Adds the file's name to an error.
    fn error(&self, source: algkit_volume::Error) -> Error {
        Error::Volume { path: self.path.clone(), source }
    }

    /// Reads the header, and prints its warnings on standard error.
    fn header(&self) -> Result<Header, Error> {
        let header = Header::read(&self.file).map_err(|error| self.error(error))?;
        for warning in header.warnings() {
            complain(&format_args!("warning: `{}`: {warning}", self.path.display()));
        }
        Ok(header)
    }
}

/// The files of a volume: its data, and its header if that is detached.
struct Place {
    data: Named,
    header: Option<Named>,
}

impl Place {
    fn open(args: &PlaceArgs, access: Access) -> Result<Self, Error> {
        let header = args.header.as_deref().map(|path| Named::open(path, Access::Read)).transpose()?;
        Ok(Self { data: Named::open(&args.image, access)?, header })
    }

    /// The file that contains the header.
    fn headed(&self) -> &Named {
        self.header.as_ref().unwrap_or(&self.data)
    }

    /// Reads the header and unlocks the volume key.
    fn unlock(&self, args: &UnlockArgs) -> Result<(Header, Unlocked), Error> {
        let headed = self.headed();
        let header = headed.header()?;
        let passphrase = passphrase::read(args, &headed.path)?;
        let unlocked = header.unlock(&headed.file, &passphrase, args.key_slot, &limits(args));
        Ok((header, unlocked.map_err(|error| headed.error(error))?))
    }

    fn volume(&self, header: &Header, unlocked: &Unlocked) -> Result<Volume<&File>, Error> {
        let volume = header.open(&self.data.file, &unlocked.key).map_err(|error| self.data.error(error))?;
        if volume.uses_tables() {
            let driver = volume.driver().unwrap_or_default();
            complain(&format_args!(
                "warning: {driver} looks up tables: others on this machine may learn the key from its timing"
            ));
        }
        Ok(volume)
    }
}

fn limits(args: &UnlockArgs) -> Limits {
    let mut limits = Limits::default();
    if let Some(memory) = args.max_memory {
        limits.memory_kib = memory >> 10;
        limits.work_kib = limits.memory_kib.saturating_mul(64);
    }
    limits.iterations = args.max_iterations.unwrap_or(limits.iterations);
    limits
}

//! `algkit volume`: encrypted volumes.

pub mod args;
mod beside;
mod dump;
mod fill;
mod format;
mod fuse2fs;
mod headers;
mod kdf;
mod keys;
mod locks;
mod loopaes;
mod mount;
mod passphrase;
mod plain;
mod programs;
mod reencrypt;
mod resize;
mod serve;
mod service;
mod steady;
mod tcrypt;
mod terminal;
pub mod tied;
#[cfg_attr(not(feature = "tls"), path = "no_tls.rs")]
mod tls;
mod transfer;
mod tree;
mod turn;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod ublk;

use crate::{answer::Answer, error::Error, out::complain, output::Identity};
use algkit::Rng;
use algkit_volume::{Header, Key, Limits, ReadAt, Unlocked, Volume};
use args::{
    OpenTestArgs, PlaceArgs, UnlockArgs, VolumeArgs, VolumeCommand,
    kind::{Format, KindArgs},
};
use locks::{How, Lock, Part};
use rustix::{
    fs::{FlockOperation, OFlags, flock},
    io::Errno,
};
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use steady::uninterrupted;

pub fn run(args: &VolumeArgs) -> Result<Answer, Error> {
    match &args.command {
        VolumeCommand::Dump(args) => dump::run(args, args.kind.format),
        VolumeCommand::TcryptDump(args) => dump::run(args, Format::Tcrypt),
        VolumeCommand::Format(args) => format::run(args),
        VolumeCommand::Fill(args) => fill::run(args),
        VolumeCommand::OpenTest(args) => open_test(args),
        VolumeCommand::AddKey(args) => keys::add(args),
        VolumeCommand::ChangeKey(args) => keys::change(args),
        VolumeCommand::RemoveKey(args) => keys::remove(args),
        VolumeCommand::KillSlot(args) => keys::kill(args),
        VolumeCommand::HeaderBackup(args) => headers::backup(args),
        VolumeCommand::HeaderRestore(args) => headers::restore(args),
        VolumeCommand::Repair(args) => headers::repair(args),
        VolumeCommand::Reencrypt(args) => reencrypt::run(args),
        VolumeCommand::Encrypt(args) => reencrypt::encrypt(args),
        VolumeCommand::Decrypt(args) => reencrypt::decrypt(args),
        VolumeCommand::Resize(args) => resize::run(args),
        VolumeCommand::Convert(args) => headers::convert(args),
        VolumeCommand::Read(args) => transfer::read(args),
        VolumeCommand::Write(args) => transfer::write(args),
        VolumeCommand::Serve(args) => serve::run(args),
        VolumeCommand::Mount(args) => mount::run(args),
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        VolumeCommand::Ublk(args) => ublk::run(args),
    }
}

fn open_test(args: &OpenTestArgs) -> Result<Answer, Error> {
    let what = match args.kind.format {
        Format::Loopaes => {
            Some("nothing on a loop-AES volume tells whether its keys are right; read its first bytes instead")
        }
        Format::Plain => {
            Some("nothing on a plain volume tells whether a passphrase is right; read its first bytes instead")
        }
        Format::Luks | Format::Tcrypt => None,
    };
    if let Some(reason) = what {
        return Err(Error::option("--type", reason));
    }
    let place = Place::open(&args.place, Access::Inspect)?;
    if args.kind.format == Format::Luks && place.data.is_backup() {
        place.data.unlock(&args.unlock)?;
        let name = place.data.path.display();
        complain(&format_args!("`{name}` is a header without data; the passphrase opens a key slot of it"));
        return Ok(Answer::Yes);
    }
    // Opening the volume also checks the key's length against its cipher, and that the data exists.
    place.volume(&place.data.file, &args.unlock, &args.kind)?;
    Ok(Answer::Yes)
}

/// The random bytes of keys and salts.
fn random() -> Result<Rng, Error> {
    Ok(algkit::rng("stdrng")?.key(&[])?)
}

/// What a file is opened for. Each but the first holds locks as long as the file is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// The header is read.
    Inspect,
    /// The data is read: its keys and its place stay as they are.
    Read,
    /// The data is written.
    Data,
    /// The header is written.
    Header,
    /// Both, and the data may get other keys, or another place.
    All,
}

impl Access {
    fn writes(self) -> bool {
        !matches!(self, Self::Inspect | Self::Read)
    }

    fn changes_header(self) -> bool {
        matches!(self, Self::Header | Self::All)
    }
}

/// A file with its name for messages.
struct Named {
    file: File,
    path: PathBuf,
    access: Access,
    /// Locks that end with this value, besides those on the file itself.
    locks: Vec<Lock>,
}

impl Named {
    fn open(path: &Path, access: Access) -> Result<Self, Error> {
        // Opening a pipe would wait for whoever writes to it.
        let kind = path.metadata().map(|metadata| metadata.file_type());
        if kind.as_ref().is_ok_and(FileTypeExt::is_fifo) {
            return Err(Error::read(path, Errno::SPIPE.into()));
        }
        let is_device = kind.is_ok_and(|kind| kind.is_block_device());
        // Linux refuses a block device that is mounted, swapped to, or mapped, or whose partitions are. A header may change meanwhile.
        let alone = is_device && matches!(access, Access::Data | Access::All);
        let flags = if alone { OFlags::EXCL.bits() as i32 } else { 0 };
        let opened = OpenOptions::new().read(true).write(access.writes()).custom_flags(flags).open(path);
        let file = opened.map_err(|source| match access {
            _ if alone && source.kind() == io::ErrorKind::ResourceBusy => {
                let reason = "it is in use: mounted, mapped, or open in a program that wants it alone".to_owned();
                Error::Busy { path: path.to_owned(), reason }
            }
            _ if !access.writes() => Error::read(path, source),
            _ => Error::write(path, source),
        })?;
        let is_folder = file.metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_folder {
            return Err(Error::read(path, Errno::ISDIR.into()));
        }
        let mut named = Self { file, path: path.to_owned(), access, locks: Vec::new() };
        named.lock_data()?;
        if access.changes_header() {
            named.lock_header(FlockOperation::NonBlockingLockExclusive)?;
        }
        Ok(named)
    }

    fn busy(&self, reason: &str) -> Error {
        Error::Busy { path: self.path.clone(), reason: reason.to_owned() }
    }

    /// Keeps others from the data. Whoever would read it with keys that change, or from a place that it leaves, would get noise, or write it.
    fn lock_data(&self) -> Result<(), Error> {
        let lock = |part, how, reason: &str| match locks::lock(&self.file, part, how) {
            true => Ok(()),
            false => Err(self.busy(reason)),
        };
        if matches!(self.access, Access::Read | Access::Data | Access::All) {
            let changing = "its data gets other keys or another place (reencrypt, encrypt, decrypt, format, resize, convert or header-restore); \
                            wait until that is done";
            lock(Part::Keys, How::Shared, changing)?;
        }
        if matches!(self.access, Access::Data | Access::All) {
            // Its readers and writers hold no locks.
            if let Some(device) = locks::loop_of(&self.file, Path::new("/sys/block")) {
                let reason = format!(
                    "{device} shows it as a block device (cryptsetup open, mount -o loop); close or unmount that"
                );
                return Err(self.busy(&reason));
            }
            let written = "another program uses its data (write, serve, mount, ublk, or qemu); wait until it is done";
            lock(Part::Data, How::Exclusive, written)?;
        }
        if self.access == Access::All {
            let read = "another program reads its data (read, serve, mount or ublk); wait until it is done, or end it";
            lock(Part::Keys, How::Exclusive, read)?;
        }
        Ok(())
    }

    /// Keeps others from the header as cryptsetup does: by a lock on the file, and if that is a block device, by one on a file that is named after
    /// the device.
    fn lock_header(&mut self, how: FlockOperation) -> Result<(), Error> {
        let busy = || self.busy("another program uses its header; wait until it is done");
        let device = locks::of_device(&self.file, how).map_err(|_| busy())?;
        if flock(&self.file, how) == Err(Errno::WOULDBLOCK) {
            return Err(busy());
        }
        self.locks.extend(device);
        Ok(())
    }

    /// Keeps cryptsetup from reencrypting the data whose header is in this file, as long as the value is kept. The header may be another one when this
    /// returns, so it is read afterwards.
    fn lock_reencryption(&self, how: FlockOperation) -> Result<Option<Lock>, Error> {
        // Of a bad header, more is said by whoever needs a good one.
        let Ok(Header::Luks2(header)) = Header::read(&self.file) else { return Ok(None) };
        locks::of_reencryption(&header.binary.uuid, how).map_err(|_| {
            self.busy(
                "a volume with its UUID is being reencrypted, or is open in another program; wait until that is done",
            )
        })
    }

    /// An error if this file, whose header this is, is to be written as `data` and is a detached header alone. The data of such a volume begins at
    /// byte 0 of its own device, so it would be written over the header.
    fn refuse_lone_header(&self, data: &Named, header: &Header) -> Result<(), Error> {
        if !std::ptr::eq(self, data) || !data.access.writes() || header.data_offset() != 0 {
            return Ok(());
        }
        let reason = format!("`{0}` is a header without data; name the image, and --header {0}", self.path.display());
        Err(Error::option("--header", reason))
    }

    /// Whether this is the backup of a header, which lies before its data otherwise.
    fn is_backup(&self) -> bool {
        let size = self.file.size().ok();
        Header::read(&self.file).is_ok_and(|header| Some(header.size()) == size && size <= Some(header.data_offset()))
    }

    /// Adds the file's name to an error.
    fn error(&self, source: algkit_volume::Error) -> Error {
        Error::Volume { path: self.path.clone(), source }
    }

    /// Reads the header. Where two copies differ, another program may be writing them, so they are read once more when it is done.
    fn read_header(&self) -> Result<Header, algkit_volume::Error> {
        /// How often the lock of a writer is tried, and the time in between. A program may also have the lock as long as it asks for a passphrase.
        const TRIES: u32 = 60;
        const PAUSE: Duration = Duration::from_millis(50);

        let header = Header::read(&self.file);
        let is_good = header.as_ref().is_ok_and(|header| header.warnings().is_empty());
        if is_good || self.access.changes_header() {
            return header;
        }
        // The lock is another file's, as that of this one may be needed for longer. Where closing that file would end this one's locks, it is not opened.
        if self.access.writes() && !locks::ARE_THE_FILES {
            return header;
        }
        if let Ok(mut other) = Self::open(&self.path, Access::Inspect) {
            for _ in 0..TRIES {
                if other.lock_header(FlockOperation::NonBlockingLockShared).is_ok() {
                    break;
                }
                thread::sleep(PAUSE);
            }
            return Header::read(&self.file);
        }
        header
    }

    /// Reads the header, and prints its warnings on standard error. An error if the file is open to be written, and has something else by now.
    fn header(&self) -> Result<Header, Error> {
        let header = self.read_header().map_err(|error| self.error(error))?;
        if let (true, Some(what)) = (self.access.writes(), header.replaced()) {
            return Err(self.error(algkit_volume::Error::Replaced(what)));
        }
        for warning in header.warnings() {
            complain(&format_args!("warning: `{}`: {warning}", self.path.display()));
        }
        Ok(header)
    }

    /// The header, and the key of the volume.
    fn unlock(&self, args: &UnlockArgs) -> Result<(Header, Unlocked), Error> {
        let header = self.header()?;
        let unlocked = self.unlocked(&header, args)?;
        Ok((header, unlocked))
    }

    /// The key of the volume with this header.
    fn unlocked(&self, header: &Header, args: &UnlockArgs) -> Result<Unlocked, Error> {
        let unlocked = match &args.volume_key_file {
            Some(file) => {
                let key = passphrase::key_file(file, None, None)?;
                header.verify(Key::new(key.to_vec()), &limits(args))
            }
            None => {
                let passphrase = passphrase::read(args, &self.path)?;
                let _turn = turn::wait(header);
                header.unlock(&self.file, &passphrase, args.key_slot, &limits(args))
            }
        };
        unlocked.map_err(|error| self.error(error))
    }
}

/// An error if the image itself is named as the file with its header: data would be written over the header, or a lock kept from its owner.
fn refuse_as_header(image: &Path, header: Option<&Path>) -> Result<(), Error> {
    match header.filter(|header| Identity::at(header).is_some_and(|header| Some(header) == Identity::at(image))) {
        Some(header) => {
            let name = header.display();
            let reason = format!(
                "`{name}` is the image itself; name another file, or leave it out if the image begins with its header"
            );
            Err(Error::option("--header", reason))
        }
        None => Ok(()),
    }
}

/// The files of a volume: its data, and its header if that is detached.
struct Place {
    data: Named,
    header: Option<Named>,
}

impl Place {
    fn open(args: &PlaceArgs, access: Access) -> Result<Self, Error> {
        if access.writes() {
            refuse_as_header(&args.image, args.header.as_deref())?;
        }
        let header = args.header.as_deref().map(|path| Named::open(path, Access::Inspect)).transpose()?;
        let mut place = Self { data: Named::open(&args.image, access)?, header };
        if access != Access::Inspect {
            let lock = place.headed().lock_reencryption(FlockOperation::NonBlockingLockShared)?;
            place.data.locks.extend(lock);
        }
        Ok(place)
    }

    /// Opens the file that contains the header, to change it.
    fn header_of(args: &PlaceArgs) -> Result<Named, Error> {
        Named::open(args.header.as_deref().unwrap_or(&args.image), Access::Header)
    }

    /// The file that contains the header.
    fn headed(&self) -> &Named {
        self.header.as_ref().unwrap_or(&self.data)
    }

    /// Opens the volume, of whatever format, on `storage`, which is the file of its data.
    fn volume<S: ReadAt>(&self, storage: S, args: &UnlockArgs, kind: &KindArgs) -> Result<Volume<S>, Error> {
        tcrypt::refuse_options(kind)?;
        plain::refuse_options(kind)?;
        let volume = match kind.format {
            Format::Luks => {
                let header = self.headed().header()?;
                self.headed().refuse_lone_header(&self.data, &header)?;
                header.openable(&storage).map_err(|error| self.data.error(error))?;
                let unlocked = self.headed().unlocked(&header, args)?;
                let headed = self.header.as_ref().map(|headed| &headed.file as &dyn ReadAt);
                header.open_with(storage, headed, &unlocked)
            }
            Format::Tcrypt if self.header.is_some() => {
                return Err(Error::option("--header", "headers of TrueCrypt and VeraCrypt are on the volume"));
            }
            Format::Tcrypt => tcrypt::unlock(&self.data, args, kind)?.open(storage),
            Format::Loopaes => Ok(loopaes::open(self, storage, args, kind)?),
            Format::Plain => Ok(plain::open(self, storage, args, kind)?),
        };
        let volume = volume.map_err(|error| self.data.error(error))?;
        if self.data.access.writes() {
            volume.writable().map_err(|error| self.data.error(error))?;
        }
        if volume.iv_repeats() {
            let name = self.data.path.display();
            complain(&format_args!("warning: `{name}`: its IVs are plain, which repeat after 2 TiB; plain64 is meant"));
        }
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

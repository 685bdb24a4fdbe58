//! Output files that appear complete or not at all.
//!
//! Where the file system supports it, the file has no name until it is complete (`O_TMPFILE`), so nothing is left
//! behind however the process ends. Elsewhere, and at the moment when a complete file replaces an older one, it has
//! a temporary name beside its destination. This name is removed on failure and on SIGHUP, SIGINT and SIGTERM.

use crate::{error::Error, signals};
use rustix::{
    fs::{AtFlags, CWD, Gid, Mode, OFlags, RenameFlags, Uid, fchown, renameat_with},
    io::Errno,
};
use signal_hook::{iterator::Signals, low_level::emulate_default_handler};
use std::{
    fs::{self, File, Permissions},
    io::{self, Write},
    os::{
        fd::{AsFd, AsRawFd},
        unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    },
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

/// The destination of a command's result.
pub struct Output {
    to: To,
    /// The name in error messages.
    name: String,
}

enum To {
    /// Standard output, or a device or pipe, which cannot be replaced by a file.
    Direct(File),
    /// A file that has no name yet.
    Nameless(File, Destination),
    /// A file with a temporary name.
    Named(File, Temporary, Destination),
}

struct Destination {
    path: PathBuf,
    /// The file that was there and is replaced. One that comes later is not.
    replaced: Option<fs::Metadata>,
    /// Whether a new file is its owner's alone.
    private: bool,
}

/// The identity of a file, independent of its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    /// Device and inode number.
    File(u64, u64),
    /// The number of a block device, whatever node it has.
    Device(u64),
}

impl Identity {
    /// The identity of a regular file or a block device. Only for these does reading and writing at once destroy data.
    pub fn of(metadata: &fs::Metadata) -> Option<Self> {
        match metadata.file_type() {
            kind if kind.is_file() => Some(Self::File(metadata.dev(), metadata.ino())),
            kind if kind.is_block_device() => Some(Self::Device(metadata.rdev())),
            _ => None,
        }
    }

    /// The same of the file at a path, if there is one.
    pub fn at(path: impl AsRef<Path>) -> Option<Self> {
        fs::metadata(path).ok().as_ref().and_then(Self::of)
    }
}

impl Output {
    /// An error if the output would take the place of a file that is `needed`, each with what it is. Without a path it is standard output.
    pub fn refuse<'a>(
        path: Option<&Path>,
        needed: impl IntoIterator<Item = (&'static str, &'a PathBuf)>,
    ) -> Result<(), Error> {
        let there = match path {
            Some(path) => fs::metadata(path),
            None => io::stdout().as_fd().try_clone_to_owned().and_then(|stdout| File::from(stdout).metadata()),
        };
        let Some(output) = there.ok().as_ref().and_then(Identity::of) else { return Ok(()) };
        match needed.into_iter().find(|(_, needed)| Identity::at(needed) == Some(output)) {
            None => Ok(()),
            Some((what, needed)) => {
                Err(Error::option("--output", format!("`{}` is {what}, and would be overwritten", needed.display())))
            }
        }
    }

    /// Writes to standard output. `input` is the file that is being read.
    pub fn stdout(input: Option<Identity>) -> Result<Self, Error> {
        let name = "standard output".to_owned();
        match io::stdout().as_fd().try_clone_to_owned().map(File::from) {
            Err(source) => Err(Error::Write { name, source }),
            Ok(file) => {
                let there = file.metadata().ok().as_ref().and_then(Identity::of);
                if there.is_some() && there == input {
                    return Err(Error::OutputIsInput(PathBuf::from("standard output")));
                }
                Ok(Self { to: To::Direct(file), name })
            }
        }
    }

    /// Writes to the file `path`. `input` is the file that is being read.
    pub fn file(path: &Path, input: Option<Identity>) -> Result<Self, Error> {
        Self::to_file(path, input, false)
    }

    /// The same for what is its owner's alone, such as a plaintext or a header. A file that is replaced keeps its permissions.
    pub fn private(path: &Path, input: Option<Identity>) -> Result<Self, Error> {
        Self::to_file(path, input, true)
    }

    fn to_file(path: &Path, input: Option<Identity>, private: bool) -> Result<Self, Error> {
        let name = format!("`{}`", path.display());
        let to = Self::open(path, input, private).map_err(|source| Error::Write { name: name.clone(), source })?;
        match to {
            Some(to) => Ok(Self { to, name }),
            None => Err(Error::OutputIsInput(path.to_owned())),
        }
    }

    /// Opens the destination; `None` if it is the input.
    fn open(path: &Path, input: Option<Identity>, private: bool) -> io::Result<Option<To>> {
        let destination = match fs::metadata(path) {
            Ok(there) => {
                if input.is_some() && Identity::of(&there) == input {
                    return Ok(None);
                }
                // Opening also checks the permission to write.
                let file = File::options().write(true).open(path)?;
                if !there.is_file() {
                    return Ok(Some(To::Direct(file)));
                }
                Destination { path: fs::canonicalize(path)?, replaced: Some(there), private }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                    return Err(Errno::ISDIR.into());
                }
                // A complete file could not take its name.
                if path.is_symlink() {
                    return Err(io::Error::other("it is a link to what is not there"));
                }
                Destination { path: path.to_owned(), replaced: None, private }
            }
            Err(error) => return Err(error),
        };
        Ok(Some(match nameless(&destination)? {
            Some(file) => To::Nameless(file, destination),
            None => {
                let (file, temporary) = Temporary::create(&destination)?;
                To::Named(file, temporary, destination)
            }
        }))
    }

    /// Whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        io::IsTerminal::is_terminal(self.handle())
    }

    /// The open file, which has not got its name yet.
    pub fn handle(&self) -> &File {
        match &self.to {
            To::Direct(file) | To::Nameless(file, _) | To::Named(file, _, _) => file,
        }
    }

    /// Writes all of `data`. A reader that has closed its end is an error, as what follows has not been read, nor its tags checked.
    pub fn write(&mut self, data: &[u8]) -> Result<(), Error> {
        self.handle().write_all(data).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Error::PipeClosed,
            _ => self.error(error),
        })
    }

    /// Gives the complete file its final name.
    pub fn finish(self) -> Result<(), Error> {
        let name = self.name;
        match self.to {
            To::Direct(_) => Ok(()),
            To::Nameless(file, destination) => destination.name(&file),
            To::Named(file, temporary, destination) => {
                destination.dress(&file).and_then(|()| temporary.rename(&destination))
            }
        }
        .map_err(|source| Error::Write { name, source })
    }

    /// The same for a file that has to be there after the power fails.
    pub fn finish_durably(self) -> Result<(), Error> {
        let folder = match &self.to {
            To::Direct(_) => None,
            To::Nameless(_, destination) | To::Named(_, _, destination) => Some(destination.folder().to_owned()),
        };
        let name = self.name.clone();
        let failed = |source| Error::Write { name: name.clone(), source };
        self.handle().sync_all().map_err(failed)?;
        self.finish()?;
        folder.map_or(Ok(()), |folder| File::open(folder).and_then(|folder| folder.sync_all())).map_err(failed)
    }

    fn error(&self, source: io::Error) -> Error {
        Error::Write { name: self.name.clone(), source }
    }
}

/// A file without a name in the destination's folder; `None` if the file system does not support this.
fn nameless(destination: &Destination) -> io::Result<Option<File>> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(destination.folder(), flags, destination.first_mode()) {
        Ok(fd) => Ok(Path::new(&proc_path(&fd)).exists().then(|| File::from(fd))),
        Err(Errno::OPNOTSUPP | Errno::INVAL | Errno::ISDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The path of a file without a name (open(2), O_TMPFILE).
fn proc_path(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

impl Destination {
    fn folder(&self) -> &Path {
        self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// The mode of the file until it is complete, to which the umask is applied. What replaces another file is for nobody else before it has that file's
    /// owner and mode.
    fn first_mode(&self) -> Mode {
        Mode::from_raw_mode(if self.private || self.replaced.is_some() { 0o600 } else { 0o666 })
    }

    /// Gives a file owner, group and mode of the one that it replaces, as far as this process may, and puts it on the disk: a power cut leaves the one or
    /// the other.
    fn dress(&self, file: &File) -> io::Result<()> {
        let Some(old) = &self.replaced else { return Ok(()) };
        let new = file.metadata()?;
        let mut mode = old.mode() & 0o7777;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            let (user, group) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
            if fchown(file, Some(user), Some(group)).is_err() {
                // It runs as nobody else, and another group may do no more than everybody.
                mode &= 0o777;
                if old.gid() != new.gid() && fchown(file, None, Some(group)).is_err() {
                    mode &= 0o707 | (mode & 0o007) << 3;
                }
            }
        }
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()
    }

    /// Gives a complete file its name.
    fn name(&self, file: &File) -> io::Result<()> {
        self.dress(file)?;
        let link = |to: &Path| rustix::fs::linkat(CWD, proc_path(file), CWD, to, AtFlags::SYMLINK_FOLLOW);
        match link(&self.path) {
            // linkat(2) does not replace an existing file, rename(2) does.
            Err(Errno::EXIST) => Temporary::with_name(self, |to| Ok(link(to)?))?.1.rename(self),
            result => Ok(result?),
        }
    }
}

/// The temporary name that currently exists. A process writes one output at a time.
static PENDING: Mutex<Option<PathBuf>> = Mutex::new(None);

fn pending() -> MutexGuard<'static, Option<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file with a temporary name, which is removed on drop.
struct Temporary(());

impl Temporary {
    /// Creates an empty file beside the destination.
    fn create(destination: &Destination) -> io::Result<(File, Self)> {
        Self::with_name(destination, |path| {
            rustix::fs::open(
                path,
                OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC,
                destination.first_mode(),
            )
            .map(File::from)
            .map_err(io::Error::from)
        })
    }

    /// Calls `make` with unused names beside the destination until it succeeds.
    fn with_name<T>(destination: &Destination, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, Self)> {
        remove_on_signals();
        let mut pending = pending();
        let made = tempfile::Builder::new().prefix(".algkit-").make_in(destination.folder(), |path| make(path))?;
        let (value, path) = made.into_parts();
        *pending = Some(path.keep()?);
        Ok((value, Self(())))
    }

    fn rename(self, to: &Destination) -> io::Result<()> {
        let mut pending = pending();
        let Some(path) = pending.as_ref() else { return Err(io::ErrorKind::Interrupted.into()) };
        let kept = if to.replaced.is_some() { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
        match renameat_with(CWD, path, CWD, &to.path, kept) {
            // Some file systems only replace.
            Err(Errno::INVAL) => fs::rename(path, &to.path)?,
            done => done?,
        }
        *pending = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&mut pending());
    }
}

fn remove(pending: &mut Option<PathBuf>) {
    if let Some(path) = pending.take() {
        // If removing fails, nobody is left to report it to.
        let _ = fs::remove_file(path);
    }
}

/// Makes signals that end the process remove the temporary name first.
fn remove_on_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without the handler the file is still removed on every other exit.
        let Ok(mut signals) = Signals::new(signals::that_end()) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let mut pending = pending();
                // Without such a name the command goes on, and answers signals in its own way if it goes on for long.
                if pending.is_some() {
                    remove(&mut pending);
                    let _ = emulate_default_handler(signal);
                }
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// One test at a time, because a process has one pending name.
    static TURN: Mutex<()> = Mutex::new(());

    #[test]
    fn a_temporary_name_is_replaced_or_removed() {
        let _turn = TURN.lock().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let open = || {
            let destination = Destination { path: path.clone(), replaced: fs::metadata(&path).ok(), private: false };
            let (file, temporary) = Temporary::create(&destination).unwrap();
            Output { to: To::Named(file, temporary, destination), name: String::new() }
        };

        let mut dropped = open();
        dropped.write(b"half").unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        drop(dropped);
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");

        let mut kept = open();
        kept.write(b"new").unwrap();
        kept.finish().unwrap();
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);

        let mut replaced = Output::file(&path, None).unwrap();
        replaced.write(b"newer").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        replaced.finish().unwrap();
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_file_that_comes_later_is_not_replaced() {
        let _turn = TURN.lock().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let destination = || Destination { path: path.clone(), replaced: None, private: false };
        let named = || {
            let (file, temporary) = Temporary::create(&destination()).unwrap();
            To::Named(file, temporary, destination())
        };
        let nameless = || To::Nameless(nameless(&destination()).unwrap().unwrap(), destination());
        for to in [&named as &dyn Fn() -> To, &nameless] {
            let output = Output { to: to(), name: String::new() };
            fs::write(&path, "another's").unwrap();
            assert!(output.finish().is_err());
            assert_eq!(
                (names(folder.path()), fs::read(&path).unwrap()),
                (vec!["out".to_owned()], b"another's".to_vec())
            );
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn what_replaces_a_file_has_its_owner_and_its_mode() {
        let _turn = TURN.lock().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let replace = |owner: Option<(u32, u32)>, mode: u32| {
            let _ = fs::remove_file(&path);
            fs::write(&path, "old").unwrap();
            let (user, group) = owner.unzip();
            std::os::unix::fs::chown(&path, user, group).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let mut output = Output::file(&path, None).unwrap();
            // Until it is complete, nobody else may look at it.
            assert_eq!(output.handle().metadata().unwrap().mode() & 0o777, 0o600);
            output.write(b"new").unwrap();
            output.finish().unwrap();
            let now = fs::metadata(&path).unwrap();
            assert_eq!((fs::read(&path).unwrap(), now.mode() & 0o7777), (b"new".to_vec(), mode));
            assert!(owner.is_none_or(|owner| owner == (now.uid(), now.gid())));
        };
        replace(None, 0o640);
        replace(None, 0o604);
        if rustix::process::geteuid().is_root() {
            replace(Some((65534, 65534)), 0o640);
        }
    }
}

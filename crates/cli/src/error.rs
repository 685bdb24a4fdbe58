//! Errors that end a command. Each message is one line that names the value that was wrong.

use crate::words;
use algkit::Type;
use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

/// An error of the command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library's error about a name, a key, an IV or a text.
    #[error(transparent)]
    Algkit(#[from] algkit::Error),
    /// A file name was given where a hash algorithm is expected.
    #[error("`{0}` is a file, not a hash algorithm; to check the digests in it: algkit dgst -c HASH --check {0}")]
    ListForHash(String),
    /// Clap's error about the arguments, in one line.
    #[error("{0}")]
    Usage(String),
    /// An option's value that clap does not check.
    #[error("{option}: {reason}")]
    Option {
        /// The option, as written on the command line.
        option: &'static str,
        /// The reason, with the wrong value (a secret value is not shown).
        reason: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {name}: {error}", error = words::reason(.source))]
    Read {
        /// The file, in quotes, or `standard input`.
        name: String,
        source: io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {name}: {error}", error = words::reason(.source))]
    Write {
        /// The file, in quotes, or `standard output`.
        name: String,
        source: io::Error,
    },
    /// The reader of the output has closed the pipe before it had everything.
    #[error("the output was closed before its end")]
    PipeClosed,
    /// The output would overwrite what is being read.
    #[error("cannot write `{}`: it is the input", .0.display())]
    OutputIsInput(PathBuf),
    /// The algorithm has a type that the command cannot use.
    #[error("`{name}` is of type {found}; expected {wanted}")]
    WrongType { name: String, found: Type, wanted: &'static str },
    /// The mode needs an IV, and none was given.
    #[error("{name}: --iv is missing, expected {} in hex", bytes(*.want as u64))]
    IvMissing {
        name: String,
        /// The IV length in bytes.
        want: usize,
    },
    /// The mode needs the message in one piece, and it is longer than the limit for memory.
    #[error(
        "{name}: input of more than {limit} bytes; the mode takes it as one message, --sector-size N makes every N bytes one"
    )]
    TooLong { name: String, limit: u64 },
    /// The sealed text is shorter than the nonce and the tag.
    #[error("{name}: input of {} is shorter than a nonce and a tag, {want}", bytes(*.got as u64))]
    NoNonce {
        name: String,
        /// The length of the input in bytes.
        got: usize,
        /// The length of nonce and tag in bytes.
        want: usize,
    },
    /// The sealed text is shorter than its tag.
    #[error("{name}: input of {} is shorter than its tag of {tag}", bytes(*.got as u64))]
    NoTag {
        name: String,
        /// The length of the input in bytes.
        got: usize,
        /// The length of the tag in bytes.
        tag: usize,
    },
    /// A volume cannot be mounted.
    #[error("cannot mount on `{}`: {reason}", .folder.display())]
    Mount { folder: PathBuf, reason: String },
    /// Not all that was written to the files in a volume is there.
    #[error("`{}`: {reason}", .folder.display())]
    Lost {
        /// The folder that showed the files.
        folder: PathBuf,
        /// What failed.
        reason: String,
    },
    /// A volume cannot be a block device.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[error("cannot show `{}` as a block device: {source}", .path.display())]
    BlockDevice {
        path: PathBuf,
        /// What the driver or the machine lacks.
        source: algkit_ublk::Error,
    },
    /// The program of `algkit run` cannot be started.
    #[error("cannot run `{program}`: {error}", program = .program.display(), error = words::reason(.source))]
    Run { program: OsString, source: io::Error },
    /// The program cannot be served in the requested way.
    #[error("cannot serve `{program}` by --via preload: {reason}", program = .program.display())]
    OutOfReach {
        program: OsString,
        /// The property that prevents it.
        reason: &'static str,
    },
    /// The supervisor failed.
    #[error("cannot serve `{program}` by --via seccomp: {source}", program = .program.display())]
    Supervise { program: OsString, source: algkit_supervisor::Error },
    /// The preload library was not found in any of these places.
    #[error("libalgkit_preload.so is not in {}; set ALGKIT_PRELOAD to its path", .0.iter().map(|place| format!("`{}`", place.display())).collect::<Vec<_>>().join(", "))]
    NoLibrary(Vec<PathBuf>),
    /// The loader would split the library's path at a space or colon.
    #[error("cannot inject `{}`: a path in LD_PRELOAD has no spaces and no colons", .0.display())]
    LibraryPath(PathBuf),
    /// The library's error about a volume.
    #[error("`{}`: {source}", .path.display())]
    Volume {
        path: PathBuf,
        /// What is wrong with the volume or with the request.
        source: algkit_volume::Error,
    },
    /// The server cannot listen for clients.
    #[error("cannot listen on {name}: {error}", error = words::reason(.source))]
    Listen {
        /// The path of the socket, or the address.
        name: String,
        source: io::Error,
    },
    /// Another program has a lock on the volume.
    #[error("`{}`: {reason}", .path.display())]
    Busy {
        path: PathBuf,
        /// What the other program uses.
        reason: String,
    },
    /// The input does not end at a sector boundary.
    #[error("input of {} is not a multiple of --sector-size {sector}", bytes(*.got))]
    PartialSector {
        /// The length of the input in bytes.
        got: u64,
        /// The sector size in bytes.
        sector: usize,
    },
}

fn bytes(n: u64) -> String {
    words::count(n, "byte")
}

impl Error {
    pub fn option(option: &'static str, reason: impl Into<String>) -> Self {
        Self::Option { option, reason: reason.into() }
    }

    pub fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { name: format!("`{}`", path.display()), source }
    }

    pub fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { name: format!("`{}`", path.display()), source }
    }

    pub fn mount(folder: &Path, reason: impl ToString) -> Self {
        Self::Mount { folder: folder.to_owned(), reason: reason.to_string() }
    }

    /// The exit status: 1 if the answer is no, 2 for bad usage or input. For a closed pipe it is that of a shell whose program SIGPIPE has killed,
    /// as `main` lets the signal do.
    pub fn status(&self) -> u8 {
        match self {
            Self::Algkit(algkit::Error::Authentication | algkit::Error::SelfTest { .. }) => 1,
            Self::Volume {
                source:
                    algkit_volume::Error::WrongPassphrase
                    | algkit_volume::Error::NoCombination { .. }
                    | algkit_volume::Error::WrongKey,
                ..
            } => 1,
            // As in env, nohup and the shells.
            Self::Run { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Run { .. } => 126,
            Self::PipeClosed => 141,
            _ => 2,
        }
    }
}

//! What ends a command early. Each message is one line that names the value that was wrong.

use crate::words;
use algkit::Type;
use std::{ffi::OsString, io, path::PathBuf};

/// An error of the command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library's word on a name, a key, an IV or a text.
    #[error(transparent)]
    Algkit(#[from] algkit::Error),
    /// A file stands where a hash algorithm is expected.
    #[error("`{0}` is a file, not a hash algorithm; to check the digests in it: algkit dgst -c HASH --check {0}")]
    ListForHash(String),
    /// Clap's word on the arguments, in one line.
    #[error("{0}")]
    Usage(String),
    /// A value that clap has no type for.
    #[error("{option}: {reason}")]
    Option {
        /// As it is written on the command line.
        option: &'static str,
        /// What is wrong, and with which value (a secret's value is not shown).
        reason: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {name}: {error}", error = words::reason(.source))]
    Read {
        /// The file, in quotes, or `standard input`.
        name: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {name}: {error}", error = words::reason(.source))]
    Write {
        /// The file, in quotes, or `standard output`.
        name: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The output would overwrite what is being read.
    #[error("cannot write `{}`: it is the input", .0.display())]
    OutputIsInput(PathBuf),
    /// The algorithm is of a type that the command has no use for.
    #[error("`{name}` is of type {found}; expected {wanted}")]
    WrongType {
        /// The algorithm.
        name: String,
        /// What it is.
        found: Type,
        /// What the command takes.
        wanted: &'static str,
    },
    /// A mode with an IV was given none.
    #[error("{name}: --iv is missing, expected {} in hex", bytes(*.want as u64))]
    IvMissing {
        /// The algorithm.
        name: String,
        /// Bytes of IV.
        want: usize,
    },
    /// A message that the mode needs in one piece is longer than what is kept in memory.
    #[error(
        "{name}: input of more than {limit} bytes; the mode takes it as one message, --sector-size N makes every N bytes one"
    )]
    TooLong {
        /// The algorithm.
        name: String,
        /// The most it takes.
        limit: u64,
    },
    /// Sealed text without room for the nonce in front and the tag.
    #[error("{name}: input of {} is shorter than a nonce and a tag, {want}", bytes(*.got as u64))]
    NoNonce {
        /// The algorithm.
        name: String,
        /// Bytes of input.
        got: usize,
        /// Bytes of nonce and tag.
        want: usize,
    },
    /// Sealed text without room for its tag.
    #[error("{name}: input of {} is shorter than its tag of {tag}", bytes(*.got as u64))]
    NoTag {
        /// The algorithm.
        name: String,
        /// Bytes of input.
        got: usize,
        /// Bytes of tag.
        tag: usize,
    },
    /// The program of `algkit run` does not start.
    #[error("cannot run `{program}`: {error}", program = .program.display(), error = words::reason(.source))]
    Run {
        /// As it was asked for.
        program: OsString,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The program cannot be served in the way that was asked for.
    #[error("cannot serve `{program}` by --via preload: {reason}", program = .program.display())]
    OutOfReach {
        /// As it was asked for.
        program: OsString,
        /// What about it is in the way.
        reason: &'static str,
    },
    /// The program cannot be supervised.
    #[error("cannot serve `{program}` by --via seccomp: {source}", program = .program.display())]
    Supervise {
        /// As it was asked for.
        program: OsString,
        /// The supervisor's word.
        source: algkit_supervisor::Error,
    },
    /// The library that `algkit run` injects is in none of the places.
    #[error("libalgkit_preload.so is not in {}; set ALGKIT_PRELOAD to its path", .0.iter().map(|place| format!("`{}`", place.display())).collect::<Vec<_>>().join(", "))]
    NoLibrary(Vec<PathBuf>),
    /// The loader would take the library's path for several.
    #[error("cannot inject `{}`: a path in LD_PRELOAD has no spaces and no colons", .0.display())]
    LibraryPath(PathBuf),
    /// The library's word on a volume.
    #[error("`{}`: {source}", .path.display())]
    Volume {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, or with what was asked of it.
        source: algkit_volume::Error,
    },
    /// The text does not end where a sector ends.
    #[error("input of {} is not a multiple of --sector-size {sector}", bytes(*.got))]
    PartialSector {
        /// Bytes of input.
        got: u64,
        /// Bytes of a sector.
        sector: usize,
    },
}

fn bytes(n: u64) -> String {
    words::count(n, "byte")
}

impl Error {
    /// 1 if the answer is no, 2 if the question was wrong.
    pub fn status(&self) -> u8 {
        match self {
            Self::Algkit(algkit::Error::Authentication | algkit::Error::SelfTest { .. }) => 1,
            Self::Volume { source: algkit_volume::Error::WrongPassphrase, .. } => 1,
            // As env, nohup and the shells have it.
            Self::Run { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Run { .. } => 126,
            _ => 2,
        }
    }
}

//! `algkit dgst`: prints digests in the format of sha256sum, and checks them with `--check`.

pub mod check;
mod line;

use crate::{
    answer::Answer,
    args::DgstArgs,
    error::Error,
    input::stdin,
    out::{Out, complain, to_stdout},
    progress::Progress,
};
use algkit::Hash;
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, IsTerminal, Read, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// The number of bytes read at a time.
const CHUNK: usize = 256 << 10;

/// The longest digest of --length in bytes. It is held in memory.
const MAX_LENGTH: u64 = 1 << 24;

/// A hash and its representation in lines.
pub struct Digester {
    hash: Hash,
    /// Its name in BSD style lines.
    tag: String,
    /// The length of digests in lines, in bytes. A longer digest is truncated.
    size: usize,
}

impl Digester {
    /// Uses the whole digest and the algorithm's own name.
    pub fn new(hash: Hash) -> Self {
        Self { tag: line::tag(&hash.driver().name), size: hash.digest_size(), hash }
    }

    /// Uses `size` bytes of output, for a hash with any output length.
    fn of_length(hash: Hash, size: u64) -> Result<Self, Error> {
        if size > MAX_LENGTH {
            return Err(Error::option("--length", format!("{size} is more than {MAX_LENGTH} bytes")));
        }
        let (driver, size) = (hash.driver(), size as usize);
        if driver.shape.extendable || size == hash.digest_size() {
            Ok(Self { size, ..Self::new(hash) })
        } else {
            let reason = format!("`{}` has digests of {} bytes and no others", driver.name, hash.digest_size());
            Err(Error::option("--length", reason))
        }
    }

    /// Uses the first `size` bytes of the digest and the name `tag`.
    pub fn with_tag(hash: Hash, tag: String, size: usize) -> Self {
        Self { hash, tag, size }
    }

    /// The digest of a file's contents, `size` bytes long.
    pub fn digest(&self, path: &Path) -> Result<Vec<u8>, Error> {
        // An extendable hash produces exactly `size` bytes. Other digests are truncated.
        let size = if self.hash.driver().shape.extendable { self.size } else { self.hash.digest_size() };
        let mut digest = digest(&self.hash, path, size)?;
        digest.truncate(self.size);
        Ok(digest)
    }
}

pub fn run(args: &DgstArgs) -> Result<Answer, Error> {
    let hash = algkit::hash(&args.name).map_err(|error| match error {
        // In sha256sum, -c means --check.
        algkit::Error::Unknown(name) | algkit::Error::BadName { name, .. } if Path::new(&name).is_file() => {
            Error::ListForHash(name)
        }
        error => error.into(),
    })?;
    let hash = match args.key.read()? {
        Some(key) => hash.key(&key)?,
        None => hash.unkeyed()?,
    };
    let hash = match args.length {
        Some(size) => Digester::of_length(hash, size)?,
        None => Digester::new(hash),
    };
    if args.check {
        let options = check::Options {
            quiet: args.quiet,
            status: args.status,
            ignore_missing: args.ignore_missing,
            strict: args.strict,
            warn: args.warn,
            target: None,
        };
        check::run(&options, &hash, or_stdin(&args.files))
    } else {
        print(&hash, or_stdin(&args.files), args.tag, args.zero)
    }
}

/// The given files; standard input if there are none.
pub fn or_stdin(files: &[PathBuf]) -> Vec<&Path> {
    if files.is_empty() { vec![Path::new("-")] } else { files.iter().map(PathBuf::as_path).collect() }
}

/// Prints a line for each file: in BSD style if `tag` is set, ended by a zero byte if `zero` is set.
pub fn print(hash: &Digester, files: Vec<&Path>, tag: bool, zero: bool) -> Result<Answer, Error> {
    let mut out = Out::new();
    let mut answer = Answer::Yes;
    for file in files {
        match hash.digest(file) {
            Ok(digest) => {
                let name = file.as_os_str().as_bytes();
                let line = match tag {
                    true => line::bsd(&hash.tag, name, &digest, zero),
                    false => line::plain(name, &digest, zero),
                };
                out.write_all(&line).and_then(|()| out.flush()).map_err(to_stdout)?;
            }
            Err(error) => {
                complain(&error);
                answer = Answer::Bad;
            }
        }
        if out.closed() {
            return Err(Error::PipeClosed);
        }
    }
    out.done()?;
    Ok(answer)
}

/// The digest of a file's contents, with an output length of `size` bytes.
fn digest(hash: &Hash, path: &Path, size: usize) -> Result<Vec<u8>, Error> {
    if path == OsStr::new("-") {
        return stdin()
            .and_then(|stdin| digest_of(hash, stdin, None, size))
            .map_err(|source| Error::Read { name: "standard input".to_owned(), source });
    }
    File::open(path)
        .and_then(|file| {
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(rustix::io::Errno::ISDIR.into());
            }
            digest_of(hash, file, metadata.is_file().then_some(metadata.len()), size)
        })
        .map_err(|source| Error::read(path, source))
}

fn digest_of(hash: &Hash, mut from: impl Read, len: Option<u64>, size: usize) -> io::Result<Vec<u8>> {
    let mut state = hash.start();
    let mut chunk = vec![0; CHUNK];
    let mut progress = (!io::stdout().is_terminal()).then(|| Progress::bytes(len));
    loop {
        let n = match from.read(&mut chunk) {
            Ok(0) => {
                let mut digest = vec![0; size];
                state.finish_into(&mut digest).map_err(io::Error::other)?;
                return Ok(digest);
            }
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        state.update(&chunk[..n]);
        progress.iter_mut().for_each(|p| p.advance(n as u64));
    }
}

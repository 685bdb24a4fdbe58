//! `algkit dgst`: digests in the form of sha256sum, and its `--check`.

mod check;
mod line;

use crate::{
    Answer,
    args::DgstArgs,
    error::Error,
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

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

pub fn run(args: &DgstArgs) -> Result<Answer, Error> {
    let hash = algkit::hash(&args.name)?;
    let hash = match args.key.read()? {
        Some(key) => hash.key(&key)?,
        None => hash.unkeyed()?,
    };
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &stdin[..] } else { &args.files };
    if args.check { check::run(args, &hash, files) } else { print(args, &hash, files) }
}

fn print(args: &DgstArgs, hash: &Hash, files: &[PathBuf]) -> Result<Answer, Error> {
    let mut out = Out::new();
    let mut answer = Answer::Yes;
    for file in files {
        match digest(hash, file) {
            Ok(digest) => {
                let name = file.as_os_str().as_bytes();
                let line = match args.tag {
                    true => line::bsd(&hash.driver().name, name, &digest, args.zero),
                    false => line::plain(name, &digest, args.zero),
                };
                out.write_all(&line).and_then(|()| out.flush()).map_err(to_stdout)?;
            }
            Err(error) => {
                complain(&error);
                answer = Answer::Bad;
            }
        }
        if out.closed() {
            break;
        }
    }
    out.done()?;
    Ok(answer)
}

/// The digest of a file's contents.
fn digest(hash: &Hash, path: &Path) -> Result<Vec<u8>, Error> {
    if path == OsStr::new("-") {
        return digest_of(hash, io::stdin().lock(), None)
            .map_err(|source| Error::Read { name: "standard input".to_owned(), source });
    }
    File::open(path)
        .and_then(|file| {
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            digest_of(hash, file, metadata.is_file().then_some(metadata.len()))
        })
        .map_err(|source| Error::Read { name: format!("`{}`", path.display()), source })
}

fn digest_of(hash: &Hash, mut from: impl Read, len: Option<u64>) -> io::Result<Vec<u8>> {
    let mut state = hash.start();
    let mut chunk = vec![0; CHUNK];
    let mut progress = (!io::stdout().is_terminal()).then(|| Progress::bytes(len));
    loop {
        let n = match from.read(&mut chunk) {
            Ok(0) => return Ok(state.finish()),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        state.update(&chunk[..n]);
        progress.iter_mut().for_each(|p| p.advance(n as u64));
    }
}

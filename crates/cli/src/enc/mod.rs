//! `algkit enc`: encrypts or decrypts a file or a pipe.

mod aead;
mod chunks;
mod sectors;
mod stream;

use crate::{
    answer::Answer, args::EncArgs, error::Error, input::Input, names::authenc_parts, output::Output,
    progress::Progress, secret::decode_hex,
};
use algkit::{Direction, Registry, Type};
use std::{ffi::OsStr, fs};
use zeroize::Zeroizing;

/// The number of bytes passed to a cipher at a time.
const CHUNK: usize = 1 << 20;

/// The longest message in bytes for modes that cannot process it in pieces.
const MAX_MESSAGE: usize = 16 << 20;

/// The direction, input and output, which all kinds of algorithms need.
struct Job {
    direction: Direction,
    input: Input,
    output: Output,
    progress: Option<Progress>,
}

impl Job {
    /// Opens the input and the output, after all other checks have passed.
    fn open(args: &EncArgs) -> Result<Self, Error> {
        let direction = direction(args);
        let input = Input::open(args.input.as_deref())?;
        let output = args.output.as_deref().filter(|path| *path != OsStr::new("-"));
        // Without them, nobody could decrypt the output, nor what was encrypted before.
        let key = args.key.file().map(|path| ("the key file", path));
        Output::refuse(output, key.into_iter().chain(args.aad_file.iter().map(|path| ("the associated data", path))))?;
        let output = match output {
            // Nobody else may read a plaintext unless the user says so.
            Some(path) if args.decrypt => Output::private(path, input.identity())?,
            Some(path) => Output::file(path, input.identity())?,
            None => Output::stdout(input.identity())?,
        };
        let progress = (!output.is_terminal()).then(|| Progress::bytes(input.len()));
        Ok(Self { direction, input, output, progress })
    }

    /// Writes output.
    fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        self.progress.iter_mut().for_each(|p| p.advance(text.len() as u64));
        self.output.write(text)
    }

    fn finish(self) -> Result<Answer, Error> {
        drop(self.progress);
        self.output.finish()?;
        Ok(Answer::Yes)
    }
}

/// The associated data; empty if none was given.
fn assoc(args: &EncArgs) -> Result<Vec<u8>, Error> {
    let Some(path) = &args.aad_file else { return Ok(Vec::new()) };
    fs::read(path).map_err(|source| Error::read(path, source))
}

fn direction(args: &EncArgs) -> Direction {
    if args.decrypt { Direction::Decrypt } else { Direction::Encrypt }
}

pub fn run(args: &EncArgs) -> Result<Answer, Error> {
    let registry = Registry::global()?;
    let driver = registry.find_any(&args.name)?;
    let iv = args.iv.as_deref().map(|hex| decode_hex("--iv", hex)).transpose()?;
    match driver.kind {
        Type::Skcipher => {
            refuse_aead_options(args, &driver.name)?;
            let key = key(args, &driver.name)?;
            match args.sector_size {
                Some(size) => sectors::run(args, registry, &key, size as usize),
                None => stream::run(args, registry, &key, checked_iv(&driver, iv)?),
            }
        }
        Type::Aead if args.sector_size.is_some() => {
            let reason = format!("`{}` is an aead, and a sector has no room for its tag", driver.name);
            Err(Error::option("--sector-size", reason))
        }
        Type::Aead => match args.stream {
            Some(size) => chunks::run(args, registry, &key(args, &driver.name)?, size),
            None => aead::run(args, registry, &key(args, &driver.name)?, iv),
        },
        found => Err(Error::WrongType { name: args.name.clone(), found, wanted: "skcipher or aead" }),
    }
}

/// The key in the form that the library accepts.
fn key(args: &EncArgs, name: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let key = args.key.read()?.ok_or_else(|| algkit::Error::KeyMissing(name.to_owned()))?;
    let Some(auth_key) = &args.auth_key else { return Ok(key) };
    if authenc_parts(name).is_none() {
        return Err(Error::option("--auth-key", format!("`{name}` has one key; only authenc(…) has another")));
    }
    Ok(algkit::authenc_key(&auth_key.bytes("--auth-key")?, &key))
}

/// Checks the length of the IV; empty for modes without one.
fn checked_iv(driver: &algkit::Driver, iv: Option<Vec<u8>>) -> Result<Vec<u8>, Error> {
    let (name, want) = (driver.name.clone(), driver.shape.ivsize);
    match iv {
        Some(iv) if iv.len() == want => Ok(iv),
        Some(iv) => Err(algkit::Error::IvLength { name, got: iv.len(), want }.into()),
        None if want == 0 => Ok(Vec::new()),
        None => Err(Error::IvMissing { name, want }),
    }
}

/// Random bytes from the operating system.
fn random<const N: usize>() -> Result<[u8; N], Error> {
    let (mut bytes, mut filled) = ([0; N], 0);
    while filled < N {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(more) => filled += more,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(Error::Read { name: "random bytes".to_owned(), source: errno.into() }),
        }
    }
    Ok(bytes)
}

fn refuse_aead_options(args: &EncArgs, name: &str) -> Result<(), Error> {
    for (option, given) in [
        ("--aad-file", args.aad_file.is_some()),
        ("--tag-len", args.tag_len.is_some()),
        ("--stream", args.stream.is_some()),
    ] {
        if given {
            return Err(Error::option(option, format!("`{name}` is not an aead and authenticates nothing")));
        }
    }
    Ok(())
}

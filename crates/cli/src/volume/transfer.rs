//! Copies plaintext from a volume to a pipe or a file, and back.

use super::{
    Access, Place,
    args::{ReadArgs, WriteArgs, kind::Format},
};
use crate::{
    answer::Answer,
    error::Error,
    input::Input,
    output::{Identity, Output},
    progress::Progress,
};
use algkit_volume::{ReadAt, WriteAt};
use std::{ffi::OsStr, path::Path};
use zeroize::Zeroizing;

/// The number of bytes copied at a time.
const CHUNK: usize = 1 << 20;

pub fn read(args: &ReadArgs) -> Result<Answer, Error> {
    let place = Place::open(&args.place, Access::Read)?;
    let volume = place.volume(&place.data.file, &args.unlock, &args.kind)?;
    let failed = |error| place.data.error(error);
    let size = volume.size().map_err(failed)?;
    let rest = size.checked_sub(args.offset);
    let len = match (args.length, rest) {
        (Some(len), Some(rest)) if len <= rest => len,
        (None, Some(rest)) => rest,
        (len, _) => {
            let reason = format!("{} from byte {} on; the volume has {size}", len.unwrap_or(0), args.offset);
            return Err(Error::option("--offset, --length", reason));
        }
    };
    let input = place.data.file.metadata().ok().as_ref().and_then(Identity::of);
    let output = args.output.as_deref().filter(|path| *path != OsStr::new("-"));
    refuse_needed(args, output)?;
    let mut output = match output {
        // Plaintext is its owner's alone, as the image may be.
        Some(path) => Output::private(path, input)?,
        None => Output::stdout(input)?,
    };
    let mut progress = (!output.is_terminal()).then(|| Progress::bytes(Some(len)));
    let mut buffer = Zeroizing::new(vec![0; CHUNK]);
    let (mut at, end) = (args.offset, args.offset + len);
    while at < end {
        let chunk = &mut buffer[..(end - at).min(CHUNK as u64) as usize];
        volume.read_at(at, chunk).map_err(failed)?;
        output.write(chunk)?;
        at += chunk.len() as u64;
        progress.iter_mut().for_each(|progress| progress.advance(chunk.len() as u64));
    }
    drop(progress);
    output.finish()?;
    Ok(Answer::Yes)
}

/// An error if the output is a file that the volume is opened with.
fn refuse_needed(args: &ReadArgs, output: Option<&Path>) -> Result<(), Error> {
    let unlock = &args.unlock;
    let keys = unlock.key_file.iter().chain(&unlock.volume_key_file).filter(|path| *path != OsStr::new("-"));
    let needed =
        keys.map(|path| ("a key file", path)).chain(args.place.header.iter().map(|path| ("the volume's header", path)));
    Output::refuse(output, needed)
}

pub fn write(args: &WriteArgs) -> Result<Answer, Error> {
    let from_stdin = args.input.as_deref().is_none_or(|path| path == OsStr::new("-"));
    let asks = args.unlock.key_file.is_empty() || args.kind.format == Format::Tcrypt;
    let asks_stdin = args.unlock.key_file.iter().any(|file| file == OsStr::new("-"))
        || asks && !std::io::IsTerminal::is_terminal(&std::io::stdin());
    if from_stdin && asks_stdin {
        return Err(Error::option("--key-file", "standard input is the text; the passphrase has to come from a file"));
    }
    let mut input = Input::open(args.input.as_deref())?;
    let place = Place::open(&args.place, Access::Data)?;
    let volume = place.volume(&place.data.file, &args.unlock, &args.kind)?;
    let failed = |error| place.data.error(error);
    let size = volume.size().map_err(failed)?;
    let no_room = |len: u64| {
        let reason = format!("{len} bytes from byte {} on have no room; the volume has {size}", args.offset);
        Error::option("--offset", reason)
    };
    let room = size.checked_sub(args.offset).ok_or_else(|| no_room(0))?;
    if let Some(len) = input.len().filter(|len| *len > room) {
        return Err(no_room(len));
    }
    let mut progress = Progress::bytes(input.len());
    let mut buffer = Zeroizing::new(vec![0; CHUNK]);
    let mut at = args.offset;
    let mut copy = || loop {
        let filled = input.fill(&mut buffer)?;
        let fits = (filled as u64).min(size - at) as usize;
        volume.write_at(at, &buffer[..fits]).map_err(failed)?;
        at += fits as u64;
        progress.advance(fits as u64);
        if fits < filled {
            return Err(no_room(room + (filled - fits) as u64));
        }
        if filled < buffer.len() {
            return Ok(Answer::Yes);
        }
    };
    // What came before a failure is on the volume. What failed first says why.
    let copied = copy();
    let synced = volume.sync().map_err(failed);
    copied.and_then(|answer| synced.map(|()| answer))
}

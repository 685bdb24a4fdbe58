//! `algkit volume fill`: a new volume with a disk image or a folder's files in it.

use super::{args::fill::FillArgs, format, random, tree};
use crate::{answer::Answer, error::Error, input::Input, output::Output, progress::Progress};
use algkit_volume::{Header, ReadAt, WriteAt};
use std::ffi::OsStr;
use zeroize::Zeroizing;

/// The number of bytes encrypted at a time.
const CHUNK: usize = 1 << 20;

pub fn run(args: &FillArgs) -> Result<Answer, Error> {
    let (image, from) = (&args.image, &args.source);
    if image.symlink_metadata().is_ok() {
        return Err(Error::option("IMAGE", format!("`{}` is there already", image.display())));
    }
    let is_stdin = from == OsStr::new("-");
    let is_tree = !is_stdin && from.is_dir();
    if !is_tree && (args.fs.is_some() || args.plaintext_folder.is_some()) {
        let option = if args.fs.is_some() { "--fs" } else { "--plaintext-folder" };
        return Err(Error::option(option, "only for a folder; an image has its file system"));
    }
    if is_stdin && args.new.key_file.as_deref().is_none_or(|file| file.as_os_str() == "-") {
        return Err(Error::option("--key-file", "standard input is the image; the passphrase has to come from a file"));
    }
    let (version, options, passphrase) = format::chosen(&args.new, None, image)?;
    let mut source = if is_tree { tree::make(args)? } else { Input::open(Some(from))? };
    // Sectors of no bytes are refused below.
    let sector = u64::from(options.sector_size.max(1));
    let Some(len) = args.size.or(source.len()) else {
        return Err(Error::option("--size", "standard input does not tell how long it is"));
    };
    if let Some(have) = source.len().filter(|have| *have > len) {
        return Err(too_long(have, len));
    }
    let len = len.checked_next_multiple_of(sector).ok_or_else(|| too_long(u64::MAX, len))?;

    // The image is its owner's alone, as are the files in it.
    let output = Output::private(image, None)?;
    let file = output.handle();
    let failed = |source| Error::Volume { path: image.clone(), source };
    let size = Header::device_size(version, &options, len).map_err(failed)?;
    if i64::try_from(size).is_err() {
        return Err(Error::option("--size", format!("no file is as long as {size} bytes")));
    }
    file.set_len(size).map_err(|source| Error::write(image, source))?;
    let (header, unlocked) = Header::format(version, file, &options, &passphrase, &random()?).map_err(failed)?;
    let volume = header.open_without_journal(file, &unlocked.key).map_err(failed)?;
    // With tags it may be a little longer.
    let len = volume.size().map_err(failed)?;

    let mut progress = Progress::bytes(Some(len));
    let mut buffer = Zeroizing::new(vec![0; CHUNK]);
    let mut at = 0;
    while at < len {
        let chunk = &mut buffer[..(len - at).min(CHUNK as u64) as usize];
        let filled = source.fill(chunk)?;
        // Behind the end of the source there are zeros.
        chunk[filled..].fill(0);
        volume.write_from(at, chunk).map_err(failed)?;
        at += chunk.len() as u64;
        progress.advance(chunk.len() as u64);
    }
    if source.fill(&mut buffer[..1])? > 0 {
        return Err(too_long(len + 1, len));
    }
    volume.sync().map_err(failed)?;
    drop(progress);
    output.finish_durably()?;
    Ok(Answer::Yes)
}

fn too_long(have: u64, len: u64) -> Error {
    Error::option("--size", format!("{len} bytes, and the source has {have} or more"))
}

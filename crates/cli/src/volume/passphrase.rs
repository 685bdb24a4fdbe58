//! Reads passphrases: from a terminal without echo, a line of a pipe, or a file.

use super::{args::UnlockArgs, terminal::Hidden};
use crate::{error::Error, input::stdin};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, IsTerminal, Read, Seek, SeekFrom, Write},
    path::Path,
};
use zeroize::Zeroizing;

/// The maximum size in bytes of a key file, and of a line of standard input, as in cryptsetup.
const MAX_FILE: u64 = 8 << 20;

/// The maximum length in bytes of a passphrase that is typed, as in cryptsetup.
const MAX_TYPED: usize = 512;

/// Reads the passphrase for the volume `path`.
pub fn read(args: &UnlockArgs, path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    match args.one_key_file()? {
        Some(file) => key_file(file, args.keyfile_offset, args.keyfile_size),
        None => typed(path),
    }
}

/// Reads the passphrase from the terminal or from standard input.
pub fn typed(path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    match io::stdin().is_terminal() {
        true => prompt(&format!("Passphrase for {}: ", path.display())),
        false => line_of_stdin(),
    }
}

/// Reads at most `most` bytes from the beginning of a file.
pub fn beginning(path: &Path, most: u64) -> Result<Zeroizing<Vec<u8>>, Error> {
    let read = File::open(path).and_then(|mut file| take(&mut file, most));
    read.map_err(|source| Error::Read { name: format!("key file `{}`", path.display()), source })
}

/// Reads a new passphrase for the volume `path`; on a terminal, twice.
pub fn new(path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    if !io::stdin().is_terminal() {
        return line_of_stdin();
    }
    let first = prompt(&format!("New passphrase for {}: ", path.display()))?;
    if first.is_empty() {
        return Err(Error::option("passphrase", "an empty one, which anybody has; a key file may be empty"));
    }
    match *first == *prompt("The same again: ")? {
        true => Ok(first),
        false => Err(Error::option("passphrase", "the two are not the same")),
    }
}

/// An error unless somebody at the terminal says YES.
pub fn confirmed(what: &str) -> Result<(), Error> {
    let refused = |reason: &str| Err(Error::option("-q", reason));
    if !io::stdin().is_terminal() {
        return refused("standard input is no terminal at which somebody could agree; -q goes on without a question");
    }
    let _ = write!(io::stderr(), "{what}\nGo on? (Type YES in capital letters.) ");
    match line_of_stdin() {
        Ok(answer) if **answer == *b"YES" => Ok(()),
        _ => refused("not confirmed; nothing was written"),
    }
}

/// An error of `command` unless somebody at the terminal agrees to lose what the image has.
pub fn may_be_lost(command: &'static str, what: &str, image: &Path) -> Result<(), Error> {
    let name = image.display();
    if io::stdin().is_terminal() {
        return confirmed(&format!("{name} has {what}. All that is there will be lost."));
    }
    let reason = format!("`{name}` has {what}; all that is there would be lost (-q goes on all the same)");
    Err(Error::option(command, reason))
}

/// Reads a file, from `offset`: `size` bytes, or all, which cryptsetup also writes as 0.
pub fn key_file(path: &Path, offset: Option<u64>, size: Option<u64>) -> Result<Zeroizing<Vec<u8>>, Error> {
    let offset = offset.unwrap_or(0);
    let size = size.filter(|size| *size > 0);
    let most = size.unwrap_or(MAX_FILE);
    let is_stdin = path == OsStr::new("-");
    let name = if is_stdin { "standard input".to_owned() } else { format!("key file `{}`", path.display()) };
    let refuse = |reason| Err(Error::option("--key-file", reason));
    if most > MAX_FILE {
        return refuse(format!("{most} bytes of {name} are more than {MAX_FILE}"));
    }
    let read = |from: &mut File| {
        skip(from, offset)?;
        let key = take(from, most + u64::from(size.is_none()))?;
        Ok((key, from.metadata()?.is_file()))
    };
    let opened = if is_stdin { stdin() } else { File::open(path) };
    let read = opened.and_then(|mut file| read(&mut file));
    let (key, is_file) = read.map_err(|source| Error::Read { name: name.clone(), source })?;
    match size {
        Some(want) if key.len() as u64 != want => {
            refuse(format!("{name} has {} bytes from byte {offset} on, and {want} are asked for", key.len()))
        }
        // It would be an empty passphrase, which anybody has.
        None if key.is_empty() && offset > 0 => refuse(format!("{name} has no byte from byte {offset} on")),
        // A program that fails writes nothing to its pipe.
        None if key.is_empty() && !is_file => refuse(format!("{name} has ended before the first byte of a key")),
        None if key.len() as u64 > MAX_FILE => refuse(format!("{name} is longer than {MAX_FILE} bytes")),
        _ => Ok(key),
    }
}

/// Skips `count` bytes, or what there is. Where a file cannot go to a place, as a pipe cannot, the bytes are read.
fn skip(from: &mut File, mut count: u64) -> io::Result<()> {
    const PIECE: u64 = 1 << 20;
    if i64::try_from(count).is_ok_and(|count| from.seek(SeekFrom::Current(count)).is_ok()) {
        return Ok(());
    }
    while count > 0 {
        match take(from, count.min(PIECE))?.len() {
            0 => break,
            n => count -= n as u64,
        }
    }
    Ok(())
}

/// Reads at most `most` bytes. The buffer never grows, so no unwiped copy of a part is left behind.
fn take(from: &mut dyn Read, most: u64) -> io::Result<Zeroizing<Vec<u8>>> {
    let most = most.min(MAX_FILE + 1);
    let mut bytes = Zeroizing::new(Vec::with_capacity(most as usize + 32));
    from.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn line_of_stdin() -> Result<Zeroizing<Vec<u8>>, Error> {
    line(stdin().map_err(|source| Error::Read { name: "standard input".to_owned(), source })?, MAX_FILE as usize)
}

/// Asks on the terminal without showing the answer.
fn prompt(question: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    line(Hidden::ask(question).map_err(|source| Error::Read { name: "the terminal".to_owned(), source })?, MAX_TYPED)
}

/// Reads up to the end of a line of at most `most` bytes, byte by byte.
fn line(mut from: impl Read, most: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut line = Zeroizing::new(Vec::with_capacity(most + 1));
    let mut byte = [0];
    loop {
        match from.read(&mut byte) {
            Ok(0) if line.is_empty() => {
                return Err(Error::option("passphrase", "standard input has none; an empty one is an empty line"));
            }
            Ok(0) => break,
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) if line.len() == most => {
                return Err(Error::option("passphrase", format!("the line is longer than {most} bytes")));
            }
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(Error::Read { name: "standard input".to_owned(), source }),
        }
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_and_not_cut_off() {
        assert_eq!(**line(&b"12345678\n"[..], 8).unwrap(), *b"12345678");
        assert!(line(&b"123456789\n"[..], 8).is_err());
        let file = tempfile::NamedTempFile::new().unwrap();
        for (len, is_good) in [(MAX_FILE, true), (MAX_FILE + 1, false)] {
            file.as_file().set_len(len).unwrap();
            assert_eq!(key_file(file.path(), None, None).is_ok(), is_good, "{len}");
        }
    }
}

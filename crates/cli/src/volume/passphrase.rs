//! Reads passphrases: from a terminal without echo, a line of a pipe, or a file.

use super::args::UnlockArgs;
use crate::error::Error;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, IsTerminal, Read, Write},
    os::fd::AsFd,
    path::Path,
};
use zeroize::Zeroizing;

/// The maximum size of a key file in bytes, as in cryptsetup.
const MAX_FILE: u64 = 8 << 20;

/// The maximum length of a passphrase line in bytes, as in cryptsetup.
const MAX_LINE: usize = 512;

/// The character of Ctrl-C.
const INTERRUPT: u8 = 3;

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
        // Reads only the line; other programs may read what follows.
        false => line(io::stdin().lock()),
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
        return line(io::stdin().lock());
    }
    let first = prompt(&format!("New passphrase for {}: ", path.display()))?;
    match *first == *prompt("The same again: ")? {
        true => Ok(first),
        false => Err(Error::Option { option: "passphrase", reason: "the two are not the same".to_owned() }),
    }
}

/// An error unless somebody at the terminal says YES.
pub fn confirmed(what: &str) -> Result<(), Error> {
    let refused = |reason: &str| Err(Error::Option { option: "-q", reason: reason.to_owned() });
    if !io::stdin().is_terminal() {
        return refused("nobody is here to be asked; -q goes on without");
    }
    let _ = write!(io::stderr(), "{what}\nGo on? (Type YES in capital letters.) ");
    match &**line(io::stdin().lock())? {
        b"YES" => Ok(()),
        _ => refused("not confirmed; nothing was written"),
    }
}

/// Reads a file, from `offset`: `size` bytes, or all.
pub fn key_file(path: &Path, offset: Option<u64>, size: Option<u64>) -> Result<Zeroizing<Vec<u8>>, Error> {
    let offset = offset.unwrap_or(0);
    let most = size.unwrap_or(MAX_FILE);
    let is_stdin = path == OsStr::new("-");
    let name = if is_stdin { "standard input".to_owned() } else { format!("key file `{}`", path.display()) };
    let read = |from: &mut File| {
        io::copy(&mut (&*from).take(offset), &mut io::sink())?;
        let key = take(from, most.saturating_add(u64::from(size.is_none())))?;
        Ok((key, from.metadata()?.is_file()))
    };
    let opened = match is_stdin {
        true => io::stdin().as_fd().try_clone_to_owned().map(File::from),
        false => File::open(path),
    };
    let read = opened.and_then(|mut file| read(&mut file));
    let (key, is_file) = read.map_err(|source| Error::Read { name: name.clone(), source })?;
    let refuse = |reason| Err(Error::Option { option: "--key-file", reason });
    match size {
        Some(want) if key.len() as u64 != want => {
            refuse(format!("{name} has {} bytes from byte {offset} on, and --keyfile-size is {want}", key.len()))
        }
        // A program that fails writes nothing to its pipe.
        None if key.is_empty() && !is_file => refuse(format!("{name} has ended before the first byte of a key")),
        None if key.len() as u64 > MAX_FILE => refuse(format!("{name} is longer than {MAX_FILE} bytes")),
        _ => Ok(key),
    }
}

/// Reads at most `most` bytes. The buffer never grows, so no unwiped copy of a part is left behind.
fn take(from: &mut dyn Read, most: u64) -> io::Result<Zeroizing<Vec<u8>>> {
    let most = most.min(MAX_FILE + 1);
    let mut bytes = Zeroizing::new(Vec::with_capacity(most as usize + 32));
    from.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads up to the end of the line, byte by byte.
fn line(mut from: impl Read) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut line = Zeroizing::new(Vec::with_capacity(MAX_LINE + 1));
    let mut byte = [0];
    loop {
        match from.read(&mut byte) {
            Ok(0) if line.is_empty() => {
                let reason = "standard input has none; an empty one is an empty line".to_owned();
                return Err(Error::Option { option: "passphrase", reason });
            }
            Ok(0) => break,
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) if line.len() == MAX_LINE => {
                let reason = format!("the line is longer than {MAX_LINE} bytes");
                return Err(Error::Option { option: "passphrase", reason });
            }
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(Error::Read { name: "standard input".to_owned(), source }),
        }
    }
    Ok(line)
}

/// Asks on the terminal without echoing the answer.
fn prompt(question: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let failed = |source: io::Error| Error::Read { name: "the terminal".to_owned(), source };
    let mut terminal = File::options().read(true).write(true).open("/dev/tty").map_err(failed)?;
    let before = tcgetattr(&terminal).map_err(|errno| failed(errno.into()))?;
    let mut silent = before.clone();
    // Ctrl-C ends the line instead of the process, which would leave the terminal without echo.
    silent.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
    silent.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
    tcsetattr(&terminal, OptionalActions::Flush, &silent).map_err(|errno| failed(errno.into()))?;
    let answer = write!(terminal, "{question}").map_err(failed).and_then(|()| line(Typed(&terminal)));
    let restored = tcsetattr(&terminal, OptionalActions::Flush, &before).map_err(|errno| failed(errno.into()));
    let _ = writeln!(terminal);
    restored.and(answer)
}

/// Terminal input in which ctrl-C is an error.
struct Typed<'a>(&'a File);

impl Read for Typed<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = (&mut self.0).read(buf)?;
        // An error of kind `Interrupted` would be retried.
        if buf[..n].contains(&INTERRUPT) { Err(io::Error::other("interrupted")) } else { Ok(n) }
    }
}

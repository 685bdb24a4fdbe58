//! `--check`: compares the digests in a list with the files that it names.

use super::{Digester, line};
use crate::{
    answer::Answer,
    error::Error,
    input,
    out::{Out, complain, to_stdout},
    words::visible,
};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Write},
    os::unix::ffi::OsStrExt,
    path::Path,
};
use subtle::ConstantTimeEq;

/// The longest line of a list in bytes. A path has at most 4096 bytes, all of which may be escaped.
const MAX_LINE: usize = 64 << 10;

/// The options of a check.
#[derive(Default)]
pub struct Options<'a> {
    /// Print nothing for files that match.
    pub quiet: bool,
    /// Print nothing at all.
    pub status: bool,
    /// Skip files that do not exist.
    pub ignore_missing: bool,
    /// Improperly formatted lines make the check fail.
    pub strict: bool,
    /// Report each improperly formatted line.
    pub warn: bool,
    /// A file to check instead of the ones that the list names.
    pub target: Option<&'a Path>,
}

pub fn run(options: &Options<'_>, hash: &Digester, lists: Vec<&Path>) -> Result<Answer, Error> {
    let mut out = Out::new();
    let mut answer = Answer::Yes;
    for list in lists {
        match check(options, hash, list, &mut out) {
            Ok(true) => {}
            Ok(false) => answer = answer.max(Answer::No),
            Err(error @ Error::Read { .. }) => {
                complain(&error);
                answer = Answer::Bad;
            }
            Err(error) => return Err(error),
        }
    }
    out.done()?;
    Ok(answer)
}

/// The results for one list.
#[derive(Default)]
struct Counts {
    proper: u64,
    improper: u64,
    matched: u64,
    mismatched: u64,
    unreadable: u64,
}

/// Checks one list; returns whether it passed.
fn check(options: &Options<'_>, hash: &Digester, list: &Path, out: &mut Out) -> Result<bool, Error> {
    let stdin = list == OsStr::new("-");
    let title = if stdin { "standard input".to_owned() } else { list.display().to_string() };
    let read = |source| Error::Read { name: if stdin { title.clone() } else { format!("`{title}`") }, source };
    let opened = if stdin { input::stdin() } else { File::open(list) };
    let mut from = BufReader::new(opened.map_err(read)?);
    let mut counts = Counts::default();
    let mut text = Vec::new();
    let mut number = 0u64;
    while next_line(&mut from, &mut text).map_err(read)? {
        number += 1;
        let line = text.strip_suffix(b"\n").unwrap_or(&text);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        // A list on standard input cannot also name standard input.
        let parsed = line::parse(line, &hash.tag, hash.size);
        match parsed.filter(|(_, name)| !(stdin && name == b"-")) {
            Some((digest, name)) => {
                counts.proper += 1;
                entry(options, hash, &digest, &name, &mut counts, out)?;
            }
            None => {
                counts.improper += 1;
                if options.warn {
                    complain(&format!(
                        "{title}: {number}: improperly formatted {} checksum line",
                        hash.hash.driver().name
                    ));
                }
            }
        }
    }
    out.flush().map_err(to_stdout)?;
    Ok(summary(options, &title, &counts))
}

/// Reads a line with its end into `text`; returns false at the end of the input. A line that is too long is
/// truncated.
fn next_line(from: &mut dyn BufRead, text: &mut Vec<u8>) -> io::Result<bool> {
    text.clear();
    loop {
        let buffer = from.fill_buf()?;
        let end = buffer.iter().position(|&c| c == b'\n').map_or(buffer.len(), |at| at + 1);
        text.extend_from_slice(&buffer[..end.min(MAX_LINE.saturating_sub(text.len()))]);
        let done = end == 0 || buffer[end - 1] == b'\n';
        from.consume(end);
        if done {
            return Ok(end > 0 || !text.is_empty());
        }
    }
}

fn entry(
    options: &Options<'_>,
    hash: &Digester,
    digest: &[u8],
    name: &[u8],
    counts: &mut Counts,
    out: &mut Out,
) -> Result<(), Error> {
    let path = options.target.unwrap_or(Path::new(OsStr::from_bytes(name)));
    let verdict = match hash.digest(path) {
        Ok(found) if bool::from(found.ct_eq(digest)) => {
            counts.matched += 1;
            "OK"
        }
        Ok(_) => {
            counts.mismatched += 1;
            "FAILED"
        }
        Err(Error::Read { source, .. }) if options.ignore_missing && source.kind() == io::ErrorKind::NotFound => {
            return Ok(());
        }
        Err(error) => {
            counts.unreadable += 1;
            complain(&error);
            "FAILED open or read"
        }
    };
    if options.status || (options.quiet && verdict == "OK") {
        return Ok(());
    }
    // A name with line ends is printed escaped, as in the list. On a terminal, control characters of other names
    // are escaped.
    let shown = match name.contains(&b'\n') {
        true => line::escaped(name),
        false if io::stdout().is_terminal() => visible(&String::from_utf8_lossy(name)).into_bytes(),
        false => name.to_owned(),
    };
    out.write_all(&shown).and_then(|()| writeln!(out, ": {verdict}")).and_then(|()| out.flush()).map_err(to_stdout)
}

/// Prints a summary of the problems in a list; returns whether it passed.
fn summary(options: &Options<'_>, title: &str, counts: &Counts) -> bool {
    if counts.proper == 0 {
        complain(&format!("{title}: no properly formatted checksum lines found"));
        return false;
    }
    let ignored_all = options.ignore_missing && counts.matched == 0;
    if !options.status {
        for (n, one, many) in [
            (counts.improper, "line is improperly formatted", "lines are improperly formatted"),
            (counts.unreadable, "listed file could not be read", "listed files could not be read"),
            (counts.mismatched, "computed checksum did NOT match", "computed checksums did NOT match"),
        ] {
            if n > 0 {
                complain(&format!("WARNING: {n} {}", if n == 1 { one } else { many }));
            }
        }
        if ignored_all {
            complain(&format!("{title}: no file was verified"));
        }
    }
    counts.mismatched + counts.unreadable == 0 && !ignored_all && !(options.strict && counts.improper > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use io::Read;

    #[test]
    fn of_a_line_without_an_end_only_the_beginning_is_kept() {
        let mut list = BufReader::new(io::repeat(b'a').take(3 * MAX_LINE as u64).chain(&b"\nb\n"[..]));
        let mut text = Vec::new();
        assert!(next_line(&mut list, &mut text).unwrap());
        assert!(text == vec![b'a'; MAX_LINE]);
        assert!(next_line(&mut list, &mut text).unwrap());
        assert_eq!(text, b"b\n");
        assert!(!next_line(&mut list, &mut text).unwrap());
    }
}

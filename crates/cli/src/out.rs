//! Standard output and standard error.

use crate::{error::Error, words::visible};
use std::{
    fmt::Display,
    io::{self, BufWriter, StdoutLock, Write},
};

/// Standard output. A closed pipe is not an error: further output is dropped, and the command runs to its end.
pub struct Out {
    to: BufWriter<StdoutLock<'static>>,
    closed: bool,
}

impl Out {
    pub fn new() -> Self {
        Self { to: BufWriter::new(io::stdout().lock()), closed: false }
    }

    /// Flushes the buffer; an error if the output failed.
    pub fn done(mut self) -> Result<(), Error> {
        self.flush().map_err(to_stdout)
    }

    /// Whether the reader has closed the pipe.
    pub fn closed(&self) -> bool {
        self.closed
    }

    fn unless_closed<T>(&mut self, result: io::Result<T>, dropped: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl Write for Out {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(buf.len());
        }
        let result = self.to.write(buf);
        self.unless_closed(result, buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.to.flush();
        self.unless_closed(result, ())
    }
}

/// The error of a failed write to standard output.
pub fn to_stdout(source: io::Error) -> Error {
    Error::Write { name: "standard output".to_owned(), source }
}

/// Prints all of `text`.
pub fn print_all(text: &[u8]) -> Result<(), Error> {
    let mut out = Out::new();
    out.write_all(text).map_err(to_stdout)?;
    out.done()
}

/// Prints one line on standard error. Control characters are escaped, because names in it may come from anybody. The
/// line is written by one call, so that a program that writes to the same file cannot come between its parts.
pub fn complain(message: &dyn Display) {
    let line = format!("algkit: {}\n", visible(&message.to_string()));
    // If this fails, nobody is left to report it to.
    let _ = io::stderr().write_all(line.as_bytes());
}

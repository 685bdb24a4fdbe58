//! Standard output and standard error.

use crate::{error::Error, words::visible};
use rustix::{
    fs::{Mode, OFlags, open},
    stdio::{dup2_stdin, dup2_stdout},
};
use std::{
    fmt::Display,
    io::{self, BufWriter, Write},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::net::UnixDatagram,
    },
};

/// Standard output. A closed pipe is not an error: further output is dropped, and the command runs to its end.
pub struct Out {
    to: BufWriter<Stdout>,
    closed: bool,
}

/// Standard output without a buffer. To Rust's own, a write that fails with EBADF has succeeded.
struct Stdout;

impl Write for Stdout {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(io::stdout(), buf)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lets the use of standard input and output fail (EBADF) if they were closed when the command began. The runtime has opened /dev/null in their
/// places for both directions.
pub fn refuse_closed() -> io::Result<()> {
    let [stdin, stdout, _] = algkit_supervisor::closed_at_beginning();
    if stdin {
        dup2_stdin(useless(OFlags::WRONLY)?)?;
    }
    if stdout {
        dup2_stdout(useless(OFlags::RDONLY)?)?;
    }
    Ok(())
}

/// A descriptor that cannot be used, nor its file be opened once more by the names /dev/stdin and /dev/stdout: the place of a socket. Without /proc,
/// these names lead nowhere, and /dev/null that is open for the `wrong` direction does as well.
fn useless(wrong: OFlags) -> io::Result<OwnedFd> {
    let socket = UnixDatagram::unbound()?;
    let place = format!("/proc/self/fd/{}", socket.as_raw_fd());
    let opened = open(place, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    Ok(opened.or_else(|_| open("/dev/null", wrong | OFlags::CLOEXEC, Mode::empty()))?)
}

impl Out {
    pub fn new() -> Self {
        Self { to: BufWriter::new(Stdout), closed: false }
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

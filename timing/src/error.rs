//! What can go wrong.

/// An error of these tools.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program has to be run by valgrind.
    #[error("not running under valgrind: there is nobody to mark memory for")]
    NoValgrind,
    /// A driver refused what its row says it takes.
    #[error("{driver}: {error}")]
    Driver {
        /// The driver.
        driver: String,
        /// What it said.
        error: algkit::Error,
    },
    /// A driver's output is wrong.
    #[error("{driver}: wrong result for {len} bytes: {what}")]
    Wrong {
        /// The driver.
        driver: String,
        /// Bytes of text.
        len: usize,
        /// Which result.
        what: &'static str,
    },
    /// A driver's output does not depend on the secrets, as far as valgrind can see, so that
    /// finding no errors would mean nothing.
    #[error("{driver}: output for {len} bytes is defined although its inputs are not")]
    Untainted {
        /// The driver.
        driver: String,
        /// Bytes of text.
        len: usize,
    },
    /// The program under valgrind failed.
    #[error("valgrind: {0}")]
    Valgrind(String),
    /// A line of the program under valgrind does not parse.
    #[error("unexpected line `{0}` from the program under valgrind")]
    Report(String),
    /// No such driver is to be examined.
    #[error("no driver matches `{0}`")]
    NoDriver(String),
    /// An operation on files or processes failed.
    #[error("{what}: {error}")]
    Io {
        /// The operation.
        what: &'static str,
        /// The system's answer.
        error: std::io::Error,
    },
}

impl Error {
    /// For `map_err`: an error of `driver`.
    pub fn of(driver: &str) -> impl Fn(algkit::Error) -> Self {
        move |error| Self::Driver { driver: driver.to_owned(), error }
    }

    /// For `map_err`: a failed operation.
    pub fn io(what: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |error| Self::Io { what, error }
    }
}

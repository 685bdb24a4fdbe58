//! Errors of the tools in this crate.

/// An error of these tools.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program has to be run by valgrind.
    #[error("not running under valgrind: there is nobody to mark memory for")]
    NoValgrind,
    /// A driver refused an input that its row in the table allows.
    #[error("{driver}: {error}")]
    Driver {
        /// The driver's name.
        driver: String,
        /// The driver's error.
        error: algkit::Error,
    },
    /// A driver's output is wrong.
    #[error("{driver}: wrong result for {len} bytes: {what}")]
    Wrong {
        /// The driver's name.
        driver: String,
        /// The length of the text in bytes.
        len: usize,
        /// The result that is wrong.
        what: &'static str,
    },
    /// The output of a driver does not depend on the secrets, as far as valgrind can see. Then finding no errors would
    /// mean nothing.
    #[error("{driver}: output for {len} bytes is defined although its inputs are not")]
    Untainted {
        /// The driver's name.
        driver: String,
        /// The length of the text in bytes.
        len: usize,
    },
    /// The program under valgrind failed.
    #[error("valgrind: {0}")]
    Valgrind(String),
    /// The program under valgrind printed a line that cannot be parsed.
    #[error("unexpected line `{0}` from the program under valgrind")]
    Report(String),
    /// No driver matches the given name.
    #[error("no driver matches `{0}`")]
    NoDriver(String),
    /// An operation on files or processes failed.
    #[error("{what}: {error}")]
    Io {
        /// The operation that failed.
        what: &'static str,
        /// The system's error.
        error: std::io::Error,
    },
}

impl Error {
    /// Makes an error of `driver`, for `map_err`.
    pub fn of(driver: &str) -> impl Fn(algkit::Error) -> Self {
        move |error| Self::Driver { driver: driver.to_owned(), error }
    }

    /// Makes an error of a failed operation, for `map_err`.
    pub fn io(what: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |error| Self::Io { what, error }
    }
}

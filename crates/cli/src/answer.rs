//! The outcome of a command.

/// The outcome of a command that ran to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// Some input was bad, and an error was printed.
    Bad,
    /// The exit status of the program that was run.
    Program(u8),
}

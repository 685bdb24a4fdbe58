//! What a command says at its end.

/// What a command that ran to its end has to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// Some of the input was bad, and has been complained of.
    Bad,
    /// What a program says that was run.
    Program(u8),
}

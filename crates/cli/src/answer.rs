/// The outcome of a command that ran to its end; of several files, the last in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    Yes,
    No,
    /// Some input was bad, and an error was printed.
    Bad,
    /// The exit status of the program that was run.
    Program(u8),
}

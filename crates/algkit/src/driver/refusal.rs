//! What a driver says no with.

/// Why a key of the right length is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadKey(pub &'static str);

/// Why [`super::AeadOps::check`] refuses a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The IV's contents.
    Iv(&'static str),
    /// The length of the associated data; what would be right.
    Assoc(&'static str),
    /// The length of the text; what would be right.
    Text(&'static str),
}

/// Why a random number generator gives nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure(pub &'static str);

impl From<BadKey> for Failure {
    fn from(BadKey(reason): BadKey) -> Self {
        Self(reason)
    }
}

impl From<Failure> for BadKey {
    fn from(Failure(reason): Failure) -> Self {
        Self(reason)
    }
}

//! The reasons that a driver gives when it refuses a key or a request.

/// Why a key of the right length is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadKey(pub &'static str);

/// Why [`super::AeadOps::check`] refuses a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The IV's contents are invalid, for this reason.
    Iv(&'static str),
    /// The length of the associated data is invalid; the string describes valid lengths.
    Assoc(&'static str),
    /// The length of the text is invalid; the string describes valid lengths.
    Text(&'static str),
}

/// Why a random number generator failed.
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

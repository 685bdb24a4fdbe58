//! What can go wrong, each with the value that was wrong.

use crate::{Sizes, Type};

/// An error of this crate. Nothing has been written to any output when one is returned, except
/// after [`Error::Authentication`] and [`Error::Rng`], where the output has been zeroed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not an algorithm name.
    #[error("bad algorithm name `{name}`: {reason}")]
    BadName {
        /// What was given, shortened.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing is called that.
    #[error("unknown algorithm `{0}`")]
    Unknown(String),
    /// The name is known, as something else.
    #[error("`{name}` is of type {found}, not {wanted}")]
    WrongType {
        /// The name.
        name: String,
        /// What it is.
        found: Type,
        /// What was asked for.
        wanted: Type,
    },
    /// Drivers exist, but this CPU (as masked) runs none of them.
    #[error("no driver of `{0}` runs on this CPU")]
    NotUsable(String),
    /// Drivers exist, but all look up tables at secret addresses, which the policy forbids.
    #[error("`{name}` has only drivers with timing=table; ask for `{driver}` by name or allow table timing")]
    TableOnly {
        /// The algorithm.
        name: String,
        /// The best such driver.
        driver: String,
    },
    /// Every driver failed its self-test.
    #[error("every driver of `{name}` failed its self-test: {reason}")]
    SelfTest {
        /// The algorithm or driver.
        name: String,
        /// What the last one failed at.
        reason: String,
    },
    /// A template was given the wrong number or kind of parameters.
    #[error("bad parameters in `{name}`: {reason}")]
    BadParameters {
        /// The whole name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// STREAM numbers its chunks in IVs of 12 bytes.
    #[error("{name}: IV of {ivsize} bytes, where STREAM needs an AEAD whose IV is a nonce of 12")]
    NotForStream {
        /// The algorithm.
        name: String,
        /// Its IV's length.
        ivsize: usize,
    },
    /// A chunk after the last one of STREAM: all numbers are used up, or one was refused.
    #[error("{0}: no other chunk can follow in this stream")]
    StreamEnded(String),
    /// The numbers of some sectors do not fit into their IVs.
    #[error("{sectors} sectors from number {first} on: the last of them has no IV of 64 bits")]
    SectorNumber {
        /// The number of the first.
        first: u64,
        /// How many.
        sectors: usize,
    },
    /// A driver of that name is registered already.
    #[error("driver `{0}` is registered already")]
    Duplicate(String),
    /// The registry holds as many drivers as it may, and somebody uses each of them.
    #[error("`{0}` is not looked up: the registry holds as many names and drivers as it may")]
    Full(String),
    /// The key's length is wrong.
    #[error("{name}: key of {}, expected {want}", bytes(*.got as u64))]
    KeyLength {
        /// The algorithm.
        name: String,
        /// Bytes given.
        got: usize,
        /// Bytes accepted.
        want: Sizes,
    },
    /// The key has the right length and the wrong contents.
    #[error("{name}: {reason}")]
    BadKey {
        /// The algorithm.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The algorithm does nothing without a key.
    #[error("{0} needs a key")]
    KeyMissing(String),
    /// The digest has one length, and more output was asked for.
    #[error("{0} has a digest of one length, and no output beyond it")]
    NotExtendable(String),
    /// The initialization vector's length is wrong.
    #[error("{name}: IV of {}, expected {want}", bytes(*.got as u64))]
    IvLength {
        /// The algorithm.
        name: String,
        /// Bytes given.
        got: usize,
        /// Bytes expected.
        want: usize,
    },
    /// The initialization vector has the right length and the wrong contents.
    #[error("{name}: {reason}")]
    BadIv {
        /// The algorithm.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The text's length does not suit the mode.
    #[error("{name}: text of {}, expected {want}", bytes(*.got))]
    TextLength {
        /// The algorithm.
        name: String,
        /// Bytes given.
        got: u64,
        /// What the mode takes.
        want: String,
    },
    /// The associated data's length does not suit the mode.
    #[error("{name}: associated data of {}, expected {want}", bytes(*.got as u64))]
    AssocLength {
        /// The algorithm.
        name: String,
        /// Bytes given.
        got: usize,
        /// What the mode takes.
        want: &'static str,
    },
    /// The tag's length is not one that the algorithm allows.
    #[error("{name}: tag of {}, expected {want}", bytes(*.got as u64))]
    TagLength {
        /// The algorithm.
        name: String,
        /// Bytes given.
        got: usize,
        /// Bytes accepted.
        want: Sizes,
    },
    /// The output buffer has the wrong length.
    #[error("output buffer of {}, expected {want}", bytes(*.got as u64))]
    OutputLength {
        /// Bytes given.
        got: usize,
        /// Bytes needed.
        want: usize,
    },
    /// The driver does not give the state of a hash away, in bytes.
    #[error("{0} does not export the state of a hash")]
    NoExport(String),
    /// The bytes are not the state of a hash of this driver.
    #[error("{0}: not the exported state of a hash")]
    BadState(String),
    /// A random number generator gives nothing. The output has been zeroed.
    #[error("{name}: {reason}")]
    Rng {
        /// The driver.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The tag does not match: the message or its associated data were changed, or the key is
    /// another one. The output has been zeroed.
    #[error("authentication failed")]
    Authentication,
    /// The request of a [batch](crate::batch) has not been run yet.
    #[error("the request has not been run")]
    NotRun,
    /// The driver panicked before the request of a [batch](crate::batch) was done. What its output holds is not to be used.
    #[error("the request was begun and not finished")]
    Unfinished,
    /// `ALGKIT_CPU` or another setting does not parse.
    #[error("{setting}: {reason}")]
    Setting {
        /// The variable or option.
        setting: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// `1 byte`, `2 bytes`.
fn bytes(n: u64) -> String {
    format!("{n} byte{}", if n == 1 { "" } else { "s" })
}

//! The crate's errors. Each names the value that was wrong.

use crate::{Sizes, Type};

/// An error of this crate. Nothing has been written to any output, except after [`Error::Authentication`] and
/// [`Error::Rng`], where the output has been zeroed, and [`Error::Unfinished`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not an algorithm name.
    #[error("bad algorithm name `{}`: {reason}", printable(name))]
    BadName {
        /// The text that was given, cut to the maximum length.
        name: String,
        /// The position and kind of the syntax error.
        reason: String,
    },
    /// No algorithm, driver or template has this name in this build: a [family](crate#features) may be left out, as
    /// `legacy` is by default. [`Error::with_suggestion`] also says which name is near.
    #[error("unknown algorithm `{}`", printable(.0))]
    Unknown(String),
    /// The name exists, but with another type.
    #[error("`{name}` is of type {found}, not {wanted}")]
    WrongType {
        /// The name that was looked up.
        name: String,
        /// The type of the algorithm with that name.
        found: Type,
        /// The type that the caller asked for.
        wanted: Type,
    },
    /// Drivers exist, but this CPU (as masked) runs none of them.
    #[error("no driver of `{0}` runs on this CPU")]
    NotUsable(String),
    /// Drivers exist, but all look up tables at secret addresses, which the policy forbids.
    #[error("`{name}` has only drivers with timing=table; ask for `{driver}` by name or allow table timing")]
    TableOnly {
        /// The algorithm's name.
        name: String,
        /// The driver with the highest priority.
        driver: String,
    },
    /// Every driver failed its self-test.
    #[error("every driver of `{name}` failed its self-test: {reason}")]
    SelfTest {
        /// The name of the algorithm or driver.
        name: String,
        /// The failure of the last driver tried.
        reason: String,
    },
    /// A template was given the wrong number or kind of parameters.
    #[error("bad parameters in `{name}`: {reason}")]
    BadParameters {
        /// The whole name, template included.
        name: String,
        /// The parameter that is wrong, and why.
        reason: String,
    },
    /// The AEAD's IV is not 12 bytes long, as STREAM requires.
    #[error("{name}: IV of {ivsize} bytes, where STREAM needs an AEAD with a 12-byte nonce")]
    NotForStream {
        /// The algorithm's name.
        name: String,
        /// The AEAD's IV length, in bytes.
        ivsize: usize,
    },
    /// The mode cannot encrypt a message before all of it is there.
    #[error("{0} cannot encrypt a message in parts: encrypt it in one call")]
    NotInParts(String),
    /// Associated data came after a part of the text.
    #[error("{0}: associated data after the text")]
    LateAssoc(String),
    /// A message in parts was ended, or refused, and another has not begun.
    #[error("{0}: the message has ended")]
    Ended(String),
    /// No chunk may follow in this STREAM: the last chunk was processed, the 32-bit chunk numbers are used up, or a
    /// chunk was refused.
    #[error("{0}: no other chunk can follow in this stream")]
    StreamEnded(String),
    /// A sector's number does not fit into a 64-bit IV.
    #[error("{sectors} sectors from number {first} on: the last number does not fit into a 64-bit IV")]
    SectorNumber {
        /// The number of the first sector.
        first: u64,
        /// The number of sectors.
        sectors: usize,
    },
    /// A driver of that name is registered already.
    #[error("driver `{0}` is registered already")]
    Duplicate(String),
    /// The registry has reached its limit, and every driver in it is in use. No other instance of a
    /// template can be made; names that need none are still found.
    #[error("`{0}` cannot be looked up: the registry is full, and every driver in it is in use")]
    Full(String),
    /// Drivers were removed, or given other priorities, each time the lookup began, before it could end.
    #[error("`{0}` cannot be looked up: drivers are removed or changed all the time")]
    Withdrawn(String),
    /// The key's length is wrong.
    #[error("{name}: key of {}, expected {want}", bytes(*.got as u64))]
    KeyLength {
        /// The algorithm's name.
        name: String,
        /// The length given, in bytes.
        got: usize,
        /// The lengths accepted, in bytes.
        want: Sizes,
    },
    /// The key has a valid length and a forbidden value, for example a weak key.
    #[error("{name}: {reason}")]
    BadKey {
        /// The algorithm's name.
        name: String,
        /// Why the key is refused.
        reason: &'static str,
    },
    /// The algorithm cannot be used without a key.
    #[error("{0} needs a key")]
    KeyMissing(String),
    /// Output beyond the digest was asked for, and the hash has a fixed output length.
    #[error("{0} has a fixed digest length and no output beyond it")]
    NotExtendable(String),
    /// The initialization vector's length is wrong.
    #[error("{name}: IV of {}, expected {want}{}", bytes(*.got as u64), made_of(name))]
    IvLength {
        /// The algorithm's name.
        name: String,
        /// The length given, in bytes.
        got: usize,
        /// The length expected, in bytes.
        want: usize,
    },
    /// The initialization vector has the right length and a forbidden value.
    #[error("{name}: {reason}")]
    BadIv {
        /// The algorithm's name.
        name: String,
        /// Why the IV is refused.
        reason: &'static str,
    },
    /// The mode does not accept this text length.
    #[error("{name}: text of {}, expected {want}", bytes(*.got))]
    TextLength {
        /// The algorithm's name.
        name: String,
        /// The length given, in bytes.
        got: u64,
        /// The lengths that the mode accepts, in words.
        want: String,
    },
    /// The mode does not accept this length of associated data.
    #[error("{name}: associated data of {}, expected {want}", bytes(*.got as u64))]
    AssocLength {
        /// The algorithm's name.
        name: String,
        /// The length given, in bytes.
        got: usize,
        /// The lengths that the mode accepts, in words.
        want: &'static str,
    },
    /// The algorithm does not allow this tag length.
    #[error("{name}: tag of {}, expected {want}", bytes(*.got as u64))]
    TagLength {
        /// The algorithm's name.
        name: String,
        /// The length given, in bytes.
        got: usize,
        /// The lengths accepted, in bytes.
        want: Sizes,
    },
    /// The mode returns a part of its result in the IV (key wrap), and a call that keeps the IV would lose that part.
    #[error("{0} returns a part of its result in the IV, which this call does not return")]
    ReturnsIv(String),
    /// The cipher is not safe for these sectors: they would share a key stream, or a part of the result would be lost.
    /// Single messages ([`Skcipher::decrypt_once`](crate::Skcipher::decrypt_once)) are not refused.
    #[error("{name} is not for sectors: {reason}")]
    NotForSectors {
        /// The algorithm's name.
        name: String,
        /// What would happen.
        reason: &'static str,
    },
    /// The output buffer has the wrong length.
    #[error("output buffer of {}, expected {want}", bytes(*.got as u64))]
    OutputLength {
        /// The length given, in bytes.
        got: usize,
        /// The length needed, in bytes.
        want: usize,
    },
    /// The hash shows by its time how long a message is.
    #[error("{0} cannot hash a message whose length is a secret")]
    LengthShows(String),
    /// The driver cannot export a hash state as bytes.
    #[error("{0} does not export the state of a hash")]
    NoExport(String),
    /// The bytes are not a hash state that this driver exported.
    #[error("{0}: not the exported state of a hash")]
    BadState(String),
    /// The random number generator failed. The output has been zeroed.
    #[error("{name}: {reason}")]
    Rng {
        /// The driver's name.
        name: String,
        /// The cause of the failure.
        reason: &'static str,
    },
    /// The tag does not match: the message, its associated data or the key differs. The output has been zeroed.
    #[error("authentication failed")]
    Authentication,
    /// The request of a [batch](crate::batch) has not been run yet.
    #[error("the request has not been run")]
    NotRun,
    /// The driver panicked before the request of a [batch](crate::batch) was done. The contents of its output must
    /// not be used.
    #[error("the request was begun and not finished")]
    Unfinished,
    /// The value of `ALGKIT_CPU` or of another setting is malformed.
    #[error("{setting}: {reason}")]
    Setting {
        /// The variable or option.
        setting: &'static str,
        /// The part of the value that is wrong.
        reason: String,
    },
}

/// What the IV is made of, where it is not what other libraries call a nonce or an IV. Only some front ends have
/// [`ccm_iv`](crate::ccm_iv), so the text also says what that function does.
fn made_of(name: &str) -> &'static str {
    match name.starts_with("ccm(") {
        true => ": a byte of value 14 - n, a nonce of n bytes (7 to 13), then zeros, as `ccm_iv` makes it",
        false => "",
    }
}

/// A name that somebody typed, with the characters escaped that a terminal would not print.
fn printable(name: &str) -> String {
    let escaped = |c: char| if matches!(c, '\'' | '"') { c.to_string() } else { c.escape_debug().to_string() };
    name.chars().map(escaped).collect()
}

/// Formats a length: `1 byte`, `2 bytes`.
fn bytes(n: u64) -> String {
    format!("{n} byte{}", if n == 1 { "" } else { "s" })
}

//! Algorithm types and the other enumerations that drivers and their users share.

use std::fmt;

/// The kind of operation that an algorithm performs. Later versions may add more.
///
/// ```
/// fn is_keyed(kind: algkit::Type) -> Option<bool> {
///     use algkit::Type::*;
///     match kind {
///         Cipher | Skcipher | Aead => Some(true),
///         Rng => Some(false),
///         _ => None,
///     }
/// }
/// assert_eq!(is_keyed(algkit::Type::Aead), Some(true));
/// ```
///
/// Without the last arm it does not compile:
///
/// ```compile_fail,E0004
/// fn is_keyed(kind: algkit::Type) -> Option<bool> {
///     use algkit::Type::*;
///     match kind {
///         Cipher | Skcipher | Aead => Some(true),
///         Rng => Some(false),
///         Hash => None,
///     }
/// }
/// assert_eq!(is_keyed(algkit::Type::Aead), Some(true));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Type {
    /// A block cipher, one block at a time.
    Cipher,
    /// A symmetric cipher in a mode of operation, with an IV.
    Skcipher,
    /// Authenticated encryption with associated data.
    Aead,
    /// A hash, with or without a key (MAC).
    Hash,
    /// A random number generator.
    Rng,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cipher => "cipher",
            Self::Skcipher => "skcipher",
            Self::Aead => "aead",
            Self::Hash => "hash",
            Self::Rng => "rng",
        })
    }
}

/// Whether a driver's running time can depend on secrets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// No branch and no address depends on a secret.
    Constant,
    /// Table lookups at secret-dependent addresses.
    Table,
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Constant => "constant",
            Self::Table => "table",
        })
    }
}

/// Whether a cipher encrypts or decrypts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// How to treat keys of a valid length that are known to be weak: DES keys with equal subkeys, XTS keys with equal
/// halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeakKeys {
    /// Return [`Error::BadKey`](crate::Error::BadKey).
    Refuse,
    /// Accept them, as AF_ALG does.
    Allow,
}

/// The drivers that an algorithm's name may select. A driver's own name always selects that driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Policy {
    /// Drivers with timing=constant; for algorithms without a secret, all drivers.
    #[default]
    Constant,
    /// All drivers.
    Table,
}

//! What kinds of algorithm there are, and the words in which drivers and their users speak of them.

use std::fmt;

/// What kind of operation an algorithm is. There may be more of them in a later version.
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
    /// A symmetric-key cipher with a mode: any text, an IV.
    Skcipher,
    /// Authenticated encryption with associated data.
    Aead,
    /// A message digest, keyed or not.
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

/// Whether a driver's memory addresses depend on secrets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// No branch and no address depends on a secret.
    Constant,
    /// Tables are looked up at secret addresses.
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

/// Which way a cipher goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// What to do with keys that an algorithm accepts and that are known to be weak: DES keys with
/// equal subkeys, XTS keys with equal halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeakKeys {
    /// An error.
    Refuse,
    /// Nothing special, as AF_ALG does.
    Allow,
}

/// Which drivers an algorithm's name may stand for. A driver's own name always stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Those with timing=constant, and for algorithms without a secret any.
    #[default]
    Constant,
    /// Any.
    Table,
}

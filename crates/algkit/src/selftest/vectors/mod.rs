//! Known answers, typed in from the standards; each names its source.

mod aead;
mod hash;
#[cfg(feature = "legacy")]
mod legacy;
mod skcipher;

/// One published vector of the algorithm `name`.
pub(crate) struct Vector {
    /// The algorithm: `xts(aes)`.
    pub name: &'static str,
    /// Standard and section, or document and vector number.
    pub source: &'static str,
    /// Input and output.
    pub known: Known,
}

/// Inputs and outputs, by type.
pub(crate) enum Known {
    /// Whole blocks.
    Cipher { key: &'static [u8], plain: &'static [u8], cipher: &'static [u8] },
    /// A text with its IV.
    Skcipher { key: &'static [u8], iv: &'static [u8], plain: &'static [u8], cipher: &'static [u8] },
    /// A text with its IV and associated data; `sealed` is the ciphertext followed by the tag.
    Aead { key: &'static [u8], iv: &'static [u8], assoc: &'static [u8], plain: &'static [u8], sealed: &'static [u8] },
    /// A message and its digest; an empty key is none.
    Hash { key: &'static [u8], message: &'static [u8], digest: &'static [u8] },
}

/// All of them.
pub(crate) static VECTORS: &[&[Vector]] = &[
    aead::VECTORS,
    hash::VECTORS,
    #[cfg(feature = "legacy")]
    legacy::VECTORS,
    skcipher::VECTORS,
];

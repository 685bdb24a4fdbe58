//! The sizes that an algorithm accepts.

use super::MAX_INPUT;
use crate::Sizes;

/// The text lengths that a mode accepts. [`Shape::takes`] and [`Shape::fit`] apply it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextRule {
    /// Any length.
    Any,
    /// A multiple of the block size.
    Blocks,
    /// At least one block (ciphertext stealing).
    Stealing,
    /// At least one block and at most this many bytes (an XTS data unit).
    DataUnit(u64),
    /// A multiple of the block size, at least two blocks. Decryption can tell whether the text is intact
    /// ([`super::SkcipherOps::is_intact`]).
    Wrapped,
}

/// The sizes of an algorithm, in bytes. A size that a type does not have is zero.
///
/// Start with the constructor for the type and change the rest with methods:
///
/// ```
/// use algkit::{Sizes, driver::{Shape, TextRule}};
///
/// let xts = Shape::skcipher(16, Sizes::of(&[32, 64]), 16, TextRule::DataUnit(16 << 20));
/// assert!(xts.takes(17) && !xts.takes(15));
/// let xof = Shape::hash(136, 64).extendable();
/// assert!(xof.extendable);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Shape {
    /// The block size; 1 for stream ciphers. For a hash, the input size of its compression function.
    pub blocksize: usize,
    /// The key lengths accepted.
    pub keys: Sizes,
    /// Whether a hash works without a key.
    pub optional_key: bool,
    /// The IV length.
    pub ivsize: usize,
    /// The text lengths accepted.
    pub text: TextRule,
    /// The tag lengths accepted (AEAD).
    pub tags: Sizes,
    /// The digest length (hash).
    pub digestsize: usize,
    /// Whether digests of any other length are available as well.
    pub extendable: bool,
}

impl Shape {
    /// No key, no IV, no digest, texts of any length.
    pub const EMPTY: Self = Self {
        blocksize: 1,
        keys: Sizes::NONE,
        optional_key: false,
        ivsize: 0,
        text: TextRule::Any,
        tags: Sizes::NONE,
        digestsize: 0,
        extendable: false,
    };

    /// Whether the mode accepts a text of `len` bytes.
    #[inline(always)]
    pub fn takes(&self, len: usize) -> bool {
        match self.text {
            TextRule::Any => true,
            // Nearly all block sizes are powers of two, and a division costs as much as a block.
            TextRule::Blocks if self.blocksize.is_power_of_two() => len & (self.blocksize - 1) == 0,
            TextRule::Blocks => len.is_multiple_of(self.blocksize),
            TextRule::Stealing => len >= self.blocksize,
            TextRule::DataUnit(max) => len >= self.blocksize && len as u64 <= max,
            TextRule::Wrapped => len >= 2 * self.blocksize && len.is_multiple_of(self.blocksize),
        }
    }

    /// The longest text length of at most `len` bytes that the mode accepts; if there is none, its shortest one.
    pub fn fit(&self, len: usize) -> usize {
        let blocks = len - len.checked_rem(self.blocksize).unwrap_or(len);
        match self.text {
            TextRule::Any => len,
            TextRule::Blocks => blocks,
            TextRule::Stealing => len.max(self.blocksize),
            TextRule::Wrapped => blocks.max(2 * self.blocksize),
            TextRule::DataUnit(max) => len.min(usize::try_from(max).unwrap_or(usize::MAX)).max(self.blocksize),
        }
    }

    /// The sizes of a block cipher.
    pub const fn cipher(blocksize: usize, keys: Sizes) -> Self {
        Self { blocksize, keys, text: TextRule::Blocks, ..Self::EMPTY }
    }

    /// The sizes of a symmetric cipher with a mode.
    pub const fn skcipher(blocksize: usize, keys: Sizes, ivsize: usize, text: TextRule) -> Self {
        Self { blocksize, keys, ivsize, text, ..Self::EMPTY }
    }

    /// The sizes of an AEAD.
    pub const fn aead(keys: Sizes, ivsize: usize, tags: Sizes) -> Self {
        Self { keys, ivsize, tags, ..Self::EMPTY }
    }

    /// The sizes of a hash without a key.
    pub const fn hash(blocksize: usize, digestsize: usize) -> Self {
        Self { blocksize, digestsize, optional_key: true, ..Self::EMPTY }
    }

    /// The sizes of a hash that requires a key.
    pub const fn keyed_hash(blocksize: usize, digestsize: usize, keys: Sizes) -> Self {
        Self { blocksize, digestsize, keys, ..Self::EMPTY }
    }

    /// The same sizes, with another block size and another rule for texts.
    #[must_use]
    pub const fn with_text(mut self, blocksize: usize, text: TextRule) -> Self {
        self.blocksize = blocksize;
        self.text = text;
        self
    }

    /// The same sizes, for a hash with an optional key.
    #[must_use]
    pub const fn with_optional_key(mut self) -> Self {
        self.optional_key = true;
        self
    }

    /// The same sizes, for a hash with any output length.
    #[must_use]
    pub const fn extendable(mut self) -> Self {
        self.extendable = true;
        self
    }

    /// The sizes of a random number generator. Its key is a seed of up to 2^30 bytes, or none.
    pub const fn rng() -> Self {
        Self { keys: Sizes::Between(0, MAX_INPUT), optional_key: true, ..Self::EMPTY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_taken_and_is_the_longest_that_is() {
        let rules = [TextRule::Any, TextRule::Blocks, TextRule::Stealing, TextRule::DataUnit(70), TextRule::Wrapped];
        for (rule, blocksize) in rules.into_iter().flat_map(|rule| [1, 8, 16, 20].map(|size| (rule, size))) {
            let shape = Shape::skcipher(blocksize, Sizes::NONE, 0, rule);
            for len in 0..100 {
                let longest = (0..=len).rev().chain(len + 1..).find(|&n| shape.takes(n));
                assert_eq!(Some(shape.fit(len)), longest, "{rule:?}, blocks of {blocksize}, {len}");
            }
        }
        // Blocks of no bytes, and units that are shorter than a block.
        for (rule, blocksize) in
            rules.into_iter().chain([TextRule::DataUnit(5)]).flat_map(|rule| [(rule, 0), (rule, 16)])
        {
            let shape = Shape::skcipher(blocksize, Sizes::NONE, 0, rule);
            assert!(shape.fit(0) <= 32 && shape.fit(100) <= 100, "{rule:?}, blocks of {blocksize}");
        }
    }
}

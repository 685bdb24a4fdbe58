//! The sizes of an algorithm.

use crate::Sizes;

/// The lengths of text that a mode takes: [`Shape::takes`] and [`Shape::fit`] read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextRule {
    /// Any.
    Any,
    /// A multiple of the block size.
    Blocks,
    /// At least one block: ciphertext stealing.
    Stealing,
    /// At least one block and at most this many bytes: an XTS data unit.
    DataUnit(u64),
    /// At least two blocks, whole ones. What was decrypted shows whether it is what was encrypted
    /// ([`super::SkcipherOps::is_intact`]).
    Wrapped,
}

/// The sizes of an algorithm, in bytes. What a type has no use for is zero.
///
/// A shape begins with the function of its type. What else there is to say is said by methods:
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
    /// Bytes of a block; 1 for stream ciphers. For a hash, of the compression function's input.
    pub blocksize: usize,
    /// Keys accepted.
    pub keys: Sizes,
    /// Whether a hash works without a key.
    pub optional_key: bool,
    /// Bytes of initialization vector.
    pub ivsize: usize,
    /// Texts accepted.
    pub text: TextRule,
    /// Tags accepted (AEAD).
    pub tags: Sizes,
    /// Bytes of digest (hash).
    pub digestsize: usize,
    /// Whether a digest of any other length can be had as well.
    pub extendable: bool,
}

impl Shape {
    /// All zero, any text, no key.
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

    /// Whether a text of `len` bytes is one that the mode takes.
    #[inline(always)]
    pub fn takes(&self, len: usize) -> bool {
        match self.text {
            TextRule::Any => true,
            // Blocks of nearly all ciphers are powers of two, and a division costs as much as a block.
            TextRule::Blocks if self.blocksize.is_power_of_two() => len & (self.blocksize - 1) == 0,
            TextRule::Blocks => len.is_multiple_of(self.blocksize),
            TextRule::Stealing => len >= self.blocksize,
            TextRule::DataUnit(max) => len >= self.blocksize && len as u64 <= max,
            TextRule::Wrapped => len >= 2 * self.blocksize && len.is_multiple_of(self.blocksize),
        }
    }

    /// The longest text of at most `len` bytes that the mode takes, or its shortest one.
    pub fn fit(&self, len: usize) -> usize {
        let blocks = len - len % self.blocksize;
        match self.text {
            TextRule::Any => len,
            TextRule::Blocks => blocks,
            TextRule::Stealing => len.max(self.blocksize),
            TextRule::Wrapped => blocks.max(2 * self.blocksize),
            TextRule::DataUnit(max) => len.clamp(self.blocksize, usize::try_from(max).unwrap_or(usize::MAX)),
        }
    }

    /// A block cipher.
    pub const fn cipher(blocksize: usize, keys: Sizes) -> Self {
        Self { blocksize, keys, text: TextRule::Blocks, ..Self::EMPTY }
    }

    /// A cipher with a mode.
    pub const fn skcipher(blocksize: usize, keys: Sizes, ivsize: usize, text: TextRule) -> Self {
        Self { blocksize, keys, ivsize, text, ..Self::EMPTY }
    }

    /// Authenticated encryption.
    pub const fn aead(keys: Sizes, ivsize: usize, tags: Sizes) -> Self {
        Self { keys, ivsize, tags, ..Self::EMPTY }
    }

    /// A hash without a key.
    pub const fn hash(blocksize: usize, digestsize: usize) -> Self {
        Self { blocksize, digestsize, optional_key: true, ..Self::EMPTY }
    }

    /// A hash that needs a key.
    pub const fn keyed_hash(blocksize: usize, digestsize: usize, keys: Sizes) -> Self {
        Self { blocksize, digestsize, keys, ..Self::EMPTY }
    }

    /// The same, with texts that are taken by another rule, in blocks of another size.
    #[must_use]
    pub const fn with_text(mut self, blocksize: usize, text: TextRule) -> Self {
        self.blocksize = blocksize;
        self.text = text;
        self
    }

    /// A hash that takes a key and works without.
    #[must_use]
    pub const fn with_optional_key(mut self) -> Self {
        self.optional_key = true;
        self
    }

    /// A hash whose digest may have any other length too.
    #[must_use]
    pub const fn extendable(mut self) -> Self {
        self.extendable = true;
        self
    }

    /// A random number generator. Its key is a seed of any length, none included.
    pub const fn rng() -> Self {
        Self { keys: Sizes::Between(0, usize::MAX), optional_key: true, ..Self::EMPTY }
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
    }
}

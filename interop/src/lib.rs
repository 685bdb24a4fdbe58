//! Foreign implementations of algkit's algorithms, and names for each of algkit's drivers. The tests of this crate
//! compare the two.
//!
//! A [`Library`] offers its algorithms under algkit's names. If it has a cipher or a MAC, but not the kernel's
//! construction over it, [`compose`] builds the construction from the library's parts by its specification.

pub mod compose;
pub mod drivers;
pub mod gcrypt;
pub mod openssl;

pub use algkit::Direction;

/// A cipher with a mode, as a function of direction, key, IV and text.
pub type Skcipher = Box<dyn Fn(Direction, &[u8], &[u8], &[u8]) -> Vec<u8>>;

/// An AEAD, as a function of key, IV, associated data, text and tag length in bytes. It returns the ciphertext and then
/// the tag.
pub type Aead = Box<dyn Fn(&[u8], &[u8], &[u8], &[u8], usize) -> Vec<u8>>;

/// A hash, as a function of key (empty if there is none) and message.
pub type Hash = Box<dyn Fn(&[u8], &[u8]) -> Vec<u8>>;

/// A foreign implementation of an algorithm.
pub enum Counterpart {
    /// A cipher with a mode. A block cipher is its ECB, with an empty IV.
    Skcipher(Skcipher),
    /// An AEAD.
    Aead(Aead),
    /// A hash.
    Hash(Hash),
}

/// A foreign library. `key_len` is in bytes; for `authenc` it is the length of the encryption key.
pub trait Library {
    /// The library's name.
    fn name(&self) -> &'static str;

    /// A cipher with a mode, by algkit's name.
    fn skcipher(&self, name: &str, key_len: usize) -> Option<Skcipher>;

    /// An AEAD, by algkit's name.
    fn aead(&self, name: &str, key_len: usize) -> Option<Aead>;

    /// A hash, by algkit's name.
    fn hash(&self, name: &str, key_len: usize) -> Option<Hash>;
}

/// The implementation of `library` to compare `name` with.
pub fn counterpart(library: &dyn Library, name: &str, key_len: usize) -> Option<Counterpart> {
    let ecb = format!("ecb({name})");
    let skcipher = |name: &str| compose::skcipher(library, name, key_len);
    skcipher(name)
        .or_else(|| skcipher(&ecb))
        .map(Counterpart::Skcipher)
        .or_else(|| compose::aead(library, name, key_len).map(Counterpart::Aead))
        .or_else(|| compose::hash(library, name, key_len).map(Counterpart::Hash))
}

/// The word before the parenthesis and the text in it: `xts(aes)` is `("xts", "aes")`.
pub fn split(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(')')?.split_once('(')
}

//! Other people's implementations of the algorithms of algkit, and a way to name each of algkit's
//! drivers. The tests of this crate compare the two.
//!
//! A [`Library`] offers what it has under algkit's names. Where it has a cipher or a MAC but not the
//! kernel's construction over it, [`compose`] builds the construction from the library's parts, as
//! its specification says.

pub mod compose;
pub mod drivers;
pub mod gcrypt;
pub mod openssl;

pub use algkit::Direction;

/// A cipher with a mode: direction, key, IV, text.
pub type Skcipher = Box<dyn Fn(Direction, &[u8], &[u8], &[u8]) -> Vec<u8>>;

/// Authenticated encryption: key, IV, associated data, text, bytes of tag. Ciphertext, then tag.
pub type Aead = Box<dyn Fn(&[u8], &[u8], &[u8], &[u8], usize) -> Vec<u8>>;

/// A hash: key (empty if there is none) and message.
pub type Hash = Box<dyn Fn(&[u8], &[u8]) -> Vec<u8>>;

/// A foreign implementation of an algorithm.
pub enum Counterpart {
    /// Of a cipher with a mode; block ciphers are their ECB, with an empty IV.
    Skcipher(Skcipher),
    /// Of an AEAD.
    Aead(Aead),
    /// Of a hash.
    Hash(Hash),
}

/// A library with implementations of its own. `key_len` is in bytes; for `authenc` it is the length of
/// the encryption key.
pub trait Library {
    /// Its name.
    fn name(&self) -> &'static str;

    /// A cipher with a mode, by algkit's name.
    fn skcipher(&self, name: &str, key_len: usize) -> Option<Skcipher>;

    /// An AEAD, by algkit's name.
    fn aead(&self, name: &str, key_len: usize) -> Option<Aead>;

    /// A hash, by algkit's name.
    fn hash(&self, name: &str, key_len: usize) -> Option<Hash>;
}

/// What `library` has to compare `name` with.
pub fn counterpart(library: &dyn Library, name: &str, key_len: usize) -> Option<Counterpart> {
    let ecb = format!("ecb({name})");
    let skcipher = |name: &str| compose::skcipher(library, name, key_len);
    skcipher(name)
        .or_else(|| skcipher(&ecb))
        .map(Counterpart::Skcipher)
        .or_else(|| compose::aead(library, name, key_len).map(Counterpart::Aead))
        .or_else(|| compose::hash(library, name, key_len).map(Counterpart::Hash))
}

/// The word before the parenthesis, and what is in it: `xts(aes)` is `("xts", "aes")`.
pub fn split(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(')')?.split_once('(')
}

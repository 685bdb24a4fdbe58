//! Key wrapping (RFC 3394, SP 800-38F section 6.2) with the interface of the kernel's `kw(aes)`. The text is the
//! key to wrap, at least two words of 8 bytes. The wrapped key is one word longer: that first word is the IV.
//! Encryption ignores the given IV and returns this word in its place. Decryption takes the word as the IV and
//! leaves the check value there. If that is not a6a6a6a6a6a6a6a6, both are wiped.

use super::{Lookup, cipher_mode, cipher128};
use crate::{
    Error, Name, Text,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
    key_wrap::{IV, WORD, unwrap_words, wrap_words},
};
use algkit_primitives::InOut;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// KW over a cipher of 16-byte blocks.
struct Kw(Box<dyn CipherOps>);

impl SkcipherOps for Kw {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        // Six passes are made over a copy, which is simpler than six passes over segments.
        let mut words = Zeroizing::new(vec![0; text.len()]);
        text.read(&mut words);
        match direction {
            Direction::Encrypt => {
                iv.copy_from_slice(&IV);
                wrap_words(|block| self.0.encrypt_blocks(InOut::from(&mut block[..])), iv, &mut words);
            }
            Direction::Decrypt => {
                unwrap_words(|block| self.0.decrypt_blocks(InOut::from(&mut block[..])), iv, &mut words);
            }
        }
        text.write(&words);
    }

    fn is_intact(&self, iv: &[u8]) -> bool {
        iv.ct_eq(&IV).into()
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    cipher128(lookup, name)?;
    cipher_mode(lookup, name, |c| Shape::skcipher(WORD, c.keys.clone(), WORD, TextRule::Wrapped), Kw)
}

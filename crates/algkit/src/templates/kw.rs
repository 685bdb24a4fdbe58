//! Key wrapping (RFC 3394, SP 800-38F section 6.2) with the interface of the kernel's `kw(aes)`. The text is the
//! key to wrap, at least two words of 8 bytes. The wrapped key is one word longer: that first word is the IV.
//! Encryption ignores the given IV and returns this word in its place. Decryption takes the word as the IV and
//! leaves the check value there. If that is not a6a6a6a6a6a6a6a6, the text is wiped.

use super::{Lookup, cipher_mode, cipher128};
use crate::{
    Error, Name, Text,
    blockwise::xor,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
};
use algkit_primitives::InOut;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

/// The length of a word in bytes.
const WORD: usize = 8;

/// The check value (RFC 3394 section 2.2.3.1).
const CHECK: [u8; WORD] = [0xa6; WORD];

/// KW over a cipher of 16-byte blocks.
struct Kw<C>(C);

impl<C: CipherOps> Kw<C> {
    /// Six rounds of steps *t*: each encrypts the shared word together with one word of the text, and XORs *t* onto
    /// the shared word.
    fn wrap(&self, shared: &mut [u8], words: &mut [u8]) {
        let mut block = Zeroizing::new([0; 2 * WORD]);
        let mut t = 0u64;
        for _ in 0..6 {
            for word in words.chunks_exact_mut(WORD) {
                t += 1;
                block[..WORD].copy_from_slice(shared);
                block[WORD..].copy_from_slice(word);
                self.0.encrypt_blocks(InOut::from(&mut block[..]));
                shared.copy_from_slice(&block[..WORD]);
                xor(shared, &t.to_be_bytes());
                word.copy_from_slice(&block[WORD..]);
            }
        }
    }

    /// Undoes [`Kw::wrap`].
    fn unwrap(&self, shared: &mut [u8], words: &mut [u8]) {
        let mut block = Zeroizing::new([0; 2 * WORD]);
        let mut t = 6 * (words.len() / WORD) as u64;
        for _ in 0..6 {
            for word in words.chunks_exact_mut(WORD).rev() {
                xor(shared, &t.to_be_bytes());
                t -= 1;
                block[..WORD].copy_from_slice(shared);
                block[WORD..].copy_from_slice(word);
                self.0.decrypt_blocks(InOut::from(&mut block[..]));
                shared.copy_from_slice(&block[..WORD]);
                word.copy_from_slice(&block[WORD..]);
            }
        }
    }
}

impl<C: CipherOps> SkcipherOps for Kw<C> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        // Six passes are made over a copy, which is simpler than six passes over segments.
        let mut words = Zeroizing::new(vec![0; text.len()]);
        text.read(&mut words);
        match direction {
            Direction::Encrypt => {
                iv.copy_from_slice(&CHECK);
                self.wrap(iv, &mut words);
            }
            Direction::Decrypt => self.unwrap(iv, &mut words),
        }
        text.write(&words);
        words.zeroize();
    }

    fn is_intact(&self, iv: &[u8]) -> bool {
        iv.ct_eq(&CHECK).into()
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    cipher128(lookup, name)?;
    cipher_mode(lookup, name, |c| Shape::skcipher(WORD, c.keys.clone(), WORD, TextRule::Wrapped), Kw)
}

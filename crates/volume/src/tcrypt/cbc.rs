//! CBC, for headers. Old volumes have two forms of it that the kernel does not have.

use crate::crypt::xor;
use algkit::{Cipher, Error, Skcipher};

pub(super) enum Cbc {
    /// The usual form.
    Standard(Skcipher),
    /// The two 32-bit words of a block are read and written in little-endian order (TrueCrypt's Blowfish).
    LittleEndian(Skcipher),
    /// Each block is encrypted by several ciphers, the first one first, inside of one chain.
    Chain(Vec<Cipher>),
}

impl Cbc {
    /// Decrypts whole blocks in place.
    pub fn decrypt(&self, iv: &[u8], text: &mut [u8]) -> Result<(), Error> {
        match self {
            Self::Standard(cipher) => cipher.decrypt_once(iv, text),
            Self::LittleEndian(cipher) => {
                // Swapping the bytes of words commutes with XOR, so it goes around the chain.
                let mut iv = iv.to_vec();
                swap_words(&mut iv);
                swap_words(text);
                cipher.decrypt_once(&iv, &mut *text)?;
                swap_words(text);
                Ok(())
            }
            Self::Chain(ciphers) => {
                let mut before = iv.to_vec();
                for block in text.chunks_exact_mut(iv.len()) {
                    let encrypted = block.to_vec();
                    ciphers.iter().rev().try_for_each(|cipher| cipher.decrypt(&mut *block))?;
                    xor(block, &before);
                    before = encrypted;
                }
                Ok(())
            }
        }
    }
}

fn swap_words(text: &mut [u8]) {
    text.chunks_exact_mut(4).for_each(<[u8]>::reverse);
}

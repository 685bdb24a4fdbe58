//! Cipher block chaining (SP 800-38A section 6.2). The IV becomes the last ciphertext block.

use super::{Lookup, cipher_mode};
use crate::{
    Error, Name, Text,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
};
use algkit_primitives::InOut;

/// CBC over a cipher.
struct Cbc(Box<dyn CipherOps>);

impl SkcipherOps for Cbc {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(run) = text.next(iv.len(), 0) {
            self.crypt_run(direction, iv, run);
        }
    }

    fn crypt_run(&self, direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        match direction {
            _ if run.is_empty() => {}
            Direction::Encrypt => self.0.cbc_encrypt(iv, run),
            Direction::Decrypt => self.0.cbc_decrypt(iv, run),
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let shape = |c: &Shape| Shape::skcipher(c.blocksize, c.keys.clone(), c.blocksize, TextRule::Blocks);
    cipher_mode(lookup, name, shape, Cbc)
}

//! Electronic codebook (SP 800-38A section 6.1): every block is encrypted independently.

use super::{Lookup, cipher_mode};
use crate::{
    Error, Name, Text,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
};
use algkit_primitives::InOut;

/// ECB over a cipher.
pub(crate) struct Ecb<C>(pub(crate) C);

impl<C: CipherOps> SkcipherOps for Ecb<C> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(run) = text.next(self.0.block_size(), 0) {
            self.crypt_run(direction, iv, run);
        }
    }

    fn crypt_run(&self, direction: Direction, _iv: &mut [u8], run: InOut<'_>) {
        match direction {
            _ if run.is_empty() => {}
            Direction::Encrypt => self.0.encrypt_blocks(run),
            Direction::Decrypt => self.0.decrypt_blocks(run),
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    cipher_mode(lookup, name, |c| Shape::skcipher(c.blocksize, c.keys.clone(), 0, TextRule::Blocks), Ecb)
}

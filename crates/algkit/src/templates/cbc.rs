//! Cipher block chaining (SP 800-38A section 6.2). The IV becomes the last ciphertext block.

use super::{Lookup, cipher_mode, each_batch_and_scratch, xor};
use crate::{
    Error, Name, Text,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
};
use algkit_primitives::InOut;

/// CBC over a cipher.
struct Cbc<C>(C);

impl<C: CipherOps> SkcipherOps for Cbc<C> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(run) = text.next(iv.len(), 0) {
            match direction {
                Direction::Encrypt => self.0.cbc_encrypt(iv, run),
                Direction::Decrypt => self.0.cbc_decrypt(iv, run),
            }
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

/// Block after block, each waiting for the one before.
pub(crate) fn encrypt(cipher: &(impl CipherOps + ?Sized), iv: &mut [u8], mut run: InOut<'_>) {
    while let Some(mut block) = run.take(iv.len()) {
        xor(iv, block.src());
        cipher.encrypt_blocks(InOut::from(&mut *iv));
        block.put(0, iv);
    }
}

/// Whole batches, each block masked with the ciphertext block before it.
pub(crate) fn decrypt(cipher: &(impl CipherOps + ?Sized), iv: &mut [u8], run: InOut<'_>) {
    each_batch_and_scratch(run, iv.len(), |mut batch, ciphertext| {
        ciphertext.copy_from_slice(batch.src());
        cipher.decrypt_blocks(batch.reborrow());
        let (first, rest) = batch.dst().split_at_mut(iv.len());
        xor(first, iv);
        xor(rest, ciphertext);
        iv.copy_from_slice(&ciphertext[ciphertext.len() - iv.len()..]);
    });
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let shape = |c: &Shape| Shape::skcipher(c.blocksize, c.keys.clone(), c.blocksize, TextRule::Blocks);
    cipher_mode(lookup, name, shape, Cbc)
}

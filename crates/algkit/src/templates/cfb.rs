//! Cipher feedback with segments of a whole block (SP 800-38A section 6.3). A partial last block uses as much of
//! the keystream as it needs. The IV becomes the last whole ciphertext block.

use super::{Lookup, MAX_BLOCK, cipher_mode};
use crate::{
    Error, Name, Text,
    blockwise::{each_batch_and_scratch, xor},
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
    wiped::Wiped,
};
use algkit_primitives::InOut;

/// CFB over a cipher.
struct Cfb(Box<dyn CipherOps>);

impl Cfb {
    /// Encrypts block by block, since each block depends on the one before.
    fn encrypt(&self, iv: &mut [u8], mut run: InOut<'_>) {
        let block = iv.len();
        let mut keystream = Wiped::<MAX_BLOCK>::default();
        let keystream = &mut keystream[..block];
        while !run.is_empty() {
            let mut part = run.take(run.len().min(block)).expect("no more than there is");
            keystream.copy_from_slice(iv);
            self.0.encrypt_blocks(InOut::from(&mut *keystream));
            xor(keystream, part.src());
            part.put(0, &keystream[..part.len()]);
            if part.len() == block {
                iv.copy_from_slice(keystream);
            }
        }
    }

    /// Decrypts in batches: the keystream depends only on ciphertext, which is known.
    fn decrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        let block = iv.len();
        each_batch_and_scratch(run, block, &mut |mut batch, keystream| {
            let ciphertext = batch.src();
            let before = keystream.len() - block;
            keystream[..block].copy_from_slice(iv);
            keystream[block..].copy_from_slice(&ciphertext[..before]);
            if let Some(last) = ciphertext.chunks_exact(block).next_back() {
                iv.copy_from_slice(last);
            }
            self.0.encrypt_blocks(InOut::from(&mut *keystream));
            batch.xor(keystream);
        });
    }
}

impl SkcipherOps for Cfb {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(run) = text.next(iv.len(), 0) {
            match direction {
                Direction::Encrypt => self.encrypt(iv, run),
                Direction::Decrypt => self.decrypt(iv, run),
            }
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    cipher_mode(lookup, name, |c| Shape::skcipher(1, c.keys.clone(), c.blocksize, TextRule::Any), Cfb)
}

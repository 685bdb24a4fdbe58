//! Propagating cipher block chaining (Kerberos 4): each block is XORed with the plaintext and the ciphertext of the
//! previous block. The IV becomes the XOR of the last plaintext and ciphertext blocks.

use super::{Lookup, MAX_BLOCK, cipher_mode};
use crate::{
    Error, Name, Text,
    blockwise::xor,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
    wiped::Wiped,
};
use algkit_primitives::InOut;

struct Pcbc(Box<dyn CipherOps>);

impl SkcipherOps for Pcbc {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let bs = iv.len();
        let mut next = Wiped::<MAX_BLOCK>::default();
        let next = &mut next[..bs];
        while let Some(mut run) = text.next(bs, 0) {
            while let Some(mut block) = run.take(bs) {
                next.copy_from_slice(block.src());
                match direction {
                    Direction::Encrypt => {
                        xor(next, iv);
                        self.0.encrypt_blocks(InOut::from(&mut *next));
                    }
                    Direction::Decrypt => {
                        self.0.decrypt_blocks(InOut::from(&mut *next));
                        xor(next, iv);
                    }
                }
                iv.copy_from_slice(block.src());
                xor(iv, next);
                block.put(0, next);
            }
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let shape = |c: &Shape| Shape::skcipher(c.blocksize, c.keys.clone(), c.blocksize, TextRule::Blocks);
    cipher_mode(lookup, name, shape, Pcbc)
}

//! XOR counter mode, as HCTR2 uses it (Crowley, Huckleberry, Biggers 2021, section 2.2): block `i`, counted from 1,
//! is XORed with the encryption of `iv ^ i`, where `i` is little-endian. The IV is not changed.

use super::{Lookup, cipher_mode, cipher128};
use crate::{
    Error, Name, Text,
    blockwise::{each_batch_and_scratch, xor},
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
};
use algkit_primitives::InOut;

/// XCTR over a cipher of 16-byte blocks.
pub(crate) struct Xctr<C>(pub(crate) C);

impl<C: CipherOps> SkcipherOps for Xctr<C> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut index = 0u64;
        while let Some(run) = text.next(16, 0) {
            each_batch_and_scratch(run, 16, &mut |mut batch, keystream| {
                for block in keystream.chunks_exact_mut(16) {
                    index += 1;
                    block.copy_from_slice(iv);
                    xor(block, &index.to_le_bytes());
                }
                self.0.encrypt_blocks(InOut::from(&mut *keystream));
                batch.xor(keystream);
            });
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    cipher128(lookup, name)?;
    cipher_mode(lookup, name, |c| Shape::skcipher(1, c.keys.clone(), 16, TextRule::Any), Xctr)
}

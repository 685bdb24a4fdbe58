//! Counter mode (SP 800-38A section 6.5): the whole IV is one big-endian counter, as in the kernel.
//! The IV becomes the next counter; a partial last block uses one up.

use super::{BATCH, Lookup, add_be, cipher_mode, each_batch};
use crate::{
    Error, Name, Text,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
};
use algkit_primitives::InOut;
use zeroize::Zeroize;

/// CTR over a cipher.
struct Ctr<C>(C);

impl<C: CipherOps> SkcipherOps for Ctr<C> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut keystream = [0; BATCH];
        while let Some(run) = text.next(iv.len(), 0) {
            each_batch(run, |mut batch| {
                let blocks = &mut keystream[..batch.len().next_multiple_of(iv.len())];
                for block in blocks.chunks_exact_mut(iv.len()) {
                    block.copy_from_slice(iv);
                    add_be(iv, 1);
                }
                self.0.encrypt_blocks(InOut::from(&mut *blocks));
                batch.xor(blocks);
            });
        }
        keystream.zeroize();
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    cipher_mode(lookup, name, |c| Shape::skcipher(1, c.keys.clone(), c.blocksize, TextRule::Any), Ctr)
}

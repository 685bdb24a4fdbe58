//! Counter mode (SP 800-38A section 6.5). As in the kernel, the whole IV is one big-endian counter. The IV becomes
//! the next counter value; a partial last block counts as one.

use super::{Lookup, cipher_mode};
use crate::{
    Error, Name, Text,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
};
use algkit_primitives::InOut;

/// CTR over a cipher.
struct Ctr(Box<dyn CipherOps>);

impl SkcipherOps for Ctr {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(run) = text.next(iv.len(), 0) {
            self.0.ctr(iv, run);
        }
    }

    fn crypt_run(&self, _direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        if !run.is_empty() {
            self.0.ctr(iv, run);
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    cipher_mode(lookup, name, |c| Shape::skcipher(1, c.keys.clone(), c.blocksize, TextRule::Any), Ctr)
}

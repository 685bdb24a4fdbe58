//! Output feedback (SP 800-38A section 6.4). The IV becomes the last keystream block, even if the text used only a
//! part of it.

use super::{Lookup, cipher_mode};
use crate::{
    Error, Name, Text,
    driver::{CipherOps, Direction, Driver, Shape, SkcipherOps, TextRule},
};
use algkit_primitives::InOut;

/// OFB over a cipher.
struct Ofb(Box<dyn CipherOps>);

impl SkcipherOps for Ofb {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        while let Some(mut run) = text.next(iv.len(), 0) {
            while !run.is_empty() {
                let mut part = run.take(run.len().min(iv.len())).expect("no more than there is");
                self.0.encrypt_blocks(InOut::from(&mut *iv));
                part.xor(iv);
            }
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    cipher_mode(lookup, name, |c| Shape::skcipher(1, c.keys.clone(), c.blocksize, TextRule::Any), Ofb)
}

//! The null cipher and the null hash.

use super::Make;
use crate::{
    Text,
    driver::{BadKey, CipherOps, Direction, Fresh, SkcipherOps, WeakKeys},
};
use algkit_primitives::{
    InOut,
    cpu::Portable,
    hash::{Hash, Reader, Writer},
};

/// The cipher that copies its input.
pub(crate) struct Null;

impl CipherOps for Null {
    fn block_size(&self) -> usize {
        1
    }

    fn encrypt_blocks(&self, mut data: InOut<'_>) {
        data.copy();
    }

    fn decrypt_blocks(&self, mut data: InOut<'_>) {
        data.copy();
    }
}

impl SkcipherOps for Null {
    fn crypt(&self, _direction: Direction, _iv: &mut [u8], text: &mut Text<'_>) {
        text.copy();
    }
}

impl Make for Null {
    type Token = Portable;

    fn make(_: Portable, _key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self)
    }
}

/// The hash with an empty digest.
#[derive(Clone)]
pub(crate) struct Nothing;

impl Hash for Nothing {
    fn digest_size(&self) -> usize {
        0
    }

    fn update(&mut self, _data: &[u8]) {}

    fn finish(&mut self, _out: &mut [u8]) {}

    fn export(&self, _to: &mut Writer<'_>) {}

    fn import(&mut self, _from: &mut Reader<'_>) -> Option<()> {
        Some(())
    }
}

impl Make for Fresh<Nothing> {
    type Token = Portable;

    fn make(_: Portable, _key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self(Nothing))
    }
}

//! Serpent.

use super::Make;
use crate::driver::{BadKey, CipherOps, Direction, WeakKeys};
use algkit_primitives::{
    InOut,
    serpent::{Serpent, SerpentToken},
};

/// The IV as one block.
fn block(iv: &mut [u8]) -> &mut [u8; 16] {
    iv.try_into().expect("the IV is a block")
}

impl<T: SerpentToken> CipherOps for Serpent<T> {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.decrypt_blocks(data);
    }

    fn cbc_encrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        self.cbc_encrypt(block(iv), run);
    }

    fn cbc_decrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        self.cbc_decrypt(block(iv), run);
    }

    fn ctr(&self, counter: &mut [u8], run: InOut<'_>) {
        self.ctr(block(counter), run);
    }

    fn xts(&self, direction: Direction, tweak: &mut [u8; 16], run: InOut<'_>) {
        match direction {
            Direction::Encrypt => self.xts_encrypt(tweak, run),
            Direction::Decrypt => self.xts_decrypt(tweak, run),
        }
    }
}

impl<T: SerpentToken> Make for Serpent<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(token, key).ok_or(BadKey("a Serpent key has at most 32 bytes"))
    }
}

//! Twofish from `algkit_primitives::twofish`; the other block ciphers of this folder are wrapped crates.

use crate::{
    adapters::Make,
    driver::{BadKey, CipherOps, WeakKeys},
};
use algkit_primitives::{InOut, cpu::Portable, twofish::Twofish};

impl CipherOps for Twofish {
    fn block_size(&self) -> usize {
        16
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        self.encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        self.decrypt_blocks(data);
    }
}

impl Make for Twofish {
    type Token = Portable;

    fn make(_: Portable, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Self::new(key).ok_or(BadKey("a Twofish key has 16, 24 or 32 bytes"))
    }
}

//! Block ciphers.

use crate::{
    blockwise,
    kind::{Direction, WeakKeys},
};
use algkit_primitives::InOut;

/// A keyed block cipher.
pub trait CipherOps: Send + Sync + 'static {
    /// Bytes in a block.
    fn block_size(&self) -> usize;

    /// Replaces the key by another, of a length that the driver declares, and wipes the old one. `false` means that nothing
    /// has changed: the driver cannot do this, or refuses the key; the caller makes a new instance, and so learns which.
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// Encrypts whole blocks, each by itself; the more at a time, the faster.
    fn encrypt_blocks(&self, data: InOut<'_>);

    /// Decrypts whole blocks, each by itself.
    fn decrypt_blocks(&self, data: InOut<'_>);

    /// Encrypts whole blocks in CBC mode. `iv` is a block, and becomes the last of the ciphertext.
    ///
    /// This and the modes below are made of the operations above, unless the cipher has something faster.
    fn cbc_encrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        blockwise::cbc_encrypt(iv, run, &|block| self.encrypt_blocks(block));
    }

    /// Decrypts whole blocks in CBC mode. `iv` is a block, and becomes the last of the ciphertext.
    fn cbc_decrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        blockwise::cbc_decrypt(iv, run, &|blocks| self.decrypt_blocks(blocks));
    }

    /// Encrypts or decrypts in CTR mode. `counter` is a block, big-endian, and becomes the next one; a part of a block uses
    /// one up.
    fn ctr(&self, counter: &mut [u8], run: InOut<'_>) {
        blockwise::ctr(counter, run, &|blocks| self.encrypt_blocks(blocks));
    }

    /// Encrypts or decrypts whole blocks of 16 bytes, masked as XTS does; `tweak` moves on to that of the block after.
    fn xts(&self, direction: Direction, tweak: &mut [u8; 16], run: InOut<'_>) {
        match direction {
            Direction::Encrypt => blockwise::xts(tweak, run, &|blocks| self.encrypt_blocks(blocks)),
            Direction::Decrypt => blockwise::xts(tweak, run, &|blocks| self.decrypt_blocks(blocks)),
        }
    }
}

impl CipherOps for Box<dyn CipherOps> {
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        (**self).set_key(key, weak)
    }

    fn block_size(&self) -> usize {
        (**self).block_size()
    }

    fn encrypt_blocks(&self, data: InOut<'_>) {
        (**self).encrypt_blocks(data);
    }

    fn decrypt_blocks(&self, data: InOut<'_>) {
        (**self).decrypt_blocks(data);
    }

    fn cbc_encrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        (**self).cbc_encrypt(iv, run);
    }

    fn cbc_decrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        (**self).cbc_decrypt(iv, run);
    }

    fn ctr(&self, counter: &mut [u8], run: InOut<'_>) {
        (**self).ctr(counter, run);
    }

    fn xts(&self, direction: Direction, tweak: &mut [u8; 16], run: InOut<'_>) {
        (**self).xts(direction, tweak, run);
    }
}

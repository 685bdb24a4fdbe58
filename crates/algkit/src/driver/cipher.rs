//! Block ciphers.

use crate::{
    blockwise,
    kind::{Direction, WeakKeys},
};
use algkit_primitives::InOut;

/// The operations of a keyed block cipher.
pub trait CipherOps: Send + Sync + 'static {
    /// The block size in bytes.
    fn block_size(&self) -> usize;

    /// Replaces the key by another one of a declared length, and wipes the old one. Returns `false` without any
    /// change if the driver cannot replace keys or refuses this key. The caller then makes a new instance, which
    /// reports the reason.
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// Encrypts whole blocks independently (ECB). Many blocks per call are faster.
    fn encrypt_blocks(&self, data: InOut<'_>);

    /// Decrypts whole blocks independently (ECB).
    fn decrypt_blocks(&self, data: InOut<'_>);

    /// Encrypts whole blocks in CBC mode. `iv` is one block and is replaced by the last ciphertext block.
    ///
    /// The defaults of this and the following modes use the operations above. A cipher with faster code overrides
    /// them.
    fn cbc_encrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        blockwise::cbc_encrypt(iv, run, &|block| self.encrypt_blocks(block));
    }

    /// Decrypts whole blocks in CBC mode. `iv` is one block and is replaced by the last ciphertext block.
    fn cbc_decrypt(&self, iv: &mut [u8], run: InOut<'_>) {
        blockwise::cbc_decrypt(iv, run, &|blocks| self.decrypt_blocks(blocks));
    }

    /// Encrypts or decrypts in CTR mode. `counter` is one block, big-endian, and is advanced; a partial block
    /// counts as one.
    fn ctr(&self, counter: &mut [u8], run: InOut<'_>) {
        blockwise::ctr(counter, run, &|blocks| self.encrypt_blocks(blocks));
    }

    /// Encrypts or decrypts whole 16-byte blocks in XTS mode. `tweak` is advanced to that of the next block.
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

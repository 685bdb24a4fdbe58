//! Block ciphers.

use super::{
    limits::check_text,
    macros::{rekeyed, transform},
};
use crate::{Error, driver::CipherOps};
use algkit_primitives::InOut;

transform!(
    /// A keyed block cipher.
    Cipher, CipherOps, limits = |_| None);

rekeyed!(Cipher);

impl Cipher {
    /// Encrypts whole blocks independently (ECB).
    pub fn encrypt<'a>(&self, blocks: impl Into<InOut<'a>>) -> Result<(), Error> {
        self.checked(blocks.into()).map(|blocks| self.ops.encrypt_blocks(blocks))
    }

    /// Decrypts whole blocks independently (ECB).
    pub fn decrypt<'a>(&self, blocks: impl Into<InOut<'a>>) -> Result<(), Error> {
        self.checked(blocks.into()).map(|blocks| self.ops.decrypt_blocks(blocks))
    }

    fn checked<'a>(&self, blocks: InOut<'a>) -> Result<InOut<'a>, Error> {
        if !self.limits.allow(0, blocks.len()) {
            check_text(&self.driver, blocks.len())?;
        }
        Ok(blocks)
    }
}

//! Ciphers with a mode.

use crate::{
    Text,
    kind::{Direction, WeakKeys},
};
use algkit_primitives::InOut;
use std::any::Any;

/// A keyed cipher with a mode.
pub trait SkcipherOps: Send + Sync + Any {
    /// Passes `text` through the cipher. `iv` has the declared length and holds the chaining value
    /// afterwards, where the kernel's does.
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>);

    /// Whether a text that was decrypted is one that was encrypted, where the mode can tell ([`super::TextRule::Wrapped`]);
    /// `iv` is what the decryption has left in it. If not, the caller wipes the text.
    fn is_intact(&self, iv: &[u8]) -> bool {
        let _ = iv;
        true
    }

    /// Does at most [`super::MAX_JOBS`] requests at once; called on the instance of the first. All instances are of one
    /// driver, which tells them from others, of another crate's making, with [`Any`].
    ///
    /// A mode that leaves a CPU idle takes them side by side. The default takes each by itself.
    fn crypt_batch(&self, direction: Direction, jobs: &mut [SkcipherJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.run(direction));
    }

    /// [`SkcipherOps::crypt`] of a text in one piece. Nearly all texts are, and a driver that brings this saves short
    /// requests the bookkeeping of a [`Text`].
    fn crypt_run(&self, direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        self.crypt(direction, iv, &mut Text::from(run));
    }

    /// [`SkcipherOps::crypt_run`] of a message by itself: `iv` stays as it is, and no chaining value is returned.
    fn crypt_once(&self, direction: Direction, iv: &[u8], run: InOut<'_>) {
        if let Ok(mut iv) = <[u8; 16]>::try_from(iv) {
            return self.crypt_run(direction, &mut iv, run);
        }
        let mut copy = [0; 32];
        match copy.get_mut(..iv.len()) {
            Some(copy) => {
                copy.copy_from_slice(iv);
                self.crypt_run(direction, copy, run);
            }
            // No driver of this crate has so long an IV.
            None => self.crypt_run(direction, &mut iv.to_vec(), run),
        }
    }

    /// [`super::CipherOps::set_key`].
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }
}

/// A text to be encrypted or decrypted.
pub struct SkcipherJob<'a> {
    /// With what.
    pub ops: &'a dyn SkcipherOps,
    /// The IV, which becomes the chaining value.
    pub iv: &'a mut [u8],
    /// The text.
    pub text: InOut<'a>,
}

impl SkcipherJob<'_> {
    /// Does it by itself.
    pub fn run(&mut self, direction: Direction) {
        self.ops.crypt_run(direction, self.iv, self.text.reborrow());
    }
}

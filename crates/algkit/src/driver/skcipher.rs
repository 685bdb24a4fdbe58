//! Symmetric ciphers with a mode.

use super::HashState;
use crate::{
    Text,
    kind::{Direction, WeakKeys},
};
use algkit_primitives::{InOut, Turns};
use std::any::Any;

/// The operations of a keyed cipher with a mode.
pub trait SkcipherOps: Send + Sync + Any {
    /// Encrypts or decrypts `text`. `iv` has the declared length. Afterwards it holds the chaining value in the
    /// modes in which the kernel returns one.
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>);

    /// Whether a decrypted text is intact, for modes that can tell ([`super::TextRule::Wrapped`]). `iv` is the
    /// value that the decryption left. If the text is not intact, the caller wipes both. Only modes of that
    /// rule are asked; they must implement this.
    fn is_intact(&self, iv: &[u8]) -> bool {
        let _ = iv;
        false
    }

    /// How many messages [`SkcipherOps::crypt_batch`] processes side by side. If it is one, each request is executed by
    /// itself, and no list is made. With more, encryption leaves the CPU idle, and a text may be encrypted in parts: the
    /// next call of [`SkcipherOps::crypt_run`] continues with the chaining value that the call before has left.
    fn lanes(&self) -> usize {
        1
    }

    /// Executes at most [`super::MAX_JOBS`] requests together. It is called on the instance of the first request.
    /// All instances should belong to one driver. The driver recognizes its own by [`Any`] and calls the others'
    /// methods.
    ///
    /// A mode that leaves the CPU idle processes them side by side. The default executes one after the other.
    fn crypt_batch(&self, direction: Direction, jobs: &mut [SkcipherJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.run(direction));
    }

    /// Like [`SkcipherOps::crypt`], for a text in one piece. Nearly all texts are. A driver that implements this
    /// saves short requests the bookkeeping of a [`Text`].
    fn crypt_run(&self, direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        self.crypt(direction, iv, &mut Text::from(run));
    }

    /// Hashes and encrypts in turns; `iv` is treated as in [`SkcipherOps::crypt_run`].
    fn encrypt_hashing(&self, iv: &mut [u8], turns: &mut Turns<'_>, hash: &mut dyn HashState) {
        if self.encrypt_beside(iv, turns, hash) {
            return;
        }
        for i in 0..turns.count() {
            hash.update(turns.hashed(i));
            self.crypt_run(Direction::Encrypt, iv, InOut::from(&mut turns.encrypted(i)[..]));
        }
    }

    /// [`SkcipherOps::encrypt_hashing`] by a driver that does both at a time. Returns false and does nothing if it does
    /// not know the hash.
    #[must_use]
    fn encrypt_beside(&self, iv: &mut [u8], turns: &mut Turns<'_>, hash: &mut dyn HashState) -> bool {
        let _ = (iv, turns, hash);
        false
    }

    /// Like [`SkcipherOps::crypt_run`], for a complete message: `iv` is not changed and no chaining value is
    /// returned.
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
            // No driver of this crate has an IV this long.
            None => self.crypt_run(direction, &mut iv.to_vec(), run),
        }
    }

    /// See [`super::CipherOps::set_key`].
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }
}

/// A request of a batch.
pub struct SkcipherJob<'a> {
    /// The keyed instance.
    pub ops: &'a dyn SkcipherOps,
    /// The IV. The chaining value replaces it.
    pub iv: &'a mut [u8],
    /// The text to encrypt or decrypt.
    pub text: InOut<'a>,
}

impl SkcipherJob<'_> {
    /// Executes this job alone.
    pub fn run(&mut self, direction: Direction) {
        self.ops.crypt_run(direction, self.iv, self.text.reborrow());
    }
}

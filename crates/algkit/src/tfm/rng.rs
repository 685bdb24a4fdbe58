//! Random number generators.

use super::{Unkeyed, macros::transform};
use crate::{
    Error,
    driver::{Failure, RngOps},
};

transform!(
    /// A random number generator that has been seeded. All who share it share its state; any number of threads
    /// may ask it at once.
    ///
    /// ```
    /// let rng = algkit::rng("stdrng")?.key(b"a seed of any length, or none")?;
    /// let mut session_key = [0; 32];
    /// rng.generate(&[], &mut session_key)?;
    /// # assert_ne!(session_key, [0; 32]);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    ///
    /// For a DRBG the seed is the personalization string of SP 800-90A, and the entropy is the operating
    /// system's. A process that forks, and a virtual machine that is copied, need do nothing: every request
    /// draws on fresh entropy.
    Rng, RngOps);

impl Unkeyed<Rng> {
    /// The generator, seeded with `entropy` instead of the operating system's, and `seed`. Its output can be
    /// foreseen: for tests with known answers alone.
    ///
    /// For a DRBG `entropy` is the entropy input followed by the nonce.
    pub fn with_entropy(&self, entropy: &[u8], seed: &[u8]) -> Result<Rng, Error> {
        let rng = self.key(&[])?;
        rng.set_entropy(entropy)?;
        rng.instantiate(seed)?;
        Ok(rng)
    }
}

impl Rng {
    /// Fills `out` with random bytes, as many as there is room for; `additional` adds to the state, and may be empty.
    pub fn generate(&self, additional: &[u8], out: &mut [u8]) -> Result<(), Error> {
        self.ops.generate(additional, out).map_err(|failure| {
            out.fill(0);
            self.error(failure)
        })
    }

    /// Starts anew, with fresh entropy and `seed`.
    pub fn instantiate(&self, seed: &[u8]) -> Result<(), Error> {
        self.ops.instantiate(seed).map_err(|failure| self.error(failure))
    }

    /// Adds fresh entropy and `additional` to the state.
    pub fn reseed(&self, additional: &[u8]) -> Result<(), Error> {
        self.ops.reseed(additional).map_err(|failure| self.error(failure))
    }

    /// From now on, takes `entropy` wherever fresh entropy is needed: for tests with known answers alone.
    pub fn set_entropy(&self, entropy: &[u8]) -> Result<(), Error> {
        self.ops.set_entropy(entropy).map_err(|failure| self.error(failure))
    }

    fn error(&self, Failure(reason): Failure) -> Error {
        Error::Rng { name: self.driver.driver.clone(), reason }
    }
}

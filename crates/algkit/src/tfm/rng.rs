//! Random number generators.

use super::{Unkeyed, macros::transform};
use crate::{
    Error,
    driver::{Failure, MAX_INPUT, RngOps},
};

transform!(
    /// A seeded random number generator. All holders share its state; any number of threads may use it
    /// concurrently.
    ///
    /// ```
    /// let rng = algkit::rng("stdrng")?.key(b"a seed of any length, or none")?;
    /// let mut session_key = [0; 32];
    /// rng.generate(&[], &mut session_key)?;
    /// # assert_ne!(session_key, [0; 32]);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    ///
    /// For a DRBG the seed is the personalization string of SP 800-90A, and the entropy comes from the operating
    /// system. Nothing needs to be done after a fork or when a virtual machine is copied, because every request
    /// uses fresh entropy.
    Rng, RngOps);

impl Unkeyed<Rng> {
    /// The generator seeded with `entropy`, instead of the operating system's, and with `seed`. Its output is
    /// predictable: use this for known-answer tests only.
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
    /// Fills `out` with random bytes. `additional` is mixed into the state and may be empty; it has at most 2^30 bytes.
    pub fn generate(&self, additional: &[u8], out: &mut [u8]) -> Result<(), Error> {
        self.check(additional)?;
        self.ops.generate(additional, out).map_err(|failure| {
            out.fill(0);
            self.error(failure)
        })
    }

    /// Seeds the generator anew with fresh entropy and `seed`.
    pub fn instantiate(&self, seed: &[u8]) -> Result<(), Error> {
        self.check(seed)?;
        self.ops.instantiate(seed).map_err(|failure| self.error(failure))
    }

    /// Adds fresh entropy and `additional` to the state.
    pub fn reseed(&self, additional: &[u8]) -> Result<(), Error> {
        self.check(additional)?;
        self.ops.reseed(additional).map_err(|failure| self.error(failure))
    }

    /// Uses `entropy` from now on wherever fresh entropy is needed. For known-answer tests only.
    pub fn set_entropy(&self, entropy: &[u8]) -> Result<(), Error> {
        self.check(entropy)?;
        self.ops.set_entropy(entropy).map_err(|failure| self.error(failure))
    }

    /// A wrong length is the caller's error, not the generator's.
    fn check(&self, input: &[u8]) -> Result<(), Error> {
        if input.len() <= MAX_INPUT {
            return Ok(());
        }
        let (name, got) = (self.driver.driver.clone(), input.len() as u64);
        Err(Error::TextLength { name, got, want: "at most 2^30 of seed or additional input".to_owned() })
    }

    fn error(&self, Failure(reason): Failure) -> Error {
        Error::Rng { name: self.driver.driver.clone(), reason }
    }
}

//! Generators of random bytes, which the sockets accepted from one parent share.

use crate::Errno;
use algkit::{Driver, Rng, Unkeyed};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The most bytes of one request, of additional input, and of entropy given for a test.
pub(super) const MAX_SIZE: usize = 128;

/// A generator, which the sockets accepted from one parent share.
#[derive(Debug)]
pub(super) struct Generator {
    driver: Unkeyed<Rng>,
    /// Absent until seeded; a generator that draws on itself alone is there from the start.
    rng: Option<Arc<Rng>>,
    /// What stands in for entropy in a test with known answers.
    entropy: Option<Zeroizing<Vec<u8>>>,
}

impl Generator {
    pub(super) fn new(driver: Unkeyed<Rng>) -> Self {
        let mut generator = Self { driver, rng: None, entropy: None };
        if !generator.takes_seed() {
            generator.rng = generator.driver.key(&[]).ok().map(Arc::new);
        }
        generator
    }

    fn takes_seed(&self) -> bool {
        self.driver.driver().name != "jitterentropy_rng"
    }

    /// `ALG_SET_KEY`: the first instantiates, those that follow reseed.
    pub(super) fn seed(&mut self, seed: &[u8]) -> Result<(), Errno> {
        if !self.takes_seed() {
            return Ok(());
        }
        match &self.rng {
            Some(rng) => rng.reseed(seed),
            None => match &self.entropy {
                Some(entropy) => self.driver.with_entropy(entropy, seed),
                None => self.driver.key(seed),
            }
            .map(|rng| self.rng = Some(Arc::new(rng))),
        }
        .map_err(|_| Errno::INVAL)
    }

    /// `ALG_SET_DRBG_ENTROPY`: from now on, nothing else is entropy, and sockets take additional input.
    pub(super) fn set_entropy(&mut self, entropy: &[u8]) -> Result<(), Errno> {
        if self.entropy.is_some() || !self.takes_seed() {
            return Err(Errno::INVAL);
        }
        if entropy.len() > MAX_SIZE {
            return Err(Errno::MSGSIZE);
        }
        if let Some(rng) = &self.rng {
            rng.set_entropy(entropy).map_err(|_| Errno::INVAL)?;
        }
        self.entropy = (!entropy.is_empty()).then(|| entropy.to_vec().into());
        Ok(())
    }

    pub(super) fn driver(&self) -> &Driver {
        self.driver.driver()
    }

    /// What there is to draw from.
    pub(super) fn source(&self) -> Option<Arc<Rng>> {
        self.rng.clone()
    }

    /// Whether entropy is given, and sockets take additional input.
    pub(super) fn is_under_test(&self) -> bool {
        self.entropy.is_some()
    }
}

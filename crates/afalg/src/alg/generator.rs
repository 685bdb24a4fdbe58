//! Random number generators. The sockets accepted from one parent share a generator.

use crate::Errno;
use algkit::{Driver, Rng, Unkeyed};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The maximum size in bytes of a request, of additional input, and of test entropy.
pub(super) const MAX_SIZE: usize = 128;

/// A generator that is shared by the sockets accepted from one parent.
#[derive(Debug)]
pub(super) struct Generator {
    driver: Unkeyed<Rng>,
    /// `None` until seeded. A generator that takes no seed exists from the start.
    rng: Option<Arc<Rng>>,
    /// The fixed entropy of a known-answer test.
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

    /// `ALG_SET_KEY`: the first call instantiates the generator, later calls reseed it.
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

    /// `ALG_SET_DRBG_ENTROPY`: replaces all entropy from now on, and sockets accept additional input.
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

    /// The generator, if it is seeded.
    pub(super) fn source(&self) -> Option<Arc<Rng>> {
        self.rng.clone()
    }

    /// Whether test entropy was set, so that sockets accept additional input.
    pub(super) fn is_under_test(&self) -> bool {
        self.entropy.is_some()
    }
}

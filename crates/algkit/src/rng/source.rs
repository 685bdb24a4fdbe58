//! The entropy source of a DRBG.

use crate::{driver::Failure, entropy};
use zeroize::Zeroizing;

/// A source of entropy.
pub(super) enum Source {
    /// The operating system's generator.
    System,
    /// Always these bytes, for known-answer tests.
    Given(Zeroizing<Vec<u8>>),
}

impl Source {
    /// `len` bytes from the system, or all of the given bytes.
    pub(super) fn draw(&self, len: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
        match self {
            Self::System => {
                let mut bytes = Zeroizing::new(vec![0; len]);
                entropy::fill(&mut bytes).map_err(Failure)?;
                Ok(bytes)
            }
            Self::Given(bytes) => Ok(bytes.clone()),
        }
    }
}

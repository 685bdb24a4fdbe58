//! Random number generators.

use super::Failure;

/// A random number generator that has been seeded. Its state is shared by all who hold it.
pub trait RngOps: Send + Sync {
    /// Starts anew, with fresh entropy and `seed`.
    fn instantiate(&self, seed: &[u8]) -> Result<(), Failure>;

    /// Adds fresh entropy and `additional` to the state.
    fn reseed(&self, additional: &[u8]) -> Result<(), Failure>;

    /// Fills `out`. What it held on failure is no random number; the caller wipes it.
    fn generate(&self, additional: &[u8], out: &mut [u8]) -> Result<(), Failure>;

    /// From now on, takes `entropy` wherever fresh entropy is needed, so that outputs can be foreseen: for
    /// tests with known answers alone.
    fn set_entropy(&self, entropy: &[u8]) -> Result<(), Failure> {
        let _ = entropy;
        Err(Failure("takes its entropy from nobody"))
    }
}

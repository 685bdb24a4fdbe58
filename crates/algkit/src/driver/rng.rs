//! Random number generators.

use super::Failure;

/// The maximum length of a seed and of additional input, in bytes. SP 800-90A allows 2^32.
pub(crate) const MAX_INPUT: usize = 1 << 30;

/// The operations of a seeded random number generator. All holders share its state.
pub trait RngOps: Send + Sync {
    /// Seeds the generator anew with fresh entropy and `seed`.
    fn instantiate(&self, seed: &[u8]) -> Result<(), Failure>;

    /// Adds fresh entropy and `additional` to the state.
    fn reseed(&self, additional: &[u8]) -> Result<(), Failure>;

    /// Fills `out`. On failure the contents of `out` are not random; the caller wipes them.
    fn generate(&self, additional: &[u8], out: &mut [u8]) -> Result<(), Failure>;

    /// Uses `entropy` from now on wherever fresh entropy is needed, which makes the output predictable. For
    /// known-answer tests only.
    fn set_entropy(&self, entropy: &[u8]) -> Result<(), Failure> {
        let _ = entropy;
        Err(Failure("does not accept entropy from the caller"))
    }
}

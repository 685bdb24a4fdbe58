//! Keyed instances.

use super::{AeadOps, BadKey, CipherOps, HashOps, RngOps, SkcipherOps};
use crate::kind::WeakKeys;
use algkit_primitives::cpu::CpuFeatures;
use std::fmt;

/// A keyed instance of a driver, by type.
#[non_exhaustive]
pub enum Keyed {
    /// A block cipher, for single blocks.
    Cipher(Box<dyn CipherOps>),
    /// A symmetric cipher with a mode.
    Skcipher(Box<dyn SkcipherOps>),
    /// An AEAD cipher.
    Aead(Box<dyn AeadOps>),
    /// A hash or MAC.
    Hash(Box<dyn HashOps>),
    /// A random number generator.
    Rng(Box<dyn RngOps>),
}

impl fmt::Debug for Keyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyed(..)")
    }
}

/// Makes a keyed instance from the registry's CPU features, the key and the treatment of weak keys. The key's
/// length has been checked.
pub type Make = dyn Fn(CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey> + Send + Sync;

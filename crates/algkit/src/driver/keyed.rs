//! Keyed instances.

use super::{AeadOps, BadKey, CipherOps, HashOps, RngOps, SkcipherOps};
use crate::kind::WeakKeys;
use algkit_primitives::cpu::CpuFeatures;
use std::fmt;

/// A keyed instance of a driver, of its type.
#[non_exhaustive]
pub enum Keyed {
    /// Of type cipher.
    Cipher(Box<dyn CipherOps>),
    /// Of type skcipher.
    Skcipher(Box<dyn SkcipherOps>),
    /// Of type aead.
    Aead(Box<dyn AeadOps>),
    /// Of type hash.
    Hash(Box<dyn HashOps>),
    /// Of type rng.
    Rng(Box<dyn RngOps>),
}

impl fmt::Debug for Keyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyed(..)")
    }
}

/// Makes a keyed instance. The key's length has been checked; the CPU is the registry's.
pub type Make = dyn Fn(CpuFeatures, &[u8], WeakKeys) -> Result<Keyed, BadKey> + Send + Sync;

//! Primitives as drivers: what implements the traits of [`crate::driver`] for the types of `algkit_primitives` and of the
//! wrapped crates. Which of them serve under which names is the table's business.

#[cfg(feature = "aes")]
pub(crate) mod aegis;
#[cfg(feature = "aes")]
pub(crate) mod aes;
#[cfg(feature = "chacha")]
pub(crate) mod chacha;
pub(crate) mod hashes;
#[cfg(feature = "legacy")]
pub(crate) mod legacy;
pub(crate) mod michael;
pub(crate) mod null;
#[cfg(feature = "serpent")]
mod serpent;

use crate::driver::{BadKey, HashOps, WeakKeys};
use algkit_primitives::cpu::Token;

/// A keyed instance that a row can make.
///
/// The key has a length that the algorithm's shape allows.
pub(crate) trait Make: Sized {
    /// What proves that the CPU has what the driver needs.
    type Token: Token;

    /// The instance.
    fn make(token: Self::Token, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey>;

    /// The instance, where it stays.
    fn boxed(token: Self::Token, key: &[u8], weak: WeakKeys) -> Result<Box<Self>, BadKey> {
        Self::make(token, key, weak).map(Box::new)
    }
}

/// What makes the hash that a row names. Rows whose states are of one type make one type of hash, which is compiled once.
pub(crate) trait MakeHash {
    /// What proves that the CPU has what the driver needs.
    type Token: Token;

    /// Bytes of the hash.
    const SIZE: usize;

    /// The hash.
    fn boxed_hash(token: Self::Token, key: &[u8], weak: WeakKeys) -> Result<Box<dyn HashOps>, BadKey>;
}

impl<D: Make + HashOps> MakeHash for D {
    type Token = D::Token;

    const SIZE: usize = size_of::<D>();

    fn boxed_hash(token: D::Token, key: &[u8], weak: WeakKeys) -> Result<Box<dyn HashOps>, BadKey> {
        Ok(D::boxed(token, key, weak)?)
    }
}

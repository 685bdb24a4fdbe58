//! Adapters: implementations of the traits of [`crate::driver`] for the types of `algkit_primitives` and of the
//! wrapped crates. The table decides which of them serve under which names.

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

/// An instance type that a row of the table can construct.
///
/// The key has a length that the algorithm's shape allows.
pub(crate) trait Make: Sized {
    /// The proof that the CPU has the features that the driver needs.
    type Token: Token;

    /// Makes the instance. The key's length has been checked.
    fn make(token: Self::Token, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey>;

    /// Makes the instance directly in its box, if the type can.
    fn boxed(token: Self::Token, key: &[u8], weak: WeakKeys) -> Result<Box<Self>, BadKey> {
        Self::make(token, key, weak).map(Box::new)
    }
}

/// A constructor for the hash of a row. Rows with the same state type share one compiled hash type.
pub(crate) trait MakeHash {
    /// The proof that the CPU has the features that the driver needs.
    type Token: Token;

    /// The size of the hash instance in bytes.
    const SIZE: usize;

    /// Makes the keyed hash. The key's length has been checked.
    fn boxed_hash(token: Self::Token, key: &[u8], weak: WeakKeys) -> Result<Box<dyn HashOps>, BadKey>;
}

impl<D: Make + HashOps> MakeHash for D {
    type Token = D::Token;

    const SIZE: usize = size_of::<D>();

    fn boxed_hash(token: D::Token, key: &[u8], weak: WeakKeys) -> Result<Box<dyn HashOps>, BadKey> {
        Ok(D::boxed(token, key, weak)?)
    }
}

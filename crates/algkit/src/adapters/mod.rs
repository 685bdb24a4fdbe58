//! Primitives as drivers: what implements the traits of [`crate::driver`] for the types of `algkit_primitives` and of the
//! wrapped crates. Which of them serve under which names is the table's business.

#[cfg(feature = "aes")]
pub(crate) mod aes;
#[cfg(feature = "chacha")]
pub(crate) mod chacha;
pub(crate) mod hashes;
#[cfg(feature = "legacy")]
pub(crate) mod legacy;
#[cfg(feature = "serpent")]
mod serpent;

use crate::driver::{BadKey, WeakKeys};
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

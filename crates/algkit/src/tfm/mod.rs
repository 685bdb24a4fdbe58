//! Transforms: keyed instances of a driver, which check every request before the driver runs.

mod aead;
mod cipher;
mod hash;
mod limits;
mod macros;
mod rng;
mod sealing;
mod skcipher;
mod state;
mod unkeyed;

pub use aead::Aead;
pub use cipher::Cipher;
pub use hash::Hash;
pub(crate) use limits::Limits;
pub use rng::Rng;
pub use sealing::{Sealing, Unverified};
pub use skcipher::Skcipher;
pub(crate) use skcipher::crypt;
pub use state::State;
pub(crate) use unkeyed::{Chosen, another_type, sealed};
pub use unkeyed::{Transform, Unkeyed};

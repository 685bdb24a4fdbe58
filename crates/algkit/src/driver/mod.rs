//! Drivers: their descriptions as data, and the operations of their keyed instances.
//!
//! Drivers, in this crate and in others, implement the traits of this module. Users hold transforms
//! ([`crate::Skcipher`] and its siblings), which check every length before they call a driver. An implementation
//! may therefore rely on the lengths that its [`Driver`] declares.

mod aead;
mod aligned;
mod cipher;
mod hash;
mod instances;
mod keyed;
mod parts;
mod refusal;
mod rng;
mod row;
mod shape;
mod skcipher;

pub use crate::kind::{Direction, Timing, Type, WeakKeys};
pub use aead::{AeadJob, AeadOps, Tag};
pub use algkit_primitives::hash::{Hash as PlainState, Reader, Writer};
pub use cipher::CipherOps;
pub use hash::{Fresh, HashJob, HashOps, HashState, StateJob};
pub(crate) use instances::{Instances, Jobs, put};
pub use keyed::{Keyed, Make};
pub use parts::AeadState;
pub(crate) use parts::Granular;
pub use refusal::{BadKey, Failure, Refusal};
pub(crate) use rng::MAX_INPUT;
pub use rng::RngOps;
pub use row::{Driver, DriverRef, SelfTest};
pub use shape::{Shape, TextRule};
pub use skcipher::{SkcipherJob, SkcipherOps};

/// The maximum number of requests in one call of a driver's batch method.
pub const MAX_JOBS: usize = 64;

//! Hashes that are ready to digest, and messages in progress.

use crate::Errno;
use algkit::{Hash, State, Unkeyed, WeakKeys};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of key in front of a message for Poly1305.
const KEY_LEN: usize = 32;

/// A hash that is ready to digest.
#[derive(Clone, Debug)]
pub(super) enum Digester {
    /// It has its key, or needs none.
    Keyed(Arc<Hash>),
    /// Poly1305, as the kernel has it: each message begins with its key.
    KeyFirst(Unkeyed<Hash>),
}

impl Digester {
    /// What `driver` can do before it is given a key.
    pub(super) fn without_key(driver: &Unkeyed<Hash>) -> Option<Self> {
        let shape = &driver.driver().shape;
        if driver.driver().name == "poly1305" {
            return Some(Self::KeyFirst(driver.clone()));
        }
        shape.optional_key.then(|| driver.key(&[]).ok().map(|hash| Self::Keyed(Arc::new(hash)))).flatten()
    }

    /// A new message.
    pub(super) fn start(&self) -> Progress {
        match self {
            Self::Keyed(hash) => Progress::Digest(hash.start()),
            Self::KeyFirst(driver) => {
                let key = Zeroizing::new(Vec::with_capacity(KEY_LEN));
                Progress::KeyFirst { driver: driver.clone(), key, state: None }
            }
        }
    }

    /// The digest of a message in one piece.
    #[inline]
    pub(super) fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<(), Errno> {
        match self {
            Self::Keyed(hash) => hash.digest_into(&[message], out).map_err(|_| Errno::INVAL),
            Self::KeyFirst(_) => {
                let mut progress = self.start();
                progress.update(message);
                progress.finish_into(out)
            }
        }
    }
}

/// A message in progress.
#[derive(Clone, Debug)]
pub(super) enum Progress {
    Digest(State),
    /// The state is there once the key is complete.
    KeyFirst {
        driver: Unkeyed<Hash>,
        key: Zeroizing<Vec<u8>>,
        state: Option<State>,
    },
}

impl Progress {
    pub(super) fn update(&mut self, mut data: &[u8]) {
        match self {
            Self::Digest(state) => state.update(data),
            Self::KeyFirst { driver, key, state } => {
                if state.is_none() {
                    let (more, rest) = data.split_at(data.len().min(KEY_LEN - key.len()));
                    key.extend_from_slice(more);
                    data = rest;
                    *state = keyed(driver, key).map(|hash| hash.start());
                }
                if let Some(state) = state {
                    state.update(data);
                }
            }
        }
    }

    pub(super) fn finish_into(self, out: &mut [u8]) -> Result<(), Errno> {
        match self {
            Self::Digest(state) => state.finish_into(out).map_err(|_| Errno::INVAL),
            Self::KeyFirst { state, .. } => state.ok_or(Errno::NOKEY)?.finish_into(out).map_err(|_| Errno::INVAL),
        }
    }
}

/// The hash of a message that begins with its key, when that is complete.
fn keyed(driver: &Unkeyed<Hash>, key: &[u8]) -> Option<Hash> {
    (key.len() == KEY_LEN).then(|| driver.key_with(key, WeakKeys::Allow).ok()).flatten()
}

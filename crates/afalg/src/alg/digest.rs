//! Hashes with their keys, and messages in progress.

use crate::Errno;
use algkit::{Hash, State, Unkeyed, WeakKeys};
use std::sync::Arc;
use zeroize::Zeroizing;

/// A hash that is ready to process messages.
#[derive(Clone, Debug)]
pub(super) enum Digester {
    /// The hash has its key or needs none.
    Keyed(Arc<Hash>),
    /// The hash takes its key, or a part of it, from the beginning of each message.
    KeyFirst(Arc<KeyFirst>),
}

/// A hash whose key, or nonce, is the beginning of the message in the kernel's interface: Poly1305's key, and
/// VMAC's nonce.
#[derive(Debug)]
pub(super) struct KeyFirst {
    driver: Unkeyed<Hash>,
    /// The number of bytes that are taken from the message.
    len: usize,
    /// The key that was set, which follows those bytes.
    rest: Zeroizing<Vec<u8>>,
}

impl KeyFirst {
    fn of(driver: &Unkeyed<Hash>, key: &[u8]) -> Option<Self> {
        let len = match &*driver.driver().name {
            "poly1305" => 32,
            name if name.starts_with("vmac64(") => 16,
            _ => return None,
        };
        Some(Self { driver: driver.clone(), len, rest: Zeroizing::new(key.to_vec()) })
    }

    /// The hash for a message that begins with `first`; `None` if `first` is too short or is refused.
    fn keyed(&self, first: &[u8]) -> Option<Hash> {
        let key = Zeroizing::new([first, &*self.rest].concat());
        self.driver.key_with(&key, WeakKeys::Allow).ok()
    }

    /// The error for a message without a valid beginning.
    fn error(&self) -> Errno {
        if self.rest.is_empty() { Errno::NOKEY } else { Errno::INVAL }
    }
}

impl Digester {
    /// The hash without a key, if `driver` works without one.
    pub(super) fn without_key(driver: &Unkeyed<Hash>) -> Option<Self> {
        if driver.driver().name == "poly1305" {
            return KeyFirst::of(driver, &[]).map(|first| Self::KeyFirst(Arc::new(first)));
        }
        let works = driver.driver().shape.optional_key;
        works.then(|| driver.key(&[]).ok().map(|hash| Self::Keyed(Arc::new(hash)))).flatten()
    }

    /// The hash with `key`; `None` if the key is refused.
    pub(super) fn with_key(driver: &Unkeyed<Hash>, key: &[u8]) -> Option<Self> {
        match KeyFirst::of(driver, key) {
            None => driver.key_with(key, WeakKeys::Allow).ok().map(|hash| Self::Keyed(Arc::new(hash))),
            // A zero nonce is used to check the key.
            Some(first) => first.keyed(&vec![0; first.len]).map(|_| Self::KeyFirst(Arc::new(first))),
        }
    }

    /// Starts a message.
    pub(super) fn start(&self) -> Progress {
        match self {
            Self::Keyed(hash) => Progress::Digest(hash.start()),
            Self::KeyFirst(first) => {
                let taken = Zeroizing::new(Vec::with_capacity(first.len));
                Progress::KeyFirst { first: first.clone(), taken, state: None }
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
    /// `state` is `None` until the beginning of the message is complete, and stays so if it is refused.
    KeyFirst {
        first: Arc<KeyFirst>,
        taken: Zeroizing<Vec<u8>>,
        state: Option<State>,
    },
}

impl Progress {
    pub(super) fn update(&mut self, mut data: &[u8]) {
        match self {
            Self::Digest(state) => state.update(data),
            Self::KeyFirst { first, taken, state } => {
                if taken.len() < first.len {
                    let (more, rest) = data.split_at(data.len().min(first.len - taken.len()));
                    taken.extend_from_slice(more);
                    data = rest;
                    *state = first.keyed(taken).map(|hash| hash.start());
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
            Self::KeyFirst { first, state, .. } => {
                state.ok_or(first.error())?.finish_into(out).map_err(|_| Errno::INVAL)
            }
        }
    }
}

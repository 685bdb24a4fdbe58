//! Hashes.
//!
//! The state of a hash in progress stays here: a message is kept until it ends and then goes to the host at once. One that
//! grows past [`MAX_MESSAGE`] is hashed by our own driver, for a state in the kernel could be lost with the message's beginning.

use algkit::driver::{HashOps, HashState};
use std::{io, sync::Arc};
use zeroize::Zeroizing;

/// The longest message in pieces that the host hashes, in bytes; there is no limit for one in one call.
const MAX_MESSAGE: usize = 1 << 20;

/// A keyed hash in the host's kernel.
pub(crate) trait HostHash: Send + Sync {
    /// Digest of the concatenation of `parts`.
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) -> io::Result<()>;
}

/// A hash of the host, with one of our own to fall back on.
pub(crate) struct Hash(Arc<Pair>);

struct Pair {
    host: Box<dyn HostHash>,
    own: Box<dyn HashOps>,
}

impl Pair {
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        if self.host.digest(parts, out).is_err() {
            self.own.digest(parts, out);
        }
    }
}

impl Hash {
    pub(crate) fn new(host: Box<dyn HostHash>, own: Box<dyn HashOps>) -> Self {
        Self(Arc::new(Pair { host, own }))
    }

    /// Whether the host gives our own driver's answer.
    pub(crate) fn is_sound(&self, digest_size: usize) -> bool {
        let (mut want, mut got) = (vec![0; digest_size], vec![0; digest_size]);
        let parts: [&[u8]; 2] = [&[1; 100], &[2; 100]];
        self.0.own.digest(&parts, &mut want);
        self.0.host.digest(&parts, &mut got).is_ok() && got == want
    }
}

impl HashOps for Hash {
    fn start(&self) -> Box<dyn HashState> {
        Box::new(State { hash: self.0.clone(), message: Message::Kept(Zeroizing::default()) })
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        self.0.digest(parts, out);
    }
}

struct State {
    hash: Arc<Pair>,
    message: Message,
}

enum Message {
    Kept(Zeroizing<Vec<u8>>),
    Long(Box<dyn HashState>),
}

impl HashState for State {
    fn update(&mut self, data: &[u8]) {
        match &mut self.message {
            Message::Kept(message) if message.len().saturating_add(data.len()) <= MAX_MESSAGE => {
                message.extend_from_slice(data);
            }
            Message::Kept(message) => {
                let mut state = self.hash.own.start();
                state.update(message);
                state.update(data);
                self.message = Message::Long(state);
            }
            Message::Long(state) => state.update(data),
        }
    }

    fn finish(&mut self, out: &mut [u8]) {
        match &mut self.message {
            Message::Kept(message) => self.hash.digest(&[message], out),
            Message::Long(state) => state.finish(out),
        }
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        match &self.message {
            Message::Kept(message) => self.hash.digest(&[&[&message[..]], parts].concat(), out),
            Message::Long(state) => state.digest_after(parts, out),
        }
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        let message = match &self.message {
            Message::Kept(message) => Message::Kept(message.clone()),
            Message::Long(state) => Message::Long(state.boxed_clone()),
        };
        Box::new(Self { hash: self.hash.clone(), message })
    }
}

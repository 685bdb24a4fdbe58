//! Hashes.
//!
//! The state of a hash in progress stays in this process: a message is buffered until it ends, and is then sent to
//! the host at once. A message longer than [`MAX_MESSAGE`] is hashed by the own driver, because a state in the
//! kernel could be lost together with the beginning of the message. An imported state is also continued by the own
//! driver, which has exported it.

use crate::answer;
use algkit::driver::{HashOps, HashState, Reader, Writer};
use std::{io, sync::Arc};
use zeroize::Zeroizing;

/// The longest message in bytes that is buffered for the host. A message in one call has no limit.
const MAX_MESSAGE: usize = 1 << 20;

/// A keyed hash in the host's kernel.
pub(crate) trait HostHash: Send + Sync {
    /// Writes the digest of the concatenation of `parts`.
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) -> io::Result<()>;
}

/// A hash of the host with an own instance as the fallback.
pub(crate) struct Hash(Arc<WithFallback>);

struct WithFallback {
    host: Box<dyn HostHash>,
    own: Box<dyn HashOps>,
}

impl WithFallback {
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        if answer(self.host.digest(parts, out)).is_none() {
            self.own.digest(parts, out);
        }
    }
}

impl Hash {
    pub(crate) fn new(host: Box<dyn HostHash>, own: Box<dyn HashOps>) -> Self {
        Self(Arc::new(WithFallback { host, own }))
    }

    /// Whether the host gives the same result as the own driver.
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
    hash: Arc<WithFallback>,
    message: Message,
}

enum Message {
    Kept(Zeroizing<Vec<u8>>),
    Long(Box<dyn HashState>),
}

/// Appends `data`. If `Vec` grew the buffer, the old one would be freed unwiped.
fn append(message: &mut Zeroizing<Vec<u8>>, data: &[u8]) {
    let len = message.len() + data.len();
    if len > message.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(len.next_power_of_two()));
        larger.extend_from_slice(message);
        *message = larger;
    }
    message.extend_from_slice(data);
}

impl HashState for State {
    fn update(&mut self, data: &[u8]) {
        match &mut self.message {
            Message::Kept(message) if message.len().saturating_add(data.len()) <= MAX_MESSAGE => {
                append(message, data);
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

    fn export(&self, to: &mut Writer<'_>) -> bool {
        match &self.message {
            Message::Kept(message) => {
                let mut state = self.hash.own.start();
                state.update(message);
                state.export(to)
            }
            Message::Long(state) => state.export(to),
        }
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let mut state = self.hash.own.start();
        state.import(from)?;
        self.message = Message::Long(state);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use algkit::Registry;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A host that works like algkit if `alive`, and counts its requests.
    struct Host {
        hash: algkit::Hash,
        alive: bool,
        asked: Arc<AtomicUsize>,
    }

    impl HostHash for Host {
        fn digest(&self, parts: &[&[u8]], out: &mut [u8]) -> io::Result<()> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            if !self.alive {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.hash.digest_into(parts, out).map_err(io::Error::other)
        }
    }

    fn sha256(alive: bool) -> (Hash, Arc<AtomicUsize>) {
        let registry = Registry::global().unwrap();
        let unkeyed = registry.hash("sha256").unwrap();
        let own = (unkeyed.driver().make)(registry.cpu(), &[], algkit::WeakKeys::Refuse);
        let Ok(algkit::driver::Keyed::Hash(own)) = own else { panic!("no hash") };
        let asked = Arc::new(AtomicUsize::new(0));
        let host = Host { hash: unkeyed.unkeyed().unwrap(), alive, asked: asked.clone() };
        (Hash::new(Box::new(host), own), asked)
    }

    #[test]
    fn states_of_any_length_and_their_copies() {
        for alive in [true, false] {
            let (hash, asked) = sha256(alive);
            for len in [0, 5, MAX_MESSAGE, MAX_MESSAGE + 1] {
                let message: Vec<u8> = (0..len).map(|i| i as u8).collect();
                let want = algkit::hash("sha256").unwrap().digest(&message).unwrap();
                let (before, after) = message.split_at(len / 2);
                let before_asking = asked.load(Ordering::Relaxed);
                let mut state = hash.start();
                state.update(before);
                let mut copy = state.boxed_clone();
                state.update(after);
                copy.update(after);
                let mut outs = [[0; 32]; 4];
                state.digest_after(&[], &mut outs[0]);
                state.finish(&mut outs[1]);
                copy.boxed_clone().finish(&mut outs[2]);
                hash.start().digest_after(&[before, after], &mut outs[3]);
                assert!(outs.iter().all(|out| out[..] == want), "{len}");
                // A long message is sent to the host only as a single call.
                let offered = asked.load(Ordering::Relaxed) - before_asking;
                assert_eq!(offered, if len > MAX_MESSAGE { 1 } else { 4 });
            }
        }
    }

    #[test]
    fn a_message_in_many_pieces() {
        let (hash, _) = sha256(true);
        let message: Vec<u8> = (0..5000).map(|i| i as u8).collect();
        let mut state = hash.start();
        message.chunks(7).for_each(|piece| state.update(piece));
        let mut digest = [0; 32];
        state.finish(&mut digest);
        assert_eq!(digest[..], algkit::hash("sha256").unwrap().digest(&message).unwrap());
    }

    #[test]
    fn exported_states_are_our_own() {
        let (hash, asked) = sha256(true);
        for len in [0, 5, MAX_MESSAGE + 1] {
            let mut state = hash.start();
            state.update(&vec![7; len]);
            let mut bytes = [0; 264];
            let mut to = Writer::new(&mut bytes);
            assert!(state.export(&mut to));
            let len_of_bytes = to.len();

            let before = asked.load(Ordering::Relaxed);
            let mut imported = hash.start();
            imported.import(&mut Reader::new(&bytes[..len_of_bytes])).unwrap();
            let (mut got, mut want) = ([0; 32], [0; 32]);
            imported.update(b"more");
            imported.finish(&mut got);
            assert_eq!(asked.load(Ordering::Relaxed), before);
            // The exported state continues unchanged.
            state.update(b"more");
            state.finish(&mut want);
            assert_eq!(got, want, "{len}");
            assert!(hash.start().import(&mut Reader::new(&bytes[..7])).is_none());
        }
    }

    #[test]
    fn a_dead_host_is_unsound() {
        assert!(sha256(true).0.is_sound(32) && !sha256(false).0.is_sound(32));
    }
}

//! Hashes.

use super::instances::{Instances, each_of};
use crate::kind::WeakKeys;
use algkit_primitives::hash::{Hash, Job, Reader, Writer};
use std::any::Any;

/// A hash, keyed if it takes a key.
pub trait HashOps: Send + Sync + Any {
    /// [`super::CipherOps::set_key`].
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// A fresh state.
    fn start(&self) -> Box<dyn HashState>;

    /// Digest of the concatenation of `parts`. Allocates nothing.
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]);

    /// [`HashOps::digest`] of a message in one piece. Nearly all messages are, and a driver that brings this saves short
    /// ones the list.
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        self.digest(&[message], out);
    }

    /// Makes at most [`super::MAX_JOBS`] digests at once, as [`super::SkcipherOps::crypt_batch`] does.
    fn digest_batch(&self, jobs: &mut [HashJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.state.digest(job.parts, job.out));
    }
}

/// The state of a hash in progress.
pub trait HashState: Send + Sync + Any {
    /// Absorbs `data`.
    fn update(&mut self, data: &[u8]);

    /// Writes the digest; the state must not be used afterwards.
    fn finish(&mut self, out: &mut [u8]);

    /// Writes the next bytes of the output, if it has no end ([`super::Shape::extendable`]); more can be absorbed afterwards.
    /// Whether it has none; if not, nothing happens.
    #[must_use]
    fn squeeze(&mut self, out: &mut [u8]) -> bool {
        let _ = out;
        false
    }

    /// Finishes a copy that has also absorbed `parts`. Allocates nothing.
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]);

    /// [`HashState::digest_after`] for at most [`super::MAX_JOBS`] states at once, as [`super::SkcipherOps::crypt_batch`] does.
    fn digest_batch_after(&self, jobs: &mut [StateJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
    }

    /// An independent copy.
    fn boxed_clone(&self) -> Box<dyn HashState>;

    /// Writes what a message in progress has made of the state; whether the driver can. The key, and what else is the same
    /// in every state of an instance, is not part of it.
    #[must_use]
    fn export(&self, to: &mut Writer<'_>) -> bool {
        let _ = to;
        false
    }

    /// Makes a fresh state of the same driver and key the one that was exported. `None` if the bytes, which may be
    /// anything, are not of such a state; this one must then not be used.
    #[must_use]
    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let _ = from;
        None
    }
}

/// A state that can be copied where it is, as those of the primitives are.
impl<S: Hash + 'static> HashState for S {
    fn update(&mut self, data: &[u8]) {
        Hash::update(self, data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        Hash::finish(self, out);
    }

    fn squeeze(&mut self, out: &mut [u8]) -> bool {
        Hash::squeeze(self, out)
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        Hash::digest_after(self, parts, out);
    }

    fn digest_batch_after(&self, jobs: &mut [StateJob<'_>]) {
        if S::LANES == 1 {
            return jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
        }
        let single = |state: &dyn HashState, parts: &[&[u8]], out: &mut [u8]| state.digest_after(parts, out);
        let mut instances = Instances::new();
        each_of(jobs, |state| instances.find(state), single, S::digest_batch_after);
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(self.clone())
    }

    fn export(&self, to: &mut Writer<'_>) -> bool {
        Hash::export(self, to);
        true
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        Hash::import(self, from)
    }
}

/// A keyed hash that is its own fresh state.
pub struct Fresh<S>(pub S);

impl<S: Hash + 'static> HashOps for Fresh<S> {
    fn start(&self) -> Box<dyn HashState> {
        Box::new(self.0.clone())
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        Hash::digest_after(&self.0, parts, out);
    }

    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        Hash::digest_whole(&self.0, message, out);
    }

    fn digest_batch(&self, jobs: &mut [HashJob<'_>]) {
        if S::LANES == 1 {
            return jobs.iter_mut().for_each(|job| job.state.digest(job.parts, job.out));
        }
        let single = |hash: &dyn HashOps, parts: &[&[u8]], out: &mut [u8]| hash.digest(parts, out);
        let mut instances = Instances::<Self>::new();
        each_of(jobs, |hash| instances.find(hash).map(|fresh| &fresh.0), single, S::digest_batch_after);
    }
}

/// A message to be hashed from the start.
pub type HashJob<'a> = Job<'a, dyn HashOps>;

/// A message to be hashed behind what a state has absorbed.
pub type StateJob<'a> = Job<'a, dyn HashState>;

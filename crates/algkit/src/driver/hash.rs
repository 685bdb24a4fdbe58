//! Hashes.

use super::instances::{Instances, each_of};
use crate::kind::WeakKeys;
use algkit_primitives::{
    cpu::CpuFeatures,
    hash::{Hash, Job, Reader, Words, Writer},
};
use std::any::Any;

/// The operations of a hash, keyed or not.
pub trait HashOps: Send + Sync + Any {
    /// See [`super::CipherOps::set_key`].
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// A fresh state, keyed if the hash is.
    fn start(&self) -> Box<dyn HashState>;

    /// Writes the digest of the concatenation of `parts` to `out`. Allocates nothing.
    fn digest(&self, parts: &[&[u8]], out: &mut [u8]);

    /// Like [`HashOps::digest`], for a message in one piece. Nearly all messages are. A driver that implements this
    /// saves short messages the list.
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        self.digest(&[message], out);
    }

    /// Writes the digest of the concatenation of `parts` under another key of a declared length, for authenticators whose
    /// key serves one message. Allocates nothing, and this instance keeps its key. Returns false and does nothing if the
    /// driver does not support this.
    #[must_use]
    fn digest_under(&self, key: &[u8], parts: &[&[u8]], out: &mut [u8]) -> bool {
        let _ = (key, parts, out);
        false
    }

    /// Computes at most [`super::MAX_JOBS`] digests together; see [`super::SkcipherOps::crypt_batch`].
    fn digest_batch(&self, jobs: &mut [HashJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.state.digest(job.parts, job.out));
    }
}

/// The state of a hash in progress.
pub trait HashState: Send + Sync + Any {
    /// Absorbs `data`.
    fn update(&mut self, data: &[u8]);

    /// See [`Hash::absorb_by`].
    #[must_use]
    fn absorb_by(&mut self, len: usize, absorb: &mut dyn FnMut(CpuFeatures, Words<'_>) -> bool) -> bool {
        let _ = (len, absorb);
        false
    }

    /// Writes the digest. The state must not be used afterwards.
    fn finish(&mut self, out: &mut [u8]);

    /// Writes the next bytes of an unlimited output ([`super::Shape::extendable`]); more input can be absorbed
    /// afterwards. Returns false and does nothing if the hash has a fixed output length.
    #[must_use]
    fn squeeze(&mut self, out: &mut [u8]) -> bool {
        let _ = out;
        false
    }

    /// Writes the digest of what this state has absorbed followed by `parts`. The state does not change. Allocates
    /// nothing.
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]);

    /// Like [`HashState::digest_after`], for at most [`super::MAX_JOBS`] states together; see
    /// [`super::SkcipherOps::crypt_batch`].
    fn digest_batch_after(&self, jobs: &mut [StateJob<'_>]) {
        jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
    }

    /// Writes the digest of what this state has absorbed followed by the first `len` bytes of `data`, in a time that
    /// does not depend on `len`, which is between `least` and the length of `data`. Returns false and does nothing if
    /// the driver does not support this.
    #[must_use]
    fn digest_within(&self, data: &[u8], least: usize, len: usize, out: &mut [u8]) -> bool {
        let _ = (data, least, len, out);
        false
    }

    /// An independent copy.
    fn boxed_clone(&self) -> Box<dyn HashState>;

    /// Becomes a copy of another state of the same driver, in the same memory. Returns false and does nothing if the
    /// driver does not support this or the other state is of another one.
    #[must_use]
    fn copy_from(&mut self, other: &dyn HashState) -> bool {
        let _ = other;
        false
    }

    /// Exports what the message so far has changed in the state; returns whether the driver supports this. The key,
    /// and whatever else is equal in all states of an instance, is not exported.
    #[must_use]
    fn export(&self, to: &mut Writer<'_>) -> bool {
        let _ = to;
        false
    }

    /// Turns a fresh state of the same driver and key into the exported one. Any bytes may be given. Returns `None`
    /// if they are not an exported state; this state must then not be used.
    #[must_use]
    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let _ = from;
        None
    }
}

/// States of the primitives, which can be cloned on the stack.
impl<S: Hash + 'static> HashState for S {
    fn update(&mut self, data: &[u8]) {
        Hash::update(self, data);
    }

    fn absorb_by(&mut self, len: usize, absorb: &mut dyn FnMut(CpuFeatures, Words<'_>) -> bool) -> bool {
        Hash::absorb_by(self, len, absorb)
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

    fn digest_within(&self, data: &[u8], least: usize, len: usize, out: &mut [u8]) -> bool {
        Hash::digest_within(self, data, least, len, out)
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(self.clone())
    }

    fn copy_from(&mut self, other: &dyn HashState) -> bool {
        let other = (other as &dyn Any).downcast_ref::<S>();
        other.map(|other| self.clone_from(other)).is_some()
    }

    fn export(&self, to: &mut Writer<'_>) -> bool {
        Hash::export(self, to);
        true
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        Hash::import(self, from)
    }
}

/// A keyed hash that is represented by its initial state.
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

    fn digest_under(&self, key: &[u8], parts: &[&[u8]], out: &mut [u8]) -> bool {
        let Some(mut state) = Hash::under(&self.0, key) else { return false };
        parts.iter().for_each(|part| Hash::update(&mut state, part));
        Hash::finish(&mut state, out);
        true
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

/// A message to be hashed from the initial state.
pub type HashJob<'a> = Job<'a, dyn HashOps>;

/// A message to be hashed after what a state has already absorbed.
pub type StateJob<'a> = Job<'a, dyn HashState>;

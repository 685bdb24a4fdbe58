//! HMAC (FIPS 198-1, RFC 2104): `H(K ^ opad ‖ H(K ^ ipad ‖ text))`. The states after the two padded keys are
//! computed once, at key setup.

use super::{Lookup, args, bad, hash, wrap};
use crate::{
    Error, Name, Sizes,
    driver::{
        Driver, HashJob, HashOps, HashState, Instances, Jobs, Keyed, MAX_JOBS, Reader, Shape, StateJob, Type, Writer,
        put,
    },
    wiped::Wiped,
};
use algkit_primitives::{cpu::CpuFeatures, hash::Words};
use std::{any::Any, sync::Arc};

/// The longest digest of a hash that HMAC accepts, in bytes.
const MAX_DIGEST: usize = 64;

/// The largest block size in bytes, that of SHA3-224.
const MAX_BLOCK: usize = 144;

struct Hmac(Arc<KeyStates>);

struct KeyStates {
    inner: Box<dyn HashState>,
    outer: Box<dyn HashState>,
    digest_size: usize,
}

impl KeyStates {
    /// Writes the MAC, given a function that writes the inner digest.
    fn finish(&self, inner: impl FnOnce(&mut [u8]), out: &mut [u8]) {
        let mut digest = Wiped::<MAX_DIGEST>::default();
        inner(&mut digest[..self.digest_size]);
        self.outer.digest_after(&[&digest[..self.digest_size]], out);
    }
}

impl HashOps for Hmac {
    fn start(&self) -> Box<dyn HashState> {
        Box::new(InProgress { inner: self.0.inner.boxed_clone(), key: self.0.clone() })
    }

    fn digest(&self, parts: &[&[u8]], out: &mut [u8]) {
        self.0.finish(|digest| self.0.inner.digest_after(parts, digest), out);
    }

    fn digest_batch(&self, jobs: &mut [HashJob<'_>]) {
        for jobs in jobs.chunks_mut(MAX_JOBS) {
            let mut digests = Jobs::new();
            digests.extend(jobs.iter().map(|_| Wiped::default()));
            inner_digests(jobs, &mut digests);
            outer_digests(jobs, &digests);
        }
    }
}

/// Writes the inner digests of the jobs that are HMACs, and does the others.
fn inner_digests(jobs: &mut [HashJob<'_>], digests: &mut [Wiped<MAX_DIGEST>]) {
    let (mut inner, mut instances) = (Jobs::new(), Instances::<Hmac>::new());
    for (job, digest) in jobs.iter_mut().zip(digests) {
        match instances.find(job.state) {
            Some(Hmac(key)) => {
                let out = &mut digest[..key.digest_size];
                put(&mut inner, StateJob { state: &*key.inner, parts: job.parts, out });
            }
            None => job.state.digest(job.parts, job.out),
        }
    }
    finish_batch(&mut inner);
}

/// Writes the digests of the inner digests.
fn outer_digests(jobs: &mut [HashJob<'_>], digests: &[Wiped<MAX_DIGEST>]) {
    let (mut parts, mut outer, mut instances) = (Jobs::new(), Jobs::new(), Instances::<Hmac>::new());
    for (job, digest) in jobs.iter().zip(digests) {
        // What is not an HMAC has a place in the list, but no inner digest.
        let size = instances.find(job.state).map_or(0, |Hmac(key)| key.digest_size);
        put(&mut parts, [&digest[..size]]);
    }
    for (job, parts) in jobs.iter_mut().zip(&parts) {
        if let Some(Hmac(key)) = instances.find(job.state) {
            put(&mut outer, StateJob { state: &*key.outer, parts, out: job.out });
        }
    }
    finish_batch(&mut outer);
}

fn finish_batch(jobs: &mut [StateJob<'_>]) {
    if let Some(StateJob { state, .. }) = jobs.first() {
        state.digest_batch_after(jobs);
    }
}

struct InProgress {
    inner: Box<dyn HashState>,
    key: Arc<KeyStates>,
}

impl HashState for InProgress {
    fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    fn absorb_by(&mut self, len: usize, absorb: &mut dyn FnMut(CpuFeatures, Words<'_>) -> bool) -> bool {
        self.inner.absorb_by(len, absorb)
    }

    fn finish(&mut self, out: &mut [u8]) {
        self.key.finish(|digest| self.inner.finish(digest), out);
    }

    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        self.key.finish(|digest| self.inner.digest_after(parts, digest), out);
    }

    fn digest_within(&self, data: &[u8], least: usize, len: usize, out: &mut [u8]) -> bool {
        let mut inner = Wiped::<MAX_DIGEST>::default();
        let inner = &mut inner[..self.key.digest_size];
        let done = self.inner.digest_within(data, least, len, inner);
        if done {
            self.key.finish(|digest| digest.copy_from_slice(inner), out);
        }
        done
    }

    fn boxed_clone(&self) -> Box<dyn HashState> {
        Box::new(Self { inner: self.inner.boxed_clone(), key: self.key.clone() })
    }

    fn copy_from(&mut self, other: &dyn HashState) -> bool {
        let Some(other) = (other as &dyn Any).downcast_ref::<Self>() else { return false };
        if !Arc::ptr_eq(&self.key, &other.key) {
            self.key.clone_from(&other.key);
        }
        if !self.inner.copy_from(&*other.inner) {
            self.inner = other.inner.boxed_clone();
        }
        true
    }

    fn export(&self, to: &mut Writer<'_>) -> bool {
        self.inner.export(to)
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.inner.import(from)
    }
}

fn key_states(hash: &dyn HashOps, block: usize, digest_size: usize, key: &[u8]) -> KeyStates {
    let mut padded = Wiped::<MAX_BLOCK>::default();
    let padded = &mut padded[..block];
    if key.len() > block {
        hash.digest(&[key], &mut padded[..digest_size]);
    } else {
        padded[..key.len()].copy_from_slice(key);
    }
    let mut after = |pad: u8| {
        padded.iter_mut().for_each(|b| *b ^= pad);
        let mut state = hash.start();
        state.update(padded);
        state
    };
    let inner = after(0x36);
    let outer = after(0x36 ^ 0x5c);
    KeyStates { inner, outer, digest_size }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Hash, arg)?;
    let (block, digest_size) = (inner.shape.blocksize, inner.shape.digestsize);
    if !inner.shape.optional_key || !(digest_size..=MAX_BLOCK).contains(&block) || digest_size > MAX_DIGEST {
        return Err(bad(name, "hmac takes an unkeyed hash whose block is at least as long as its digest"));
    }
    let shape = Shape::keyed_hash(block, digest_size, Sizes::Between(0, usize::MAX));
    Ok(wrap(name, Type::Hash, shape, [inner], move |[inner], cpu, key, weak| {
        let hash = hash(inner, cpu, &[], weak)?;
        Ok(Keyed::Hash(Box::new(Hmac(Arc::new(key_states(&*hash, block, digest_size, key))))))
    }))
}

//! Requests of which a driver gets many at once.

use super::{AeadOps, Direction, HashOps, HashState, SkcipherOps};
use crate::{Text, tag};
use algkit_primitives::{InOut, Packet, hash::Job};
use arrayvec::ArrayVec;
use std::{any::Any, ptr};
use zeroize::Zeroize;

/// The most requests that a driver gets at once.
pub const MANY: usize = 64;

/// A list of as many, on the stack.
pub(crate) type Jobs<J> = ArrayVec<J, MANY>;

/// A text to be encrypted or decrypted.
pub struct SkcipherJob<'a> {
    /// With what.
    pub ops: &'a dyn SkcipherOps,
    /// The IV, which becomes the chaining value.
    pub iv: &'a mut [u8],
    /// The text.
    pub text: InOut<'a>,
}

impl SkcipherJob<'_> {
    /// Does it by itself.
    pub fn run(&mut self, direction: Direction) {
        self.ops.crypt_run(direction, self.iv, self.text.reborrow());
    }
}

/// A message to be sealed or opened.
pub struct AeadJob<'a> {
    /// With what.
    pub ops: &'a dyn AeadOps,
    /// The IV.
    pub iv: &'a [u8],
    /// The associated data, in pieces.
    pub assoc: &'a [&'a [u8]],
    text: InOut<'a>,
    tag: Tag<'a>,
}

/// The tag of a job: to be written, or to be compared with.
pub struct Tag<'a>(Inner<'a>);

enum Inner<'a> {
    Write(&'a mut [u8]),
    Check { tag: &'a [u8], authentic: &'a mut bool },
}

impl Tag<'_> {
    /// Writes the beginning of the full tag, or compares it with the one that was given.
    #[inline]
    pub fn finish(&mut self, full: &mut [u8; 16]) {
        match &mut self.0 {
            Inner::Write(tag) => tag::write(full, tag),
            Inner::Check { tag, authentic } => **authentic = tag::matches(full, tag),
        }
    }
}

impl<'a> AeadJob<'a> {
    /// To be encrypted, and a tag written.
    pub fn seal(ops: &'a dyn AeadOps, iv: &'a [u8], assoc: &'a [&'a [u8]], text: InOut<'a>, tag: &'a mut [u8]) -> Self {
        Self { ops, iv, assoc, text, tag: Tag(Inner::Write(tag)) }
    }

    /// To be decrypted, and the tag checked. `authentic` tells later whether it matched; if it did not, the job's
    /// owner wipes the text.
    pub fn open(
        ops: &'a dyn AeadOps,
        iv: &'a [u8],
        assoc: &'a [&'a [u8]],
        text: InOut<'a>,
        tag: &'a [u8],
        authentic: &'a mut bool,
    ) -> Self {
        *authentic = false;
        Self { ops, iv, assoc, text, tag: Tag(Inner::Check { tag, authentic }) }
    }

    /// The text and the tag.
    #[inline]
    pub fn split(&mut self) -> (InOut<'_>, &mut Tag<'a>) {
        (self.text.reborrow(), &mut self.tag)
    }

    /// Bytes of text.
    #[inline]
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Bytes of tag.
    #[inline]
    pub fn tag_len(&self) -> usize {
        match &self.tag.0 {
            Inner::Write(tag) => tag.len(),
            Inner::Check { tag, .. } => tag.len(),
        }
    }

    /// Does it by itself.
    pub fn run(&mut self) {
        if let [assoc] = self.assoc {
            let packet = &mut Packet { assoc, text: self.text.reborrow() };
            match &mut self.tag.0 {
                Inner::Write(tag) => self.ops.seal_packet(self.iv, packet, tag),
                Inner::Check { tag, authentic } => **authentic = self.ops.open_packet(self.iv, packet, tag),
            }
            return;
        }
        let text = &mut Text::from(self.text.reborrow());
        match &mut self.tag.0 {
            Inner::Write(tag) => self.ops.seal(self.iv, self.assoc, text, tag),
            Inner::Check { tag, authentic } => **authentic = self.ops.open(self.iv, self.assoc, text, tag),
        }
    }

    /// What the owner of a job to be opened does when it is done. A function of its own, because this is where the answer, which
    /// is public, is first looked at.
    #[inline(never)]
    pub(crate) fn wipe_unless_authentic(&mut self) {
        if let Inner::Check { authentic: false, .. } = self.tag.0 {
            self.text.dst().zeroize();
        }
    }
}

/// A message to be hashed from the start.
pub type HashJob<'a> = Job<'a, dyn HashOps>;

/// A message to be hashed behind what a state has absorbed.
pub type StateJob<'a> = Job<'a, dyn HashState>;

/// Tells the instances of one driver from others. It remembers the last, since jobs under one key follow each other, and asking
/// for a type costs as much as a block.
pub(crate) struct Known<'a, T>(Option<&'a T>);

impl<'a, T: 'static> Known<'a, T> {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self(None)
    }

    /// `instance`, if it is one.
    #[inline]
    pub(crate) fn find(&mut self, instance: &'a dyn Any) -> Option<&'a T> {
        if !self.0.is_some_and(|last| ptr::addr_eq(last, instance)) {
            self.0 = instance.downcast_ref();
        }
        self.0
    }
}

/// Passes the jobs whose instance is one that `get` finds to `many`, and each of the others to `one`.
pub(crate) fn typed<'a, O: ?Sized, S: 'static>(
    jobs: &mut [Job<'a, O>],
    mut get: impl FnMut(&'a O) -> Option<&'a S>,
    one: impl Fn(&O, &[&[u8]], &mut [u8]),
    many: impl Fn(&mut [Job<'_, S>]),
) {
    for jobs in jobs.chunks_mut(MANY) {
        let mut known = Jobs::new();
        for Job { state, parts, out } in jobs {
            match get(state) {
                Some(state) => known.push(Job { state, parts, out }),
                None => one(state, parts, out),
            }
        }
        many(&mut known);
    }
}

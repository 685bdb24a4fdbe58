//! Authenticated encryption.

use super::Refusal;
use crate::{
    Text,
    kind::{Direction, WeakKeys},
    tag,
};
use algkit_primitives::{InOut, Packet};
use std::any::Any;

/// A keyed AEAD.
///
/// `assoc` is the associated data in pieces.
pub trait AeadOps: Send + Sync + Any {
    /// Objects to a combination of lengths, or to an IV by its contents.
    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        let _ = (iv, assoc_len, text_len);
        Ok(())
    }

    /// [`super::CipherOps::set_key`].
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// Whether the IV of a message is made here and goes with it (`seqiv`, `echainiv`): the text begins with room for it, and
    /// two instances with one key make different messages, each of which the other opens.
    fn makes_iv(&self) -> bool {
        false
    }

    /// The IV as the associated data ends in it when it is authenticated, where a mode has its IV there and encrypts it
    /// first: ESSIV.
    fn encrypted_iv(&self, iv: &[u8]) -> Option<[u8; 16]> {
        let _ = iv;
        None
    }

    /// Encrypts `text` and writes the tag, of an allowed length.
    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]);

    /// Decrypts `text`; whether the tag matches. If not, the caller wipes the text.
    #[must_use]
    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool;

    /// Whether IVs of `len` bytes are taken too, a length other than the declared one; the same for all instances of a driver.
    fn takes_iv(&self, len: usize) -> bool {
        let _ = len;
        false
    }

    /// Texts of up to so many bytes need no [`AeadOps::check`], whatever the IV and the associated data; the same for all
    /// instances of a driver. `None` if every request is to be checked.
    fn unchecked(&self) -> Option<u64> {
        None
    }

    /// [`AeadOps::seal`] of a message in one piece. Nearly all messages are, and a driver that brings this saves short
    /// ones the lists and the bookkeeping of a [`Text`].
    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        self.seal(iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()), tag);
    }

    /// [`AeadOps::open`] of a message in one piece.
    #[must_use]
    fn open_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
        self.open(iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()), tag)
    }

    /// How many messages [`AeadOps::crypt_batch`] takes side by side. If it is one, each is done by itself as it comes, and no
    /// list is made.
    fn lanes(&self) -> usize {
        1
    }

    /// Does at most [`super::MAX_JOBS`] requests of one direction at once, as [`super::SkcipherOps::crypt_batch`] does.
    fn crypt_batch(&self, direction: Direction, jobs: &mut [AeadJob<'_>]) {
        let _ = direction;
        jobs.iter_mut().for_each(AeadJob::run);
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
}

//! Authenticated encryption.

use super::{AeadState, Refusal};
use crate::{
    Text,
    kind::{Direction, WeakKeys},
    tag,
};
use algkit_primitives::{InOut, Packet};
use std::any::Any;

/// The operations of a keyed AEAD.
///
/// `iv` has a length that the driver accepts. `assoc` is the associated data in pieces.
pub trait AeadOps: Send + Sync + Any {
    /// Checks a combination of lengths, and the contents of the IV. Called before a request runs.
    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        let _ = (iv, assoc_len, text_len);
        Ok(())
    }

    /// See [`super::CipherOps::set_key`].
    #[must_use]
    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        let _ = (key, weak);
        false
    }

    /// Whether this instance generates the IV and sends it with the message (`seqiv`, `echainiv`). The text then
    /// begins with room for the IV. Two instances with one key produce different messages, and each opens those of
    /// the other.
    fn makes_iv(&self) -> bool {
        false
    }

    /// For a mode that authenticates an encrypted IV at the end of the associated data (ESSIV): that encrypted IV.
    /// `None` for other modes.
    fn encrypted_iv(&self, iv: &[u8]) -> Option<[u8; 16]> {
        let _ = iv;
        None
    }

    /// Encrypts `text` and writes the tag. The tag's length has been checked.
    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]);

    /// Decrypts `text`; returns whether the tag matches. If it does not, the caller wipes the text.
    #[must_use]
    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool;

    /// Whether IVs of `len` bytes are accepted, besides the declared length. The same for all instances of a
    /// driver.
    fn takes_iv(&self, len: usize) -> bool {
        let _ = len;
        false
    }

    /// The longest text in bytes that needs no [`AeadOps::check`], whatever its IV and associated data. The same
    /// for all instances of a driver. `None` if every request must be checked.
    fn unchecked(&self) -> Option<u64> {
        None
    }

    /// Begins a message whose parts come one after the other. `None` for modes that cannot, such as CCM,
    /// which has to know the lengths first.
    fn begin(&self, iv: &[u8]) -> Option<Box<dyn AeadState>> {
        let _ = iv;
        None
    }

    /// Like [`AeadOps::seal`], for a message in one piece. Nearly all messages are. A driver that implements this
    /// saves short messages the lists and the bookkeeping of a [`Text`].
    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        self.seal(iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()), tag);
    }

    /// Like [`AeadOps::open`], for a message in one piece.
    #[must_use]
    fn open_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
        self.open(iv, &[packet.assoc], &mut Text::from(packet.text.reborrow()), tag)
    }

    /// The number of messages that [`AeadOps::crypt_batch`] processes side by side. With 1, every message is
    /// processed alone and no list is made.
    fn lanes(&self) -> usize {
        1
    }

    /// Executes at most [`super::MAX_JOBS`] requests of one direction together; see
    /// [`super::SkcipherOps::crypt_batch`].
    fn crypt_batch(&self, direction: Direction, jobs: &mut [AeadJob<'_>]) {
        let _ = direction;
        jobs.iter_mut().for_each(AeadJob::run);
    }
}

/// A message of a batch, to be encrypted or decrypted.
pub struct AeadJob<'a> {
    /// The keyed instance.
    pub ops: &'a dyn AeadOps,
    /// The IV, of a length that the driver accepts.
    pub iv: &'a [u8],
    /// The associated data, in pieces.
    pub assoc: &'a [&'a [u8]],
    text: InOut<'a>,
    tag: Tag<'a>,
}

/// The tag of a job: a buffer to write, or a tag to compare with.
pub struct Tag<'a>(Inner<'a>);

enum Inner<'a> {
    Write(&'a mut [u8]),
    Check { tag: &'a [u8], authentic: &'a mut bool },
}

impl Tag<'_> {
    /// Writes the tag, a prefix of the full tag, or compares the given tag with it.
    #[inline]
    pub fn finish(&mut self, full: &mut [u8; 16]) {
        match &mut self.0 {
            Inner::Write(tag) => tag::write(full, tag),
            Inner::Check { tag, authentic } => **authentic = tag::matches(full, tag),
        }
    }
}

impl<'a> AeadJob<'a> {
    /// A message to encrypt. Its tag is written to `tag`.
    pub fn seal(ops: &'a dyn AeadOps, iv: &'a [u8], assoc: &'a [&'a [u8]], text: InOut<'a>, tag: &'a mut [u8]) -> Self {
        Self { ops, iv, assoc, text, tag: Tag(Inner::Write(tag)) }
    }

    /// A message to decrypt. `authentic` is set to whether `tag` matches. If it does not, the job's owner wipes the
    /// text.
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

    /// The text and the tag, borrowed separately.
    #[inline]
    pub fn split(&mut self) -> (InOut<'_>, &mut Tag<'a>) {
        (self.text.reborrow(), &mut self.tag)
    }

    /// The text's length in bytes.
    #[inline]
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// The tag's length in bytes.
    #[inline]
    pub fn tag_len(&self) -> usize {
        match &self.tag.0 {
            Inner::Write(tag) => tag.len(),
            Inner::Check { tag, .. } => tag.len(),
        }
    }

    /// Executes this job alone.
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

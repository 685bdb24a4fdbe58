//! Authenticated encryption.

use super::{
    limits::{check_iv, check_text},
    macros::{rekeyed, transform},
};
use crate::{
    Error, Text,
    driver::{AeadOps, Refusal},
};
use algkit_primitives::{InOut, Packet};
use zeroize::Zeroize;

transform!(
    /// A keyed AEAD.
    ///
    /// ```
    /// let gcm = algkit::aead("gcm(aes)")?.key(&[1; 16])?;
    /// let sealed = gcm.seal(&[0; 12], b"header", b"text")?;
    /// assert_eq!(gcm.open(&[0; 12], b"header", &sealed)?, b"text");
    /// assert_eq!(gcm.open(&[0; 12], b"another", &sealed), Err(algkit::Error::Authentication));
    /// # Ok::<(), algkit::Error>(())
    /// ```
    Aead, AeadOps, limits = AeadOps::unchecked);

rekeyed!(Aead);

impl Aead {
    /// For a mode that authenticates an encrypted IV at the end of the associated data (ESSIV): that encrypted IV.
    /// It is as long as `iv`; zeros follow. `None` for other modes and for an `iv` of the wrong length. The kernel writes
    /// this value to its copy of the associated data.
    pub fn encrypted_iv(&self, iv: &[u8]) -> Option<[u8; 16]> {
        if iv.len() != self.driver.shape.ivsize {
            return None;
        }
        self.ops.encrypted_iv(iv)
    }

    /// Whether IVs of `len` bytes are accepted: the declared length, and for GCM any length from 1 on. NIST
    /// recommends 12 (SP 800-38D, section 5.2.1.1), which is also the fastest. An IV of another length is hashed
    /// first, and random IVs of less than 12 bytes soon repeat.
    pub fn takes_iv(&self, len: usize) -> bool {
        len == self.driver.shape.ivsize || self.ops.takes_iv(len)
    }

    /// The length of the longest tag, in bytes.
    pub fn max_tag_len(&self) -> usize {
        self.driver.shape.tags.max()
    }

    /// Encrypts `text`; returns the ciphertext followed by a tag of [`Aead::max_tag_len`] bytes.
    pub fn seal(&self, iv: &[u8], assoc: &[u8], text: &[u8]) -> Result<Vec<u8>, Error> {
        let len = text.len() + self.max_tag_len();
        if len > isize::MAX as usize {
            self.too_long(0, text.len())?;
        }
        let mut out = vec![0; len];
        let (ciphertext, tag) = out.split_at_mut(text.len());
        self.encrypt(iv, &[assoc], Text::new(text, ciphertext)?, tag)?;
        Ok(out)
    }

    /// Decrypts what [`Aead::seal`] returned.
    pub fn open(&self, iv: &[u8], assoc: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let Some(len) = sealed.len().checked_sub(self.max_tag_len()) else {
            return Err(Error::TextLength {
                name: self.driver.name.clone(),
                got: sealed.len() as u64,
                want: format!("at least the tag's {}", self.max_tag_len()),
            });
        };
        let (ciphertext, tag) = sealed.split_at(len);
        let mut text = vec![0; len];
        self.decrypt(iv, &[assoc], Text::new(ciphertext, &mut text)?, tag)?;
        Ok(text)
    }

    /// Encrypts `text` and writes a tag of `tag.len()` bytes; `assoc` is the associated data in pieces.
    #[inline]
    pub fn encrypt<'a>(
        &self,
        iv: &[u8],
        assoc: &[&[u8]],
        text: impl Into<Text<'a>>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        match Message::of(assoc, text.into()) {
            Message::Whole(mut packet) => {
                self.check_lengths(iv, packet.assoc.len(), packet.text.len(), tag.len())?;
                self.ops.seal_packet(iv, &mut packet, tag);
                Ok(())
            }
            Message::Pieces(mut text) => self.seal_pieces(iv, assoc, &mut text, tag),
        }
    }

    /// Decrypts `text` if `tag` matches. If it does not, the destination is zeroed and the result is
    /// [`Error::Authentication`].
    ///
    /// `tag` may have any length of [`Shape::tags`](crate::driver::Shape::tags), such as 4 bytes with GCM and 1 with
    /// `authenc`, and a short tag is quickly forged. So its length must be that of the protocol: do not let the length of
    /// a received message choose it.
    #[inline]
    pub fn decrypt<'a>(&self, iv: &[u8], assoc: &[&[u8]], text: impl Into<Text<'a>>, tag: &[u8]) -> Result<(), Error> {
        match Message::of(assoc, text.into()) {
            Message::Whole(Packet { assoc, mut text }) => {
                self.check_lengths(iv, assoc.len(), text.len(), tag.len())?;
                // The driver gets a packet of its own, so whatever it does to it does not change what is wiped.
                let packet = &mut Packet { assoc, text: text.reborrow() };
                if self.ops.open_packet(iv, packet, tag) { Ok(()) } else { refuse(text) }
            }
            Message::Pieces(mut text) => self.open_pieces(iv, assoc, &mut text, tag),
        }
    }

    /// The request as a packet, if all of it is in one piece and [`Aead::allows`] accepts its lengths.
    #[inline(always)]
    pub(crate) fn packet<'a>(
        &self,
        iv: &[u8],
        assoc: &[&'a [u8]],
        text: &'a mut Text<'_>,
        tag_len: usize,
    ) -> Option<Packet<'a>> {
        let assoc = one_piece(assoc)?;
        if !self.allows(iv, assoc.len(), text.len(), tag_len) {
            return None;
        }
        text.whole().map(|text| Packet { assoc, text })
    }

    /// Like [`Aead::encrypt`], for a message in any number of pieces.
    #[inline(never)]
    pub(crate) fn seal_pieces(
        &self,
        iv: &[u8],
        assoc: &[&[u8]],
        text: &mut Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.check(iv, assoc, text, tag.len())?;
        // The caller may have taken runs of it.
        text.rewind();
        self.ops.seal(iv, assoc, text, tag);
        Ok(())
    }

    /// Like [`Aead::decrypt`], for a message in any number of pieces.
    #[inline(never)]
    pub(crate) fn open_pieces(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> Result<(), Error> {
        self.check(iv, assoc, text, tag.len())?;
        // As in `decrypt`, the driver gets its own view of the text.
        if self.ops.open(iv, assoc, &mut text.reborrow(), tag) {
            return Ok(());
        }
        text.wipe();
        Err(Error::Authentication)
    }

    /// Checks a request's lengths and its IV.
    #[inline]
    pub(crate) fn check(&self, iv: &[u8], assoc: &[&[u8]], text: &Text<'_>, tag_len: usize) -> Result<(), Error> {
        match one_piece(assoc) {
            Some(assoc) => self.check_lengths(iv, assoc.len(), text.len(), tag_len),
            None => self.check_pieces(iv, assoc, text, tag_len),
        }
    }

    #[inline(never)]
    fn check_pieces(&self, iv: &[u8], assoc: &[&[u8]], text: &Text<'_>, tag_len: usize) -> Result<(), Error> {
        // The same piece may be there more than once, so the sum can be longer than memory.
        let assoc_len = assoc.iter().fold(0, |sum: usize, piece| sum.saturating_add(piece.len()));
        if assoc_len.saturating_add(text.len()).saturating_add(tag_len) > isize::MAX as usize {
            return self.too_long(assoc_len, text.len());
        }
        self.check_lengths(iv, assoc_len, text.len(), tag_len)
    }

    /// The error for a message that is longer than any buffer. Modes add its lengths, and the sums must not wrap.
    #[cold]
    #[inline(never)]
    fn too_long(&self, assoc_len: usize, text_len: usize) -> Result<(), Error> {
        let name = self.driver.name.clone();
        if assoc_len > text_len {
            return Err(Error::AssocLength {
                name,
                got: assoc_len,
                want: "less than half of all addresses, with the text",
            });
        }
        let want = "less than half of all addresses, with the associated data".to_owned();
        Err(Error::TextLength { name, got: text_len as u64, want })
    }

    /// For a valid request this is a few comparisons. The error is made in a separate function.
    #[inline(always)]
    fn check_lengths(&self, iv: &[u8], assoc_len: usize, text_len: usize, tag_len: usize) -> Result<(), Error> {
        if self.allows(iv, assoc_len, text_len, tag_len) {
            return Ok(());
        }
        self.objection(iv, assoc_len, text_len, tag_len)
    }

    #[inline(always)]
    fn allows(&self, iv: &[u8], assoc_len: usize, text_len: usize, tag_len: usize) -> bool {
        self.limits.allow(iv.len(), text_len)
            && tag_len == self.limits.tag
            && (text_len < self.limits.free || self.ops.check(iv, assoc_len, text_len as u64).is_ok())
    }

    #[cold]
    #[inline(never)]
    fn objection(&self, iv: &[u8], assoc_len: usize, text_len: usize, tag_len: usize) -> Result<(), Error> {
        let name = || self.driver.name.clone();
        if !self.ops.takes_iv(iv.len()) {
            check_iv(&self.driver, iv)?;
        }
        let tags = &self.driver.shape.tags;
        if !tags.allows(tag_len) {
            return Err(Error::TagLength { name: name(), got: tag_len, want: tags.clone() });
        }
        check_text(&self.driver, text_len)?;
        self.ops.check(iv, assoc_len, text_len as u64).map_err(|refusal| match refusal {
            Refusal::Iv(reason) => Error::BadIv { name: name(), reason },
            Refusal::Assoc(want) => Error::AssocLength { name: name(), got: assoc_len, want },
            Refusal::Text(want) => Error::TextLength { name: name(), got: text_len as u64, want: want.to_owned() },
        })
    }
}

/// The associated data, if it is in one piece.
#[inline(always)]
fn one_piece<'a>(assoc: &[&'a [u8]]) -> Option<&'a [u8]> {
    match assoc {
        [] => Some(&[]),
        [one] => Some(one),
        _ => None,
    }
}

/// A message for an AEAD.
enum Message<'a> {
    /// All of it is in one piece.
    Whole(Packet<'a>),
    /// The text or the associated data is in pieces.
    Pieces(Text<'a>),
}

impl<'a> Message<'a> {
    #[inline(always)]
    fn of(assoc: &[&'a [u8]], text: Text<'a>) -> Self {
        match (one_piece(assoc), text.into_whole()) {
            (Some(assoc), Ok(text)) => Self::Whole(Packet { assoc, text }),
            (None, Ok(text)) => Self::Pieces(Text::from(text)),
            (_, Err(text)) => Self::Pieces(text),
        }
    }
}

/// Wipes a text that is not authentic.
#[cold]
#[inline(never)]
fn refuse(mut text: InOut<'_>) -> Result<(), Error> {
    text.dst().zeroize();
    Err(Error::Authentication)
}

//! AEAD encryption of a message whose parts come one after the other.

use super::{Aead, limits::check_iv};
use crate::{
    Error,
    driver::{AeadState, DriverRef},
    tag,
};
use algkit_primitives::InOut;
use std::fmt;
use zeroize::Zeroize;

impl Aead {
    /// Begins to encrypt a message whose parts come one after the other. With associated data alone, `gcm(…)` is GMAC.
    ///
    /// Decryption has no such function: a part would be released before the tag is checked. [`crate::stream`] seals
    /// chunks that can be opened one by one.
    ///
    /// ```
    /// let gcm = algkit::aead("gcm(aes)")?.key(&[1; 16])?;
    /// let (mut first, mut second, mut tag) = (*b"attack ", *b"at dawn", [0; 16]);
    /// let mut message = gcm.start(&[0; 12])?;
    /// message.assoc(b"header")?;
    /// message.encrypt(&mut first[..])?;
    /// message.encrypt(&mut second[..])?;
    /// message.finish(&mut tag)?;
    /// assert_eq!([&first[..], &second, &tag].concat(), gcm.seal(&[0; 12], b"header", b"attack at dawn")?);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotInParts`] for every mode but GCM and ChaCha20-Poly1305: CCM has to know the lengths first.
    pub fn start(&self, iv: &[u8]) -> Result<Sealing, Error> {
        if !self.takes_iv(iv.len()) {
            check_iv(&self.driver, iv)?;
        }
        let state = self.ops.begin(iv).ok_or_else(|| Error::NotInParts(self.driver.name.clone()))?;
        Ok(Sealing { state, driver: self.driver.shared.clone(), text_len: 0 })
    }
}

/// A message that is being encrypted, made by [`Aead::start`].
pub struct Sealing {
    state: Box<dyn AeadState>,
    driver: DriverRef,
    text_len: u64,
}

impl fmt::Debug for Sealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealing({}, Key(..))", self.driver.driver)
    }
}

impl Sealing {
    /// Authenticates a part of the associated data, which comes before the text.
    pub fn assoc(&mut self, assoc: &[u8]) -> Result<(), Error> {
        if self.text_len > 0 {
            return Err(Error::LateAssoc(self.driver.name.clone()));
        }
        self.state.assoc(assoc);
        Ok(())
    }

    /// Encrypts the next part of the text, of any length.
    pub fn encrypt<'a>(&mut self, text: impl Into<InOut<'a>>) -> Result<(), Error> {
        let (text, most) = (text.into(), self.state.max_text());
        let len = self.text_len.saturating_add(text.len() as u64);
        if len > most {
            let (name, want) = (self.driver.name.clone(), format!("at most {most}"));
            return Err(Error::TextLength { name, got: len, want });
        }
        self.state.encrypt(text);
        self.text_len = len;
        Ok(())
    }

    /// Ends the message and writes a tag of `tag.len()` bytes.
    pub fn finish(mut self, tag: &mut [u8]) -> Result<(), Error> {
        self.check_tag(tag.len())?;
        let mut full = self.state.finish();
        tag::write(&full, tag);
        full.zeroize();
        Ok(())
    }

    /// Ends the message and compares its tag with `tag`, as who receives a GMAC does. The time does not depend on where
    /// they differ.
    pub fn verify(mut self, tag: &[u8]) -> Result<(), Error> {
        self.check_tag(tag.len())?;
        if tag::matches(&mut self.state.finish(), tag) { Ok(()) } else { Err(Error::Authentication) }
    }

    fn check_tag(&self, len: usize) -> Result<(), Error> {
        let want = &self.driver.shape.tags;
        if want.allows(len) {
            return Ok(());
        }
        Err(Error::TagLength { name: self.driver.name.clone(), got: len, want: want.clone() })
    }
}

//! AEAD messages whose parts come one after the other.

use super::{Aead, limits::check_iv};
use crate::{
    Error,
    driver::{AeadState, DriverRef},
    kind::Direction,
    tag,
};
use algkit_primitives::InOut;
use std::fmt;
use zeroize::Zeroize;

impl Aead {
    /// Begins to encrypt a message whose parts come one after the other. With associated data alone, `gcm(…)` is GMAC.
    ///
    /// To decrypt, have the whole message and call [`Aead::decrypt`]. [`crate::stream`] seals chunks that can be opened
    /// one by one.
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
        self.message(iv).map(Sealing)
    }

    /// Begins to decrypt a message whose parts come one after the other, and **releases each part before the tag is
    /// checked**: what a part holds may be an attacker's until [`Unverified::verify`] has succeeded.
    ///
    /// It is for interfaces whose contract is that, such as OpenSSL's `EVP_DecryptUpdate`. Whoever has the whole message
    /// calls [`Aead::decrypt`], which leaves nothing behind that is not authentic.
    ///
    /// # Errors
    /// As for [`Aead::start`].
    pub fn start_unverified(&self, iv: &[u8]) -> Result<Unverified, Error> {
        self.message(iv).map(Unverified)
    }

    fn message(&self, iv: &[u8]) -> Result<Message, Error> {
        if !self.takes_iv(iv.len()) {
            check_iv(&self.driver, iv)?;
        }
        let state = self.ops.begin(iv).ok_or_else(|| Error::NotInParts(self.driver.name.clone()))?;
        Ok(Message { state, driver: self.driver.shared.clone(), text_len: 0, ended: false })
    }
}

/// A message that is being encrypted, made by [`Aead::start`]. A clone goes on independently.
#[derive(Clone)]
pub struct Sealing(Message);

/// A message that is being decrypted, made by [`Aead::start_unverified`]. A clone goes on independently.
#[derive(Clone)]
pub struct Unverified(Message);

/// What the two have in common.
struct Message {
    state: Box<dyn AeadState>,
    driver: DriverRef,
    text_len: u64,
    ended: bool,
}

impl Clone for Message {
    fn clone(&self) -> Self {
        Self { state: self.state.boxed_clone(), driver: self.driver.clone(), ..*self }
    }
}

impl fmt::Debug for Sealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealing({}, Key(..))", self.0.driver.driver)
    }
}

impl fmt::Debug for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unverified({}, Key(..))", self.0.driver.driver)
    }
}

impl Sealing {
    /// Authenticates a part of the associated data, which comes before the text.
    pub fn assoc(&mut self, assoc: &[u8]) -> Result<(), Error> {
        self.0.assoc(assoc)
    }

    /// Encrypts the next part of the text, of any length.
    pub fn encrypt<'a>(&mut self, text: impl Into<InOut<'a>>) -> Result<(), Error> {
        self.0.crypt(Direction::Encrypt, text.into())
    }

    /// Ends the message and writes a tag of `tag.len()` bytes. Only [`Sealing::restart`] may follow.
    pub fn finish(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        let mut full = self.0.full_tag(tag.len())?;
        tag::write(&full, tag);
        full.zeroize();
        Ok(())
    }

    /// Ends the message and compares its tag with `tag`, as the receiver of a GMAC does. The time does not depend on where
    /// they differ. Only [`Sealing::restart`] may follow.
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        self.0.verify(tag)
    }

    /// Begins another message under the same key, ended or not, in the memory of this one. Nothing is allocated, except
    /// by the composed drivers.
    pub fn restart(&mut self, iv: &[u8]) -> Result<(), Error> {
        self.0.restart(iv)
    }
}

impl Unverified {
    /// Authenticates a part of the associated data, which comes before the text.
    pub fn assoc(&mut self, assoc: &[u8]) -> Result<(), Error> {
        self.0.assoc(assoc)
    }

    /// Decrypts the next part of the text, of any length. It is not authentic before [`Unverified::verify`] says so.
    pub fn decrypt_unverified<'a>(&mut self, text: impl Into<InOut<'a>>) -> Result<(), Error> {
        self.0.crypt(Direction::Decrypt, text.into())
    }

    /// Ends the message and compares its tag with `tag`; the time does not depend on where they differ. After an error,
    /// whatever the parts held has to be thrown away. Only [`Unverified::restart`] may follow.
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        self.0.verify(tag)
    }

    /// As [`Sealing::restart`].
    pub fn restart(&mut self, iv: &[u8]) -> Result<(), Error> {
        self.0.restart(iv)
    }
}

impl Message {
    fn assoc(&mut self, assoc: &[u8]) -> Result<(), Error> {
        self.check_running()?;
        if self.text_len > 0 {
            return Err(Error::LateAssoc(self.driver.name.clone()));
        }
        self.state.assoc(assoc);
        Ok(())
    }

    fn crypt(&mut self, direction: Direction, text: InOut<'_>) -> Result<(), Error> {
        self.check_running()?;
        let most = self.state.max_text();
        let len = self.text_len.saturating_add(text.len() as u64);
        if len > most {
            let (name, want) = (self.driver.name.clone(), format!("at most {most}"));
            return Err(Error::TextLength { name, got: len, want });
        }
        self.state.crypt(direction, text);
        self.text_len = len;
        Ok(())
    }

    fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        if tag::matches(&mut self.full_tag(tag.len())?, tag) { Ok(()) } else { Err(Error::Authentication) }
    }

    /// Ends the message and returns its full tag, if one of `len` bytes may be made of it.
    fn full_tag(&mut self, len: usize) -> Result<[u8; 16], Error> {
        self.check_running()?;
        let want = &self.driver.shape.tags;
        if !want.allows(len) {
            return Err(Error::TagLength { name: self.driver.name.clone(), got: len, want: want.clone() });
        }
        self.ended = true;
        Ok(self.state.finish())
    }

    fn restart(&mut self, iv: &[u8]) -> Result<(), Error> {
        (self.text_len, self.ended) = (0, !self.state.restart(iv));
        if self.ended {
            return Err(Error::IvLength {
                name: self.driver.name.clone(),
                got: iv.len(),
                want: self.driver.shape.ivsize,
            });
        }
        Ok(())
    }

    fn check_running(&self) -> Result<(), Error> {
        if self.ended { Err(Error::Ended(self.driver.name.clone())) } else { Ok(()) }
    }
}

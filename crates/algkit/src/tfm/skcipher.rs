//! Symmetric ciphers with a mode.

use super::{
    limits::{check_iv, check_text},
    macros::{rekeyed, transform},
    state::State,
};
use crate::{
    Error, Text,
    driver::{Direction, SkcipherOps, TextRule},
};
use algkit_primitives::{InOut, Turns};
use zeroize::Zeroize;

transform!(
    /// A keyed symmetric cipher with a mode.
    ///
    /// ```
    /// let cbc = algkit::skcipher("cbc(aes)")?.key(&[1; 16])?;
    /// let (mut iv, mut block) = ([2; 16], [3; 16]);
    /// cbc.encrypt(&mut iv, &mut block[..])?;
    /// assert_eq!(iv, block); // the chaining value
    /// # Ok::<(), algkit::Error>(())
    /// ```
    Skcipher, SkcipherOps, limits = |_| None);

rekeyed!(Skcipher);

impl Skcipher {
    /// Encrypts `text`. `iv` must have the declared length. Afterwards it holds the chaining value in the modes in
    /// which the kernel returns one. The others leave it as it was, and must not get it for a second text:
    /// see [IVs and nonces](crate#ivs-and-nonces).
    #[inline]
    pub fn encrypt<'a>(&self, iv: &mut [u8], text: impl Into<Text<'a>>) -> Result<(), Error> {
        self.crypt_text(Direction::Encrypt, iv, text.into())
    }

    /// Decrypts `text`. `iv` is treated as in [`Skcipher::encrypt`]. A wrapped key that is not intact is wiped, and with it
    /// `iv`, which would hold a part of its decryption.
    #[inline]
    pub fn decrypt<'a>(&self, iv: &mut [u8], text: impl Into<Text<'a>>) -> Result<(), Error> {
        self.crypt_text(Direction::Decrypt, iv, text.into())
    }

    /// Like [`Skcipher::encrypt`], for a complete message: `iv` is not changed and no chaining value is returned.
    ///
    /// ```
    /// let cbc = algkit::skcipher("cbc(aes)")?.key(&[1; 16])?;
    /// let mut block = [3; 16];
    /// cbc.encrypt_once(&[2; 16], &mut block[..])?;
    /// cbc.decrypt_once(&[2; 16], &mut block[..])?;
    /// assert_eq!(block, [3; 16]);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    #[inline]
    pub fn encrypt_once<'a>(&self, iv: &[u8], text: impl Into<Text<'a>>) -> Result<(), Error> {
        self.crypt_text_once(Direction::Encrypt, iv, text.into())
    }

    /// Like [`Skcipher::decrypt`], for a complete message.
    #[inline]
    pub fn decrypt_once<'a>(&self, iv: &[u8], text: impl Into<Text<'a>>) -> Result<(), Error> {
        self.crypt_text_once(Direction::Decrypt, iv, text.into())
    }

    /// Encrypts or decrypts `text`, which may be in segments.
    pub fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) -> Result<(), Error> {
        self.check(iv, text.len())?;
        // The caller may have taken runs of it.
        text.rewind();
        crypt(&*self.ops, direction, iv, text);
        if self.checks_integrity() && direction == Direction::Decrypt && !self.ops.is_intact(iv) {
            text.wipe();
            iv.zeroize();
            return Err(Error::Authentication);
        }
        Ok(())
    }

    /// Refuses what would lose a part of the result if the IV is not returned: key wrap leaves the first word of the
    /// wrapped key there. [`Skcipher::encrypt_once`] does this check by itself.
    pub fn check_once(&self, direction: Direction) -> Result<(), Error> {
        if self.checks_integrity() && direction == Direction::Encrypt {
            return Err(Error::ReturnsIv(self.driver.name.clone()));
        }
        Ok(())
    }

    /// Whether decryption detects that a text is not intact (key wrap).
    pub(crate) fn checks_integrity(&self) -> bool {
        self.driver.shape.text == TextRule::Wrapped
    }

    /// Hashes and encrypts parts of one buffer in turns, with the same result as [`State::update`] and
    /// [`Skcipher::encrypt`] for each turn. CBC leaves most of a CPU idle, and AES-CBC with SHA-1, SHA-256 or an HMAC of
    /// them takes no longer than AES-CBC alone, where the CPU has the instructions of both. A mode that leaves no chaining
    /// value in `iv` is refused.
    ///
    /// ```
    /// use algkit::Turns;
    ///
    /// let cbc = algkit::skcipher("cbc(aes)")?.key(&[1; 16])?;
    /// let (mut iv, mut buffer) = ([2; 16], [3; 1024]);
    /// let mut state = algkit::hash("sha256")?.unkeyed()?.start();
    /// // All is encrypted, and the second half, of which nothing has been encrypted at that time, is hashed.
    /// let mut turns = Turns::new(&mut buffer, 0, 512, 8).expect("both parts are in the buffer");
    /// cbc.encrypt_hashing(&mut iv, &mut turns, &mut state)?;
    /// cbc.encrypt(&mut iv, &mut buffer[512..])?;
    /// assert_eq!(state.finish(), algkit::hash("sha256")?.digest(&[3; 512])?);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn encrypt_hashing(&self, iv: &mut [u8], turns: &mut Turns<'_>, state: &mut State) -> Result<(), Error> {
        self.check(iv, Turns::BYTES)?;
        // In other modes with an IV, every turn would be a message with the same IV.
        if !["ecb(", "cbc(", "pcbc(", "ctr(", "cfb(", "ofb("].iter().any(|mode| self.driver.name.starts_with(mode)) {
            return Err(Error::NotInParts(self.driver.name.clone()));
        }
        self.ops.encrypt_hashing(iv, turns, state.inner());
        Ok(())
    }

    /// The text as a run, if it is in one piece and the limits allow its length.
    #[inline(always)]
    fn run<'a>(&self, iv: &[u8], text: Text<'a>) -> Result<InOut<'a>, Text<'a>> {
        match text.into_whole() {
            Ok(run) if self.limits.allow(iv.len(), run.len()) => Ok(run),
            Ok(run) => Err(Text::from(run)),
            Err(text) => Err(text),
        }
    }

    /// A text in one piece costs one indirect call. Any other text goes to a function that is not inlined, so that
    /// the fast path saves no registers for it.
    #[inline(always)]
    pub(crate) fn crypt_text(&self, direction: Direction, iv: &mut [u8], text: Text<'_>) -> Result<(), Error> {
        match self.run(iv, text) {
            Ok(run) => {
                self.ops.crypt_run(direction, iv, run);
                Ok(())
            }
            Err(text) => self.crypt_with_care(direction, iv, text),
        }
    }

    #[inline(always)]
    fn crypt_text_once(&self, direction: Direction, iv: &[u8], text: Text<'_>) -> Result<(), Error> {
        match self.run(iv, text) {
            Ok(run) => {
                self.ops.crypt_once(direction, iv, run);
                Ok(())
            }
            Err(text) => self.crypt_copy(direction, iv, text),
        }
    }

    #[inline(never)]
    fn crypt_copy(&self, direction: Direction, iv: &[u8], mut text: Text<'_>) -> Result<(), Error> {
        self.check_once(direction)?;
        self.crypt(direction, &mut iv.to_vec(), &mut text)
    }

    #[inline(never)]
    fn crypt_with_care(&self, direction: Direction, iv: &mut [u8], mut text: Text<'_>) -> Result<(), Error> {
        self.crypt(direction, iv, &mut text)
    }

    /// The keyed instance, for requests that have been checked.
    pub(crate) fn ops(&self) -> &dyn SkcipherOps {
        &*self.ops
    }

    /// Checks the lengths of a request.
    #[inline(always)]
    pub(crate) fn check(&self, iv: &[u8], len: usize) -> Result<(), Error> {
        if self.limits.allow(iv.len(), len) {
            return Ok(());
        }
        self.objection(iv, len)
    }

    #[cold]
    #[inline(never)]
    fn objection(&self, iv: &[u8], len: usize) -> Result<(), Error> {
        check_iv(&self.driver, iv)?;
        check_text(&self.driver, len)
    }
}

/// Encrypts or decrypts `text`. A text in one piece skips the bookkeeping of segments.
pub(crate) fn crypt(ops: &dyn SkcipherOps, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
    match text.whole() {
        Some(run) => ops.crypt_run(direction, iv, run),
        None => ops.crypt(direction, iv, text),
    }
}

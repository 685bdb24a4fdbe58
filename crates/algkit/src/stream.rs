//! STREAM: an AEAD for texts that are longer than memory.
//!
//! A text is cut into chunks, each sealed by itself and released only when it is authentic. Chunk *i* has the IV
//!
//! ```text
//! prefix (7 bytes) ‖ i (32 bits, big-endian) ‖ 1 if it is the last chunk, else 0
//! ```
//!
//! so that chunks can be neither left out, nor repeated, nor put in another order, and a text that was cut short has no last
//! chunk (Hoang, Reyhanitabar, Rogaway, Vizár, "Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", CRYPTO
//! 2015, section 7). The layout of the IV is that of the crate `aead-stream`, STREAM-BE32.
//!
//! ```
//! use algkit::stream::{Opener, PREFIX, Sealer};
//!
//! let gcm = || algkit::aead("gcm(aes)")?.key(&[1; 16]);
//! let mut prefix = [0; PREFIX]; // never the same twice with one key
//! algkit::rng("stdrng")?.key(&[])?.generate(&[], &mut prefix)?;
//! let (mut first, mut last) = (*b"attack at dawn, ", *b"or at dusk");
//! let mut tags = [[0; 16]; 2];
//!
//! let mut sealer = Sealer::new(gcm()?, &prefix)?;
//! sealer.seal(b"", &mut first[..], &mut tags[0])?;
//! sealer.seal_last(b"", &mut last[..], &mut tags[1])?;
//!
//! let mut opener = Opener::new(gcm()?, &prefix)?;
//! opener.open(b"", &mut first[..], &tags[0])?;
//! opener.open_last(b"", &mut last[..], &tags[1])?;
//! assert_eq!([&first[..], &last].concat(), b"attack at dawn, or at dusk");
//! # Ok::<(), algkit::Error>(())
//! ```

use crate::{Aead, Error, Text};

/// The length of the nonce that the caller chooses, in bytes. It must not repeat under one key. A random nonce has
/// 56 bits: among 2^20 texts under one key, two have the same nonce with probability 2^-17.
pub const PREFIX: usize = 7;

/// The IV length that STREAM requires of an AEAD, in bytes.
const IV: usize = 12;

/// The state that sealing and opening share: the number of the next chunk.
struct Chunks {
    aead: Aead,
    prefix: [u8; PREFIX],
    /// `None` when no chunk may follow.
    next: Option<u32>,
}

impl Chunks {
    fn new(aead: Aead, prefix: &[u8; PREFIX]) -> Result<Self, Error> {
        let driver = aead.driver();
        if driver.shape.ivsize != IV {
            return Err(Error::NotForStream { name: driver.name.clone(), ivsize: driver.shape.ivsize });
        }
        Ok(Self { aead, prefix: *prefix, next: Some(0) })
    }

    /// The IV of the next chunk. No chunk may follow the last one or chunk number 2^32 − 1.
    fn iv(&mut self, last: bool) -> Result<[u8; IV], Error> {
        let number = self.next.ok_or_else(|| Error::StreamEnded(self.aead.driver().name.clone()))?;
        self.next = if last { None } else { number.checked_add(1) };
        let mut iv = [0; IV];
        iv[..PREFIX].copy_from_slice(&self.prefix);
        iv[PREFIX..PREFIX + 4].copy_from_slice(&number.to_be_bytes());
        iv[IV - 1] = last.into();
        Ok(iv)
    }
}

/// Seals a text, chunk by chunk.
pub struct Sealer(Chunks);

impl Sealer {
    /// Begins a text. `aead` must take 12-byte IVs: `gcm(…)` of any cipher, `rfc7539(chacha20,poly1305)`. `prefix`
    /// must not repeat under one key.
    pub fn new(aead: Aead, prefix: &[u8; PREFIX]) -> Result<Self, Error> {
        Chunks::new(aead, prefix).map(Self)
    }

    /// Seals a chunk of any length that is not the last. The opener has to know the chunk's length. `assoc` is
    /// authenticated with it.
    pub fn seal<'a>(&mut self, assoc: &[u8], chunk: impl Into<Text<'a>>, tag: &mut [u8]) -> Result<(), Error> {
        let before = self.0.next;
        let iv = self.0.iv(false)?;
        let sealed = self.0.aead.encrypt(&iv, &[assoc], chunk, tag);
        if sealed.is_err() {
            // Nothing was encrypted, and the opener expects this number next.
            self.0.next = before;
        }
        sealed
    }

    /// Seals the last chunk, which may be empty.
    pub fn seal_last<'a>(mut self, assoc: &[u8], chunk: impl Into<Text<'a>>, tag: &mut [u8]) -> Result<(), Error> {
        let iv = self.0.iv(true)?;
        self.0.aead.encrypt(&iv, &[assoc], chunk, tag)
    }
}

/// Opens a text, chunk by chunk. Each opened chunk is authentic. The whole text is authentic once
/// [`Opener::open_last`] has succeeded; until then its end may have been cut off.
pub struct Opener(Chunks);

impl Opener {
    /// Begins a text that was sealed with `prefix`.
    pub fn new(aead: Aead, prefix: &[u8; PREFIX]) -> Result<Self, Error> {
        Chunks::new(aead, prefix).map(Self)
    }

    /// Opens a chunk that is not the last. If it is not authentic, it is zeroed. After any error, a tag of the wrong length
    /// too, no other chunk can be opened.
    pub fn open<'a>(&mut self, assoc: &[u8], chunk: impl Into<Text<'a>>, tag: &[u8]) -> Result<(), Error> {
        let iv = self.0.iv(false)?;
        let opened = self.0.aead.decrypt(&iv, &[assoc], chunk, tag);
        if opened.is_err() {
            self.0.next = None;
        }
        opened
    }

    /// Opens the last chunk.
    pub fn open_last<'a>(mut self, assoc: &[u8], chunk: impl Into<Text<'a>>, tag: &[u8]) -> Result<(), Error> {
        let iv = self.0.iv(true)?;
        self.0.aead.decrypt(&iv, &[assoc], chunk, tag)
    }
}

#[cfg(all(test, feature = "aes"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_with_32_bits() {
        let aead = || crate::aead("gcm(aes)").unwrap().key(&[0; 16]).unwrap();
        let mut sealer = Sealer::new(aead(), &[0; PREFIX]).unwrap();
        sealer.0.next = Some(u32::MAX);
        let mut tag = [0; 16];
        sealer.seal(b"", &mut [0; 4][..], &mut tag).unwrap();
        assert!(matches!(sealer.seal(b"", &mut [0; 4][..], &mut tag), Err(Error::StreamEnded(_))));
        sealer.0.next = Some(7);
        assert!(matches!(sealer.seal(b"", &mut [0; 4][..], &mut [0; 5]), Err(Error::TagLength { .. })));
        assert_eq!(sealer.0.next, Some(7), "a refused call uses up no number");
        sealer.0.next = None;
        assert!(matches!(sealer.seal_last(b"", &mut [0; 4][..], &mut tag), Err(Error::StreamEnded(_))));
    }
}

//! Authenticated encryption.

use crate::{MAX_TEXT, cipher::write};
use algkit::{
    Text,
    driver::{AeadOps, Refusal},
};
use std::io;
use zeroize::Zeroizing;

/// A keyed AEAD in the host's kernel.
pub(crate) trait HostAead: Send + Sync {
    /// Encrypts `src` to `dst`, which is as long, and writes the tag.
    fn seal(&self, iv: &[u8], assoc: &[u8], src: &[u8], dst: &mut [u8], tag: &mut [u8]) -> io::Result<()>;

    /// Decrypts `src` to `dst`, which is as long; whether the tag matches.
    fn open(&self, iv: &[u8], assoc: &[u8], src: &[u8], dst: &mut [u8], tag: &[u8]) -> io::Result<bool>;
}

/// An AEAD of the host, with one of our own to fall back on.
pub(crate) struct Aead {
    pub(crate) host: Box<dyn HostAead>,
    pub(crate) own: Box<dyn AeadOps>,
}

impl Aead {
    /// Whether the host gives our own driver's answer both ways, and refuses a forgery.
    pub(crate) fn is_sound(&self, ivsize: usize, tag_len: usize) -> bool {
        // CCM wants a 1 to 7 first, IPsec's modes 16 or 20 bytes of associated data.
        let (iv, assoc, plain) = (vec![1; ivsize], [2; 16], [3; 64]);
        let (mut want, mut want_tag) = (plain, vec![0; tag_len]);
        if self.own.check(&iv, assoc.len(), plain.len() as u64).is_err() {
            return false;
        }
        self.own.seal(&iv, &[&assoc], &mut Text::from(&mut want[..]), &mut want_tag);
        let (mut got, mut tag) = ([0; 64], vec![0; tag_len]);
        let sealed = self.host.seal(&iv, &assoc, &plain, &mut got, &mut tag);
        if sealed.is_err() || got != want || tag != want_tag {
            return false;
        }
        let mut opened = [0; 64];
        let authentic = self.host.open(&iv, &assoc, &want, &mut opened, &tag);
        let same = matches!(authentic, Ok(true)) && opened == plain;
        tag[0] ^= 1;
        same && matches!(self.host.open(&iv, &assoc, &want, &mut opened, &tag), Ok(false))
    }
}

/// Whether a request fits one message to the host.
fn fits(assoc: &[&[u8]], text: &Text<'_>, tag: &[u8]) -> bool {
    assoc.iter().map(|piece| piece.len()).sum::<usize>() + text.len() + tag.len() <= MAX_TEXT
}

impl AeadOps for Aead {
    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        self.own.check(iv, assoc_len, text_len)
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        if fits(assoc, text, tag) {
            let src = Zeroizing::new(text.sources().collect::<Vec<_>>().concat());
            let mut dst = vec![0; src.len()];
            if self.host.seal(iv, &assoc.concat(), &src, &mut dst, tag).is_ok() {
                return write(text, &dst);
            }
        }
        self.own.seal(iv, assoc, text, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        if fits(assoc, text, tag) {
            let src = text.sources().collect::<Vec<_>>().concat();
            let mut dst = Zeroizing::new(vec![0; src.len()]);
            match self.host.open(iv, &assoc.concat(), &src, &mut dst, tag) {
                Ok(true) => {
                    write(text, &dst);
                    return true;
                }
                Ok(false) => return false,
                Err(_) => {}
            }
        }
        self.own.open(iv, assoc, text, tag)
    }
}

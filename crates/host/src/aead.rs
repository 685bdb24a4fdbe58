//! Authenticated encryption.

use crate::{MAX_TEXT, answer, cipher::write};
use algkit::{
    Text,
    driver::{AeadOps, Refusal},
};
use std::io;
use zeroize::Zeroizing;

/// A keyed AEAD in the host's kernel.
pub(crate) trait HostAead: Send + Sync {
    /// Encrypts `src` to `dst`, which has the same length, and writes the tag.
    fn seal(&self, iv: &[u8], assoc: &[u8], src: &[u8], dst: &mut [u8], tag: &mut [u8]) -> io::Result<()>;

    /// Decrypts `src` to `dst`, which has the same length; returns whether the tag matches. The text and the
    /// associated data are not both empty.
    fn open(&self, iv: &[u8], assoc: &[u8], src: &[u8], dst: &mut [u8], tag: &[u8]) -> io::Result<bool>;
}

/// An AEAD of the host with an own instance as the fallback.
pub(crate) struct Aead {
    pub(crate) host: Box<dyn HostAead>,
    pub(crate) own: Box<dyn AeadOps>,
}

impl Aead {
    /// Whether the host gives the same results as the own driver in both directions, and refuses a forgery.
    pub(crate) fn is_sound(&self, ivsize: usize, tag_len: usize) -> bool {
        // CCM requires a first byte of 1 to 7, IPsec's modes 16 or 20 bytes of associated data.
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

/// Whether a request fits into one message to the host.
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
            if answer(self.host.seal(iv, &assoc.concat(), &src, &mut dst, tag)).is_some() {
                return write(text, &dst);
            }
        }
        self.own.seal(iv, assoc, text, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        // Without text and associated data, the host would have no bytes to return.
        let empty = text.is_empty() && assoc.iter().all(|piece| piece.is_empty());
        if !empty && fits(assoc, text, tag) {
            let src = text.sources().collect::<Vec<_>>().concat();
            let mut dst = Zeroizing::new(vec![0; src.len()]);
            match answer(self.host.open(iv, &assoc.concat(), &src, &mut dst, tag)) {
                Some(true) => {
                    write(text, &dst);
                    return true;
                }
                Some(false) => return false,
                None => {}
            }
        }
        self.own.open(iv, assoc, text, tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use algkit::{Error, Registry};
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Host {
        aead: algkit::Aead,
        dead: AtomicBool,
        /// Whether it accepts every tag.
        credulous: bool,
    }

    impl Host {
        fn live(&self) -> io::Result<()> {
            if self.dead.load(Ordering::Relaxed) { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
        }
    }

    impl HostAead for Host {
        fn seal(&self, iv: &[u8], assoc: &[u8], src: &[u8], dst: &mut [u8], tag: &mut [u8]) -> io::Result<()> {
            self.live()?;
            self.aead.encrypt(iv, &[assoc], Text::new(src, dst).unwrap(), tag).map_err(io::Error::other)
        }

        fn open(&self, iv: &[u8], assoc: &[u8], src: &[u8], dst: &mut [u8], tag: &[u8]) -> io::Result<bool> {
            self.live()?;
            match self.aead.decrypt(iv, &[assoc], Text::new(src, dst).unwrap(), tag) {
                Err(Error::Authentication) => {
                    dst.fill(0xee);
                    Ok(self.credulous)
                }
                other => other.map(|()| true).map_err(io::Error::other),
            }
        }
    }

    fn gcm(dead: bool, credulous: bool) -> Aead {
        let registry = Registry::global().unwrap();
        let unkeyed = registry.aead("gcm(aes)").unwrap();
        let weak = algkit::WeakKeys::Refuse;
        let own = (unkeyed.driver().make)(registry.cpu(), &[7; 16], weak);
        let Ok(algkit::driver::Keyed::Aead(own)) = own else { panic!("no AEAD") };
        let host = Host { aead: unkeyed.key(&[7; 16]).unwrap(), dead: dead.into(), credulous };
        Aead { host: Box::new(host), own }
    }

    #[test]
    fn dead_or_alive_the_answer_is_right() {
        let reference = algkit::aead("gcm(aes)").unwrap().key(&[7; 16]).unwrap();
        for len in [0, 1, 100, MAX_TEXT - 19, MAX_TEXT, MAX_TEXT + 1] {
            let want = reference.seal(&[1; 12], b"abc", &vec![5; len]).unwrap();
            for dead in [false, true] {
                let aead = gcm(dead, false);
                let (mut text, mut tag) = (vec![5; len], [0; 16]);
                aead.seal(&[1; 12], &[b"a", b"bc"], &mut Text::segments_in_place(text.chunks_mut(33)), &mut tag);
                assert!([&text[..], &tag].concat() == want, "{len}");
                let mut forged = text.clone();
                assert!(aead.open(&[1; 12], &[b"ab", b"c"], &mut Text::segments_in_place(text.chunks_mut(7)), &tag));
                assert!(text == vec![5; len], "{len}");
                tag[15] ^= 1;
                let before = forged.clone();
                assert!(!aead.open(&[1; 12], &[b"abc"], &mut Text::from(&mut forged[..]), &tag));
                assert!(dead || len > MAX_TEXT - 19 || forged == before, "what is not authentic is not written");
            }
        }
    }

    #[test]
    fn only_an_honest_host_is_sound() {
        assert!(gcm(false, false).is_sound(12, 16));
        assert!(!gcm(true, false).is_sound(12, 16));
        assert!(!gcm(false, true).is_sound(12, 16));
    }
}

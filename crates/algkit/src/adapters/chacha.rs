//! ChaCha, and ChaCha20-Poly1305 in one pass.

use super::Make;
use crate::{
    Text,
    driver::{AeadOps, AeadState, BadKey, Direction, Granular, Refusal, SkcipherOps, WeakKeys},
    tag,
    templates::{cut, rfc7539},
    wiped::Wiped,
};
use algkit_primitives::{
    InOut, Packet,
    chacha::{ChaCha, ChaChaToken, hchacha},
    chacha20poly1305::{AeadToken, ChaCha20Poly1305, Message},
};

fn words(bytes: &[u8]) -> [u32; 4] {
    std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes")))
}

fn key32(key: &[u8]) -> Result<&[u8; 32], BadKey> {
    key.try_into().map_err(|_| BadKey("a ChaCha key has 32 bytes"))
}

/// ChaCha20. The IV is the 4-byte little-endian block counter followed by the 12-byte nonce of RFC 8439. It is not
/// changed.
pub(crate) struct ChaCha20<T: ChaChaToken>(ChaCha<T>);

impl<T: ChaChaToken> SkcipherOps for ChaCha20<T> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut state = words(iv);
        while let Some(run) = text.next(64, 0) {
            self.0.xor(&mut state, run);
        }
    }

    fn crypt_run(&self, _direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        self.0.xor(&mut words(iv), run);
    }
}

impl<T: ChaChaToken> Make for ChaCha20<T> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self(ChaCha::new(token, key32(key)?, 20)))
    }
}

/// XChaCha. The IV is the 24-byte nonce and, as in the kernel, 8 more bytes: a 4-byte little-endian block counter, and 4
/// bytes into which it does not carry. It is not changed.
pub(crate) struct XChaCha<T, const ROUNDS: usize> {
    token: T,
    key: Wiped<32>,
}

impl<T: ChaChaToken, const ROUNDS: usize> XChaCha<T, ROUNDS> {
    /// The derived ChaCha key, and the first counter and nonce.
    fn begin(&self, iv: &[u8]) -> (ChaCha<T>, [u32; 4]) {
        let (nonce, rest) = iv.split_first_chunk::<16>().expect("the IV has 32 bytes");
        let subkey = Wiped(hchacha(self.token, &self.key, nonce, ROUNDS));
        // ChaCha's state has the 64-bit counter first, then the last 8 bytes of the nonce.
        let [n0, n1, c0, c1] = words(rest);
        (ChaCha::new(self.token, &subkey, ROUNDS), [c0, c1, n0, n1])
    }
}

impl<T: ChaChaToken, const ROUNDS: usize> SkcipherOps for XChaCha<T, ROUNDS> {
    fn crypt(&self, _direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let (chacha, mut state) = self.begin(iv);
        while let Some(run) = text.next(64, 0) {
            chacha.xor(&mut state, run);
        }
    }

    fn crypt_run(&self, _direction: Direction, iv: &mut [u8], run: InOut<'_>) {
        let (chacha, mut state) = self.begin(iv);
        chacha.xor(&mut state, run);
    }
}

impl<T: ChaChaToken, const ROUNDS: usize> Make for XChaCha<T, ROUNDS> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        Ok(Self { token, key: Wiped(*key32(key)?) })
    }
}

/// ChaCha20-Poly1305. The nonce starts with `SALT` bytes of the key: none, or 4 in IPsec.
pub(crate) struct Stitched<T: AeadToken, const SALT: usize> {
    key: ChaCha20Poly1305<T>,
    salt: Wiped<SALT>,
}

impl<T: AeadToken, const SALT: usize> Stitched<T, SALT> {
    /// The number of bytes at the end of the associated data that are not authenticated: in IPsec, the IV.
    const IV: usize = 2 * SALT;

    #[inline(always)]
    fn nonce(&self, iv: &[u8]) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce[..SALT].copy_from_slice(&*self.salt);
        nonce[SALT..].copy_from_slice(iv);
        nonce
    }

    /// Processes a message in pieces and returns its tag.
    fn pass(&self, direction: Direction, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>) -> [u8; 16] {
        let mut message = self.key.start(&self.nonce(iv));
        cut(assoc, Self::IV).for_each(|part| self.key.aad(&mut message, part));
        while let Some(run) = text.next(64, 0) {
            match direction {
                Direction::Encrypt => self.key.encrypt(&mut message, run),
                Direction::Decrypt => self.key.decrypt(&mut message, run),
            }
        }
        self.key.finish(message)
    }
}

impl<T: AeadToken, const SALT: usize> AeadOps for Stitched<T, SALT> {
    fn check(&self, _iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        rfc7539::check(SALT, assoc_len, text_len)
    }

    fn set_key(&mut self, key: &[u8], weak: WeakKeys) -> bool {
        Self::make(self.key.token(), key, weak).map(|new| *self = new).is_ok()
    }

    fn unchecked(&self) -> Option<u64> {
        (SALT == 0).then_some(rfc7539::MAX_TEXT)
    }

    fn begin(&self, iv: &[u8]) -> Option<Box<dyn AeadState>> {
        let message = self.key.start(&self.nonce(iv));
        (SALT == 0).then(|| Parts { key: self.key.clone(), message }.in_parts())
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let full = self.pass(Direction::Encrypt, iv, assoc, text);
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let mut full = self.pass(Direction::Decrypt, iv, assoc, text);
        tag::matches(&mut full, tag)
    }

    fn seal_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &mut [u8]) {
        let assoc = &packet.assoc[..packet.assoc.len() - Self::IV];
        let full = self.key.seal(&self.nonce(iv), assoc, packet.text.reborrow());
        tag::write(&full, tag);
    }

    fn open_packet(&self, iv: &[u8], packet: &mut Packet<'_>, tag: &[u8]) -> bool {
        let assoc = &packet.assoc[..packet.assoc.len() - Self::IV];
        let mut full = self.key.open(&self.nonce(iv), assoc, packet.text.reborrow());
        tag::matches(&mut full, tag)
    }
}

/// A message in parts, with its key. It has no salt.
#[derive(Clone)]
struct Parts<T: AeadToken> {
    key: ChaCha20Poly1305<T>,
    message: Message,
}

impl<T: AeadToken> Granular for Parts<T> {
    const GRANULE: usize = 64;
    const MAX_TEXT: u64 = rfc7539::MAX_TEXT;

    fn assoc(&mut self, assoc: &[u8]) {
        self.key.aad(&mut self.message, assoc);
    }

    fn crypt(&mut self, direction: Direction, text: InOut<'_>) {
        match direction {
            Direction::Encrypt => self.key.encrypt(&mut self.message, text),
            Direction::Decrypt => self.key.decrypt(&mut self.message, text),
        }
    }

    fn peek(&self, start: &mut [u8]) {
        self.key.encrypt(&mut self.message.clone(), InOut::from(start));
    }

    fn finish(&mut self) -> [u8; 16] {
        self.key.finish(self.message.clone())
    }

    fn restart(&mut self, iv: &[u8]) -> bool {
        let Ok(nonce) = iv.try_into() else { return false };
        self.message = self.key.start(nonce);
        true
    }
}

impl<T: AeadToken, const SALT: usize> Make for Stitched<T, SALT> {
    type Token = T;

    fn make(token: T, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        let (key, key_salt) = key.split_at(key.len() - SALT);
        let mut salt = Wiped::<SALT>::default();
        salt.copy_from_slice(key_salt);
        Ok(Self { key: ChaCha20Poly1305::new(token, key32(key)?), salt })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn ipsec_needs_its_iv_without_a_text_as_well() {
        let esp = crate::aead("rfc7539esp(chacha20,poly1305)").unwrap().key(&[1; 36]).unwrap();
        let (mut text, mut tag) = ([0; 0], [0; 16]);
        let refused = esp.encrypt(&[0; 8], &[&[0; 4]], &mut text[..], &mut tag);
        assert!(matches!(refused, Err(crate::Error::AssocLength { got: 4, .. })), "{refused:?}");
        assert!(esp.encrypt(&[0; 8], &[&[0; 8]], &mut text[..], &mut tag).is_ok());
    }
}

//! ChaCha20-Poly1305 (RFC 8439, formerly RFC 7539) and its IPsec variant (RFC 7634): `rfc7539(chacha20,poly1305)`,
//! `rfc7539esp(chacha20,poly1305)`.

use super::{Lookup, args, bad, cut, hash, pad16, parts::TagInParts, shorten, skcipher, with_list, wrap};
use crate::{
    Error, Name, Sizes, Text,
    driver::{
        AeadOps, AeadState, Direction, Driver, DriverRef, Granular, HashOps, Keyed, Refusal, Shape, SkcipherOps, Type,
        WeakKeys,
    },
    tag,
    wiped::Wiped,
};
use algkit_primitives::{InOut, cpu::CpuFeatures};
use std::sync::Arc;

/// The longest text in bytes: block 0 provides the Poly1305 key, so 2^32 − 1 blocks are left.
pub(crate) const MAX_TEXT: u64 = ((1 << 32) - 1) * 64;

/// Checks the lengths of a request. `salt_len` bytes of the nonce come from the key.
pub(crate) fn check(salt_len: usize, assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
    if salt_len > 0 && assoc_len < 8 {
        return Err(Refusal::Assoc("at least 8: it ends in the IV"));
    }
    if text_len > MAX_TEXT { Err(Refusal::Text("at most 274877906880 (2^38 - 64)")) } else { Ok(()) }
}

struct ChaChaPoly {
    chacha: Box<dyn SkcipherOps>,
    poly1305: DriverRef,
    /// An instance with another key than those of messages.
    unkeyed: Box<dyn HashOps>,
    cpu: CpuFeatures,
    /// The first bytes of the nonce, taken from the key: 4 in IPsec, else none.
    salt: Wiped<4>,
    salt_len: usize,
}

impl ChaChaPoly {
    /// The ChaCha20 IV for block 1, and the key of Poly1305, which is the beginning of keystream block 0.
    fn start(&self, iv: &[u8]) -> ([u8; 16], Wiped<32>) {
        let mut counter = [0; 16];
        counter[4..4 + self.salt_len].copy_from_slice(&self.salt[..self.salt_len]);
        counter[4 + self.salt_len..].copy_from_slice(iv);
        let mut key = Wiped::<32>::default();
        self.chacha.crypt_run(Direction::Encrypt, &mut counter.clone(), InOut::from(&mut key[..]));
        counter[0] = 1;
        (counter, key)
    }

    /// Poly1305 with the key of a message.
    fn keyed(&self, key: &[u8; 32]) -> Box<dyn HashOps> {
        hash(&self.poly1305, self.cpu, key, WeakKeys::Allow).expect("poly1305 takes any 32 bytes")
    }

    /// Poly1305 over the padded associated data, the padded ciphertext and their lengths. In IPsec the IV at the
    /// end of the associated data is left out.
    fn tag<'a>(
        &self,
        key: &[u8; 32],
        assoc: &[&'a [u8]],
        ciphertext: impl Iterator<Item = &'a [u8]>,
        len: usize,
    ) -> [u8; 16] {
        let iv_len = 2 * self.salt_len;
        let assoc_len = assoc.iter().map(|a| a.len()).sum::<usize>() - iv_len;
        let lengths = lengths(assoc_len as u64, len as u64);
        let padded_assoc = cut(assoc, iv_len).chain([pad16(assoc_len)]);
        let pieces = shorten(padded_assoc.chain(ciphertext)).chain([pad16(len), &lengths]);
        let mut tag = [0; 16];
        with_list(pieces, |pieces| {
            if !self.unkeyed.digest_under(key, pieces, &mut tag) {
                self.keyed(key).digest(pieces, &mut tag);
            }
        });
        tag
    }
}

/// A message in parts.
#[derive(Clone)]
struct Message {
    aead: Arc<ChaChaPoly>,
    /// The counter of the next block, little-endian, and the nonce.
    counter: [u8; 16],
    tag: TagInParts,
}

impl Granular for Message {
    const GRANULE: usize = 64;
    const MAX_TEXT: u64 = MAX_TEXT;

    fn assoc(&mut self, assoc: &[u8]) {
        self.tag.assoc(assoc);
    }

    fn crypt(&mut self, direction: Direction, mut text: InOut<'_>) {
        self.tag.around(direction, &mut text, |text| {
            self.aead.chacha.crypt_run(direction, &mut self.counter.clone(), text);
        });
        let next = 1u32.wrapping_add((self.tag.text_len() / 64) as u32);
        self.counter[..4].copy_from_slice(&next.to_le_bytes());
    }

    fn peek(&self, start: &mut [u8]) {
        self.aead.chacha.crypt_run(Direction::Encrypt, &mut self.counter.clone(), InOut::from(start));
    }

    fn finish(&mut self) -> [u8; 16] {
        self.tag.finish(lengths)
    }

    fn restart(&mut self, iv: &[u8]) -> bool {
        if iv.len() != 12 {
            return false;
        }
        let (counter, key) = self.aead.start(iv);
        (self.counter, self.tag) = (counter, TagInParts::new(self.aead.keyed(&key).start()));
        true
    }
}

/// The last block of Poly1305: the lengths in bytes.
fn lengths(assoc: u64, text: u64) -> [u8; 16] {
    ((u128::from(text) << 64) | u128::from(assoc)).to_le_bytes()
}

impl AeadOps for Arc<ChaChaPoly> {
    fn check(&self, _iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        check(self.salt_len, assoc_len, text_len)
    }

    fn begin(&self, iv: &[u8]) -> Option<Box<dyn AeadState>> {
        if self.salt_len > 0 {
            return None;
        }
        let (counter, key) = self.start(iv);
        let tag = TagInParts::new(self.keyed(&key).start());
        Some(Message { aead: self.clone(), counter, tag }.in_parts())
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let (mut counter, key) = self.start(iv);
        self.chacha.crypt(Direction::Encrypt, &mut counter, text);
        let len = text.len();
        let full = self.tag(&key, assoc, text.destinations(), len);
        tag::write(&full, tag);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let (mut counter, key) = self.start(iv);
        let len = text.len();
        let mut full = self.tag(&key, assoc, text.sources(), len);
        let authentic = tag::matches(&mut full, tag);
        if authentic {
            self.chacha.crypt(Direction::Decrypt, &mut counter, text);
        }
        authentic
    }
}

/// Builds `rfc7539(chacha20,poly1305)`.
pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build_salted(lookup, name, 0)
}

/// Builds `rfc7539esp(chacha20,poly1305)`.
pub(super) fn build_esp(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build_salted(lookup, name, 4)
}

fn build_salted(lookup: &dyn Lookup, name: &Name, salt_len: usize) -> Result<Driver, Error> {
    let [chacha, poly] = args(name)?;
    let (chacha, poly) = (lookup.find(Type::Skcipher, chacha)?, lookup.find(Type::Hash, poly)?);
    if chacha.name != "chacha20" || poly.name != "poly1305" {
        return Err(bad(name, &format!("{} takes chacha20 and poly1305", name.base)));
    }
    let shape = Shape::aead(chacha.shape.keys.plus(salt_len), 12 - salt_len, Sizes::of(&[16]));
    Ok(wrap(name, Type::Aead, shape, [chacha, poly], move |[chacha, poly], cpu, key, weak| {
        let (key, key_salt) = key.split_at(32);
        let mut salt = Wiped::<4>::default();
        salt[..salt_len].copy_from_slice(key_salt);
        let (chacha, unkeyed) = (skcipher(chacha, cpu, key, weak)?, hash(poly, cpu, &[0; 32], weak)?);
        let poly1305 = poly.clone();
        Ok(Keyed::Aead(Box::new(Arc::new(ChaChaPoly { chacha, poly1305, unkeyed, cpu, salt, salt_len }))))
    }))
}

#[cfg(test)]
mod tests {
    /// RFC 8439, section 2.8: 274877906880 bytes at most.
    #[test]
    fn the_longest_text() {
        assert!(super::check(0, 0, 274_877_906_880).is_ok() && super::check(0, 0, 274_877_906_881).is_err());
    }

    #[test]
    fn lengths_have_64_bits() {
        let want = hex_literal::hex!("ffffffffffffffffc0ffffff3f000000");
        assert_eq!(super::lengths(u64::MAX, super::MAX_TEXT), want);
    }
}

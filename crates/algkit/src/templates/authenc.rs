//! Encrypt-then-MAC: `authenc(hmac(sha256),cbc(aes))`, and `authencesn`, which handles IPsec's extended sequence
//! numbers (RFC 4303 section 2.2.1).
//!
//! The key has the kernel's format: an rtattr header (native-endian u16 length 8 and u16 type 1), the length of the
//! encryption key as a big-endian u32, the authentication key, and the encryption key.

use super::{Lookup, args, bad, hash, shorten, skcipher, with_list, wrap};
use crate::{
    Error, InOut, Name, Sizes, Text, Turns,
    driver::{AeadOps, BadKey, Direction, Driver, HashOps, Keyed, Refusal, Shape, SkcipherOps, TextRule, Type},
    wiped::Wiped,
};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The length of the header before the keys, in bytes.
const HEADER: usize = 8;

/// The attribute type, the kernel's `CRYPTO_AUTHENC_KEYA_PARAM`.
const KEYA_PARAM: u16 = 1;

/// Encodes an authentication key and an encryption key as the key of `authenc`.
///
/// ```
/// let key = algkit::authenc_key(&[1; 32], &[2; 16]);
/// let authenc = algkit::aead("authenc(hmac(sha256),cbc(aes))")?.key(&key)?;
/// # Ok::<(), algkit::Error>(())
/// ```
pub fn authenc_key(auth_key: &[u8], enc_key: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut key = Zeroizing::new(Vec::with_capacity(HEADER + auth_key.len() + enc_key.len()));
    key.extend_from_slice(&(HEADER as u16).to_ne_bytes());
    key.extend_from_slice(&KEYA_PARAM.to_ne_bytes());
    key.extend_from_slice(&(enc_key.len() as u32).to_be_bytes());
    key.extend_from_slice(auth_key);
    key.extend_from_slice(enc_key);
    key
}

/// Splits a key of `authenc` into authentication key and encryption key; `None` if the encoding is invalid.
pub fn split_authenc_key(key: &[u8]) -> Option<(&[u8], &[u8])> {
    split_key(key).ok()
}

/// Splits a key of `authenc` into authentication key and encryption key.
pub(super) fn split_key(key: &[u8]) -> Result<(&[u8], &[u8]), BadKey> {
    const BAD: BadKey = BadKey("the key is not an authenc key blob");
    let (header, keys) = key.split_first_chunk::<HEADER>().ok_or(BAD)?;
    let [l0, l1, t0, t1, enc_len @ ..] = *header;
    if u16::from_ne_bytes([l0, l1]) != HEADER as u16 || u16::from_ne_bytes([t0, t1]) != KEYA_PARAM {
        return Err(BAD);
    }
    let enc_len = u32::from_be_bytes(enc_len) as usize;
    keys.len().checked_sub(enc_len).map(|mid| keys.split_at(mid)).ok_or(BAD)
}

/// A text that is encrypted and authenticated in turns has at least this many bytes.
const LONG: usize = 512;

const TURN: usize = Turns::BYTES;

struct Authenc {
    mac: Box<dyn HashOps>,
    mac_size: usize,
    cipher: Box<dyn SkcipherOps>,
    esn: bool,
}

impl Authenc {
    fn encrypt_or_decrypt(&self, direction: Direction, iv: &[u8], text: &mut Text<'_>) {
        let mut chain = [0; 32];
        chain[..iv.len()].copy_from_slice(iv);
        self.cipher.crypt(direction, &mut chain[..iv.len()], text);
    }

    /// The first 8 bytes of the associated data, and half of their number, if the MAC moves bytes 4–7 to the end. They are the
    /// high half of an extended sequence number. Otherwise, zeros and 0.
    fn head(&self, assoc: &[&[u8]]) -> ([u8; 8], usize) {
        let mut head = [0; 8];
        if self.esn {
            assoc.iter().flat_map(|part| *part).zip(&mut head).for_each(|(byte, place)| *place = *byte);
        }
        (head, if self.esn { 4 } else { 0 })
    }

    /// The MAC of the associated data and the ciphertext.
    fn tag<'a>(&self, assoc: &[&'a [u8]], ciphertext: impl Iterator<Item = &'a [u8]>) -> Wiped<64> {
        let (head, half) = self.head(assoc);
        let (spi, high) = head[..2 * half].split_at(half);
        let rest = without(assoc, 2 * half);
        let pieces = [spi].into_iter().chain(shorten(rest.chain(ciphertext))).chain([high]);
        let mut tag = Wiped::<64>::default();
        with_list(pieces, |pieces| self.mac.digest(pieces, &mut tag[..self.mac_size]));
        tag
    }

    /// Encrypts and authenticates in turns. A mode such as CBC waits for each block before it begins the next; meanwhile
    /// the CPU hashes what has been encrypted before. The text has at least [`LONG`] bytes.
    fn seal_in_turns(&self, iv: &[u8], assoc: &[&[u8]], mut run: InOut<'_>) -> Wiped<64> {
        let (head, half) = self.head(assoc);
        let (spi, high) = head[..2 * half].split_at(half);
        let mut chain = [0; 32];
        let chain = &mut chain[..iv.len()];
        chain.copy_from_slice(iv);
        let mut state = self.mac.start();
        [spi].into_iter().chain(without(assoc, 2 * half)).for_each(|part| state.update(part));
        let absorbed: usize = assoc.iter().map(|part| part.len()).sum::<usize>() - half;
        run.copy();
        let text = run.into_dst();
        // The hash comes 64 to 128 bytes later, from where a block of it ends.
        let (first, behind) = (2 * TURN, TURN - absorbed % TURN);
        self.cipher.crypt_run(Direction::Encrypt, chain, InOut::from(&mut text[..first]));
        state.update(&text[..behind]);
        let count = (text.len() - first) / TURN;
        if let Some(mut turns) = Turns::new(text, first, behind, count) {
            self.cipher.encrypt_hashing(chain, &mut turns, &mut *state);
        }
        self.cipher.crypt_run(Direction::Encrypt, chain, InOut::from(&mut text[first + count * TURN..]));
        state.update(&text[behind + count * TURN..]);
        state.update(high);
        let mut tag = Wiped::<64>::default();
        state.finish(&mut tag[..self.mac_size]);
        tag
    }
}

/// The parts without their first `skip` bytes.
fn without<'a>(parts: &[&'a [u8]], mut skip: usize) -> impl Iterator<Item = &'a [u8]> {
    parts.iter().map(move |part| {
        let skipped = skip.min(part.len());
        skip -= skipped;
        &part[skipped..]
    })
}

impl AeadOps for Authenc {
    fn check(&self, _iv: &[u8], assoc_len: usize, _text_len: u64) -> Result<(), Refusal> {
        if self.esn && assoc_len < 8 {
            return Err(Refusal::Assoc("at least 8 (SPI and extended sequence number)"));
        }
        Ok(())
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        let in_turns = text.len() >= LONG && self.cipher.lanes() > 1;
        let full = match in_turns.then(|| text.whole()).flatten() {
            Some(run) => self.seal_in_turns(iv, assoc, run),
            None => {
                self.encrypt_or_decrypt(Direction::Encrypt, iv, text);
                self.tag(assoc, text.destinations())
            }
        };
        tag.copy_from_slice(&full[..tag.len()]);
    }

    fn open(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let full = self.tag(assoc, text.sources());
        let authentic = full[..tag.len()].ct_eq(tag).into();
        if authentic {
            self.encrypt_or_decrypt(Direction::Decrypt, iv, text);
        }
        authentic
    }
}

/// Builds `authenc(mac,mode)`.
pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    compose_authenc(lookup, name, false)
}

/// Builds `authencesn(mac,mode)`.
pub(super) fn build_esn(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    compose_authenc(lookup, name, true)
}

fn compose_authenc(lookup: &dyn Lookup, name: &Name, esn: bool) -> Result<Driver, Error> {
    let [mac, cipher] = args(name)?;
    let (mac, cipher) = (lookup.find(Type::Hash, mac)?, lookup.find(Type::Skcipher, cipher)?);
    if !mac.takes_secret() {
        return Err(bad(name, "the hash takes no key"));
    }
    // With these, two tags under one key reveal the key.
    let once = matches!(&*mac.name, "poly1305" | "nhpoly1305" | "ghash" | "polyval") || mac.name.starts_with("vmac64(");
    if once {
        return Err(bad(name, "the hash is no authentication code for many messages"));
    }
    if cipher.shape.text == TextRule::Wrapped {
        return Err(bad(name, "the mode already authenticates"));
    }
    let mac_size = mac.shape.digestsize;
    if mac_size > 64 || cipher.shape.ivsize > 32 {
        return Err(bad(name, "the digest or the IV is too long"));
    }
    // The kernel's template temporarily stores the 4-byte high half of the sequence number in place of the tag.
    // `digest_null`, which IPsec takes where nothing is to be authenticated, has only the empty tag.
    let least = mac_size.min(if esn { 4 } else { 1 });
    let shape = Shape {
        blocksize: cipher.shape.blocksize,
        text: cipher.shape.text,
        ..Shape::aead(Sizes::Between(HEADER, usize::MAX), cipher.shape.ivsize, Sizes::Between(least, mac_size))
    };
    Ok(wrap(name, Type::Aead, shape, [mac, cipher], move |[mac, cipher], cpu, key, weak| {
        let (auth_key, enc_key) = split_key(key)?;
        if !mac.shape.keys.allows(auth_key.len()) || !cipher.shape.keys.allows(enc_key.len()) {
            return Err(BadKey("one of the two keys in the blob has the wrong length"));
        }
        Ok(Keyed::Aead(Box::new(Authenc {
            mac: hash(mac, cpu, auth_key, weak)?,
            mac_size,
            cipher: skcipher(cipher, cpu, enc_key, weak)?,
            esn,
        })))
    }))
}

//! AEADs that generate their IVs: `seqiv(rfc4106(gcm(aes)))` and `echainiv(authenc(hmac(sha256),cbc(aes)))`, as the
//! kernel has them for IPsec (crypto/seqiv.c, crypto/echainiv.c).
//!
//! The text begins with room for an IV. Encryption ignores its contents and writes what the receiver needs there.
//! The IV argument of an encryption request is a number that must never repeat, such as the packet's sequence
//! number. It is combined with a random salt, drawn for each transform, to form the actual IV. Decryption needs
//! only the key: it ignores the IV argument, and each side can open what the other has sealed.

use super::{Lookup, aead, args, bad, shorten, with_list, wrap};
use crate::{
    Error, Name, Text,
    blockwise::xor,
    driver::{AeadOps, BadKey, Driver, Keyed, Refusal, TextRule, Type},
    entropy,
    wiped::Wiped,
};

/// The longest IV, in bytes.
const MAX_IV: usize = 16;

/// How the sender derives the IV from the number and the salt.
#[derive(Clone, Copy)]
enum Scheme {
    /// The IV is the XOR of the number and the salt. It is sent before the ciphertext.
    Sequence,
    /// The IV is the product of the number and the salt. It is not sent: the room for the IV is filled with zeros,
    /// which CBC encrypts to an unpredictable first block. That block acts as the IV of the following blocks, so
    /// the receiver uses it as an ordinary IV.
    Chained,
}

struct Geniv {
    inner: Box<dyn AeadOps>,
    salt: Wiped<MAX_IV>,
    scheme: Scheme,
    iv_len: usize,
}

impl Geniv {
    /// The product of number and salt in each 64-bit word. The number is the last 8 bytes of the IV argument,
    /// big-endian. The salt's words are made odd, so different numbers have different products.
    fn product(&self, iv: &[u8]) -> [u8; MAX_IV] {
        let number = iv.last_chunk().map_or(0, |last| u64::from_be_bytes(*last));
        let mut product = [0; MAX_IV];
        for (product, salt) in product.as_chunks_mut().0.iter_mut().zip(self.salt.as_chunks().0) {
            *product = (u64::from_ne_bytes(*salt) | 1).wrapping_mul(number).to_ne_bytes();
        }
        product
    }
}

impl AeadOps for Geniv {
    fn check(&self, iv: &[u8], assoc_len: usize, text_len: u64) -> Result<(), Refusal> {
        let Some(rest) = text_len.checked_sub(self.iv_len as u64) else {
            return Err(Refusal::Text("at least the IV's length: it begins with room for the IV"));
        };
        match self.scheme {
            Scheme::Sequence => match self.inner.check(iv, assoc_len + self.iv_len, rest) {
                Err(Refusal::Assoc(_)) => {
                    Err(Refusal::Assoc("a length that the inner AEAD accepts once the IV is appended"))
                }
                checked => checked,
            },
            Scheme::Chained => self.inner.check(iv, assoc_len, text_len),
        }
    }

    fn makes_iv(&self) -> bool {
        true
    }

    fn seal(&self, iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &mut [u8]) {
        text.copy();
        let mut text = text.destination();
        match self.scheme {
            Scheme::Sequence => {
                let (mut room, mut rest) = text.split_at(self.iv_len);
                let mut sum = [0; MAX_IV];
                let sum = &mut sum[..self.iv_len];
                sum.copy_from_slice(iv);
                xor(sum, &*self.salt);
                room.write(sum);
                let assoc = shorten(assoc.iter().copied()).chain([&*sum]);
                with_list(assoc, |assoc| self.inner.seal(sum, assoc, &mut rest, tag));
            }
            Scheme::Chained => {
                text.split_at(self.iv_len).0.write(&[0; MAX_IV]);
                self.inner.seal(&self.product(iv)[..self.iv_len], assoc, &mut text, tag);
            }
        }
    }

    fn open(&self, _iv: &[u8], assoc: &[&[u8]], text: &mut Text<'_>, tag: &[u8]) -> bool {
        let (mut room, mut rest) = text.split_at(self.iv_len);
        let mut iv = [0; MAX_IV];
        let iv = &mut iv[..self.iv_len];
        room.read(iv);
        room.copy();
        let assoc = shorten(assoc.iter().copied()).chain([&*iv]);
        with_list(assoc, |assoc| self.inner.open(iv, assoc, &mut rest, tag))
    }
}

/// Builds `seqiv(aead)`.
pub(super) fn build_seqiv(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, Scheme::Sequence, &[8])
}

/// Builds `echainiv(aead)`.
pub(super) fn build_echainiv(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, Scheme::Chained, &[8, MAX_IV])
}

fn build(lookup: &dyn Lookup, name: &Name, scheme: Scheme, iv_lens: &[usize]) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Aead, arg)?;
    let iv_len = inner.shape.ivsize;
    if !iv_lens.contains(&iv_len) {
        return Err(bad(name, "the inner AEAD's IV length does not suit this template"));
    }
    // The text after the IV may be empty, so the inner AEAD must accept any length. It must not reserve room for an IV itself.
    let any = matches!(inner.shape.text, TextRule::Any | TextRule::Blocks);
    if !any || inner.name.starts_with("seqiv(") || inner.name.starts_with("echainiv(") {
        return Err(bad(name, "the inner AEAD takes no text of 0 bytes, or generates its IV already"));
    }
    if matches!(scheme, Scheme::Chained) && !chains(&Name::parse(&inner.name)?) {
        return Err(bad(name, "the inner AEAD is not authenc over cbc, pcbc, cfb or ofb"));
    }
    Ok(wrap(name, Type::Aead, inner.shape.clone(), [inner], move |[inner], cpu, key, weak| {
        let inner = aead(inner, cpu, key, weak)?;
        let mut salt = Wiped::<MAX_IV>::default();
        entropy::fill(&mut *salt).map_err(BadKey)?;
        Ok(Keyed::Aead(Box::new(Geniv { inner, salt, scheme, iv_len })))
    }))
}

/// Whether the AEAD encrypts a first block of zeros to what the blocks behind it would have as their IV.
fn chains(aead: &Name) -> bool {
    let by_blocks = |mode: &Name| matches!(&*mode.base, "cbc" | "pcbc" | "cfb" | "ofb");
    aead.is_authenc() && aead.args.last().is_some_and(by_blocks)
}

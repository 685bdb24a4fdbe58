//! AEADs that make their IVs: `seqiv(rfc4106(gcm(aes)))` and `echainiv(authenc(hmac(sha256),cbc(aes)))`, as IPsec has them in
//! the kernel (crypto/seqiv.c, crypto/echainiv.c).
//!
//! The text begins with room for an IV. What it holds before is ignored; sealed, it holds what the receiver needs. The IV
//! of the request is a number that never repeats, such as the packet's, and a salt that each transform draws at random makes
//! an IV of it. To open a message takes the key alone: the IV of that request is ignored, and each side opens what
//! the other has sealed.

use super::{Lookup, aead, args, bad, compose, shorten, with_list};
use crate::{
    Error, Name, Text,
    blockwise::xor,
    driver::{AeadOps, BadKey, Driver, Keyed, Refusal, Type},
};
use zeroize::Zeroizing;

/// The longest IV, in bytes.
const MAX_IV: usize = 32;

/// What a sender does with number and salt.
#[derive(Clone, Copy)]
enum Scheme {
    /// The IV is their sum, and stands before the ciphertext.
    Sequence,
    /// The IV is their product, and never shown: the room for it is a text of zeros, which CBC encrypts first, to a block
    /// that nobody can foretell. It is the IV of what follows, so that the receiver need not know of this.
    Chained,
}

struct Geniv {
    inner: Box<dyn AeadOps>,
    salt: Zeroizing<[u8; MAX_IV]>,
    scheme: Scheme,
    iv_len: usize,
}

impl Geniv {
    /// The product, 64 bits by 64 bits: the number is the last 8 bytes of the IV, big-endian, the factors are made odd, so
    /// that no two numbers have one product.
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
                    Err(Refusal::Assoc("so long that with the IV behind it the AEAD inside takes it"))
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

/// `seqiv(aead)`.
pub(super) fn build_seqiv(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, Scheme::Sequence, &[8])
}

/// `echainiv(aead)`.
pub(super) fn build_echainiv(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    build(lookup, name, Scheme::Chained, &[8, 16, 24, 32])
}

fn build(lookup: &dyn Lookup, name: &Name, scheme: Scheme, iv_lens: &[usize]) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Aead, arg)?;
    let iv_len = inner.shape.ivsize;
    if !iv_lens.contains(&iv_len) {
        return Err(bad(name, "the IV of what is in the parentheses has another length"));
    }
    let (alg, driver) = (format!("{}({})", name.base, inner.name), format!("{}({})", name.base, inner.driver));
    Ok(compose(alg, driver, Type::Aead, inner.shape.clone(), &[&inner.clone()], move |cpu, key, weak| {
        let inner = aead(&inner, cpu, key, weak)?;
        let mut salt = Zeroizing::new([0; MAX_IV]);
        getrandom::fill(&mut *salt).map_err(|_| BadKey("the operating system has no random numbers for a salt"))?;
        Ok(Keyed::Aead(Box::new(Geniv { inner, salt, scheme, iv_len })))
    }))
}

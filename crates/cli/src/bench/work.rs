//! The work of a contender: one library call with its checks.

use super::measure::Work;
use crate::names::authenc_parts;
use algkit::{Aead, Cipher, Driver, Error, Hash, Registry, Rng, Skcipher, Text, Type, driver::TextRule};
use serde::Serialize;
use std::{hint::black_box, sync::Arc};

/// The operation to measure.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    Enc,
    Dec,
    /// The only operation of a hash.
    Digest,
    /// The only operation of a random number generator.
    Generate,
}

impl Op {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enc => "enc",
            Self::Dec => "dec",
            Self::Digest => "digest",
            Self::Generate => "generate",
        }
    }
}

/// The operations in the column for encryption.
pub const FORWARD: &[Op] = &[Op::Enc, Op::Digest, Op::Generate];

/// A keyed transform of any type.
pub enum Subject {
    Cipher(Arc<Cipher>),
    Skcipher(Arc<Skcipher>),
    Aead(Arc<Aead>),
    Hash(Arc<Hash>),
    Rng(Arc<Rng>),
}

impl Subject {
    /// The driver with a key of `key_len` bytes. For `authenc` this is the cipher's key.
    pub fn new(registry: &Registry, driver: &Driver, key_len: usize) -> Result<Self, Error> {
        let (name, key) = (&driver.driver, key(registry, driver, key_len)?);
        Ok(match driver.kind {
            Type::Cipher => Self::Cipher(Arc::new(registry.cipher(name)?.key(&key)?)),
            Type::Skcipher => Self::Skcipher(Arc::new(registry.skcipher(name)?.key(&key)?)),
            Type::Aead => Self::Aead(Arc::new(registry.aead(name)?.key(&key)?)),
            Type::Hash => Self::Hash(Arc::new(registry.hash(name)?.key(&key)?)),
            Type::Rng => Self::Rng(Arc::new(registry.rng(name)?.key(&key)?)),
            _ => return Err(Error::Unknown(name.clone())),
        })
    }

    /// The operations that this type supports.
    pub fn ops(&self) -> &'static [Op] {
        match self {
            Self::Hash(_) => &[Op::Digest],
            Self::Rng(_) => &[Op::Generate],
            _ => &[Op::Enc, Op::Dec],
        }
    }

    /// One operation on `size` bytes. It has been run once, to report errors.
    pub fn work(&self, op: Op, size: usize) -> Result<Work, Error> {
        Ok(match self {
            Self::Cipher(cipher) => {
                let cipher = cipher.clone();
                checked(size, move |text| match op {
                    Op::Dec => cipher.decrypt(text),
                    _ => cipher.encrypt(text),
                })?
            }
            Self::Skcipher(cipher) => {
                let (cipher, first) = (cipher.clone(), iv(cipher.driver()));
                if op == Op::Dec && cipher.driver().shape.text == TextRule::Wrapped {
                    return unwrapping(&cipher, size);
                }
                checked(size, move |text| {
                    let mut iv = first;
                    let iv = &mut iv[..cipher.driver().shape.ivsize];
                    match op {
                        Op::Dec => cipher.decrypt(iv, text),
                        _ => cipher.encrypt(iv, text),
                    }
                })?
            }
            Self::Aead(aead) => aead_work(aead, op, size)?,
            Self::Hash(hash) => {
                let (hash, mut digest) = (hash.clone(), vec![0; hash.digest_size()]);
                checked(size, move |text| hash.digest_into(&[text], &mut digest))?
            }
            Self::Rng(rng) => {
                let rng = rng.clone();
                checked(size, move |text| rng.generate(&[], text))?
            }
        })
    }
}

/// Unwraps a wrapped key, from a copy: no other text is intact.
fn unwrapping(cipher: &Arc<Skcipher>, size: usize) -> Result<Work, Error> {
    let (cipher, mut wrapped) = (cipher.clone(), vec![0; size]);
    let mut first = vec![0; cipher.driver().shape.ivsize];
    cipher.encrypt(&mut first, &mut wrapped)?;
    let mut iv = first.clone();
    checked(size, move |text| {
        iv.copy_from_slice(&first);
        cipher.decrypt(&mut iv, Text::new(&wrapped, text)?)
    })
}

/// Encrypts in place. Decrypts from a sealed copy, because decrypting in place would destroy the ciphertext.
fn aead_work(aead: &Arc<Aead>, op: Op, size: usize) -> Result<Work, Error> {
    let (aead, iv) = (aead.clone(), iv(aead.driver()));
    let ivsize = aead.driver().shape.ivsize;
    let mut tag = vec![0; aead.max_tag_len()];
    let mut sealed = vec![0; size];
    let mut seal = |assoc: &[u8]| aead.encrypt(&iv[..ivsize], &[assoc], &mut sealed[..], &mut tag);
    // IPsec's modes and essiv require their IV in the associated data; seqiv appends it.
    let takes = |assoc: &&[u8]| !matches!(seal(assoc), Err(Error::AssocLength { .. }));
    let assoc = [&[], &ASSOC[..], &ASSOC[..8]].into_iter().find(takes).unwrap_or_default();
    seal(assoc)?;
    if op == Op::Dec {
        return checked(size, move |text| aead.decrypt(&iv[..ivsize], &[assoc], Text::new(&sealed, text)?, &tag));
    }
    checked(size, move |text| aead.encrypt(&iv[..ivsize], &[assoc], text, &mut tag))
}

/// Associated data, of which IPsec's modes accept the first 8 or all bytes.
static ASSOC: [u8; 16] = [0; 16];

fn checked(size: usize, mut op: impl FnMut(&mut [u8]) -> Result<(), Error> + Send + 'static) -> Result<Work, Error> {
    op(&mut vec![0; size])?;
    Ok(Box::new(move |text| {
        // It has succeeded once, and success depends only on lengths.
        let _ = black_box(op(text));
    }))
}

/// An IV that every mode accepts. The first byte is the size of CCM's length field minus 1.
fn iv(driver: &Driver) -> [u8; 32] {
    debug_assert!(driver.shape.ivsize <= 32);
    let mut iv = [0; 32];
    iv[0] = 3;
    iv
}

/// Key lengths to measure, in bytes: all of a list, a common one of a range, and 0 for a hash without a key.
pub fn key_lengths(registry: &Registry, driver: &Driver) -> Result<Vec<usize>, Error> {
    let keys = match authenc_parts(&driver.name) {
        Some((_, mode)) => registry.find(Type::Skcipher, &mode.to_string())?.shape.keys.clone(),
        None if driver.shape.optional_key => return Ok(vec![0]),
        None => driver.shape.keys.clone(),
    };
    Ok(match keys {
        algkit::Sizes::OneOf(list) => list.into_owned(),
        algkit::Sizes::Between(min, max) => vec![32.clamp(min, max)],
        algkit::Sizes::EvenBetween(min, max) => vec![64.clamp(min, max)],
    })
}

fn key(registry: &Registry, driver: &Driver, len: usize) -> Result<Vec<u8>, Error> {
    // No two parts are equal, as XTS and triple DES require. The first bit is 0, as VMAC's nonce requires.
    let key: Vec<u8> = (0..len).map(|i| (i as u8).wrapping_mul(29) ^ 0x25).collect();
    match authenc_parts(&driver.name) {
        Some((mac, _)) => {
            let mac = registry.find(Type::Hash, &mac.to_string())?;
            let auth_key = vec![0x5a; mac.shape.digestsize.clamp(mac.shape.keys.min(), mac.shape.keys.max())];
            Ok(algkit::authenc_key(&auth_key, &key).to_vec())
        }
        None => Ok(key),
    }
}

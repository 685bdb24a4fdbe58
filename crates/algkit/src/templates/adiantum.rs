//! Adiantum (Crowley, Biggers 2018, "Adiantum: length-preserving encryption for entry-level processors"): a
//! wide-block mode for sectors on CPUs without AES instructions. It combines a stream cipher, a hash and one block
//! cipher call. The algorithm is `adiantum(xchacha12,aes)`; a driver's name has the hash as a third component:
//! `adiantum(…,…,nhpoly1305-…)`.
//!
//! The text is *P_L* followed by *P_R*, its last 16 bytes. *T* is the tweak, the 32-byte IV. Numbers are
//! little-endian, sums are modulo 2^128:
//!
//! ```text
//! P_M = P_R + H(T, P_L)
//! C_M = AES(P_M)
//! C_L = P_L ^ XChaCha(nonce = C_M ‖ 1)
//! C_R = C_M - H(T, C_L)
//! ```
//!
//! *H* is the sum of two hashes: Poly1305 of the length of the left part in bits (16 bytes) and the tweak, and
//! NHPoly1305 of the left part. The keys of the cipher and the hashes are the stream cipher's output for nonce 1.
//! The IV is not changed.

use super::{Lookup, bad, cipher, compose, hash, skcipher, with_list};
use crate::{
    Error, Name, Sizes, Text,
    driver::{
        BadKey, CipherOps, Direction, Driver, DriverRef, HashOps, Keyed, Shape, SkcipherOps, TextRule, Type, WeakKeys,
    },
    tfm,
    wiped::Wiped,
};
use algkit_primitives::{
    InOut,
    cpu::{CpuFeatures, Portable},
    hash::Hash,
    poly1305::Poly1305,
};

/// The block size in bytes.
const BLOCK: usize = 16;

/// The IV length in bytes, of the mode (its tweak) and of the stream cipher.
const IV: usize = 32;

/// The key length in bytes, of the block cipher and of the stream cipher.
const KEY: usize = 32;

/// The key length of NHPoly1305 in bytes.
const HASH_KEY: usize = 1088;

struct Adiantum {
    stream: Box<dyn SkcipherOps>,
    cipher: Box<dyn CipherOps>,
    /// Poly1305 with an all-zero *s*, so that it adds nothing at the end.
    header: Poly1305<Portable>,
    hash: Box<dyn HashOps>,
}

impl Adiantum {
    fn new([stream, block, nh]: &[DriverRef; 3], cpu: CpuFeatures, key: &[u8], weak: WeakKeys) -> Result<Self, BadKey> {
        let stream = skcipher(stream, cpu, key, weak)?;
        let mut keys = Wiped::<{ KEY + BLOCK + HASH_KEY }>::default();
        let mut iv = [0; IV];
        iv[0] = 1;
        stream.crypt_run(Direction::Encrypt, &mut iv, InOut::from(&mut keys[..]));
        let (block_key, hash_keys) = keys.split_at(KEY);
        let (point, hash_key) = hash_keys.split_at(BLOCK);
        let mut header_key = Wiped::<{ 2 * BLOCK }>::default();
        header_key[..BLOCK].copy_from_slice(point);
        Ok(Self {
            cipher: cipher(block, cpu, block_key, weak)?,
            header: Poly1305::new(Portable::new(), &header_key),
            hash: hash(nh, cpu, hash_key, weak)?,
            stream,
        })
    }

    /// Poly1305 of the length of the left part, `left` bytes, and of the tweak.
    fn header(&self, tweak: &[u8], left: usize) -> u128 {
        let mut message = [0; BLOCK + IV];
        message[..BLOCK].copy_from_slice(&(8 * left as u128).to_le_bytes());
        message[BLOCK..].copy_from_slice(tweak);
        let mut digest = Wiped::<BLOCK>::default();
        self.header.digest_whole(&message, &mut *digest);
        u128::from_le_bytes(*digest)
    }

    fn hash<'a>(&self, left: impl Iterator<Item = &'a [u8]>) -> u128 {
        let mut digest = Wiped::<BLOCK>::default();
        with_list(left, |left| self.hash.digest(left, &mut *digest));
        u128::from_le_bytes(*digest)
    }
}

impl SkcipherOps for Adiantum {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let len = text.len() - BLOCK;
        let (mut left, mut right) = text.split_at(len);
        let header = self.header(iv, len);
        let mut block = Wiped::<BLOCK>::default();
        right.read(&mut *block);

        let sum = header.wrapping_add(self.hash(left.sources()));
        *block = u128::from_le_bytes(*block).wrapping_add(sum).to_le_bytes();
        if direction == Direction::Encrypt {
            self.cipher.encrypt_blocks(InOut::from(&mut block[..]));
        }
        let mut nonce = Wiped::<IV>::default();
        nonce[..BLOCK].copy_from_slice(&*block);
        nonce[BLOCK] = 1;
        tfm::crypt(&*self.stream, Direction::Encrypt, &mut *nonce, &mut left);
        if direction == Direction::Decrypt {
            self.cipher.decrypt_blocks(InOut::from(&mut block[..]));
        }
        let sum = header.wrapping_add(self.hash(left.destinations()));
        right.write(&u128::from_le_bytes(*block).wrapping_sub(sum).to_le_bytes());
    }
}

/// Builds `adiantum(stream,cipher)` and `adiantum(stream,cipher,hash)`.
pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let nhpoly1305 = Name::word("nhpoly1305");
    let (stream, block, nh) = match &*name.args {
        [stream, block] => (stream, block, &nhpoly1305),
        [stream, block, nh] => (stream, block, nh),
        _ => return Err(bad(name, "adiantum takes a stream cipher, a block cipher and optionally nhpoly1305")),
    };
    let stream = lookup.find(Type::Skcipher, stream)?;
    if !matches!(&*stream.name, "xchacha12" | "xchacha20") {
        return Err(bad(name, "the stream cipher is xchacha12 or xchacha20"));
    }
    let block = lookup.find(Type::Cipher, block)?;
    if block.shape.blocksize != BLOCK || !block.shape.keys.allows(KEY) {
        return Err(bad(name, "the mode takes a cipher of 16-byte blocks and keys of 32 bytes"));
    }
    let nh = lookup.find(Type::Hash, nh)?;
    if nh.name != "nhpoly1305" {
        return Err(bad(name, "the hash is nhpoly1305"));
    }
    let alg = format!("adiantum({},{})", stream.name, block.name);
    let driver = format!("adiantum({},{},{})", stream.driver, block.driver, nh.driver);
    let shape = Shape::skcipher(BLOCK, Sizes::of(&[KEY]), IV, TextRule::Stealing);
    Ok(compose(alg, driver, Type::Skcipher, shape, [stream, block, nh], |inner, cpu, key, weak| {
        Ok(Keyed::Skcipher(Box::new(Adiantum::new(inner, cpu, key, weak)?)))
    }))
}

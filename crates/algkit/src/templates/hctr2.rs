//! HCTR2 (Crowley, Huckleberry, Biggers 2021, "Length-preserving encryption with HCTR2"): a wide-block mode for
//! sectors and file names on CPUs with AES and carry-less multiplication instructions. `hctr2(aes)` is
//! `hctr2_base(xctr(aes),polyval)`.
//!
//! The text is *M*, its first 16 bytes, followed by *N*. *T* is the tweak, the 32-byte IV:
//!
//! ```text
//! MM = M ^ H(T, N)
//! UU = AES(MM)
//! V  = N ^ XCTR(MM ^ UU ^ L)
//! U  = UU ^ H(T, V)
//! ```
//!
//! *H* is POLYVAL of three parts: a block that encodes the tweak's length and whether *N* is a multiple of 16
//! bytes, the tweak, and *N*. If *N* is not a multiple of 16 bytes, a byte 1 and zeros follow it. POLYVAL's key is
//! AES(0) and *L* is AES(1), with little-endian numbers. The IV is not changed.

use super::{Lookup, args, bad, cipher, compose, hash, inner_cipher, shorten, skcipher, with_list};
use crate::{
    Error, Name, Text,
    blockwise::xor,
    driver::{
        BadKey, CipherOps, Direction, Driver, DriverRef, HashOps, Keyed, Shape, SkcipherOps, TextRule, Type, WeakKeys,
    },
    tfm,
    wiped::Wiped,
};
use algkit_primitives::{InOut, cpu::CpuFeatures};

/// The block size in bytes.
const BLOCK: usize = 16;

/// The IV (tweak) length in bytes.
const IV: usize = 32;

struct Hctr2 {
    xctr: Box<dyn SkcipherOps>,
    cipher: Box<dyn CipherOps>,
    polyval: Box<dyn HashOps>,
    /// *L*, the encryption of 1.
    mask: Wiped<BLOCK>,
}

impl Hctr2 {
    fn new(
        [xctr, block, polyval]: &[DriverRef; 3],
        cpu: CpuFeatures,
        key: &[u8],
        weak: WeakKeys,
    ) -> Result<Self, BadKey> {
        let cipher = cipher(block, cpu, key, weak)?;
        let encrypted = |number: u128| {
            let mut block = Wiped(number.to_le_bytes());
            cipher.encrypt_blocks(InOut::from(&mut block[..]));
            block
        };
        let polyval = hash(polyval, cpu, &*encrypted(0), weak)?;
        Ok(Self { xctr: skcipher(xctr, cpu, key, weak)?, polyval, mask: encrypted(1), cipher })
    }

    /// XORs *H* of the tweak and a text of `len` bytes onto `block`.
    fn add_hash<'a>(&self, block: &mut [u8; BLOCK], tweak: &[u8], text: impl Iterator<Item = &'a [u8]>, len: usize) {
        let ragged = len % BLOCK;
        let mut head = [0; BLOCK + IV];
        // The encoding of the tweak's length in bits: 2 · length + 2, or + 3 if the text is not a multiple of 16
        // bytes.
        let length = 2 * 8 * IV as u128 + if ragged == 0 { 2 } else { 3 };
        head[..BLOCK].copy_from_slice(&length.to_le_bytes());
        head[BLOCK..].copy_from_slice(tweak);
        let end = if ragged == 0 { &[][..] } else { &[1] };
        let mut digest = Wiped::<BLOCK>::default();
        let pieces = [&head[..]].into_iter().chain(shorten(text)).chain([end]);
        with_list(pieces, |pieces| self.polyval.digest(pieces, &mut *digest));
        xor(block, &*digest);
    }
}

impl SkcipherOps for Hctr2 {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let len = text.len() - BLOCK;
        let (mut first, mut rest) = text.split_at(BLOCK);
        let mut block = Wiped::<BLOCK>::default();
        first.read(&mut *block);
        self.add_hash(&mut block, iv, rest.sources(), len);
        let mut chain = block.clone();
        match direction {
            Direction::Encrypt => self.cipher.encrypt_blocks(InOut::from(&mut block[..])),
            Direction::Decrypt => self.cipher.decrypt_blocks(InOut::from(&mut block[..])),
        }
        xor(&mut *chain, &*block);
        xor(&mut *chain, &*self.mask);
        tfm::crypt(&*self.xctr, Direction::Encrypt, &mut *chain, &mut rest);
        self.add_hash(&mut block, iv, rest.destinations(), len);
        first.write(&*block);
    }
}

/// Builds `hctr2(cipher)`.
pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let xctr = lookup.find(Type::Skcipher, &Name { base: "xctr".into(), args: vec![arg.clone()] })?;
    compose_hctr2(lookup, name, xctr, lookup.find(Type::Hash, &Name::word("polyval"))?)
}

/// Builds `hctr2_base(xctr(cipher),polyval)`.
pub(super) fn build_base(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [xctr, polyval] = args(name)?;
    compose_hctr2(lookup, name, lookup.find(Type::Skcipher, xctr)?, lookup.find(Type::Hash, polyval)?)
}

fn compose_hctr2(lookup: &dyn Lookup, name: &Name, xctr: DriverRef, polyval: DriverRef) -> Result<Driver, Error> {
    if !xctr.name.starts_with("xctr(") || polyval.name != "polyval" {
        return Err(bad(name, "hctr2_base takes xctr(cipher) and polyval"));
    }
    let block = inner_cipher(lookup, &xctr)?;
    let shape = Shape::skcipher(BLOCK, xctr.shape.keys.clone(), IV, TextRule::Stealing);
    let alg = format!("hctr2({})", block.name);
    let driver = format!("hctr2_base({},{})", xctr.driver, polyval.driver);
    Ok(compose(alg, driver, Type::Skcipher, shape, [xctr, block, polyval], |inner, cpu, key, weak| {
        Ok(Keyed::Skcipher(Box::new(Hctr2::new(inner, cpu, key, weak)?)))
    }))
}

//! XTS (IEEE 1619, SP 800-38E): a tweakable mode for data units such as sectors.
//!
//! The key is two keys of equal length. The second key encrypts the IV to the first tweak. From block to block the
//! tweak is multiplied by x in GF(2^128), little-endian. Each block is XORed with its tweak before and after
//! encryption under the first key. A partial last block steals ciphertext from the block before. The IV is not
//! changed.

use super::{Lookup, cipher, cipher128, compose};
use crate::{
    Error, Name, Text,
    blockwise::mul_x,
    driver::{BadKey, CipherOps, Direction, Driver, Keyed, Shape, SkcipherOps, TextRule, Type, WeakKeys},
    wiped::Wiped,
};
use algkit_primitives::InOut;
use subtle::ConstantTimeEq;

/// The longest data unit in bytes: 2^20 blocks (SP 800-38E section 4).
pub(crate) const MAX_DATA_UNIT: u64 = 16 << 20;

/// XTS: `data` encrypts the blocks, `tweak` the first tweak.
pub(crate) struct Xts<D, S> {
    pub(crate) data: D,
    pub(crate) tweak: S,
}

/// Splits the key into its two halves. Refuses equal halves, which allow a chosen-ciphertext attack (Rogaway 2004;
/// FIPS 140 implementation guidance A.9).
pub(crate) fn check_halves(key: &[u8], weak: WeakKeys) -> Result<(&[u8], &[u8]), BadKey> {
    if !key.len().is_multiple_of(2) {
        return Err(BadKey("the key is not two halves of equal length"));
    }
    let (data, tweak) = key.split_at(key.len() / 2);
    if weak == WeakKeys::Refuse && equal(data, tweak) {
        return Err(BadKey("the two halves of the key are equal"));
    }
    Ok((data, tweak))
}

/// Whether two slices of equal length are equal. The time depends on the length alone. It compares words, since
/// comparing bytes takes as long as an AES key schedule.
fn equal(a: &[u8], b: &[u8]) -> bool {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks(), b.as_chunks());
    let words = a.iter().zip(b).fold(0, |sum, (a, b)| sum | u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b));
    let all = a_rest.iter().zip(b_rest).fold(words, |sum, (a, b)| sum | u64::from(a ^ b));
    all.ct_eq(&0).into()
}

impl<D: CipherOps, S: CipherOps> SkcipherOps for Xts<D, S> {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut tweak: [u8; 16] = (&*iv).try_into().expect("the IV has 16 bytes");
        self.tweak.encrypt_blocks(InOut::from(&mut tweak[..]));
        while let Some(run) = text.next(16, 32) {
            let partial = run.len() % 16;
            if partial == 0 {
                self.data.xts(direction, &mut tweak, run);
                continue;
            }
            let body = run.len() - partial - 16;
            let (body, mut tail) = run.split_at(body);
            self.data.xts(direction, &mut tweak, body);
            // Decryption uses the last two tweaks in swapped order.
            let (mut one, mut two) = (tweak, mul_x(&tweak));
            if direction == Direction::Decrypt {
                std::mem::swap(&mut one, &mut two);
            }
            let mut block = Wiped::<16>(tail.get(0));
            self.data.xts(direction, &mut one, InOut::from(&mut block[..]));
            let mut stolen = block.clone();
            stolen[..partial].copy_from_slice(&tail.src()[16..]);
            self.data.xts(direction, &mut two, InOut::from(&mut stolen[..]));
            tail.put(0, &*stolen);
            tail.put(16, &block[..partial]);
        }
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let inner = cipher128(lookup, name)?;
    let keys = inner.shape.keys.twice();
    let shape = Shape::skcipher(16, keys, 16, TextRule::DataUnit(MAX_DATA_UNIT));
    let (alg, driver) = (format!("xts({})", inner.name), format!("xts(ecb({}))", inner.driver));
    Ok(compose(alg, driver, Type::Skcipher, shape, [inner], |[inner], cpu, key, weak| {
        let (data, tweak) = check_halves(key, weak)?;
        let data = cipher(inner, cpu, data, weak)?;
        let tweak = cipher(inner, cpu, tweak, weak)?;
        Ok(Keyed::Skcipher(Box::new(Xts { data, tweak })))
    }))
}

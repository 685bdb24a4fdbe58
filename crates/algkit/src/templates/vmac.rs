//! VMAC with 64-bit tags (Krovetz, Dai: draft-krovetz-vmac-01), `vmac64(aes)`, which Linux had up to 6.13.
//!
//! Every message has a nonce of 127 bits, in 16 bytes whose first bit is 0. The kernel takes it from the beginning
//! of the message. Here it is the beginning of the key, and a key whose first bit is 1 is refused. As with
//! `poly1305`, a transform is for one message only.

use super::{Lookup, bad, cipher, cipher128, wrap};
use crate::{
    Error, Name, Sizes,
    driver::{BadKey, CipherOps, Driver, Fresh, Keyed, Shape, Type},
    wiped::Wiped,
};
use algkit_primitives::{
    InOut,
    vmac::{Key, Vmac64},
};
use zeroize::Zeroizing;

/// The nonce length in bytes.
const NONCE: usize = 16;

/// The length of the cipher's key in bytes.
const KEY: usize = 16;

/// Key derivation (section 3.2): encrypts blocks that begin with the byte `index` and end with their number.
fn derive<const N: usize>(cipher: &dyn CipherOps, index: u8) -> Zeroizing<[[u8; 16]; N]> {
    let mut blocks = Zeroizing::new([[0; 16]; N]);
    for (i, block) in blocks.iter_mut().enumerate() {
        (block[0], block[15]) = (index, i as u8);
    }
    cipher.encrypt_blocks(InOut::from(blocks.as_flattened_mut()));
    blocks
}

fn keyed(cipher: &dyn CipherOps, nonce: [u8; NONCE]) -> Result<Vmac64, BadKey> {
    if nonce[0] >= 0x80 {
        return Err(BadKey("the key starts with a nonce whose first bit must be 0"));
    }
    let key = Key::new(&derive(cipher, 0x80), &derive::<1>(cipher, 0xc0)[0], &derive(cipher, 0xe0));
    // Pad derivation (section 3.3): two nonces that differ only in the last bit share a block.
    let half = nonce[NONCE - 1] & 1;
    let mut pads = Wiped(nonce);
    pads[NONCE - 1] ^= half;
    cipher.encrypt_blocks(InOut::from(&mut pads[..]));
    let pads = u128::from_be_bytes(*pads);
    Ok(Vmac64::new(key, if half == 0 { (pads >> 64) as u64 } else { pads as u64 }))
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let inner = cipher128(lookup, name)?;
    if !inner.shape.keys.allows(KEY) {
        return Err(bad(name, "the MAC takes a cipher with keys of 16 bytes"));
    }
    let shape = Shape::keyed_hash(16, 8, Sizes::of(&[NONCE + KEY]));
    Ok(wrap(name, Type::Hash, shape, [inner], |[inner], cpu, key, weak| {
        let (nonce, key) = key.split_first_chunk().ok_or(BadKey("a VMAC key begins with a nonce of 16 bytes"))?;
        let cipher = cipher(inner, cpu, key, weak)?;
        Ok(Keyed::Hash(Box::new(Fresh(keyed(&*cipher, *nonce)?))))
    }))
}

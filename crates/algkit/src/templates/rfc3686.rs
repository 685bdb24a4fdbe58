//! CTR for IPsec (RFC 3686): the key ends in a 4-byte nonce. The counter block is the nonce ‖ the 8-byte IV ‖ a
//! 32-bit counter that starts at 1. The IV is not changed.

use super::{Lookup, args, bad, skcipher, wrap};
use crate::{
    Error, Name, Text,
    driver::{Direction, Driver, Keyed, Shape, SkcipherOps, TextRule, Type},
    wiped::Wiped,
};

const NONCE: usize = 4;

struct Rfc3686 {
    ctr: Box<dyn SkcipherOps>,
    nonce: Wiped<NONCE>,
}

impl SkcipherOps for Rfc3686 {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut counter = [0; 16];
        counter[..4].copy_from_slice(&*self.nonce);
        counter[4..12].copy_from_slice(iv);
        counter[15] = 1;
        self.ctr.crypt(direction, &mut counter, text);
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let [arg] = args(name)?;
    let inner = lookup.find(Type::Skcipher, arg)?;
    if !inner.name.starts_with("ctr(") || inner.shape.ivsize != 16 {
        return Err(bad(name, "rfc3686 takes ctr(cipher) of 16-byte blocks"));
    }
    let shape = Shape::skcipher(1, inner.shape.keys.plus(NONCE), 8, TextRule::Any);
    Ok(wrap(name, Type::Skcipher, shape, [inner], |[inner], cpu, key, weak| {
        let (key, nonce) = key.split_last_chunk().expect("the key's length was checked");
        Ok(Keyed::Skcipher(Box::new(Rfc3686 { ctr: skcipher(inner, cpu, key, weak)?, nonce: Wiped(*nonce) })))
    }))
}

//! ARC4 (RFC 6229 describes it and has its vectors), `ecb(arc4)` in the kernel, though it is a stream cipher. It is broken
//! (RFC 7465), and its tables are swapped at secret places.

use crate::{
    Text,
    adapters::Make,
    driver::{BadKey, Direction, SkcipherOps, WeakKeys},
};
use algkit_primitives::cpu::Portable;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The permutation after the key, with which each text begins anew.
#[derive(Clone, ZeroizeOnDrop)]
pub(crate) struct Arc4([u8; 256]);

impl SkcipherOps for Arc4 {
    fn crypt(&self, _direction: Direction, _iv: &mut [u8], text: &mut Text<'_>) {
        let Self(places) = &mut self.clone();
        let (mut i, mut j) = (0u8, 0u8);
        while let Some(mut run) = text.next(1, 0) {
            for at in 0..run.len() {
                i = i.wrapping_add(1);
                j = j.wrapping_add(places[usize::from(i)]);
                places.swap(usize::from(i), usize::from(j));
                let sum = places[usize::from(i)].wrapping_add(places[usize::from(j)]);
                let [byte] = run.get(at);
                run.put(at, &[byte ^ places[usize::from(sum)]]);
            }
        }
        i.zeroize();
        j.zeroize();
    }
}

impl Make for Arc4 {
    type Token = Portable;

    fn make(_: Portable, key: &[u8], _: WeakKeys) -> Result<Self, BadKey> {
        let mut places = std::array::from_fn(|i| i as u8);
        let mut j = 0u8;
        for (i, key) in (0..256).zip(key.iter().cycle()) {
            j = j.wrapping_add(places[i]).wrapping_add(*key);
            places.swap(i, usize::from(j));
        }
        Ok(Self(places))
    }
}

//! ARC4 (described in RFC 6229, with vectors). The kernel calls it `ecb(arc4)`, though it is a stream cipher. It is
//! broken (RFC 7465), and it swaps table entries at secret-dependent positions.

use crate::{
    Text,
    adapters::Make,
    driver::{BadKey, Direction, SkcipherOps, WeakKeys},
};
use algkit_primitives::cpu::Portable;
use zeroize::{Zeroize, Zeroizing};

/// The permutation after key setup. Every text starts from it.
#[derive(Clone)]
pub(crate) struct Arc4(Zeroizing<[u8; 256]>);

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
        let mut places = Zeroizing::new(std::array::from_fn(|i| i as u8));
        let mut j = 0u8;
        for (i, key) in (0..256).zip(key.iter().cycle()) {
            j = j.wrapping_add(places[i]).wrapping_add(*key);
            places.swap(i, usize::from(j));
        }
        Ok(Self(places))
    }
}

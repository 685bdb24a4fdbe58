//! LRW (Liskov, Rivest, Wagner; IEEE 1619 draft of 2004): block `i` is XORed with `K2 ⊗ i` before and after the
//! cipher.
//!
//! `⊗` is multiplication in GF(2^128) with big-endian polynomials (bit 0 of the last byte is x^0). The IV is the
//! index of the first block, big-endian, and becomes the index after the last block. The step from an index to the
//! next changes its trailing ones and the zero above them, so the mask changes by `K2` times a run of ones. The 128
//! such products are computed at key setup. Which of them is used depends on the index alone, which is public.

use super::{Lookup, cipher, cipher128, compose};
use crate::{
    Error, Name, Text,
    blockwise::each_batch_and_scratch,
    driver::{CipherOps, Direction, Driver, Keyed, Shape, SkcipherOps, TextRule, Type},
};
use algkit_primitives::InOut;
use zeroize::Zeroizing;

struct Lrw {
    cipher: Box<dyn CipherOps>,
    masks: Box<Masks>,
}

struct Masks {
    /// `K2 ⊗ x^i`.
    powers: Zeroizing<[u128; 128]>,
    /// `K2 ⊗ (x^0 + … + x^i)`: the change of the mask after an index that ends in exactly `i` ones.
    steps: Zeroizing<[u128; 128]>,
}

impl Masks {
    fn new(tweak_key: u128) -> Box<Self> {
        let mut masks = Box::new(Self { powers: [0; 128].into(), steps: [0; 128].into() });
        let (mut power, mut sum) = (tweak_key, 0);
        for i in 0..128 {
            sum ^= power;
            (masks.powers[i], masks.steps[i]) = (power, sum);
            power = (power << 1) ^ ((power >> 127) * 0x87);
        }
        masks
    }

    /// `K2 ⊗ index`.
    fn product(&self, index: u128) -> u128 {
        let term = |i: usize| self.powers[i] * (index >> i & 1);
        (0..128).fold(0, |sum, i| sum ^ term(i))
    }

    /// The difference between `K2 ⊗ index` and `K2 ⊗ (index + 1)`.
    fn step(&self, index: u128) -> u128 {
        // After an index of all ones the next one is zero: every bit changes, as after 127 ones.
        self.steps[(index.trailing_ones() as usize).min(127)]
    }
}

impl SkcipherOps for Lrw {
    fn crypt(&self, direction: Direction, iv: &mut [u8], text: &mut Text<'_>) {
        let mut index = u128::from_be_bytes((&*iv).try_into().expect("the IV has 16 bytes"));
        let mut mask = self.masks.product(index);
        while let Some(run) = text.next(16, 0) {
            each_batch_and_scratch(run, 16, &mut |mut batch, masks| {
                for block in masks.chunks_exact_mut(16) {
                    block.copy_from_slice(&mask.to_be_bytes());
                    mask ^= self.masks.step(index);
                    index = index.wrapping_add(1);
                }
                batch.xor(masks);
                let mut masked = InOut::from(batch.dst());
                match direction {
                    Direction::Encrypt => self.cipher.encrypt_blocks(masked.reborrow()),
                    Direction::Decrypt => self.cipher.decrypt_blocks(masked.reborrow()),
                }
                masked.xor(masks);
            });
        }
        iv.copy_from_slice(&index.to_be_bytes());
    }
}

pub(super) fn build(lookup: &dyn Lookup, name: &Name) -> Result<Driver, Error> {
    let inner = cipher128(lookup, name)?;
    let shape = Shape::skcipher(16, inner.shape.keys.plus(16), 16, TextRule::Blocks);
    let (alg, driver) = (format!("lrw({})", inner.name), format!("lrw(ecb({}))", inner.driver));
    Ok(compose(alg, driver, Type::Skcipher, shape, [inner], |[inner], cpu, key, weak| {
        let (key, tweak_key) = key.split_last_chunk::<16>().expect("the key's length was checked");
        let masks = Masks::new(u128::from_be_bytes(*tweak_key));
        Ok(Keyed::Skcipher(Box::new(Lrw { cipher: cipher(inner, cpu, key, weak)?, masks })))
    }))
}

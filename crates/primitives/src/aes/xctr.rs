//! XCTR, the counter mode of HCTR2 (Crowley, Huckleberry, Biggers: "Length-preserving encryption
//! with HCTR2", section 2): keystream block i, counted from 1, is the encryption of the IV xor i as
//! a little-endian integer. No carry, no byte swap, and the IV is added together with the first key.

use super::{
    AesKey, RoundKeys,
    ctr::{numbers, stride},
    pass::{Pass, SHORT, load, store},
    rounds::Schedule,
};
use crate::{
    InOut,
    simd::{AesToken, AesVector, Blocks},
};

struct Xctr<'a, V: AesVector> {
    keys: Schedule<'a, V>,
    /// The block numbers of the next vector, from 1.
    index: V,
}

impl<V: AesVector> Pass<V> for Xctr<'_, V> {
    const RAGGED: bool = true;

    #[inline(always)]
    fn batch<const N: usize, const WHOLE: bool>(&mut self, mut data: InOut<'_>) {
        let token = self.keys.token;
        let mut blocks = [V::zero(token); N];
        for b in blocks.iter_mut() {
            *b = self.index;
            self.index = self.index.add64(stride(token, 1));
        }
        self.keys.crypt::<true, N>(&mut blocks);
        for (i, b) in blocks.iter().enumerate() {
            store::<V, WHOLE>(b.xor(load::<V, WHOLE>(token, &data, i)), &mut data, i);
        }
    }
}

impl<T: AesToken> AesKey<T> {
    /// Xors the keystream of `iv`, without its first `index` blocks, to `data`, which may have any length. `index`
    /// advances by the blocks used, including a partial one.
    pub fn xctr(&self, iv: &[u8; 16], index: &mut u64, data: InOut<'_>) {
        let next = index.wrapping_add(1);
        *index = index.wrapping_add(data.len().div_ceil(16) as u64);
        if data.len() <= SHORT {
            run(self.token.narrow(), &self.enc, iv, next, data);
        } else {
            run(self.token, &self.enc, iv, next, data);
        }
    }
}

#[inline(always)]
fn run<T: AesToken>(token: T, keys: &RoundKeys, iv: &[u8; 16], index: u64, data: InOut<'_>) {
    token.vectorize_with(
        (keys, iv),
        index,
        data,
        #[inline(always)]
        move |(keys, iv), index, data| {
            let mut keys = Schedule::<T::V>::new(token, keys);
            keys.first = keys.first.xor(T::V::splat(token, iv));
            let index = T::V::splat(token, &u128::from(index).to_le_bytes()).add64(numbers(token));
            Xctr { keys, index }.run(data);
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::testing::{apply, block, bytes, each_token, lengths, with_aes},
        cpu::CpuFeatures,
    };
    use aes::cipher::{BlockCipherEncrypt, KeyInit};

    /// XCTR by its definition, over RustCrypto's block cipher.
    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        for (size, done) in [(16, 0u64), (24, 5), (32, (1 << 32) - 20), (32, u64::MAX - 500)] {
            let raw = bytes(5, size);
            let key = AesKey::new(token, &raw).unwrap();
            for n in lengths() {
                let (data, iv) = (bytes(n as u64, n), block(n as u64 + 1));
                let mut want = data.clone();
                with_aes!(size, C => {
                    let cipher = C::new_from_slice(&raw).unwrap();
                    for (i, part) in want.chunks_mut(16).enumerate() {
                        let number = u128::from(done + 1 + i as u64);
                        let mut b = (u128::from_le_bytes(iv) ^ number).to_le_bytes();
                        cipher.encrypt_block((&mut b).into());
                        part.iter_mut().zip(b).for_each(|(p, k)| *p ^= k);
                    }
                });
                let whole = |io: InOut<'_>| {
                    let mut index = done;
                    key.xctr(&iv, &mut index, io);
                    assert_eq!(index, done + n.div_ceil(16) as u64);
                };
                assert!(apply(&data, whole) == want, "{n} bytes");
                let parts = |io: InOut<'_>| {
                    let mut index = done;
                    let (head, tail) = io.split_at(n / 3 / 16 * 16);
                    key.xctr(&iv, &mut index, head);
                    key.xctr(&iv, &mut index, tail);
                };
                assert!(apply(&data, parts) == want, "{n} bytes in parts");
            }
        }
    }

    #[test]
    fn definition_over_rustcrypto() {
        each_token!(check);
    }
}

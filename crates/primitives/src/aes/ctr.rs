//! CTR: the keystream is the encryption of a counter (SP 800-38A section 6.5).
//!
//! The counter is the whole block, big-endian. Vectors count in little-endian order, where the block number is added to
//! the low 64-bit word, and bytes are reversed before the rounds. A carry out of that word would have to reach the high
//! word. Testing for it in each batch would cost time. Instead, a message is cut where the low word wraps, which is
//! once in 2^64 blocks, and each part starts from a new counter.
//!
//! In a batch whose last counter byte does not wrap (four batches of five, or more), the byte order does not matter:
//! the counters are the first one, reversed once, plus block numbers in the last byte. That leaves one addition per
//! vector. Byte shuffles compete with AES for a port on Zen.

use super::{
    AesKey, RoundKeys,
    pass::{BATCH, Pass, SHORT, load, store},
    rounds::Schedule,
};
use crate::{
    InOut,
    simd::{AesToken, AesVector, Blocks},
};

/// Block numbers within a vector: 0, 1, 2, 3.
static NUMBERS: [[u8; 16]; 4] = [0u128.to_le_bytes(), 1u128.to_le_bytes(), 2u128.to_le_bytes(), 3u128.to_le_bytes()];

/// A vector of the numbers of its blocks.
#[inline(always)]
pub(super) fn numbers<V: Blocks>(token: V::Token) -> V {
    V::load(token, NUMBERS.as_flattened())
}

/// The difference between a vector's counters and those of the `n`th vector after it.
#[inline(always)]
pub(super) fn stride<V: Blocks>(token: V::Token, n: usize) -> V {
    V::splat(token, &((n * V::BLOCKS) as u128).to_le_bytes())
}

struct Ctr<'a, V: AesVector> {
    keys: Schedule<'a, V>,
    /// The counters of the next vector, little-endian.
    counter: V,
    /// The lowest byte of the first of these counters.
    low: usize,
}

impl<V: AesVector> Pass<V> for Ctr<'_, V> {
    const RAGGED: bool = true;

    #[inline(always)]
    fn batch<const N: usize, const WHOLE: bool>(&mut self, mut data: InOut<'_>) {
        let token = self.keys.token;
        self.keys.reread();
        let mut blocks = [V::zero(token); N];
        let next = self.low + N * V::BLOCKS;
        if N >= BATCH && next <= 256 {
            let first = self.counter.reverse_bytes();
            for (i, b) in blocks.iter_mut().enumerate() {
                *b = first.add32(V::splat(token, &((i * V::BLOCKS) as u128).to_be_bytes()));
            }
            self.counter = self.counter.add64(stride(token, N));
        } else {
            for b in blocks.iter_mut() {
                *b = self.counter.reverse_bytes();
                self.counter = self.counter.add64(stride(token, 1));
            }
        }
        self.low = next % 256;
        self.keys.rounds::<true, N>(&mut blocks, self.keys.first);
        for (i, b) in blocks.into_iter().enumerate() {
            let last = self.keys.last.xor(load::<V, WHOLE>(token, &data, i));
            store::<V, WHOLE>(self.keys.finish::<true>(b, last), &mut data, i);
        }
    }
}

impl<T: AesToken> AesKey<T> {
    /// Xors the keystream that starts at `counter` to `data`, which may have any length. `counter` advances by the
    /// blocks used, including a partial one, modulo 2^128.
    pub fn ctr(&self, counter: &mut [u8; 16], data: InOut<'_>) {
        let low = u128::from_be_bytes(*counter) as u64;
        if low.checked_add(data.len().div_ceil(16) as u64).is_none() {
            return self.ctr_over_the_edge(counter, data);
        }
        self.ctr_run(counter, data);
    }

    /// CTR of a message in which the counter's low word wraps, be it only after the last block.
    #[cold]
    fn ctr_over_the_edge(&self, counter: &mut [u8; 16], mut data: InOut<'_>) {
        let before = (u128::from_be_bytes(*counter) as u64).wrapping_neg(); // blocks; the message has more or as many
        if let Some(run) = data.take(before.saturating_mul(16) as usize) {
            self.ctr_run(counter, run);
        }
        self.ctr_run(counter, data);
    }

    /// CTR of a message in which the counter's low word does not wrap before the last block.
    #[inline(always)]
    fn ctr_run(&self, counter: &mut [u8; 16], data: InOut<'_>) {
        if data.len() <= SHORT {
            run(self.token.narrow(), &self.enc, counter, data);
        } else {
            run(self.token, &self.enc, counter, data);
        }
    }
}

#[inline(always)]
fn run<T: AesToken>(token: T, keys: &RoundKeys, counter: &mut [u8; 16], data: InOut<'_>) {
    token.vectorize_with(
        keys,
        counter,
        data,
        #[inline(always)]
        move |keys, counter, data| {
            // As integers, not as a vector: a vector load of 16 bytes would wait for the two halves that the previous
            // call has stored.
            let start = u128::from_be_bytes(*counter);
            let first = T::V::splat(token, &start.to_le_bytes()).add64(numbers(token));
            *counter = start.wrapping_add(data.len().div_ceil(16) as u128).to_be_bytes();
            let keys = Schedule::new(token, keys);
            Ctr { keys, counter: first, low: usize::from(start as u8) }.run(data);
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        aes::testing::{apply, block, bytes, each_token, hex, lengths, with_aes},
        cpu::CpuFeatures,
    };
    use aes::cipher::{KeyIvInit, StreamCipher};
    use std::vec::Vec;

    fn peer(key: &[u8], counter: &[u8; 16], data: &[u8]) -> Vec<u8> {
        let mut out = data.to_vec();
        with_aes!(key.len(), C => ctr::Ctr128BE::<C>::new_from_slices(key, counter).unwrap().apply_keystream(&mut out));
        out
    }

    fn check<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        // SP 800-38A, F.5.1 and F.5.5.
        let plain: [u8; 64] = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                                   30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
        let start: [u8; 16] = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        let key = AesKey::new(token, &hex::<16>("2b7e151628aed2a6abf7158809cf4f3c")).unwrap();
        let want: [u8; 64] = hex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
                                  5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee");
        assert_eq!(apply(&plain, |io| key.ctr(&mut start.clone(), io)), want);
        let key =
            AesKey::new(token, &hex::<32>("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")).unwrap();
        let want: [u8; 64] = hex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
                                  2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6");
        assert_eq!(apply(&plain, |io| key.ctr(&mut start.clone(), io)), want);

        for size in [16, 24, 32] {
            let raw = bytes(2, size);
            let key = AesKey::new(token, &raw).unwrap();
            for n in lengths() {
                let (data, start) = (bytes(n as u64, n), block(n as u64 + 1));
                let want = peer(&raw, &start, &data);
                let next = u128::from_be_bytes(start).wrapping_add(n.div_ceil(16) as u128).to_be_bytes();
                let whole = |io: InOut<'_>| {
                    let mut counter = start;
                    key.ctr(&mut counter, io);
                    assert_eq!(counter, next);
                };
                assert!(apply(&data, whole) == want, "{n} bytes");
                let parts = |io: InOut<'_>| {
                    let mut counter = start;
                    let (head, tail) = io.split_at(n / 3 / 16 * 16);
                    key.ctr(&mut counter, head);
                    key.ctr(&mut counter, tail);
                };
                assert!(apply(&data, parts) == want, "{n} bytes in parts");
            }
        }
    }

    #[test]
    fn nist_vectors_and_rustcrypto() {
        each_token!(check);
    }

    /// Carries out of 32, 64 and 128 bits at every place in a batch.
    fn check_carries<T: AesToken>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        let raw = bytes(3, 32);
        let key = AesKey::new(token, &raw).unwrap();
        let data = bytes(4, 16 * 45 + 3);
        for edge in [1 << 32, 1 << 64, 5 << 64, 1 << 96, 0u128] {
            for before in 0..=48u128 {
                let start = edge.wrapping_sub(before).to_be_bytes();
                for data in [&data[..20], &data] {
                    let got = apply(data, |io| key.ctr(&mut start.clone(), io));
                    assert!(got == peer(&raw, &start, data), "{before} blocks before {edge:#x}, {} bytes", data.len());
                }
                let mut counter = start;
                key.ctr(&mut counter, InOut::from(&mut data.clone()[..]));
                assert_eq!(u128::from_be_bytes(counter), edge.wrapping_sub(before).wrapping_add(46));
            }
        }
    }

    #[test]
    fn carries_cross_the_whole_counter() {
        each_token!(check_carries);
    }
}

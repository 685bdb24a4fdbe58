//! The main loop: batches of vectors, which are hashed beside rounds.
//!
//! AES and carry-less multiplication are both pipelined, and only independent work can hide their latencies. The loop
//! takes `N` vectors at a time through the rounds. Between the rounds, in source order, it hashes `N` vectors of
//! ciphertext: in decryption those of the same batch, in encryption those of the batch before, because the present one
//! is not known yet. Each batch is reduced once. Pins keep that order. Left alone, the compiler gathers the hash in one
//! place and the rounds of each vector in another. The CPU's queues then fill with a chain of waiting rounds before it
//! sees the work that could fill the wait.

use super::super::GcmToken;
use super::counters::Counters;
use super::rounds::{Chains, Kernel};
use crate::InOut;
use crate::ghash::ClmulVector;
use crate::ghash::clmul::Product;
use crate::ghash::key::Sum;
use crate::simd::{AesVector, Blocks};

/// The number of vectors that go through the rounds before the last ones, and are hashed beside those.
pub(super) const EARLY: usize = 4;

/// Ciphertext of a batch, and the sum that it completes.
pub(super) struct Behind<'k, 't, V: ClmulVector> {
    sum: Sum<'k, V>,
    ciphertext: &'t [u8],
}

impl<V: ClmulVector> Behind<'_, '_, V> {
    /// The hash with this batch.
    #[inline(always)]
    pub(super) fn hash(mut self) -> V {
        self.sum.vectors::<true>(self.ciphertext);
        self.sum.finish()
    }
}

/// The `i`th of the vectors of `bytes` bytes in `data`.
#[inline(always)]
pub(super) fn nth(data: &[u8], i: usize, bytes: usize) -> &[u8] {
    &data[i * bytes..(i + 1) * bytes]
}

impl<T: GcmToken> Kernel<'_, T> {
    /// Encrypts or decrypts `N` vectors. Between the rounds, it calls `between` with the numbers 0 to 8 and the source.
    #[inline(always)]
    fn xor<const N: usize>(
        &self,
        counters: &mut Counters<'_, T::V>,
        text: &mut InOut<'_>,
        mut between: impl FnMut(usize, &[u8]),
    ) {
        let mut chains = Chains { token: self.token, wide: counters.batch::<N>(self.token), narrow: [] };
        let src = text.src();
        let last = self.rounds(
            &mut chains,
            #[inline(always)]
            |i| between(i, src),
        );
        let last = T::V::splat(self.token, last);
        let mut blocks = chains.wide;
        for (i, b) in blocks.iter_mut().enumerate() {
            *b = b.enc_last(last.xor(T::V::load(self.token, nth(src, i, T::V::BYTES))));
        }
        let dst = text.dst();
        for (i, b) in blocks.into_iter().enumerate() {
            b.store(&mut dst[i * T::V::BYTES..(i + 1) * T::V::BYTES]);
        }
    }

    /// Adds vector `i` of a batch of `N`, times its powers of the key, to `product`.
    #[inline(always)]
    fn hash_step<const N: usize>(&self, product: &mut Product<T::V>, acc: T::V, ciphertext: &[u8], i: usize) {
        let x = T::V::load(self.token, nth(ciphertext, i, T::V::BYTES)).reverse_bytes();
        let x = if i == 0 { x.xor(acc) } else { x };
        self.hash.multiply(self.token, product, x, (N - i) * T::V::BLOCKS);
        if i % 2 == 1 {
            product.pin();
        }
    }

    /// Processes batches of `N` vectors as long as `text` has something after them; at least one, and `N` is at most 8.
    ///
    /// `acc` is the hash of what comes before. The first result is the hash. When this encrypts, that is zero, and the
    /// second result is the last batch: its products would have no rounds beside them here. On Granite Rapids, 646 bytes
    /// take 197 cycles, and 218 with these products before the next rounds.
    #[inline(always)]
    fn batches<'t, const ENCRYPT: bool, const N: usize>(
        &self,
        counters: &mut Counters<'_, T::V>,
        mut acc: T::V,
        text: &mut InOut<'t>,
    ) -> (T::V, Option<Behind<'_, 't, T::V>>) {
        let bytes = N * T::V::BYTES;
        // Ciphertext that has been written and is not hashed yet.
        let mut before: &[u8] = &[];
        if ENCRYPT {
            let mut batch = text.take(bytes).expect("there is more");
            self.xor::<N>(
                counters,
                &mut batch,
                #[inline(always)]
                |_, _| {},
            );
            before = batch.into_dst();
        }
        while text.len() > bytes {
            let mut batch = text.take(bytes).expect("there is more");
            let mut product = Product::zero(self.token);
            self.xor::<N>(
                counters,
                &mut batch,
                #[inline(always)]
                |i, src| {
                    if i < N {
                        self.hash_step::<N>(&mut product, acc, if ENCRYPT { before } else { src }, i);
                    } else if i == N {
                        acc = product.reduce().sum_blocks();
                    }
                },
            );
            if ENCRYPT {
                before = batch.into_dst();
            }
        }
        if !ENCRYPT {
            return (acc, None);
        }
        let sum = Sum::new(self.token, self.hash, acc, N * T::V::BLOCKS);
        (T::V::zero(self.token), Some(Behind { sum, ciphertext: before }))
    }

    /// Processes batches of `text`, of the size that suits the CPU's registers.
    #[inline(always)]
    pub(super) fn main<'t, const ENCRYPT: bool>(
        &self,
        counters: &mut Counters<'_, T::V>,
        acc: T::V,
        text: &mut InOut<'t>,
    ) -> (T::V, Option<Behind<'_, 't, T::V>>) {
        const { assert!(T::V::BATCH == 6 || T::V::BATCH == 8, "GCM takes six or eight vectors at once") }
        match T::V::BATCH {
            6 => self.batches::<ENCRYPT, 6>(counters, acc, text),
            _ => self.batches::<ENCRYPT, 8>(counters, acc, text),
        }
    }
}

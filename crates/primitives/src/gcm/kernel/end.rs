//! The end of a message: its last vectors, and the block that masks the tag.

use super::super::GcmToken;
use super::batches::{Behind, EARLY, nth};
use super::counters::{Counters, FIRST_COUNTER, counter_block, reversed_lengths};
use super::rounds::{Chains, Kernel};
use super::tag::TagUse;
use crate::InOut;
use crate::aes::rounds::OneBlock;
use crate::ghash::ClmulVector;
use crate::ghash::key::Sum;
use crate::simd::{AesVector, Blocks, each};

/// What the end of a text needs.
pub(super) struct End<'a, V> {
    pub(super) encrypt: bool,
    pub(super) counters: Counters<'a, V>,
    /// Ciphertext before these, which is not hashed yet.
    pub(super) early: Option<[V; EARLY]>,
}

impl<T: GcmToken> Kernel<'_, T> {
    /// Encrypts or decrypts `text`, which is [`EARLY`] vectors; returns its ciphertext.
    #[inline(always)]
    pub(super) fn early(&self, encrypt: bool, counters: &mut Counters<'_, T::V>, mut text: InOut<'_>) -> [T::V; EARLY] {
        let token = self.token;
        let mut chains = Chains { token, wide: counters.batch::<EARLY>(token), narrow: [] };
        let last_key = T::V::splat(token, self.rounds_alone(&mut chains));
        self.last_round(encrypt, &mut chains.wide, last_key, &mut text);
        chains.wide
    }

    /// The last round of `vectors`, which encrypts or decrypts as many vectors of `text`. Each is replaced by its
    /// ciphertext.
    #[inline(always)]
    fn last_round(&self, encrypt: bool, vectors: &mut [T::V], last_key: T::V, text: &mut InOut<'_>) {
        for (i, vector) in vectors.iter_mut().enumerate() {
            let src = T::V::load(self.token, nth(text.src(), i, T::V::BYTES));
            let dst = vector.enc_last(last_key.xor(src));
            dst.store(&mut text.dst()[i * T::V::BYTES..(i + 1) * T::V::BYTES]);
            *vector = if encrypt { dst } else { src };
        }
    }

    /// The next `N` vectors before the last round, the key of that round, and the block that masks the tag.
    #[inline(always)]
    fn with_mask<const N: usize>(&self, mut counters: Counters<'_, T::V>) -> ([T::V; N], T::V, OneBlock<T>) {
        let (token, narrow) = (self.token, self.token.narrow());
        let zeroth = OneBlock::<T>::splat(narrow, &counter_block(counters.iv, FIRST_COUNTER - 1));
        let mut chains = Chains { token, wide: counters.batch::<N>(token), narrow: [zeroth] };
        let last_key = self.rounds_alone(&mut chains);
        let mask = chains.narrow[0].enc_last(Blocks::splat(narrow, last_key)).pin();
        (chains.wide, T::V::splat(token, last_key), mask)
    }

    /// Encrypts or decrypts the last `n` bytes of `text` where vectors are one block each, and hashes them. The result
    /// is the block that masks the tag.
    #[inline(always)]
    pub(super) fn end_by_blocks(
        &self,
        end: End<'_, T::V>,
        n: usize,
        text: InOut<'_>,
        sum: &mut Sum<'_, T::V>,
    ) -> OneBlock<T> {
        // Two decisions, whatever the length.
        if n <= 32 {
            if n <= 16 { self.last_blocks::<1>(end, n, text, sum) } else { self.last_blocks::<2>(end, n, text, sum) }
        } else if n <= 48 {
            self.last_blocks::<3>(end, n, text, sum)
        } else {
            self.last_blocks::<4>(end, n, text, sum)
        }
    }

    /// Encrypts or decrypts `text`, the rest of a text, and hashes `behind` and it. The result is the block that masks
    /// the tag.
    #[inline(always)]
    pub(super) fn end_by_vectors(
        &self,
        end: End<'_, T::V>,
        behind: Option<Behind<'_, '_, T::V>>,
        text: InOut<'_>,
        sum: &mut Sum<'_, T::V>,
    ) -> OneBlock<T> {
        let (token, bytes) = (self.token, T::V::BYTES);
        // Vectors that overlap are blocks, and a text below 16 bytes is less than one.
        let whole = if T::V::OVERLAPS { 0 } else { text.len().saturating_sub(1) / bytes };
        let (mut before, mut rest) = text.split_at(whole * bytes);
        let n = rest.len();
        let full = n == bytes;
        // An empty text is neither loaded nor stored; `block` says why.
        let src = match n {
            0 => T::V::zero(token),
            _ if full => T::V::load(token, rest.src()),
            _ => T::V::load_partial(token, rest.src()),
        };
        let (others, dst, mask) = match whole {
            0 => self.last_vectors::<1>(&end, &mut before, src),
            1 => self.last_vectors::<2>(&end, &mut before, src),
            2 => self.last_vectors::<3>(&end, &mut before, src),
            _ => self.last_vectors::<4>(&end, &mut before, src),
        };
        if full {
            dst.store(rest.dst());
        } else if n > 0 {
            dst.store_partial(rest.dst());
        }
        if let Some(behind) = behind {
            sum.follow(behind.hash());
        }
        if let Some(early) = end.early {
            sum.add_all(each(early, T::V::reverse_bytes));
        }
        for (i, x) in others.into_iter().enumerate() {
            if i < whole {
                sum.add(x.reverse_bytes(), T::V::BLOCKS);
            }
        }
        if n > 0 {
            let last = if !end.encrypt {
                src
            } else if full {
                dst
            } else {
                dst.keep(n)
            };
            sum.add(last.reverse_bytes(), n.div_ceil(16));
        }
        mask
    }

    /// Encrypts or decrypts the last `N` blocks of `text`, and hashes them. Vectors are one block each.
    ///
    /// The last block is the last 16 bytes of the text, of which those before it are shuffled away. So a part of a block
    /// takes the way of a whole one. The result is the block that masks the tag.
    #[inline(always)]
    fn last_blocks<const N: usize>(
        &self,
        end: End<'_, T::V>,
        n: usize,
        mut text: InOut<'_>,
        sum: &mut Sum<'_, T::V>,
    ) -> OneBlock<T> {
        let n = (n.wrapping_sub(1) & 15) + 1;
        let last = T::V::load_end(self.token, text.src(), n);
        let (mut blocks, last_key, mask) = self.with_mask::<N>(end.counters);
        if let Some(early) = end.early {
            sum.add_all(each(early, T::V::reverse_bytes));
        }
        let start = text.len() - n;
        let before = text.reborrow().split_at(start).0;
        let start = before.len().wrapping_sub(16 * (N - 1));
        self.last_round(end.encrypt, &mut blocks[..N - 1], last_key, &mut before.split_at(start).1);
        let dst = blocks[N - 1].enc_last(last_key.xor(last));
        dst.store_end(text.dst(), n);
        blocks[N - 1] = if end.encrypt { dst.keep(n) } else { last };
        sum.add_all(each(blocks, T::V::reverse_bytes));
        mask
    }

    /// Encrypts or decrypts the last `N` vectors: `text` holds all but the last, and `last` is the last.
    ///
    /// The results are the ciphertext of those in `text`, the result for `last`, and the block that masks the tag.
    #[inline(always)]
    fn last_vectors<const N: usize>(
        &self,
        end: &End<'_, T::V>,
        text: &mut InOut<'_>,
        last: T::V,
    ) -> ([T::V; 3], T::V, OneBlock<T>) {
        let (mut vectors, last_key, mask) = self.with_mask::<N>(end.counters);
        self.last_round(end.encrypt, &mut vectors[..N - 1], last_key, text);
        let mut others = [T::V::zero(self.token); 3];
        others[..N - 1].copy_from_slice(&vectors[..N - 1]);
        (others, vectors[N - 1].enc_last(last_key.xor(last)), mask)
    }

    /// Processes a whole message whose text has 1 to 16 bytes and whose associated data has at most 16.
    #[inline(always)]
    pub(crate) fn one_block<const ENCRYPT: bool>(
        &self,
        iv: &[u8; 12],
        aad: &[u8],
        mut text: InOut<'_>,
        tag_use: TagUse<'_>,
    ) -> bool {
        let token = self.token.narrow();
        let zeroth = OneBlock::<T>::splat(token, &counter_block(iv, FIRST_COUNTER - 1));
        let counters = [zeroth, OneBlock::<T>::splat(token, &counter_block(iv, FIRST_COUNTER))];
        let src = self.block(text.src());
        let mut chains = Chains { token: self.token, wide: [], narrow: counters };
        let last = self.rounds_alone(&mut chains);
        let last = OneBlock::<T>::splat(token, last);
        let [mask, dst] = chains.narrow;
        let (mask, dst) = (mask.enc_last(last).pin(), dst.enc_last(last.xor(src)));
        let n = text.len();
        match n {
            16 => dst.store(text.dst()),
            _ => T::V::load_first(self.token, &dst.first()).store_partial(text.dst()),
        }
        let ciphertext = match ENCRYPT {
            true if n < 16 => dst.keep(n),
            true => dst,
            false => src,
        };
        let (wide, lengths) = (self.token, reversed_lengths(aad.len() as u64, n as u64));
        let (aad, ciphertext) = (self.block(aad).reverse_bytes().first(), ciphertext.reverse_bytes().first());
        let mut sum = Sum::new(wide, self.hash, T::V::zero(wide), 3);
        let aad = T::V::load_first(wide, &aad);
        if T::V::BLOCKS > 2 {
            sum.add(aad.with(wide, 2, &lengths).with(wide, 1, &ciphertext), 3);
        } else {
            sum.add(aad, 1);
            sum.add(T::V::load_first(wide, &ciphertext).with(wide, 1, &lengths), 2);
        }
        self.answer(tag_use, OneBlock::<T>::load(token, &sum.finish().first()), mask)
    }

    /// Up to 16 bytes, then zeros.
    ///
    /// An empty slice is not loaded. Its address is usually one where nothing is mapped, and a load there takes the CPU
    /// 45 ns even if the mask excludes every byte.
    #[inline(always)]
    fn block(&self, bytes: &[u8]) -> OneBlock<T> {
        let token = self.token.narrow();
        match bytes.len() {
            0 => OneBlock::<T>::zero(token),
            16 => OneBlock::<T>::load(token, bytes),
            _ => OneBlock::<T>::load(token, &T::V::load_partial(self.token, bytes).first()),
        }
    }
}

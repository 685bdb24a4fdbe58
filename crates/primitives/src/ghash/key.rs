//! Powers of a hash key, and sums over many blocks with one reduction.
//!
//! Horner's rule computes acc = dot(acc + X, H) for every block X, and waits for a reduction at every block. Written
//! out for n blocks it is
//!
//! ```text
//! dot(acc + X1, H^n) + dot(X2, H^(n-1)) + … + dot(Xn, H)
//! ```
//!
//! The products are independent and share one reduction. (Powers are powers in the sense of dot, which is associative.)
//! The powers are stored highest first, so n blocks meet the last n entries in order, at any width of vector. Blocks of
//! zeros behind the last power allow a vector load at any entry.

use super::clmul::{ClmulVector, Product, dot};
use crate::simd::Blocks;
use zeroize::optimization_barrier;

/// Powers of a GHASH or POLYVAL key, in POLYVAL's representation.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct HashKey<V: ClmulVector> {
    powers: V::Powers,
    /// [`ClmulVector::add_halves`] of each power.
    sums: V::Powers,
}

impl<V: ClmulVector> HashKey<V> {
    /// The number of powers: a multiple of the blocks in a vector.
    pub(crate) const POWERS: usize = (size_of::<V::Powers>() / 16 - (V::BLOCKS - 1)) / V::BLOCKS * V::BLOCKS;

    /// A place for the powers of a key, filled with zeros.
    #[inline(always)]
    pub(crate) fn unset() -> Self {
        Self { powers: V::NO_POWERS, sums: V::NO_POWERS }
    }

    /// Computes the powers for POLYVAL with `key`.
    ///
    /// `n` vectors of powers times the highest of them are the next `n` vectors, which are independent of each other.
    /// So the latency is that of as many multiplications as the number of vectors can be halved.
    #[inline(always)]
    pub(crate) fn set_polyval(&mut self, token: V::Token, key: &[u8; 16]) {
        let [powers, sums] = [self.powers.as_mut(), self.sums.as_mut()];
        let mut put = |vector: V, powers: &mut [[u8; 16]], at: usize| {
            vector.store(powers[at..].as_flattened_mut());
            vector.add_halves().store(sums[at..].as_flattened_mut());
        };
        let mut old = Self::POWERS - V::BLOCKS;
        put(V::powers(token, V::splat(token, key)), powers, old);
        while old > 0 {
            let known = Self::POWERS - old;
            let step = V::splat(token, &powers[old]);
            let new = old.saturating_sub(known);
            // The lowest power comes first, because its factor has been known for longest.
            for at in (new..old).step_by(V::BLOCKS).rev() {
                let vector = V::load(token, powers[at + known..].as_flattened());
                put(dot(token, vector, step), powers, at);
            }
            old = new;
        }
    }

    /// Computes the powers for GHASH with `key`: POLYVAL's key is x times the reversed block (see the module above).
    #[inline(always)]
    pub(crate) fn set_ghash(&mut self, token: V::Token, key: &[u8; 16]) {
        const Q: u128 = 1 << 127 | 1 << 126 | 1 << 121 | 1;
        let h = u128::from_be_bytes(*key);
        let overflow = 0u128.wrapping_sub(h >> 127);
        self.set_polyval(token, &(h << 1 ^ overflow & Q).to_le_bytes());
    }

    /// Adds to `product` a vector of blocks times their powers. Its first block is number `blocks_left` from the end of
    /// the sum, where the last block has number 1.
    ///
    /// `W` may be narrower than `V`.
    ///
    /// # Panics
    /// If `blocks_left` is zero or more than [`Self::POWERS`].
    #[inline(always)]
    pub(crate) fn multiply<W: ClmulVector>(
        &self,
        token: W::Token,
        product: &mut Product<W>,
        vector: W,
        blocks_left: usize,
    ) {
        let at = Self::POWERS.wrapping_sub(blocks_left);
        assert!(at < Self::POWERS, "as many powers as blocks");
        // Two loads written out: in a large function, the compiler would not inline a map over an array of two.
        let power = W::load(token, self.powers.as_ref()[at..].as_flattened());
        let sum = W::load(token, self.sums.as_ref()[at..].as_flattened());
        product.add(vector, power, sum);
    }

    /// Hashes `data` into `acc`, which is one block. The last block of `data` is padded with zeros.
    ///
    /// In whole batches, each place of a vector has a sum of its own, by Horner's rule with powers of H^`BLOCKS`. At
    /// least one whole vector is left behind them, which joins the sums. So a batch needs no addition of a vector's
    /// places, which is the slowest part (on Zen 4 with 512 bits: 63 cycles instead of 66 to 71, where the products
    /// alone take 52).
    #[inline(always)]
    pub(crate) fn hash<const BIG_ENDIAN: bool>(&self, token: V::Token, mut acc: V, mut data: &[u8]) -> V {
        if V::WHOLE {
            let (blocks, rest) = data.as_chunks();
            (acc, data) = (acc.hash::<BIG_ENDIAN>(&self.powers, &self.sums, blocks), rest);
        }
        let behind = if V::BLOCKS > 1 { V::BYTES } else { 0 };
        while data.len() >= V::BATCH * V::BYTES + behind {
            let (batch, rest) = data.split_at(V::BATCH * V::BYTES);
            let mut product = Product::zero(token);
            for (i, data) in batch.chunks_exact(V::BYTES).enumerate() {
                let x = oriented::<V, BIG_ENDIAN>(V::load(token, data));
                let x = if i == 0 { x.xor(acc) } else { x };
                let at = Self::POWERS - (V::BATCH - i) * V::BLOCKS;
                let power = V::splat(token, &self.powers.as_ref()[at]);
                let sum = V::splat(token, &self.sums.as_ref()[at]);
                product.add(x, power, sum);
            }
            (acc, data) = (product.reduce(), rest);
        }
        if data.is_empty() {
            return acc;
        }
        let mut sum = Sum::new(token, self, acc, data.len().div_ceil(16));
        let mut fours = data.chunks_exact(4 * V::BYTES);
        for four in &mut fours {
            sum.vectors::<BIG_ENDIAN>(four);
        }
        sum.bytes::<BIG_ENDIAN>(fours.remainder());
        sum.finish()
    }
}

impl<V: ClmulVector> Drop for HashKey<V> {
    fn drop(&mut self) {
        self.powers = V::NO_POWERS;
        self.sums = V::NO_POWERS;
        optimization_barrier(self);
    }
}

/// Blocks in POLYVAL's order of bytes; GHASH's (`BIG_ENDIAN`) are reversed.
#[inline(always)]
pub(super) fn oriented<V: Blocks, const BIG_ENDIAN: bool>(blocks: V) -> V {
    if BIG_ENDIAN { blocks.reverse_bytes() } else { blocks }
}

/// A hash over a number of blocks that is known in advance, with one reduction. The blocks come in vectors of type `V`,
/// and the key in those of type `K`.
pub(crate) struct Sum<'k, K: ClmulVector, V: ClmulVector = K> {
    token: V::Token,
    key: &'k HashKey<K>,
    blocks_left: usize,
    /// The hash so far, which is added to the first block.
    acc: V,
    product: Product<V>,
}

impl<'k, K: ClmulVector, V: ClmulVector> Sum<'k, K, V> {
    /// Continues `acc` with `blocks` blocks.
    ///
    /// [`Sum::add`] panics if there are more than [`HashKey::POWERS`] blocks.
    #[inline(always)]
    pub(crate) fn new(token: V::Token, key: &'k HashKey<K>, acc: V, blocks: usize) -> Self {
        Self { token, key, blocks_left: blocks, acc, product: Product::zero(token) }
    }

    /// Continues `hash` instead of zero, before anything else is added but the last block.
    #[inline(always)]
    pub(crate) fn follow(&mut self, hash: V) {
        self.acc = self.acc.xor(hash);
    }

    /// Adds a vector with `blocks` blocks; those after them must be zero.
    #[inline(always)]
    pub(crate) fn add(&mut self, vector: V, blocks: usize) {
        self.key.multiply(self.token, &mut self.product, vector.xor(self.acc), self.blocks_left);
        self.acc = V::zero(self.token);
        self.blocks_left -= blocks;
    }

    /// Adds `N` whole vectors, whose powers are looked for once.
    ///
    /// # Panics
    /// If fewer blocks are left.
    #[inline(always)]
    pub(crate) fn add_all<const N: usize>(&mut self, vectors: [V; N]) {
        let at = HashKey::<K>::POWERS.wrapping_sub(self.blocks_left);
        assert!(at <= HashKey::<K>::POWERS - N * V::BLOCKS, "as many powers as blocks");
        let (powers, sums) = (&self.key.powers.as_ref()[at..], &self.key.sums.as_ref()[at..]);
        for (i, vector) in vectors.into_iter().enumerate() {
            let power = V::load(self.token, powers[i * V::BLOCKS..].as_flattened());
            let sum = V::load(self.token, sums[i * V::BLOCKS..].as_flattened());
            self.product.add(if i == 0 { vector.xor(self.acc) } else { vector }, power, sum);
        }
        self.acc = V::zero(self.token);
        self.blocks_left -= N * V::BLOCKS;
    }

    /// Adds the last block, which may come before others, but not before the first.
    #[inline(always)]
    pub(crate) fn add_last(&mut self, block: V) {
        self.key.multiply(self.token, &mut self.product, block, 1);
    }

    /// Adds whole blocks and a last one, which is padded with zeros.
    #[inline(always)]
    pub(crate) fn bytes<const BIG_ENDIAN: bool>(&mut self, data: &[u8]) {
        let (vectors, rest) = data.split_at(data.len() / V::BYTES * V::BYTES);
        self.vectors::<BIG_ENDIAN>(vectors);
        if !rest.is_empty() {
            let vector = V::load_partial(self.token, rest);
            self.add(oriented::<V, BIG_ENDIAN>(vector), rest.len().div_ceil(16));
        }
    }

    /// Adds whole vectors; bytes after the last whole vector are ignored.
    #[inline(always)]
    pub(crate) fn vectors<const BIG_ENDIAN: bool>(&mut self, data: &[u8]) {
        for data in data.chunks_exact(V::BYTES) {
            self.add(oriented::<V, BIG_ENDIAN>(V::load(self.token, data)), V::BLOCKS);
        }
    }

    /// The hash in the first place of a vector.
    #[inline(always)]
    pub(crate) fn finish(self) -> V {
        self.product.reduce().sum_blocks()
    }
}

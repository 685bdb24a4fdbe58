//! Powers of a hash key, and sums of many blocks with one reduction.
//!
//! Horner's rule, acc = dot(acc + X, H) for every block X, waits for a reduction at every block.
//! Written out for n blocks it is
//!
//! ```text
//! dot(acc + X1, H^n) + dot(X2, H^(n-1)) + … + dot(Xn, H)
//! ```
//!
//! whose products are independent and share one reduction (powers are powers in the sense of dot,
//! which is associative). The powers are kept highest first, so that n blocks meet the last n
//! entries in order, whatever the width of a vector; blocks of zeros behind the last power let a
//! vector be loaded anywhere.

use super::clmul::{ClmulVector, Product, dot};
use crate::simd::Blocks;
use zeroize::optimization_barrier;

/// Powers of a GHASH or POLYVAL key, in POLYVAL's representation.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct HashKey<V: ClmulVector> {
    powers: V::Powers,
    /// [`ClmulVector::add_halves`] of each.
    sums: V::Powers,
}

impl<V: ClmulVector> HashKey<V> {
    /// How many powers there are.
    pub(crate) const POWERS: usize = size_of::<V::Powers>() / 16 - (V::BLOCKS - 1);

    /// The key of POLYVAL.
    #[inline(always)]
    pub(crate) fn polyval(token: V::Token, key: &[u8; 16]) -> Self {
        let mut this = Self { powers: V::NO_POWERS, sums: V::NO_POWERS };
        let [powers, sums] = [this.powers.as_mut(), this.sums.as_mut()];
        let h = V::load_first(token, key);
        let mut power = h;
        let mut at = Self::POWERS;
        for i in 0..V::BLOCKS {
            if i > 0 {
                power = dot(token, power, h);
            }
            at -= 1;
            powers[at] = power.first();
            sums[at] = power.add_halves().first();
        }
        // From here on a vector of powers at a time.
        let step = V::splat(token, &powers[at]);
        let mut vector = V::load(token, powers[at..].as_flattened());
        while at > 0 {
            vector = dot(token, vector, step);
            at -= V::BLOCKS;
            vector.store(powers[at..].as_flattened_mut());
            vector.add_halves().store(sums[at..].as_flattened_mut());
        }
        this
    }

    /// The key of GHASH: x times the reversed block is POLYVAL's (see the module above).
    #[inline(always)]
    pub(crate) fn ghash(token: V::Token, key: &[u8; 16]) -> Self {
        const Q: u128 = 1 << 127 | 1 << 126 | 1 << 121 | 1;
        let h = u128::from_be_bytes(*key);
        let overflow = 0u128.wrapping_sub(h >> 127);
        Self::polyval(token, &(h << 1 ^ overflow & Q).to_le_bytes())
    }

    /// Adds to `product` a vector of blocks that are `blocks_left` from the end of a sum, the
    /// first of them included.
    ///
    /// # Panics
    /// If that is zero, or more than [`Self::POWERS`].
    #[inline(always)]
    pub(crate) fn multiply(&self, token: V::Token, product: &mut Product<V>, vector: V, blocks_left: usize) {
        let at = Self::POWERS - blocks_left;
        let [power, sum] = [&self.powers, &self.sums].map(|table| V::load(token, table.as_ref()[at..].as_flattened()));
        product.add(vector, power, sum);
    }

    /// Hashes `data` into `acc`, the last block padded with zeros.
    #[inline(always)]
    pub(crate) fn hash<const BIG_ENDIAN: bool>(&self, token: V::Token, mut acc: V, data: &[u8]) -> V {
        let mut batches = data.chunks_exact(V::BATCH * V::BYTES);
        for batch in &mut batches {
            let mut product = Product::zero(token);
            for (i, data) in batch.chunks_exact(V::BYTES).enumerate() {
                let x = oriented::<V, BIG_ENDIAN>(V::load(token, data));
                let x = if i == 0 { x.xor(acc) } else { x };
                self.multiply(token, &mut product, x, (V::BATCH - i) * V::BLOCKS);
            }
            acc = product.reduce().sum_blocks();
        }
        let rest = batches.remainder();
        if rest.is_empty() {
            return acc;
        }
        let mut sum = Sum::new(token, self, acc, rest.len().div_ceil(16));
        sum.bytes::<BIG_ENDIAN>(rest);
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

/// A block as POLYVAL reads it.
#[inline(always)]
fn oriented<V: Blocks, const BIG_ENDIAN: bool>(blocks: V) -> V {
    if BIG_ENDIAN { blocks.reverse_bytes() } else { blocks }
}

/// A hash of a number of blocks that is known beforehand, with one reduction.
pub(crate) struct Sum<'k, V: ClmulVector> {
    token: V::Token,
    key: &'k HashKey<V>,
    blocks_left: usize,
    /// What the hash was before; goes into the first block.
    acc: V,
    product: Product<V>,
}

impl<'k, V: ClmulVector> Sum<'k, V> {
    /// Continues `acc` with `blocks` blocks.
    ///
    /// [`Sum::add`] panics if there are more than [`HashKey::POWERS`].
    #[inline(always)]
    pub(crate) fn new(token: V::Token, key: &'k HashKey<V>, acc: V, blocks: usize) -> Self {
        Self { token, key, blocks_left: blocks, acc, product: Product::zero(token) }
    }

    /// Adds a vector of which the first `blocks` blocks count and the others are zero.
    #[inline(always)]
    pub(crate) fn add(&mut self, vector: V, blocks: usize) {
        self.key.multiply(self.token, &mut self.product, vector.xor(self.acc), self.blocks_left);
        self.acc = V::zero(self.token);
        self.blocks_left -= blocks;
    }

    /// Adds whole blocks and, at the end, one that is padded with zeros.
    #[inline(always)]
    pub(crate) fn bytes<const BIG_ENDIAN: bool>(&mut self, data: &[u8]) {
        let mut vectors = data.chunks_exact(V::BYTES);
        for data in &mut vectors {
            self.add(oriented::<V, BIG_ENDIAN>(V::load(self.token, data)), V::BLOCKS);
        }
        let rest = vectors.remainder();
        if !rest.is_empty() {
            let vector = V::load_partial(self.token, rest);
            self.add(oriented::<V, BIG_ENDIAN>(vector), rest.len().div_ceil(16));
        }
    }

    /// The hash, as the first block of a vector.
    #[inline(always)]
    pub(crate) fn finish(self) -> V {
        self.product.reduce().sum_blocks()
    }
}

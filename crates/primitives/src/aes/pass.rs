//! One pass over a message whose blocks are independent of each other.

use crate::{
    InOut,
    simd::{AesVector, Blocks},
};

/// Vectors in a batch. Eight fill the AES units of every CPU so far, whose rounds take 3 to 8 cycles and begin once or
/// twice a cycle.
pub(super) const BATCH: usize = 8;

/// Vectors in a batch of a long message. On Zen 5, where two rounds of any width begin in a cycle and take four, eight
/// vectors fill the units only if nothing is ever late. With twelve, 16 KiB of CTR take 5 to 6 % less at every width.
const LONG_BATCH: usize = 12;

/// The length in bytes up to which one-block vectors are faster than wide ones. In wide ones most blocks would be idle,
/// and their masked stores delay what reads the message next.
pub(super) const SHORT: usize = 32;

/// The length in bytes up to which vectors of two blocks are faster than vectors of four: a vector of four that has
/// just been stored can be loaded three cycles later than one of two.
pub(super) const MEDIUM: usize = 64;

/// A mode, seen as what it does to the next vectors of a message.
pub(super) trait Pass<V: AesVector> {
    /// Whether messages may have any length; if not, they are whole blocks.
    const RAGGED: bool;

    /// Whether long messages go in batches of [`LONG_BATCH`] vectors.
    const LONG: bool = true;

    /// Transforms `N` whole vectors (`WHOLE`), or one that is partly filled.
    fn batch<const N: usize, const WHOLE: bool>(&mut self, data: InOut<'_>);

    /// Transforms a message: batches of twelve vectors while eight more follow, batches of eight, then four, two and one
    /// if they fit, then a partial vector. Batches of four are the longest where [`AesVector::CHAINS`] is 4.
    #[inline(always)]
    fn run(&mut self, mut data: InOut<'_>) {
        while Self::LONG
            && V::CHAINS >= LONG_BATCH
            && data.len() >= (LONG_BATCH + BATCH) * V::BYTES
            && let Some(batch) = data.take(LONG_BATCH * V::BYTES)
        {
            self.batch::<LONG_BATCH, true>(batch);
        }
        while V::CHAINS >= BATCH
            && let Some(batch) = data.take(BATCH * V::BYTES)
        {
            self.batch::<BATCH, true>(batch);
        }
        while V::CHAINS < BATCH
            && let Some(batch) = data.take(4 * V::BYTES)
        {
            self.batch::<4, true>(batch);
        }
        if V::CHAINS >= BATCH
            && let Some(batch) = data.take(4 * V::BYTES)
        {
            self.batch::<4, true>(batch);
        }
        if let Some(batch) = data.take(2 * V::BYTES) {
            self.batch::<2, true>(batch);
        }
        if let Some(batch) = data.take(V::BYTES) {
            self.batch::<1, true>(batch);
        }
        if (Self::RAGGED || V::BLOCKS > 1) && !data.is_empty() {
            self.batch::<1, false>(data);
        }
    }
}

/// Loads vector `i` of the source.
#[inline(always)]
pub(super) fn load<V: Blocks, const WHOLE: bool>(token: V::Token, data: &InOut<'_>, i: usize) -> V {
    if WHOLE { V::load(token, &data.src()[i * V::BYTES..]) } else { V::load_partial(token, data.src()) }
}

/// Stores `v` as vector `i` of the destination.
#[inline(always)]
pub(super) fn store<V: Blocks, const WHOLE: bool>(v: V, data: &mut InOut<'_>, i: usize) {
    if WHOLE { v.store(&mut data.dst()[i * V::BYTES..]) } else { v.store_partial(data.dst()) }
}

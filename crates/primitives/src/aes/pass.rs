//! One pass over a message whose blocks do not wait for each other.

use crate::{InOut, simd::Blocks};

/// Vectors in a batch: enough to fill the AES units of every CPU so far, whose rounds take 3 to 8
/// cycles and start once or twice a cycle.
pub(super) const BATCH: usize = 8;

/// Bytes of message up to which one-block vectors are quicker than wide ones, in which most of the
/// blocks would be idle, and whose masked stores delay what reads the message next.
pub(super) const SHORT: usize = 32;

/// And up to which vectors of two blocks are: a vector of four that has just been stored can be loaded three cycles later
/// than one of two.
pub(super) const MEDIUM: usize = 64;

/// What a mode does to the next vectors of a message.
pub(super) trait Pass<V: Blocks> {
    /// Whether messages are of any length, not of whole blocks only.
    const RAGGED: bool;

    /// Transforms `N` whole vectors (`WHOLE`), or what one vector holds in part.
    fn batch<const N: usize, const WHOLE: bool>(&mut self, data: InOut<'_>);

    /// The message in batches of eight vectors, then four, two, one and a part, as many as fit.
    #[inline(always)]
    fn run(&mut self, mut data: InOut<'_>) {
        while let Some(batch) = data.take(BATCH * V::BYTES) {
            self.batch::<BATCH, true>(batch);
        }
        if let Some(batch) = data.take(4 * V::BYTES) {
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

/// Vector `i` of the source.
#[inline(always)]
pub(super) fn load<V: Blocks, const WHOLE: bool>(token: V::Token, data: &InOut<'_>, i: usize) -> V {
    if WHOLE { V::load(token, &data.src()[i * V::BYTES..]) } else { V::load_partial(token, data.src()) }
}

/// Writes `v` as vector `i` of the destination.
#[inline(always)]
pub(super) fn store<V: Blocks, const WHOLE: bool>(v: V, data: &mut InOut<'_>, i: usize) {
    if WHOLE { v.store(&mut data.dst()[i * V::BYTES..]) } else { v.store_partial(data.dst()) }
}

//! Merkle–Damgård hashes of several messages, one in each lane of a vector.

use super::kernel::{Chaining, SideBySide};
use super::queue::Queue;
use crate::cpu::Token;
use crate::lanes::{Lanes, Runs};
use crate::simd::from_fn;

/// A chaining value of `N` words, whose rounds are written over words of vectors.
pub(crate) trait InWords<const N: usize>: Chaining {
    type Word: Copy;

    fn from_words(words: [Self::Word; N]) -> Self;

    fn words(&self) -> [Self::Word; N];

    /// Does all rounds of a block `w` to the working state `s`.
    fn rounds<V: Lanes<Word = Self::Word>>(token: V::Token, s: &mut [V; N], w: &mut [V; 16]);
}

/// Hashes a message in each lane of `V`, as long as at least `worth` are left.
#[inline(never)]
pub(crate) fn in_lanes<V: Lanes, C: InWords<N, Word = V::Word>, const N: usize>(
    token: V::Token,
    queue: &mut Queue<'_, '_, C>,
    worth: usize,
) {
    token.vectorize(
        #[inline(always)]
        || queue.side_by_side(InLanes { token, state: [V::splat(token, V::Word::default()); N] }, worth),
    );
}

/// The chaining values of several messages; each vector holds one word of all of them.
struct InLanes<V: Lanes, const N: usize> {
    token: V::Token,
    state: [V; N],
}

impl<V: Lanes, C: InWords<N, Word = V::Word>, const N: usize> SideBySide<C> for InLanes<V, N> {
    const LANES: usize = V::COUNT;
    const IN_STEP: bool = true;

    #[inline(always)]
    fn get(&self, lane: usize) -> C {
        C::from_words(from_fn(|i| self.state[i].lane(lane)))
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, chain: &C) {
        for (row, word) in self.state.iter_mut().zip(chain.words()) {
            row.set_lane(lane, word);
        }
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &Runs<'_>, block: usize) {
        absorb::<V, C, N>(self.token, &mut self.state, runs, block);
    }

    #[inline(always)]
    fn wipe(&mut self) {
        self.state = [V::splat(self.token, V::Word::default()); N];
        zeroize::optimization_barrier(&self.state);
    }
}

/// Absorbs a run in each lane. It is not inlined, because it is long and has several callers.
#[inline(never)]
fn absorb<V: Lanes, C: InWords<N, Word = V::Word>, const N: usize>(
    token: V::Token,
    state: &mut [V; N],
    runs: &Runs<'_>,
    block: usize,
) {
    token.vectorize(
        #[inline(always)]
        || {
            let mut sums = *state;
            for at in (0..runs.len()).step_by(block) {
                let (mut s, mut w) = (sums, V::read_block(token, runs, at));
                C::rounds(token, &mut s, &mut w);
                for (sum, s) in sums.iter_mut().zip(s) {
                    *sum = sum.add(s);
                }
            }
            *state = sums;
        },
    );
}

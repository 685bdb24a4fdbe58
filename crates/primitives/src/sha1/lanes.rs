//! SHA-1 of several messages, one in each lane of a vector.

use super::Chain160;
use super::rounds::rounds;
use crate::cpu::Token;
use crate::hash::SideBySide;
use crate::lanes::{Lanes, Runs};
use crate::simd::from_fn;

/// The chaining values of several messages; each vector holds one word of all of them.
pub(super) struct InLanes<V: Lanes> {
    token: V::Token,
    state: [V; 5],
}

impl<V: Lanes<Word = u32>> InLanes<V> {
    #[inline(always)]
    pub fn new(token: V::Token) -> Self {
        Self { token, state: [V::splat(token, 0); 5] }
    }
}

impl<V: Lanes<Word = u32>> SideBySide<Chain160> for InLanes<V> {
    const LANES: usize = V::COUNT;
    const IN_STEP: bool = true;

    #[inline(always)]
    fn get(&self, lane: usize) -> Chain160 {
        Chain160(from_fn(|i| self.state[i].lane(lane)))
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, chain: &Chain160) {
        for (row, word) in self.state.iter_mut().zip(chain.0) {
            row.set_lane(lane, word);
        }
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &Runs<'_>, block: usize) {
        absorb(self.token, &mut self.state, runs, block);
    }

    #[inline(always)]
    fn wipe(&mut self) {
        self.state = [V::splat(self.token, 0); 5];
        zeroize::optimization_barrier(&self.state);
    }
}

/// It is not inlined, because it is long and has several callers.
#[inline(never)]
fn absorb<V: Lanes<Word = u32>>(token: V::Token, state: &mut [V; 5], runs: &Runs<'_>, block: usize) {
    token.vectorize(
        #[inline(always)]
        || {
            let mut sums = *state;
            for at in (0..runs.len()).step_by(block) {
                let mut w = V::read_block(token, runs, at);
                let mut s = sums;
                rounds(
                    &mut s,
                    &mut w,
                    #[inline(always)]
                    |k| V::splat(token, k),
                );
                for (sum, s) in sums.iter_mut().zip(s) {
                    *sum = sum.add(s);
                }
            }
            *state = sums;
        },
    );
}

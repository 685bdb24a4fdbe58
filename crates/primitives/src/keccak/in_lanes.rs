//! Keccak for several messages: each lane of a vector holds the same lane of another message's state.

use super::lanes::{Lane, rounds};
use crate::hash::SideBySide;
use crate::lanes::{Lanes, Runs};

/// The states of several messages; each vector holds one lane of all of them.
pub(super) struct InLanes<V: Lanes> {
    token: V::Token,
    state: [V; 25],
}

impl<V: Lanes<Word = u64>> InLanes<V> {
    #[inline(always)]
    pub fn new(token: V::Token) -> Self {
        Self { token, state: [V::splat(token, 0); 25] }
    }
}

impl<V: Lanes<Word = u64> + Lane<V::Token>> SideBySide<[u64; 25]> for InLanes<V> {
    const LANES: usize = V::COUNT;

    #[inline(always)]
    fn get(&self, lane: usize) -> [u64; 25] {
        let mut state = [0; 25];
        for (state, row) in state.iter_mut().zip(&self.state) {
            *state = row.lane(lane);
        }
        state
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, state: &[u64; 25]) {
        for (row, state) in self.state.iter_mut().zip(state) {
            row.set_lane(lane, *state);
        }
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &Runs<'_>, rate: usize) {
        let Self { token, state } = self;
        for at in (0..runs.len()).step_by(rate) {
            for i in 0..rate / 16 {
                let pair = V::read::<true>(*token, runs, at + 16 * i);
                state[2 * i] = Lane::xor(state[2 * i], pair.as_ref()[0]);
                state[2 * i + 1] = Lane::xor(state[2 * i + 1], pair.as_ref()[1]);
            }
            if !rate.is_multiple_of(16) {
                // The last lane of the block is read together with the one before it, which has been absorbed already.
                let pair = V::read::<true>(*token, runs, at + rate - 16);
                state[rate / 8 - 1] = Lane::xor(state[rate / 8 - 1], pair.as_ref()[1]);
            }
            rounds(*token, state);
        }
    }

    #[inline(always)]
    fn wipe(&mut self) {
        self.state = [V::splat(self.token, 0); 25];
        zeroize::optimization_barrier(&self.state);
    }
}

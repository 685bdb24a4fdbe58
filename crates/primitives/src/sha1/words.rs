//! SHA-1 by instructions that do four rounds: one code for x86 and Arm.

use super::Chain160;
use crate::cpu::Token;
use crate::hash::{Chaining, SideBySide};
use crate::lanes::Runs;

/// The working state, as the CPU's instructions hold it.
pub(super) trait State: Copy {
    /// The token that proves that the CPU has the instructions.
    type Token: Token;

    /// Four words of the schedule.
    type Words: Copy;

    fn load(token: Self::Token, state: &[u32; 5]) -> Self;

    fn store(self, state: &mut [u32; 5]);

    /// Adds the state from the start of the block, word by word.
    fn add(self, start: Self) -> Self;

    /// Four big-endian words of a block.
    fn words(token: Self::Token, block: &[u8; 16]) -> Self::Words;

    /// The next four words of the schedule, from the sixteen before them.
    fn schedule(w: [Self::Words; 4]) -> Self::Words;

    /// Four rounds with the function and constant of quarter `F`. `FIRST` marks the first four rounds of a block.
    fn rounds4<const F: i32, const FIRST: bool>(self, w: Self::Words) -> Self;
}

/// The twenty groups of four rounds, five in each quarter.
macro_rules! groups {
    ($S:ty, $s:ident, $w:ident, $beside:ident; $($f:literal: $($i:literal)*;)*) => {$($(
        $beside($i);
        for (s, w) in $s.iter_mut().zip(&mut $w) {
            *s = <$S>::rounds4::<$f, { $i == 0 }>(*s, w[$i % 4]);
            if $i < 16 {
                w[$i % 4] = <$S>::schedule([w[$i % 4], w[($i + 1) % 4], w[($i + 2) % 4], w[($i + 3) % 4]]);
            }
        }
    )*)*};
}

/// Absorbs several runs of one length, in whole blocks of 64 bytes, each into its own state. The instructions for one
/// run fill the latencies of those for another. `beside` is called with the number of each group of four rounds, before the group.
#[inline(always)]
pub(super) fn compress<S: State, const N: usize>(
    token: S::Token,
    states: [&mut [u32; 5]; N],
    runs: [&[u8]; N],
    mut beside: impl FnMut(usize),
) {
    let mut blocks = [runs[0].as_chunks::<64>().0; N];
    for n in 1..N {
        blocks[n] = runs[n].as_chunks::<64>().0;
    }
    let mut s = [S::load(token, states[0]); N];
    for n in 1..N {
        s[n] = S::load(token, states[n]);
    }
    #[expect(clippy::needless_range_loop, reason = "the index is into all runs")]
    for block in 0..blocks[0].len() {
        let mut w = [[S::words(token, &[0; 16]); 4]; N];
        for n in 0..N {
            let (b, _) = blocks[n][block].as_chunks::<16>();
            w[n] = [S::words(token, &b[0]), S::words(token, &b[1]), S::words(token, &b[2]), S::words(token, &b[3])];
        }
        let before = s;
        groups!(S, s, w, beside; 0: 0 1 2 3 4; 1: 5 6 7 8 9; 2: 10 11 12 13 14; 3: 15 16 17 18 19;);
        for (s, before) in s.iter_mut().zip(before) {
            *s = s.add(before);
        }
    }
    for (s, state) in s.iter().zip(states) {
        s.store(state);
    }
}

/// Nothing beside the rounds.
#[inline(always)]
pub(super) fn alone(_: usize) {}

/// The chaining values of `N` messages that are hashed in parallel.
pub(super) struct Group<S: State, const N: usize>([Chain160; N], S::Token);

impl<S: State, const N: usize> Group<S, N> {
    #[inline(always)]
    pub fn new(token: S::Token) -> Self {
        Self([const { Chain160([0; 5]) }; N], token)
    }
}

impl<S: State, const N: usize> SideBySide<Chain160> for Group<S, N> {
    const LANES: usize = N;

    #[inline(always)]
    fn get(&self, lane: usize) -> Chain160 {
        self.0[lane].clone()
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, chain: &Chain160) {
        self.0[lane].clone_from(chain);
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &Runs<'_>, _: usize) {
        let mut texts = [runs.run(0); N];
        for (lane, text) in texts.iter_mut().enumerate() {
            *text = runs.run(lane);
        }
        compress::<S, N>(self.1, self.0.each_mut().map(|chain| &mut chain.0), texts, alone);
    }

    #[inline(always)]
    fn wipe(&mut self) {
        self.0.iter_mut().for_each(Chaining::wipe);
    }
}

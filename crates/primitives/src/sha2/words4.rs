//! SHA-256 by instructions that do several rounds: one code for x86 and Arm.

use super::word::Scalar;
use crate::cpu::Token;

/// The working state, as the CPU's instructions hold it.
pub(super) trait State256: Copy {
    /// The token that proves that the CPU has the instructions.
    type Token: Token;

    /// Four words of the schedule.
    type Words: Copy;

    fn load(token: Self::Token, state: &[u32; 8]) -> Self;

    fn store(self, state: &mut [u32; 8]);

    /// Adds the states word by word.
    fn add(self, other: Self) -> Self;

    /// Four big-endian words of a block.
    fn words(token: Self::Token, block: &[u8; 16]) -> Self::Words;

    /// The next four words of the schedule, from the sixteen before them.
    fn schedule(w: [Self::Words; 4]) -> Self::Words;

    /// Four rounds with their constants.
    fn rounds4(self, w: Self::Words, k: &[u32; 4]) -> Self;

    /// The same state and words, at this place in the order of the source. A compiler that keeps the order by itself needs
    /// no help.
    #[inline(always)]
    fn pin(self, w: &mut Self::Words) -> Self {
        let _ = w;
        self
    }
}

/// Absorbs `parts`, one after the other: in each, runs of one length, in whole blocks of 64 bytes, each for its own state.
/// With two runs, the instructions for one fill the latencies of those for the other. `beside` is called with the number of each
/// group of four rounds, before the group.
#[inline(always)]
pub(super) fn compress<S: State256, const N: usize, const P: usize>(
    token: S::Token,
    states: [&mut [u32; 8]; N],
    parts: [[&[u8]; N]; P],
    mut beside: impl FnMut(usize),
) {
    let (k, _) = <u32 as Scalar>::K.as_chunks::<4>();
    let mut s = [S::load(token, states[0]); N];
    for n in 1..N {
        s[n] = S::load(token, states[n]);
    }
    for runs in parts {
        let mut blocks = [runs[0].as_chunks::<64>().0; N];
        for n in 1..N {
            blocks[n] = runs[n].as_chunks::<64>().0;
        }
        #[expect(clippy::needless_range_loop, reason = "the index is into all runs")]
        for block in 0..blocks[0].len() {
            let mut w = [[S::words(token, &[0; 16]); 4]; N];
            for n in 0..N {
                let (b, _) = blocks[n][block].as_chunks::<16>();
                w[n] = [S::words(token, &b[0]), S::words(token, &b[1]), S::words(token, &b[2]), S::words(token, &b[3])];
            }
            let before = s;
            for (j, k) in k.as_chunks::<4>().0.iter().enumerate() {
                for i in 0..4 {
                    beside(4 * j + i);
                    for n in 0..N {
                        let w = &mut w[n];
                        s[n] = s[n].rounds4(w[i], &k[i]);
                        // The words come after the rounds, so that CPUs begin the rounds first: on Granite Rapids, two blocks
                        // take 192 cycles in this order, and 217 with the words before the rounds that need them.
                        if j < 3 {
                            w[i] = S::schedule([w[i], w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]]);
                        }
                        // LLVM would do all rounds of one run first.
                        if N > 1 {
                            s[n] = s[n].pin(&mut w[i]);
                        }
                    }
                }
            }
            for n in 0..N {
                s[n] = s[n].add(before[n]);
            }
        }
    }
    for (s, state) in s.iter().zip(states) {
        s.store(state);
    }
}

/// Nothing beside the rounds.
#[inline(always)]
pub(super) fn alone(_: usize) {}

//! SHA-256 by instructions that do several rounds: one text for x86 and Arm.

use super::word::Word;

/// The working state, as the CPU's instructions keep it.
pub(super) trait State256: Copy {
    /// Four words of the schedule.
    type Words: Copy;

    fn load(state: &[u32; 8]) -> Self;

    fn store(self, state: &mut [u32; 8]);

    /// Word by word.
    fn add(self, other: Self) -> Self;

    /// Four big-endian words of a block.
    fn words(block: &[u8; 16]) -> Self::Words;

    /// Words t..t+4 from the sixteen before them.
    fn schedule(w: [Self::Words; 4]) -> Self::Words;

    /// Four rounds, with the constants of each.
    fn rounds4(self, w: Self::Words, k: &[u32; 4]) -> Self;
}

/// Absorbs `blocks`, a multiple of 64 bytes.
#[inline(always)]
pub(super) fn compress<S: State256>(state: &mut [u32; 8], blocks: &[u8]) {
    let (k, _) = <u32 as Word>::K.as_chunks::<4>();
    let (first, rest) = k.split_at(4);
    let mut s = S::load(state);
    for block in blocks.as_chunks::<64>().0 {
        let (b, _) = block.as_chunks::<16>();
        let mut w = [S::words(&b[0]), S::words(&b[1]), S::words(&b[2]), S::words(&b[3])];
        let before = s;
        for i in 0..4 {
            s = s.rounds4(w[i], &first[i]);
        }
        for k in rest.as_chunks::<4>().0 {
            for i in 0..4 {
                w[i] = S::schedule([w[i], w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]]);
                s = s.rounds4(w[i], &k[i]);
            }
        }
        s = s.add(before);
    }
    s.store(state);
}

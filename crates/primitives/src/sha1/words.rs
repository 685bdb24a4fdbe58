//! SHA-1 by instructions that do four rounds: one text for x86 and Arm.

/// The working state, as the CPU's instructions keep it.
pub(super) trait State: Copy {
    /// Four words of the schedule.
    type Words: Copy;

    fn load(state: &[u32; 5]) -> Self;

    fn store(self, state: &mut [u32; 5]);

    /// The sum with the state at the start of the block, word by word.
    fn add(self, start: Self) -> Self;

    /// Four big-endian words of a block.
    fn words(block: &[u8; 16]) -> Self::Words;

    /// Words t..t+4 from the sixteen before them.
    fn schedule(w: [Self::Words; 4]) -> Self::Words;

    /// Four rounds with the function and constant of quarter `F`; `FIRST` in a block.
    fn rounds4<const F: i32, const FIRST: bool>(self, w: Self::Words) -> Self;
}

/// Twenty groups of four rounds, five in each quarter.
macro_rules! groups {
    ($S:ty, $s:ident, $w:ident; $($f:literal: $($i:literal)*;)*) => {$($(
        $s = <$S>::rounds4::<$f, { $i == 0 }>($s, $w[$i % 4]);
        if $i < 16 {
            $w[$i % 4] = <$S>::schedule([$w[$i % 4], $w[($i + 1) % 4], $w[($i + 2) % 4], $w[($i + 3) % 4]]);
        }
    )*)*};
}

/// Absorbs `blocks`, a multiple of 64 bytes.
#[inline(always)]
pub(super) fn compress<S: State>(state: &mut [u32; 5], blocks: &[u8]) {
    let mut s = S::load(state);
    for block in blocks.as_chunks::<64>().0 {
        let (b, _) = block.as_chunks::<16>();
        let mut w = [S::words(&b[0]), S::words(&b[1]), S::words(&b[2]), S::words(&b[3])];
        let before = s;
        groups!(S, s, w; 0: 0 1 2 3 4; 1: 5 6 7 8 9; 2: 10 11 12 13 14; 3: 15 16 17 18 19;);
        s = s.add(before);
    }
    s.store(state);
}

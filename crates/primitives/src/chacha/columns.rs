//! ChaCha by columns: each vector holds one word of many blocks.

use super::output::Output;
use super::rounds::{self, Between, finish, first_rows, quarter_rounds};
use super::{CONSTANTS, ChaChaVectors};
use crate::simd::{align_frame, anew};
use crate::words32::{Pair, Quads, Words32};

/// Vectors that each hold one word of as many blocks as they have lanes.
pub trait Columns: Words32<Token: ChaChaVectors> {
    /// The number of steps of Poly1305 in four calls of [`Between`]. A batch has `LANES` blocks of ChaCha, which are four times as many of
    /// Poly1305, and 40 calls: a fifth of the steps is to spare.
    #[doc(hidden)]
    const STEPS: usize = Self::LANES / 2;

    /// The numbers of the blocks in the lanes, from 0, to be added to the counter's column.
    #[doc(hidden)]
    fn numbers(token: Self::Token) -> Self;

    /// The rounds, and what is computed between them.
    #[doc(hidden)]
    fn rounds(m: &mut [[Self; 4]; 4], double_rounds: usize, between: &mut impl Between);

    /// Transposes the matrices, adds the first matrix and passes the keystream to `output`, until `output` needs no
    /// more. Returns whether it needs more.
    #[doc(hidden)]
    fn finish(
        token: Self::Token,
        m: [[Self; 4]; 4],
        key: &[[u32; 4]; 2],
        state: [u32; 4],
        output: &mut Output<'_>,
    ) -> bool;
}

/// The number to be added to the counter in each lane, so that the transposition moves quad `q` of group `g` to block
/// `quads * g + q`.
const fn numbers(quads: usize) -> [u32; 16] {
    let mut numbers = [0; 16];
    let mut i = 0;
    while i < 4 * quads {
        numbers[i] = (quads * (i % 4) + i / 4) as u32;
        i += 1;
    }
    numbers
}

impl<V: Quads<Token: ChaChaVectors>> Columns for V {
    #[inline(always)]
    fn numbers(token: V::Token) -> Self {
        V::from_words(token, const { &numbers(V::QUADS) })
    }

    #[inline(always)]
    fn rounds(m: &mut [[V; 4]; 4], double_rounds: usize, between: &mut impl Between) {
        if V::Token::IN_PAIRS {
            rounds::rounds_in_pairs(m, double_rounds, between);
        } else {
            all_at_once(m, double_rounds, between);
        }
    }

    #[inline(always)]
    fn finish(token: V::Token, m: [[V; 4]; 4], key: &[[u32; 4]; 2], state: [u32; 4], output: &mut Output<'_>) -> bool {
        let m = [V::transpose(m[0]), V::transpose(m[1]), V::transpose(m[2]), V::transpose(m[3])];
        let (first, groups) = first_rows::<V, 4>(token, key, state);
        finish(
            m,
            first,
            groups,
            #[inline(always)]
            |keystream| output.take(keystream),
        )
    }
}

/// The first matrices and the second ones.
#[inline(always)]
fn halves<V: Copy, W: Copy>(m: &[[Pair<V, W>; 4]; 4]) -> ([[V; 4]; 4], [[W; 4]; 4]) {
    // A loop in place of `map`, which the compiler does not inline where it thinks it too large.
    let (mut front, mut back) = ([[m[0][0].0; 4]; 4], [[m[0][0].1; 4]; 4]);
    for (i, row) in m.iter().enumerate() {
        for (j, pair) in row.iter().enumerate() {
            (front[i][j], back[i][j]) = (pair.0, pair.1);
        }
    }
    (front, back)
}

impl<V: Quads<Token: ChaChaVectors>, W: Quads<Token = V::Token>> Columns for Pair<V, W> {
    // In turns, there are 80 calls. The rounds are so fast that they wait for the steps, so these go on to the end: a sixteenth of the blocks
    // is left for after it.
    const STEPS: usize = if V::Token::IN_PAIRS { 3 } else { Self::LANES / 2 };

    #[inline(always)]
    fn numbers(token: V::Token) -> Self {
        Self(V::numbers(token), W::numbers(token).add(W::splat(token, V::LANES as u32)))
    }

    #[inline(always)]
    fn rounds(m: &mut [[Self; 4]; 4], double_rounds: usize, between: &mut impl Between) {
        if !V::Token::IN_PAIRS {
            return all_at_once(m, double_rounds, between);
        }
        let (mut front, mut back) = halves(m);
        rounds::rounds_in_turns((&mut front, &mut back), double_rounds, between);
        for (i, row) in m.iter_mut().enumerate() {
            for (j, pair) in row.iter_mut().enumerate() {
                *pair = Self(front[i][j], back[i][j]);
            }
        }
    }

    #[inline(always)]
    fn finish(
        token: V::Token,
        m: [[Self; 4]; 4],
        key: &[[u32; 4]; 2],
        state: [u32; 4],
        output: &mut Output<'_>,
    ) -> bool {
        let (front, back) = halves(&m);
        // The second half does not fit into registers. It waits in memory, in one aligned piece; the compiler's own
        // spills would not be aligned. After rounds in turns, most of it is in memory already.
        let back = if V::Token::IN_PAIRS { back } else { *anew(&back) };
        let next = [state[0].wrapping_add(V::LANES as u32), state[1], state[2], state[3]];
        Columns::finish(token, front, key, state, output) && Columns::finish(token, back, key, next, output)
    }
}

/// The first matrices of `LANES` blocks, without the block numbers.
#[inline(always)]
pub(crate) fn matrix<C: Columns>(token: C::Token, key: &[[u32; 4]; 2], state: [u32; 4]) -> [[C; 4]; 4] {
    let mut m = [[C::splat(token, 0); 4]; 4];
    for (row, words) in m.iter_mut().zip([CONSTANTS, key[0], key[1], state]) {
        for (column, word) in row.iter_mut().zip(words) {
            *column = C::splat(token, word);
        }
    }
    m[3][0] = m[3][0].add(C::numbers(token));
    m
}

/// The rounds, where there are registers for a matrix and more.
#[inline(always)]
fn all_at_once<C: Columns>(m: &mut [[C; 4]; 4], double_rounds: usize, between: &mut impl Between) {
    for _ in 0..double_rounds {
        quarter_rounds(m, between);
        let [a, b, c, d] = *m;
        let mut diagonals = [[a[3], a[0], a[1], a[2]], b, [c[1], c[2], c[3], c[0]], [d[2], d[3], d[0], d[1]]];
        quarter_rounds(&mut diagonals, between);
        let [a, b, c, d] = diagonals;
        *m = [[a[1], a[2], a[3], a[0]], b, [c[3], c[0], c[1], c[2]], [d[2], d[3], d[0], d[1]]];
    }
}

/// Xors the keystream of at most `LANES` blocks to `output`.
#[inline(always)]
pub(crate) fn xor<C: Columns>(
    token: C::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    mut output: Output<'_>,
) {
    align_frame();
    let mut m = matrix::<C>(token, key, state);
    C::rounds(&mut m, double_rounds, &mut ());
    if C::Token::IN_PAIRS && C::LANES == <C::Token as ChaChaVectors>::Wide::LANES {
        // The matrix goes by way of memory. Otherwise the compiler keeps words of it there during the rounds, for what follows.
        let mixed = m;
        m = *anew(&mixed);
    }
    C::finish(token, m, key, state, &mut output);
}

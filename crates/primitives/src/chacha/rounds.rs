//! The rounds, over vectors of any width.

use super::{BLOCK, CONSTANTS, ChaChaToken};
use crate::InOut;
use crate::words32::{Quads, Words32};

/// `N` quarter rounds (RFC 8439 section 2.1), step by step side by side: each alone is one long
/// chain of dependent instructions. In the middle and at the end `between` is called with row b, for
/// which everything else has been computed.
#[inline(always)]
fn quarter_rounds<V: Quads, const N: usize>([a, b, c, d]: &mut [[V; N]; 4], between: &mut impl FnMut(&mut [V])) {
    for i in 0..N {
        a[i] = a[i].add(b[i]);
        d[i] = xor_rotl::<V, N, 16, 16>(d[i], a[i]);
    }
    for i in 0..N {
        c[i] = c[i].add(d[i]);
        b[i] = xor_rotl::<V, N, 12, 20>(b[i], c[i]);
    }
    between(b);
    for i in 0..N {
        a[i] = a[i].add(b[i]);
        d[i] = xor_rotl::<V, N, 8, 24>(d[i], a[i]);
    }
    for i in 0..N {
        c[i] = c[i].add(d[i]);
        b[i] = xor_rotl::<V, N, 7, 25>(b[i], c[i]);
    }
    between(b);
}

/// `v ^ late`, rotated. One or two blocks at a time are bound by the length of the chain, which is through `late`, more
/// by the number of instructions.
#[inline(always)]
fn xor_rotl<V: Quads, const N: usize, const L: i32, const R: i32>(v: V, late: V) -> V {
    if N * V::QUADS <= 2 { v.xor_rotl::<L, R>(late) } else { v.xor(late).rotl::<L, R>() }
}

// Rows b, c and d are to be rotated by 1, 2 and 3 to make columns of the diagonals. Only their
// position against each other matters, so b stays, because it is the last to be ready, and a, c and
// d turn by one less: by 3, 1 and 2.

/// Rotates a row of each group.
#[inline(always)]
fn turn<V: Quads, const N: i32>(row: &mut [V]) {
    for v in row {
        *v = v.rotate_quads::<N>();
    }
}

/// Rounds on `G` groups of row vectors; `between` is called as in [`column_rounds`].
#[inline(always)]
fn row_rounds<V: Quads, const G: usize>(m: &mut [[V; G]; 4], double_rounds: usize, mut between: impl FnMut(&mut [V])) {
    for _ in 0..double_rounds {
        quarter_rounds(m, &mut between);
        turn::<V, 3>(&mut m[0]);
        turn::<V, 1>(&mut m[2]);
        turn::<V, 2>(&mut m[3]);
        quarter_rounds(m, &mut between);
        turn::<V, 1>(&mut m[0]);
        turn::<V, 3>(&mut m[2]);
        turn::<V, 2>(&mut m[3]);
    }
    between(&mut m[1]);
    between(&mut m[1]);
}

/// Rounds on a matrix whose every word is a vector; `between` is called four times in a double round,
/// and twice before the transposition, which is work for the vectors as well.
#[inline(always)]
fn column_rounds<V: Quads>(m: &mut [[V; 4]; 4], double_rounds: usize, mut between: impl FnMut(&mut [V])) {
    for _ in 0..double_rounds {
        quarter_rounds(m, &mut between);
        let [a, b, c, d] = *m;
        let mut diagonals = [[a[3], a[0], a[1], a[2]], b, [c[1], c[2], c[3], c[0]], [d[2], d[3], d[0], d[1]]];
        quarter_rounds(&mut diagonals, &mut between);
        let [a, b, c, d] = diagonals;
        *m = [[a[1], a[2], a[3], a[0]], b, [c[3], c[0], c[1], c[2]], [d[2], d[3], d[0], d[1]]];
    }
    between(&mut m[1]);
    between(&mut m[1]);
}

/// What to add to row d: the number of the block to the first lane of its quad.
const ROW_COUNTERS: [u32; 16] = [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];

/// What to add to the counter's column, so that the transposition puts quad `q` of group `g` to
/// block `quads * g + q`.
const fn column_counters(quads: usize) -> [u32; 16] {
    let mut counters = [0; 16];
    let mut i = 0;
    while i < 4 * quads {
        counters[i] = (quads * (i % 4) + i / 4) as u32;
        i += 1;
    }
    counters
}

/// Adds the first matrix, with the counter advanced for each group, and passes the keystream to
/// `sink`, a vector at a time, until that returns false.
#[inline(always)]
fn finish<V: Quads, const G: usize>(m: [[V; G]; 4], first: [V; 4], groups: [V; G], mut sink: impl FnMut(V) -> bool) {
    for g in 0..G {
        let rows = [m[0][g].add(first[0]), m[1][g].add(first[1]), m[2][g].add(first[2]), m[3][g].add(groups[g])];
        for keystream in V::rows_to_blocks(rows) {
            if !sink(keystream) {
                return;
            }
        }
    }
}

/// What takes the keystream for `data`.
#[inline(always)]
pub(crate) fn xor_into<V: Quads>(mut data: InOut<'_>) -> impl FnMut(V) -> bool {
    #[inline(always)]
    move |keystream: V| match data.take(V::BYTES) {
        Some(piece) => {
            keystream.xor_into(piece);
            true
        }
        None => {
            if !data.is_empty() {
                keystream.xor_into_partial(data.take_all());
            }
            false
        }
    }
}

/// The first matrix in row vectors, and its last row with the counters of `G` groups.
#[inline(always)]
fn first_rows<V: Quads, const G: usize>(token: V::Token, key: &[[u32; 4]; 2], state: [u32; 4]) -> ([V; 4], [V; G]) {
    let d = V::splat_quad(token, state).add(V::from_words(token, &ROW_COUNTERS));
    let mut groups = [d; G];
    for (g, group) in groups.iter_mut().enumerate() {
        *group = d.add(V::splat_quad(token, [(V::QUADS * g) as u32, 0, 0, 0]));
    }
    ([V::splat_quad(token, CONSTANTS), V::splat_quad(token, key[0]), V::splat_quad(token, key[1]), d], groups)
}

/// The keystream of `G` groups of blocks by rows, passed to `sink` until that returns false; `between`
/// is called as in [`column_rounds`].
#[inline(always)]
pub(crate) fn rows<V: Quads, const G: usize>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    between: impl FnMut(&mut [V]),
    sink: impl FnMut(V) -> bool,
) {
    let (first, groups) = first_rows::<V, G>(token, key, state);
    let mut m = [[first[0]; G], [first[1]; G], [first[2]; G], groups];
    row_rounds(&mut m, double_rounds, between);
    finish(m, first, groups, sink);
}

/// At most `G` groups of blocks by rows.
#[inline(always)]
pub(super) fn xor_rows<V: Quads, const G: usize>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    data: InOut<'_>,
) {
    rows::<V, G>(
        token,
        key,
        state,
        double_rounds,
        #[inline(always)]
        |_| {},
        xor_into(data),
    );
}

/// The keystream of `LANES` blocks by columns, passed to `sink` until that returns false; `between` is
/// called as in [`column_rounds`].
#[inline(always)]
pub(crate) fn columns<V: Quads>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    between: impl FnMut(&mut [V]),
    sink: impl FnMut(V) -> bool,
) {
    let mut m = [[V::splat(token, 0); 4]; 4];
    for (row, words) in m.iter_mut().zip([CONSTANTS, key[0], key[1], state]) {
        for (column, word) in row.iter_mut().zip(words) {
            *column = V::splat(token, word);
        }
    }
    m[3][0] = m[3][0].add(V::from_words(token, const { &column_counters(V::QUADS) }));
    column_rounds(&mut m, double_rounds, between);
    let m = [V::transpose(m[0]), V::transpose(m[1]), V::transpose(m[2]), V::transpose(m[3])];
    let (first, groups) = first_rows::<V, 4>(token, key, state);
    finish(m, first, groups, sink);
}

/// At most `LANES` blocks by columns.
#[inline(always)]
pub(super) fn xor_columns<V: Quads>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    data: InOut<'_>,
) {
    columns::<V>(
        token,
        key,
        state,
        double_rounds,
        #[inline(always)]
        |_| {},
        xor_into(data),
    );
}

/// One more block, by rows, half a quarter round at each call between the rounds of others.
struct Beside<V> {
    m: [[V; 1]; 4],
    calls: usize,
}

impl<V: Quads> Beside<V> {
    #[inline(always)]
    fn step(&mut self) {
        let [a, b, c, d] = &mut self.m;
        let (first, odd) = (self.calls.is_multiple_of(2), self.calls % 4 >= 2);
        self.calls += 1;
        a[0] = a[0].add(b[0]);
        d[0] = if first { xor_rotl::<V, 2, 16, 16>(d[0], a[0]) } else { xor_rotl::<V, 2, 8, 24>(d[0], a[0]) };
        c[0] = c[0].add(d[0]);
        b[0] = if first { xor_rotl::<V, 2, 12, 20>(b[0], c[0]) } else { xor_rotl::<V, 2, 7, 25>(b[0], c[0]) };
        if first {
            return;
        }
        (a[0], c[0]) = if odd {
            (a[0].rotate_quads::<1>(), c[0].rotate_quads::<3>())
        } else {
            (a[0].rotate_quads::<3>(), c[0].rotate_quads::<1>())
        };
        d[0] = d[0].rotate_quads::<2>();
    }
}

/// A block by rows, and at most `LANES` after it by columns.
#[inline(always)]
pub(super) fn xor_beside<N: Quads, V: Quads<Token = N::Token>>(
    token: N::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    block: InOut<'_>,
    data: InOut<'_>,
) {
    let (first, groups) = first_rows::<N, 1>(token, key, state);
    let mut beside = Beside { m: first.map(|row| [row]), calls: 0 };
    let next = [state[0].wrapping_add(1), state[1], state[2], state[3]];
    columns::<V>(
        token,
        key,
        next,
        double_rounds,
        #[inline(always)]
        |_| {
            if beside.calls < 4 * double_rounds {
                beside.step();
            }
        },
        xor_into(data),
    );
    finish(beside.m, first, groups, xor_into(block));
}

/// The front of a message of more than [`ChaChaToken::BULK_ABOVE`] blocks; leaves at most as many
/// in `data`, and in `state` the counter that they start with.
#[inline(always)]
pub(super) fn bulk<T: ChaChaToken>(
    token: T,
    key: &[[u32; 4]; 2],
    state: &mut [u32; 4],
    double_rounds: usize,
    data: &mut InOut<'_>,
) {
    while data.len() > T::BULK_ABOVE * BLOCK {
        let blocks = if T::COLUMNS { T::Wide::LANES } else { T::Wide::QUADS };
        let batch = data.take(data.len().min(blocks * BLOCK)).expect("no more than there is");
        let begun = batch.len().div_ceil(BLOCK);
        if T::COLUMNS {
            xor_columns::<T::Wide>(token, key, *state, double_rounds, batch);
        } else {
            xor_rows::<T::Wide, 1>(token, key, *state, double_rounds, batch);
        }
        state[0] = state[0].wrapping_add(begun as u32);
    }
}

/// See [`hchacha`](super::hchacha): the first and the last row after the rounds, nothing added.
#[inline(always)]
pub(super) fn hchacha<T: ChaChaToken>(token: T, matrix: [[u32; 4]; 4], double_rounds: usize) -> [u8; 32] {
    let mut m = [[T::Narrow::splat(token, 0)]; 4];
    for (row, words) in m.iter_mut().zip(matrix) {
        *row = [T::Narrow::splat_quad(token, words)];
    }
    row_rounds(
        &mut m,
        double_rounds,
        #[inline(always)]
        |_| {},
    );
    let mut out = [0; 32];
    let words = [m[0][0].first_quad(), m[3][0].first_quad()];
    for (bytes, word) in out.chunks_exact_mut(4).zip(words.as_flattened()) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    out
}

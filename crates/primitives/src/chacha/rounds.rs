//! The rounds over vectors of any width, and ChaCha by rows.

use super::CONSTANTS;
use super::output::Output;
use crate::InOut;
use crate::cpu::Portable;
use crate::simd::{anew, each};
use crate::words32::{ByBytes, Quad, Quads, Words32};
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

/// `N` quarter rounds (RFC 8439 section 2.1), interleaved step by step, because each alone is one long chain of
/// dependent instructions. `between` is called with row b in the middle and at the end, when everything else has been
/// computed.
///
/// Pins keep the compiler to this order. Otherwise it orders them as suits its registers, and values that the next
/// round waits for go by way of memory; it also replaces a byte shuffle of a sum by the sum of two shuffles. And they keep a block
/// that is computed in general registers there: with AVX-512, the compiler put its words into a vector.
#[inline(always)]
pub(super) fn quarter_rounds<V: Words32, const N: usize>([a, b, c, d]: &mut [[V; N]; 4], between: &mut impl Between) {
    for i in 0..N {
        a[i] = a[i].add(b[i]);
        d[i] = d[i].xor(a[i]).pin().rotl::<16, 16>();
    }
    for i in 0..N {
        c[i] = c[i].add(d[i]);
        b[i] = b[i].xor(c[i]).pin().rotl::<12, 20>();
    }
    between.call(b);
    for i in 0..N {
        a[i] = a[i].add(b[i]);
        d[i] = d[i].xor(a[i]).pin().rotl::<8, 24>();
    }
    for i in 0..N {
        c[i] = c[i].add(d[i]);
        b[i] = b[i].xor(c[i]).pin().rotl::<7, 25>();
    }
    between.call(b);
}

/// Two quarter rounds, step by step, where there are sixteen registers. Pins keep the compiler to the order of all
/// steps. So two quarter rounds never need more than one register besides their words. `between` is called with row b at the end.
#[inline(always)]
fn two_quarter_rounds<V: Words32>(
    [mut a, mut b, mut c, mut d]: [[V; 2]; 4],
    bytes: &mut ByBytes,
    between: &mut impl Between,
) -> [[V; 2]; 4] {
    macro_rules! step {
        ($x:ident $y:ident $z:ident $left:literal $right:literal) => {
            $x = [$x[0].add($y[0]).pin(), $x[1].add($y[1]).pin()];
            $z = [$z[0].xor($x[0]).pin(), $z[1].xor($x[1]).pin()];
            $z = [
                $z[0].rotl_from_memory::<$left, $right>(bytes).pin(),
                $z[1].rotl_from_memory::<$left, $right>(bytes).pin(),
            ];
        };
    }
    step!(a b d 16 16);
    step!(c d b 12 20);
    step!(a b d 8 24);
    step!(c d b 7 25);
    between.call(&mut b);
    [a, b, c, d]
}

/// The rounds of a matrix with a vector for each word, two quarter rounds at a time, so that sixteen registers suffice. A
/// matrix fills all of them, and the steps need one more. So two words of row c always wait in memory: they are ready before the rest of
/// their columns, and needed after it. `between` is called four times in two rounds.
#[inline(always)]
pub(super) fn rounds_in_pairs<V: Words32>(
    [a, b, c, d]: &mut [[V; 4]; 4],
    double_rounds: usize,
    between: &mut impl Between,
) {
    let bytes = &mut ByBytes::new();
    // `anew` lets the address escape. So the compiler has to store the words before each fence, and to load those that are used after it.
    let mut waiting = *c;
    anew(&waiting);
    for _ in 0..double_rounds {
        let columns = [[a[0], a[1]], [b[0], b[1]], [c[0], c[1]], [d[0], d[1]]];
        [[a[0], a[1]], [b[0], b[1]], [waiting[0], waiting[1]], [d[0], d[1]]] =
            two_quarter_rounds(columns, bytes, between);
        compiler_fence(SeqCst);
        let columns = [[a[2], a[3]], [b[2], b[3]], [waiting[2], waiting[3]], [d[2], d[3]]];
        [[a[2], a[3]], [b[2], b[3]], [c[2], c[3]], [d[2], d[3]]] = two_quarter_rounds(columns, bytes, between);
        let diagonals = [[a[0], a[1]], [b[1], b[2]], [c[2], c[3]], [d[3], d[0]]];
        [[a[0], a[1]], [b[1], b[2]], [waiting[2], waiting[3]], [d[3], d[0]]] =
            two_quarter_rounds(diagonals, bytes, between);
        compiler_fence(SeqCst);
        let diagonals = [[a[2], a[3]], [b[3], b[0]], [waiting[0], waiting[1]], [d[1], d[2]]];
        [[a[2], a[3]], [b[3], b[0]], [c[0], c[1]], [d[1], d[2]]] = two_quarter_rounds(diagonals, bytes, between);
    }
    [c[2], c[3]] = [waiting[2], waiting[3]];
}

/// The quarter rounds of columns `i` and `i + 1`, or of the diagonals that begin there.
#[inline(always)]
fn half_round<V: Words32, const DIAGONAL: bool>(
    m: &mut [[V; 4]; 4],
    i: usize,
    bytes: &mut ByBytes,
    between: &mut impl Between,
) {
    let turn = if DIAGONAL { 1 } else { 0 };
    let mut two = [[m[0][0]; 2]; 4];
    for row in 0..4 {
        two[row] = [m[row][(i + row * turn) % 4], m[row][(i + 1 + row * turn) % 4]];
    }
    two = two_quarter_rounds(two, bytes, between);
    for row in 0..4 {
        [m[row][(i + row * turn) % 4], m[row][(i + 1 + row * turn) % 4]] = two[row];
    }
}

/// The rounds of two matrices, for sixteen registers. The instructions of half a round mostly wait for each other, so one matrix leaves the
/// vector units idle for a third of the time. Here the halves of the other matrix fill them. The compiler keeps most words in memory; each
/// has the time of two halves to get there and back. `between` is called eight times in two rounds.
#[inline(always)]
pub(super) fn rounds_in_turns<V: Words32, W: Words32>(
    (front, back): (&mut [[V; 4]; 4], &mut [[W; 4]; 4]),
    double_rounds: usize,
    between: &mut impl Between,
) {
    let bytes = &mut ByBytes::new();
    for _ in 0..double_rounds {
        half_round::<V, false>(front, 0, bytes, between);
        half_round::<V, false>(front, 2, bytes, between);
        half_round::<W, false>(back, 0, bytes, between);
        half_round::<W, false>(back, 2, bytes, between);
        half_round::<V, true>(front, 0, bytes, between);
        half_round::<V, true>(front, 2, bytes, between);
        half_round::<W, true>(back, 0, bytes, between);
        half_round::<W, true>(back, 2, bytes, between);
    }
}

// To make columns of the diagonals, rows b, c and d would be rotated by 1, 2 and 3. Only their position relative to
// each other matters. So b stays, because it is the last to be ready, and every row is rotated by one less: a, c and d
// by 3, 1 and 2.

/// Rotates the quads of a row in each group by `N` lanes.
#[inline(always)]
fn turn<V: Quads, const N: i32>(row: &mut [V]) {
    for v in row {
        *v = v.rotate_quads::<N>();
    }
}

/// What is computed between the rounds.
pub trait Between {
    /// Called with row b when everything before it has been computed.
    fn call<V: Words32>(&mut self, row: &mut [V]);
}

/// Rounds that stand alone.
impl Between for () {
    #[inline(always)]
    fn call<V: Words32>(&mut self, _: &mut [V]) {}
}

/// A round of columns on `G` groups of row vectors, which makes columns of the diagonals.
#[inline(always)]
pub(super) fn even_round<V: Quads, const G: usize>(m: &mut [[V; G]; 4]) {
    quarter_rounds(m, &mut ());
    turn::<V, 3>(&mut m[0]);
    turn::<V, 1>(&mut m[2]);
    turn::<V, 2>(&mut m[3]);
}

/// A round of diagonals, which [`even_round`] has made columns of.
#[inline(always)]
pub(super) fn odd_round<V: Quads, const G: usize>(m: &mut [[V; G]; 4]) {
    quarter_rounds(m, &mut ());
    turn::<V, 1>(&mut m[0]);
    turn::<V, 3>(&mut m[2]);
    turn::<V, 2>(&mut m[3]);
}

/// Two rounds on `G` groups of row vectors.
#[inline(always)]
fn double_round<V: Quads, const G: usize>(m: &mut [[V; G]; 4]) {
    even_round(m);
    odd_round(m);
}

/// The numbers to be added to row d: the number of each block, in the first lane of its quad.
const ROW_COUNTERS: [u32; 16] = [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];

/// The keystream of group `g` in the order of memory: the matrix after the rounds plus the first matrix.
#[inline(always)]
pub(super) fn sum<V: Quads, const G: usize>(m: &[[V; G]; 4], first: &[V; 4], groups: &[V; G], g: usize) -> [V; 4] {
    let rows = [m[0][g].add(first[0]), m[1][g].add(first[1]), m[2][g].add(first[2]), m[3][g].add(groups[g])];
    V::rows_to_blocks(rows)
}

/// Passes the keystream of all groups to `sink`, a vector at a time, until `sink` returns false. Returns what the last
/// call returned.
#[inline(always)]
pub(super) fn finish<V: Quads, const G: usize>(
    m: [[V; G]; 4],
    first: [V; 4],
    groups: [V; G],
    mut sink: impl FnMut(V) -> bool,
) -> bool {
    for g in 0..G {
        for keystream in sum(&m, &first, &groups, g) {
            if !sink(keystream) {
                return false;
            }
        }
    }
    true
}

/// The first matrix in row vectors, and its last row with the counters of each of `G` groups.
#[inline(always)]
pub(super) fn first_rows<V: Quads, const G: usize>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
) -> ([V; 4], [V; G]) {
    let d = V::splat_quad(token, state).add(V::from_words(token, &ROW_COUNTERS));
    let mut groups = [d; G];
    for (g, group) in groups.iter_mut().enumerate() {
        *group = d.add(V::splat_quad(token, [(V::QUADS * g) as u32, 0, 0, 0]));
    }
    ([V::splat_quad(token, CONSTANTS), V::splat_quad(token, key[0]), V::splat_quad(token, key[1]), d], groups)
}

/// The matrices of `G` groups of blocks after the rounds. `between` is called after each double round.
#[inline(always)]
fn mixed<V: Quads, const G: usize>(
    first: &[V; 4],
    groups: [V; G],
    double_rounds: usize,
    mut between: impl FnMut(),
) -> [[V; G]; 4] {
    let mut m = [[first[0]; G], [first[1]; G], [first[2]; G], groups];
    for _ in 0..double_rounds {
        double_round(&mut m);
        between();
    }
    m
}

/// Computes the keystream of `G` groups of blocks by rows and passes it to `sink` until that returns false.
#[inline(always)]
pub(crate) fn rows<V: Quads, const G: usize>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    sink: impl FnMut(V) -> bool,
) {
    let (first, groups) = first_rows::<V, G>(token, key, state);
    finish(mixed(&first, groups, double_rounds, || ()), first, groups, sink);
}

/// The keystream of `G` groups of blocks, computed by rows. `between` is called after each double round.
#[inline(always)]
pub(crate) fn keystream<V: Quads, const G: usize>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    between: impl FnMut(),
) -> [[V; 4]; G] {
    let (first, groups) = first_rows::<V, G>(token, key, state);
    let m = mixed(&first, groups, double_rounds, between);
    let mut keystream = [first; G];
    for (g, vectors) in keystream.iter_mut().enumerate() {
        *vectors = sum(&m, &first, &groups, g);
    }
    keystream
}

/// The keystream of one block, computed in general registers, and of the `G` groups of blocks after it, computed
/// meanwhile in vectors.
#[inline(always)]
pub(crate) fn one_and_rows<V: Quads, const G: usize>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
) -> ([[u32; 4]; 4], [[V; 4]; G]) {
    let (first, [d]) = first_rows::<Quad, 1>(Portable::new(), key, state);
    let next = [state[0].wrapping_add(1), state[1], state[2], state[3]];
    let (firsts, groups) = first_rows::<V, G>(token, key, next);
    let mut one = [[first[0]], [first[1]], [first[2]], [d]];
    let mut more = [[firsts[0]; G], [firsts[1]; G], [firsts[2]; G], groups];
    for _ in 0..double_rounds {
        even_round(&mut one);
        even_round(&mut more);
        odd_round(&mut one);
        odd_round(&mut more);
    }
    let mut keystream = [firsts; G];
    for (g, vectors) in keystream.iter_mut().enumerate() {
        *vectors = sum(&more, &firsts, &groups, g);
    }
    (each(sum(&one, &first, &[d], 0), Quad::first_quad), keystream)
}

/// Xors the keystream of at most `G` groups of blocks to `data`.
#[inline(always)]
pub(super) fn xor_rows<V: Quads, const G: usize>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    state: [u32; 4],
    double_rounds: usize,
    data: InOut<'_>,
) {
    let mut output = Output::from(data);
    rows::<V, G>(
        token,
        key,
        state,
        double_rounds,
        #[inline(always)]
        |keystream| output.take(keystream),
    );
}

/// The first and the last row of one block's matrix after the rounds.
#[inline(always)]
pub(super) fn first_and_last<V: Quads>(token: V::Token, matrix: [[u32; 4]; 4], double_rounds: usize) -> [[u32; 4]; 2] {
    let [a, b, c, d] = each(
        matrix,
        #[inline(always)]
        |row| V::splat_quad(token, row),
    );
    let [[first], _, _, [last]] = mixed(&[a, b, c, d], [d], double_rounds, || ());
    [first.first_quad(), last.first_quad()]
}

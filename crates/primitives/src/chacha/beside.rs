//! The first blocks of a message: one in general registers, and others in vectors, computed meanwhile.

use super::ChaChaVectors;
use super::columns::{self, Columns};
use super::rounds::{Between, even_round, first_rows, odd_round, sum};
use crate::cpu::Portable;
use crate::simd::each;
use crate::words32::{Quad, Quads, Words32};

/// Blocks by rows that are computed between the rounds of columns: one in general registers, and `G` groups of blocks in vectors.
struct Beside<V, const G: usize> {
    one: [[Quad; 1]; 4],
    more: [[V; G]; 4],
    call: usize,
}

impl<V: Quads, const G: usize> Between for Beside<V, G> {
    #[inline(always)]
    fn call<W: Words32>(&mut self, row: &mut [W]) {
        row.iter_mut().for_each(|vector| *vector = vector.pin());
        match self.call % 4 {
            0 => even_round(&mut self.one),
            1 => even_round(&mut self.more),
            2 => odd_round(&mut self.one),
            _ => odd_round(&mut self.more),
        }
        self.call += 1;
    }
}

/// The keystream of one block, computed in general registers, and of the blocks after it, computed meanwhile: first those of the lanes of
/// columns, then `G` groups by rows. The last groups of the result are not used if `G` is smaller than 2.
#[inline(always)]
pub(crate) fn one_and_columns<V: Quads<Token: ChaChaVectors>, const G: usize>(
    token: V::Token,
    key: &[[u32; 4]; 2],
    [counter, x, y, z]: [u32; 4],
    double_rounds: usize,
) -> ([[u32; 4]; 4], [[V; 4]; 6]) {
    let state = |blocks: usize| [counter.wrapping_add(blocks as u32), x, y, z];
    let (first, [d]) = first_rows::<Quad, 1>(Portable::new(), key, state(0));
    let (firsts, groups) = first_rows::<V, G>(token, key, state(1 + V::LANES));
    let mut beside = Beside {
        one: [[first[0]], [first[1]], [first[2]], [d]],
        more: [[firsts[0]; G], [firsts[1]; G], [firsts[2]; G], groups],
        call: 0,
    };
    let mut m = columns::matrix::<V>(token, key, state(1));
    V::rounds(&mut m, double_rounds, &mut beside);
    let mut keystream = [firsts; 6];
    for (g, vectors) in keystream[4..][..G].iter_mut().enumerate() {
        *vectors = sum(&beside.more, &firsts, &groups, g);
    }
    let m = [V::transpose(m[0]), V::transpose(m[1]), V::transpose(m[2]), V::transpose(m[3])];
    let (firsts, groups) = first_rows::<V, 4>(token, key, state(1));
    for (g, vectors) in keystream[..4].iter_mut().enumerate() {
        *vectors = sum(&m, &firsts, &groups, g);
    }
    (each(sum(&beside.one, &first, &[d], 0), Quad::first_quad), keystream)
}

//! BLAKE2, written over rows of four words.

use super::Compress;
use crate::cpu::{Portable, Token};
use crate::hash::Number;

/// SIGMA of RFC 7693, section 2.7: the order in which a round takes the words of the message, x and y for each column
/// and then for each diagonal.
const SIGMA: [[u8; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The order of a round's words by rows: x of the columns, y of the columns, then x and y of the diagonals through
/// v(4), v(5), v(6) and v(7), which are SIGMA's fourth, first, second and third diagonal.
pub(super) type Order = [u8; 16];

/// SIGMA by rows; rounds 10 and 11 of BLAKE2b repeat rounds 0 and 1. It is a constant and not a static: if the rounds
/// are compiled in another codegen unit than a static, they load its 160 numbers for every block and compute addresses
/// in the message from them.
pub(super) const ORDERS: [Order; 12] = {
    let mut orders = [[0; 16]; 12];
    let mut round = 0;
    while round < 12 {
        let mut i = 0;
        while i < 4 {
            let sigma = &SIGMA[round % 10];
            let diagonal = 8 + 2 * ((i + 3) % 4);
            orders[round][i] = sigma[2 * i];
            orders[round][4 + i] = sigma[2 * i + 1];
            orders[round][8 + i] = sigma[diagonal];
            orders[round][12 + i] = sigma[diagonal + 1];
            i += 1;
        }
        round += 1;
    }
    orders
};

/// A word of BLAKE2, with the constants of its variant.
pub trait Word: Number + Copy + Default + PartialEq + Send + Sync + 'static {
    /// The initial value of the state: that of SHA-512 or of SHA-256.
    const IV: [Self; 8];

    /// The number of rounds: 12 or 10.
    const ROUNDS: usize;

    /// The bytes of a word.
    type Bytes: AsRef<[u8]>;

    /// The word, little-endian.
    fn to_le_bytes(self) -> Self::Bytes;

    /// Word `i` of a block, little-endian.
    fn load(block: &[u8], i: usize) -> Self;

    /// The word with its low 32 bits xored with `bits`.
    fn xor_low(self, bits: u32) -> Self;

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// `self + other`.
    fn add(self, other: Self) -> Self;

    /// The word rotated right by the `I`th of G's four distances.
    fn rotate<const I: usize>(self) -> Self;

    /// The values to be xored to the last row: the counter's two words, and the flags of the last block and the last
    /// node.
    fn fourth_row(bytes: u64, last: bool) -> [Self; 4];
}

impl Word for u64 {
    const IV: [Self; 8] = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
    const ROUNDS: usize = 12;
    type Bytes = [u8; 8];

    #[inline(always)]
    fn to_le_bytes(self) -> [u8; 8] {
        self.to_le_bytes()
    }

    #[inline(always)]
    fn load(block: &[u8], i: usize) -> Self {
        Self::from_le_bytes(block.as_chunks().0[i])
    }

    #[inline(always)]
    fn xor_low(self, bits: u32) -> Self {
        self ^ Self::from(bits)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        self.rotate_right(const { [32, 24, 16, 63][I] })
    }

    #[inline(always)]
    fn fourth_row(bytes: u64, last: bool) -> [Self; 4] {
        [bytes, 0, if last { !0 } else { 0 }, 0]
    }
}

impl Word for u32 {
    const IV: [Self; 8] = {
        let mut iv = [0; 8];
        let mut i = 0;
        while i < 8 {
            iv[i] = (u64::IV[i] >> 32) as u32;
            i += 1;
        }
        iv
    };
    const ROUNDS: usize = 10;
    type Bytes = [u8; 4];

    #[inline(always)]
    fn to_le_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }

    #[inline(always)]
    fn load(block: &[u8], i: usize) -> Self {
        Self::from_le_bytes(block.as_chunks().0[i])
    }

    #[inline(always)]
    fn xor_low(self, bits: u32) -> Self {
        self ^ bits
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        self.rotate_right(const { [16, 12, 8, 7][I] })
    }

    #[inline(always)]
    fn fourth_row(bytes: u64, last: bool) -> [Self; 4] {
        [bytes as u32, (bytes >> 32) as u32, if last { !0 } else { 0 }, 0]
    }
}

/// One row of the state: four words.
pub(super) trait Row<W: Word>: Copy {
    /// The token that proves that the CPU has such rows.
    type Token: Token;

    /// A block's sixteen words, in the form from which [`Row::rows`] picks them.
    type Message<'a>: Copy;

    fn message(block: &[u8]) -> Self::Message<'_>;

    /// The words of the message in the order of a round, as four rows.
    fn rows(token: Self::Token, message: Self::Message<'_>, order: &Order) -> [Self; 4];

    fn load(token: Self::Token, words: &[W; 4]) -> Self;

    fn store(self) -> [W; 4];

    fn add(self, other: Self) -> Self;

    fn xor(self, other: Self) -> Self;

    /// Each word rotated right by the `I`th of G's four distances.
    fn rotate<const I: usize>(self) -> Self;

    /// `(self ^ late).rotate::<I>()`, where `late` is the operand that is ready last.
    ///
    /// It equals `self.rotate::<I>() ^ (late >> R) ^ (late << L)`. Where xor takes three operands, shifts take one
    /// cycle and rotations take two, the result is ready two cycles after `late` and not three.
    #[inline(always)]
    fn xor_rotate<const I: usize>(self, late: Self) -> Self {
        self.xor(late).rotate::<I>()
    }

    /// Rotates the row: lane i gets what lane i + `N` had.
    fn turn<const N: i32>(self) -> Self;
}

/// G on four columns.
#[inline(always)]
fn g<W: Word, R: Row<W>>([a, b, c, d]: [R; 4], x: R, y: R) -> [R; 4] {
    let a = a.add(x).add(b);
    let d = d.xor_rotate::<0>(a);
    let c = c.add(d);
    let b = b.xor_rotate::<1>(c);
    let a = a.add(y).add(b);
    let d = d.xor_rotate::<2>(a);
    let c = c.add(d);
    let b = b.xor_rotate::<3>(c);
    [a, b, c, d]
}

#[inline(always)]
fn round<W: Word, R: Row<W>>(token: R::Token, v: [R; 4], message: R::Message<'_>, order: &Order) -> [R; 4] {
    let [x, y, diagonal_x, diagonal_y] = R::rows(token, message, order);
    let [a, b, c, d] = g(v, x, y);
    let [a, b, c, d] = g([a.turn::<3>(), b, c.turn::<1>(), d.turn::<2>()], diagonal_x, diagonal_y);
    [a.turn::<1>(), b, c.turn::<3>(), d.turn::<2>()]
}

/// The sixteen words of a block.
#[inline(always)]
pub(super) fn words<W: Word>(block: &[u8]) -> [W; 16] {
    let mut words = [W::default(); 16];
    for (i, word) in words.iter_mut().enumerate() {
        *word = W::load(block, i);
    }
    words
}

/// See [`Compress::compress`].
#[inline(always)]
pub(super) fn compress<W: Word, R: Row<W>>(
    token: R::Token,
    state: &mut [W; 8],
    blocks: &[u8],
    mut before: u64,
    last: Option<usize>,
) {
    let block_size = 16 * size_of::<W>();
    let halves = |words: &[W; 8]| {
        let [a, b, c, d, e, f, g, h] = *words;
        [R::load(token, &[a, b, c, d]), R::load(token, &[e, f, g, h])]
    };
    let mut h = halves(state);
    let iv = halves(&W::IV);
    let mut left = blocks.len() / block_size;
    for block in blocks.chunks_exact(block_size) {
        left -= 1;
        let last = if left == 0 { last } else { None };
        before = before.wrapping_add(last.unwrap_or(block_size) as u64);
        let m = R::message(block);
        let row = R::load(token, &W::fourth_row(before, last.is_some()));
        let mut v = [h[0], h[1], iv[0], iv[1].xor(row)];
        // Written out, so that the indices into the message are constants.
        macro_rules! rounds {
            ($($i:literal)*) => {$(
                if $i < W::ROUNDS {
                    v = round(token, v, m, const { &ORDERS[$i] });
                }
            )*};
        }
        rounds!(0 1 2 3 4 5 6 7 8 9 10 11);
        h = [h[0].xor(v[0]).xor(v[2]), h[1].xor(v[1]).xor(v[3])];
    }
    state[..4].copy_from_slice(&h[0].store());
    state[4..].copy_from_slice(&h[1].store());
}

/// A row in four general registers. Rotating it only renames them. Its methods have no loops: a round has 39 of them, and the
/// compiler unrolls one after the other.
#[derive(Clone, Copy)]
struct Plain<W>([W; 4]);

impl<W: Word> Plain<W> {
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(W, W) -> W) -> Self {
        let ([a, b, c, d], [x, y, z, w]) = (self.0, other.0);
        Self([f(a, x), f(b, y), f(c, z), f(d, w)])
    }
}

impl<W: Word> Row<W> for Plain<W> {
    type Token = Portable;
    type Message<'a> = [W; 16];

    #[inline(always)]
    fn message(block: &[u8]) -> [W; 16] {
        words(block)
    }

    #[inline(always)]
    fn rows(_: Portable, message: [W; 16], order: &Order) -> [Self; 4] {
        let word = |i: usize| message[usize::from(order[i] % 16)];
        let row = |i: usize| Self([word(i), word(i + 1), word(i + 2), word(i + 3)]);
        [row(0), row(4), row(8), row(12)]
    }

    #[inline(always)]
    fn load(_: Portable, words: &[W; 4]) -> Self {
        Self(*words)
    }

    #[inline(always)]
    fn store(self) -> [W; 4] {
        self.0
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, W::add)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.with(other, W::xor)
    }

    #[inline(always)]
    fn rotate<const I: usize>(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a.rotate::<I>(), b.rotate::<I>(), c.rotate::<I>(), d.rotate::<I>()])
    }

    #[inline(always)]
    fn turn<const N: i32>(self) -> Self {
        let word = |i: i32| self.0[(i + N) as usize % 4];
        Self([word(0), word(1), word(2), word(3)])
    }
}

impl<W: Word> Compress<W> for Portable {
    #[inline(never)]
    fn compress(self, state: &mut [W; 8], blocks: &[u8], before: u64, last: Option<usize>) {
        compress::<W, Plain<W>>(self, state, blocks, before, last);
    }
}

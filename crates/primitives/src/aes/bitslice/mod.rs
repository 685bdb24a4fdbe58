//! Bit-sliced AES: constant-time, a batch of blocks at a time, one text for every width of word.
//!
//! # Layout
//!
//! A batch is 8 words. Word `i` holds bit `i` of every byte of every block, so that the S-box is a
//! circuit of gates between words ([`sbox`](super::sbox)), and no table is looked up. Within a
//! word, the bits of one byte position of all blocks are neighbours:
//!
//! ```text
//! vectors, per 128 bits: 8 blocks,         u64: 4 blocks, 4 bits a position,
//! 8 bits a position, in memory order       in row order
//!
//!   row 0   0  4  8 12                       row 0   0  1  2  3
//!   row 1   1  5  9 13                       row 1   4  5  6  7
//!   row 2   2  6 10 14                       row 2   8  9 10 11
//!   row 3   3  7 11 15                       row 3  12 13 14 15
//! ```
//!
//! In a vector, one byte shuffle moves positions anywhere. In a `u64`, a rotation by 16 bits moves them to the next
//! row. To get from bytes in memory to this layout, exchange bits of the word's number with bits of the position within
//! the word. The lowest three bits of the position (which number the 8 bits of a byte) change places with the three
//! bits of the word's number (which number 8 blocks in 8 vectors). Each exchange is a swap of masked bits
//! ([`Slice::swap`]). The same three exchanges lead back.
//!
//! # Rounds without ShiftRows
//!
//! SubBytes works on every position alike, so ShiftRows `R` may be put off (the *fixslicing* of
//! A. Adomnicai and T. Peyrin, TCHES 2021). Instead of the state `T` after round `r`, keep
//! `S = R⁻ʳT`. Then, with `R` linear and commuting with SubBytes `B`,
//!
//! ```text
//! T' = M·R·B(T) + K   becomes   S' = (R⁻ʳ M Rʳ)·B(S) + R⁻ʳK      (r counts from 1)
//! ```
//!
//! MixColumns `M` is built of `ρ`, which takes each byte to the row above: `M = 2(1+ρ) + ρ + ρ²(1+ρ)`.
//! Row `i` of `Rʳ` is moved by `r·i` columns, so `R⁻ʳ ρ Rʳ` is `ρ` together with a move by `r` columns,
//! the same in every row: a shuffle like `ρ` itself ([`Slice::turn`]). All that is left of ShiftRows is
//! `R⁻ʳ` on the round keys, done at key setup, and after 10 or 14 rounds `R²` on the result.
//!
//! Decryption runs the same rounds backwards, on the same keys. The constant 0x63 of the S-box, which is
//! a fixed point of MixColumns and ShiftRows, is part of the round keys as well.

mod modes;
mod portable;
mod word;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(all(target_arch = "arm", unix))]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::RoundKeys;
use super::generic::{to_block, to_columns};
use super::sbox::{inv_sub_bytes, sub_bytes, sub_word};
use crate::cpu::Token;
use crate::hash::wipe;
use word::{Slice, Word, eight, transpose};
use zeroize::ZeroizeOnDrop;

/// A token of a CPU that bit-slices AES on words of up to three widths.
pub trait BitsliceToken: Token {
    /// The widest word, for whole batches.
    type Wide: Word<Token = Self>;

    /// The word for the rest of a message, if that is at most half a batch of [`Wide`](Self::Wide).
    type Half: Word<Token = Self, Key = KeyBit<Self>>;

    /// The word for the rest of a message, if that is at most a quarter of a batch of [`Wide`](Self::Wide).
    type Quarter: Word<Token = Self, Key = KeyBit<Self>>;
}

type KeyBit<T> = <<T as BitsliceToken>::Wide as Word>::Key;

/// A bit-sliced AES key, for both directions.
#[derive(Clone)]
pub struct Bitslice<T: BitsliceToken> {
    token: T,
    keys: SlicedKeys<KeyBit<T>>,
}

/// Round keys. Word `i` holds bit `i` of each byte, with the ShiftRows undone that the rounds put off.
#[derive(Clone)]
pub struct SlicedKeys<K: Copy + Default> {
    keys: [[K; 8]; 15],
    rounds: usize,
}

impl<K: Copy + Default> Drop for SlicedKeys<K> {
    fn drop(&mut self) {
        wipe(&mut self.keys);
    }
}

impl<K: Copy + Default> ZeroizeOnDrop for SlicedKeys<K> {}

impl<T: BitsliceToken> Bitslice<T> {
    /// Blocks in a full batch. Fewer blocks cost as much as a full batch, unless the CPU has a narrower word that holds
    /// them.
    pub const PARALLEL: usize = T::Wide::BLOCKS;

    /// Expands a key of 16, 24 or 32 bytes; `None` for any other length.
    pub fn new(token: T, key: &[u8]) -> Option<Self> {
        token.vectorize(
            #[inline(always)]
            || {
                let round_keys = RoundKeys::expand(key, sub_word)?;
                let mut keys = SlicedKeys { keys: [[Default::default(); 8]; 15], rounds: round_keys.rounds() };
                for (r, (sliced, key)) in keys.keys.iter_mut().zip(round_keys.keys()).enumerate() {
                    let columns = to_columns(key);
                    let constant = if r == 0 { 0 } else { 0x63636363 };
                    // R⁻ʳ: row `i` of column `c` comes from column `c - r·i`.
                    let shifted = to_block(core::array::from_fn(|c| {
                        let row = |i: usize| columns[c.wrapping_sub(r * i) % 4] & (0xff << (8 * i));
                        row(0) ^ row(1) ^ row(2) ^ row(3) ^ constant
                    }));
                    *sliced = T::Wide::slice_key(token, &shifted);
                }
                Some(Self { token, keys })
            },
        )
    }
}

/// Encrypts a batch, which is in the order of memory before and after.
#[inline(always)]
fn encrypt<W: Slice>(token: W::Token, keys: &SlicedKeys<W::Key>, state: [W; 8]) -> [W; 8] {
    let [first, rest @ ..] = &keys.keys;
    let [inner @ .., last] = &rest[..keys.rounds] else { unreachable!("there are at least 10 rounds") };
    let mut state = add_key(token, transpose(token, state), first);
    let mut inner = inner.iter();
    let mut round = 1;
    // The last round has no MixColumns. The loop has one copy of the circuit for all rounds, which keeps the code
    // small.
    loop {
        state = sub_bytes(state);
        let Some(key) = inner.next() else { break };
        state = mix_columns(token, state, round);
        state = add_key(token, state, key);
        round += 1;
    }
    state = add_key(token, state, last);
    transpose(token, shift_rows(token, state, keys.rounds))
}

/// The inverse of [`encrypt`], step by step.
#[inline(always)]
fn decrypt<W: Slice>(token: W::Token, keys: &SlicedKeys<W::Key>, state: [W; 8]) -> [W; 8] {
    let [first, rest @ ..] = &keys.keys;
    let [inner @ .., last] = &rest[..keys.rounds] else { unreachable!("there are at least 10 rounds") };
    let mut state = shift_rows(token, transpose(token, state), keys.rounds);
    state = add_key(token, state, last);
    let mut inner = inner.iter().rev();
    let mut round = keys.rounds;
    loop {
        state = inv_sub_bytes(state);
        let Some(key) = inner.next() else { break };
        round -= 1;
        state = add_key(token, state, key);
        state = inv_mix_columns(token, state, round);
    }
    transpose(token, add_key(token, state, first))
}

/// AddRoundKey.
#[inline(always)]
fn add_key<W: Slice>(token: W::Token, state: [W; 8], key: &[W::Key; 8]) -> [W; 8] {
    eight(
        #[inline(always)]
        |i| state[i].xor(W::key(token, &key[i])),
    )
}

/// ShiftRows `rounds` times: the identity for a multiple of 4, otherwise `R²`, which moves rows 1 and 3 by two columns.
/// (The number of rounds is even.)
#[inline(always)]
fn shift_rows<W: Slice>(token: W::Token, state: [W; 8], rounds: usize) -> [W; 8] {
    if rounds.is_multiple_of(4) {
        return state;
    }
    eight(
        #[inline(always)]
        |i| state[i].shift_rows_twice(token),
    )
}

/// MixColumns in round `round`: `R⁻ʳ M Rʳ`.
#[inline(always)]
fn mix_columns<W: Slice>(token: W::Token, state: [W; 8], round: usize) -> [W; 8] {
    by_column_move::<W>(
        round,
        #[inline(always)]
        |cols| mix(token, state, cols),
    )
}

/// InvMixColumns in round `round`. The cube of MixColumns' polynomial is its inverse, and its square is `4X² + 5`, so
/// this is MixColumns of `a + 4·(a + ρ²a)`.
#[inline(always)]
fn inv_mix_columns<W: Slice>(token: W::Token, state: [W; 8], round: usize) -> [W; 8] {
    by_column_move::<W>(
        round,
        #[inline(always)]
        |cols| {
            let opposite = xor(state, turn(token, state, 2, 2 * cols));
            mix(token, xor(state, xtime(xtime(opposite))), cols)
        },
    )
}

/// MixColumns `2(1 + ρ) + ρ + ρ²(1 + ρ)`, where `ρ` also moves by `cols` columns.
#[inline(always)]
fn mix<W: Slice>(token: W::Token, state: [W; 8], cols: usize) -> [W; 8] {
    let next = turn(token, state, 1, cols);
    let sum = xor(state, next);
    xor(xor(xtime(sum), next), turn(token, sum, 2, 2 * cols))
}

/// Calls `body` with `round` modulo 4, and with a constant where [`Slice::TURNS_ARE_CODE`].
#[inline(always)]
fn by_column_move<W: Slice>(round: usize, body: impl Fn(usize) -> [W; 8]) -> [W; 8] {
    if !W::TURNS_ARE_CODE {
        return body(round % 4);
    }
    match round % 4 {
        0 => body(0),
        1 => body(1),
        2 => body(2),
        _ => body(3),
    }
}

/// `2·a` in GF(2⁸): each bit moves up by one; the highest comes back as 0x1b.
#[inline(always)]
fn xtime<W: Slice>([a, b, c, d, e, f, g, h]: [W; 8]) -> [W; 8] {
    [h, a.xor(h), b, c.xor(h), d.xor(h), e, f, g]
}

/// All 8 words moved by `rows` rows and `cols` columns.
#[inline(always)]
fn turn<W: Slice>(token: W::Token, state: [W; 8], rows: usize, cols: usize) -> [W; 8] {
    eight(
        #[inline(always)]
        |i| state[i].turn(token, rows, cols % 4),
    )
}

#[inline(always)]
fn xor<W: Word>(a: [W; 8], b: [W; 8]) -> [W; 8] {
    eight(
        #[inline(always)]
        |i| a[i].xor(b[i]),
    )
}

#[cfg(test)]
pub(super) mod tests;

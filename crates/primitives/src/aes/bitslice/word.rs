//! The operations that bit-sliced AES needs of a word.

use super::SlicedKeys;
use crate::aes::sbox::Gates;
use crate::cpu::Token;

/// A word that holds one bit of every byte of [`Word::BLOCKS`] blocks.
pub trait Word: Gates {
    /// The token that proves that the CPU has such words.
    type Token: Token;

    /// The stored form of a word of a round key, which is the same for all blocks.
    type Key: Copy + Default + Send + Sync;

    /// A buffer for a batch of bytes.
    type Pad: AsMut<[u8]>;

    /// A buffer of zeros.
    const PAD: Self::Pad;

    /// Blocks in a batch.
    const BLOCKS: usize;

    /// Loads the first `16 * BLOCKS` bytes of `src` in the order in which [`transpose`] turns blocks into words of
    /// bits.
    fn load(token: Self::Token, src: &[u8]) -> [Self; 8];

    /// The inverse of [`Word::load`].
    fn store(words: [Self; 8], dst: &mut [u8]);

    /// The same as [`Word::load`] of the big-endian blocks `first`, `first + 1` and so on.
    fn counters(token: Self::Token, first: u128) -> [Self; 8];

    /// Slices a round key of 16 bytes.
    fn slice_key(token: Self::Token, key: &[u8; 16]) -> [Self::Key; 8];

    /// Encrypts a batch, which is as [`Word::load`] leaves it before and after.
    fn encrypt(token: Self::Token, keys: &SlicedKeys<Self::Key>, state: [Self; 8]) -> [Self; 8];

    /// Decrypts a batch, which is as [`Word::load`] leaves it before and after.
    fn decrypt(token: Self::Token, keys: &SlicedKeys<Self::Key>, state: [Self; 8]) -> [Self; 8];
}

/// A word that is in a register from one operation to the next, so that the rounds can be written with these.
pub trait Slice: Word {
    /// Whether [`Slice::turn`] is faster with constant arguments. Where they only select a mask, it is not.
    const TURNS_ARE_CODE: bool;

    /// In each group of `2·N` neighbouring bits, swaps the higher `N` of `a` with the lower `N` of `b`.
    fn swap<const N: i32>(token: Self::Token, a: Self, b: Self) -> (Self, Self);

    /// Moves to each position the bits of the position `rows` (1 or 2) below and `cols` (0 to 3) to the right.
    fn turn(self, token: Self::Token, rows: usize, cols: usize) -> Self;

    /// ShiftRows twice: rows 1 and 3 move by two columns.
    fn shift_rows_twice(self, token: Self::Token) -> Self;

    /// A word of a round key, repeated for all blocks.
    fn key(token: Self::Token, key: &Self::Key) -> Self;
}

/// The methods of [`Word`] that are the same for every [`Slice`].
macro_rules! by_slices {
    () => {
        #[inline(always)]
        fn encrypt(
            token: Self::Token,
            keys: &$crate::aes::bitslice::SlicedKeys<Self::Key>,
            state: [Self; 8],
        ) -> [Self; 8] {
            $crate::aes::bitslice::encrypt(token, keys, state)
        }

        #[inline(always)]
        fn decrypt(
            token: Self::Token,
            keys: &$crate::aes::bitslice::SlicedKeys<Self::Key>,
            state: [Self; 8],
        ) -> [Self; 8] {
            $crate::aes::bitslice::decrypt(token, keys, state)
        }
    };
}
pub(super) use by_slices;

/// The array of `word(0)` to `word(7)`. It is not `array::from_fn` or `array::map`, because the compiler may leave
/// those out of line. Then it compiles them, and whatever they call, without the CPU's features.
#[inline(always)]
pub fn eight<W>(word: impl Fn(usize) -> W) -> [W; 8] {
    [word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)]
}

/// [`Word::counters`] by way of memory, for any `first`.
#[inline(always)]
pub fn stored_counters<W: Word>(token: W::Token, first: u128) -> [W; 8] {
    let mut pad = W::PAD;
    for (i, block) in pad.as_mut().as_chunks_mut().0.iter_mut().enumerate() {
        *block = first.wrapping_add(i as u128).to_be_bytes();
    }
    W::load(token, pad.as_mut())
}

/// The mask of the bits that are in the lower half of their group of `2·n`.
pub const fn lower(n: u32) -> u64 {
    !0 / ((1 << n) + 1)
}

/// Exchanges the three bits of the words' numbers with the three lowest bits of positions in words. It is its own
/// inverse.
#[inline(always)]
pub fn transpose<W: Slice>(token: W::Token, [a, b, c, d, e, f, g, h]: [W; 8]) -> [W; 8] {
    let (a, b) = W::swap::<1>(token, a, b);
    let (c, d) = W::swap::<1>(token, c, d);
    let (e, f) = W::swap::<1>(token, e, f);
    let (g, h) = W::swap::<1>(token, g, h);

    let (a, c) = W::swap::<2>(token, a, c);
    let (b, d) = W::swap::<2>(token, b, d);
    let (e, g) = W::swap::<2>(token, e, g);
    let (f, h) = W::swap::<2>(token, f, h);

    let (a, e) = W::swap::<4>(token, a, e);
    let (b, f) = W::swap::<4>(token, b, f);
    let (c, g) = W::swap::<4>(token, c, g);
    let (d, h) = W::swap::<4>(token, d, h);
    [a, b, c, d, e, f, g, h]
}

/// Byte shuffles for [`Slice::turn`]: `turns()[rows - 1][cols]` says which byte goes to each position of a block in
/// memory order. Row `r` of column `c` is byte `4·c + r`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "arm", unix)))]
pub const fn turns() -> [[u128; 4]; 2] {
    let mut turns = [[0; 4]; 2];
    let mut i = 0;
    while i < 128 {
        let (rows, cols, at) = (i / 64 + 1, i / 16 % 4, i % 16);
        let from = (at + 4 * cols) % 16 / 4 * 4 + (at + rows) % 4;
        turns[rows - 1][cols] |= (from as u128) << (8 * at);
        i += 1;
    }
    turns
}

/// The byte shuffle that reverses a block.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub const REVERSE: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;

/// Block numbers 0 to 31, to be added to a counter.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub static NUMBERS: [u128; 32] = {
    let mut numbers = [0; 32];
    let mut i = 0;
    while i < 32 {
        numbers[i] = i as u128;
        i += 1;
    }
    numbers
};

/// The byte shuffle that does ShiftRows twice.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "arm", unix)))]
pub const fn shift_rows_twice() -> u128 {
    let mut shuffle = 0;
    let mut at = 0;
    while at < 16 {
        let from = (at + 8 * (at % 2)) % 16;
        shuffle |= (from as u128) << (8 * at);
        at += 1;
    }
    shuffle
}

/// Byte `j` of word `i`, from the lowest, is bit `i` of byte `j` of `key`, for all 8 blocks: 0 or 0xff. (The words are
/// `u128`s because those are wiped faster than bytes.)
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "arm", unix)))]
#[inline(always)]
pub fn spread_bits(key: &[u8; 16]) -> [u128; 8] {
    let key = u128::from_le_bytes(*key);
    let spread = |half: u64| {
        let bits = half & 0x0101_0101_0101_0101;
        u128::from((bits << 8).wrapping_sub(bits)) // times 255
    };
    eight(
        #[inline(always)]
        |i| spread((key >> i) as u64) | spread((key >> 64 >> i) as u64) << 64,
    )
}

//! AES by table lookups (`aes-generic`), for data that is not secret, and for CPUs without anything better.
//!
//! **Not constant-time**: addresses depend on keys and data, and caches make addresses visible in the timing.
//!
//! SubBytes and MixColumns together turn a byte into a column, `S(x)·(2, 1, 1, 3)` for row 0. The columns for the other
//! rows are rotations of that one. So one column of a round is four lookups, three rotations and four xors. There is
//! one table of 1 KiB per direction; four tables would save the rotations and take more of the cache from others.

use super::RoundKeys;
use super::sbox::{INV_SBOX, SBOX, inv_mix_column, inv_mix_columns, mix_column, sub_word};
use crate::InOut;

/// The column that SubBytes and MixColumns make of a byte in row 0; row 0 is the low byte.
static ENC: [u32; 256] = {
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        table[x] = mix_column(SBOX[x] as u32);
        x += 1;
    }
    table
};

/// The same for the inverse cipher.
static DEC: [u32; 256] = {
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        table[x] = inv_mix_column(INV_SBOX[x] as u32);
        x += 1;
    }
    table
};

/// An AES key for table lookups, for both directions.
#[derive(Clone)]
pub struct AesGeneric {
    enc: RoundKeys,
    dec: RoundKeys,
}

impl AesGeneric {
    /// Expands a key of 16, 24 or 32 bytes; `None` for any other length. (Key expansion is constant-time.)
    pub fn new(key: &[u8]) -> Option<Self> {
        let enc = RoundKeys::expand(key, sub_word)?;
        let dec = enc.inverted(inv_mix_columns);
        Some(Self { enc, dec })
    }

    /// Encrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn encrypt_blocks(&self, mut blocks: InOut<'_>) {
        while let Some(mut block) = blocks.take(16) {
            let out = crypt::<1>(&self.enc, &ENC, &SBOX, block.get(0));
            block.put(0, &out);
        }
    }

    /// Decrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn decrypt_blocks(&self, mut blocks: InOut<'_>) {
        while let Some(mut block) = blocks.take(16) {
            let out = crypt::<3>(&self.dec, &DEC, &INV_SBOX, block.get(0));
            block.put(0, &out);
        }
    }
}

/// Encrypts or decrypts one block. Row `r` of column `c` comes from column `c + STEP·r`: ShiftRows is `STEP = 1`, its
/// inverse `STEP = 3`.
#[inline(always)]
fn crypt<const STEP: usize>(keys: &RoundKeys, columns: &[u32; 256], sbox: &[u8; 256], block: [u8; 16]) -> [u8; 16] {
    let [first, inner @ .., last] = keys.keys() else { unreachable!("a schedule has at least 11 keys") };
    let mut state = add(to_columns(&block), first);
    let byte = |state: &[u32; 4], c: usize, row: usize| (state[(c + STEP * row) % 4] >> (8 * row)) as u8 as usize;
    for key in inner {
        let mixed = core::array::from_fn(|c| {
            columns[byte(&state, c, 0)]
                ^ columns[byte(&state, c, 1)].rotate_left(8)
                ^ columns[byte(&state, c, 2)].rotate_left(16)
                ^ columns[byte(&state, c, 3)].rotate_left(24)
        });
        state = add(mixed, key);
    }
    let subbed = core::array::from_fn(|c| u32::from_le_bytes(core::array::from_fn(|row| sbox[byte(&state, c, row)])));
    to_block(add(subbed, last))
}

/// The four columns of a block; row 0 is the low byte of each.
#[inline(always)]
pub(super) fn to_columns(block: &[u8; 16]) -> [u32; 4] {
    let (columns, _) = block.as_chunks::<4>();
    core::array::from_fn(|c| u32::from_le_bytes(columns[c]))
}

/// The block that consists of four columns.
#[inline(always)]
pub(super) fn to_block(columns: [u32; 4]) -> [u8; 16] {
    let mut block = [0; 16];
    for (bytes, column) in block.as_chunks_mut::<4>().0.iter_mut().zip(columns) {
        *bytes = column.to_le_bytes();
    }
    block
}

/// AddRoundKey.
#[inline(always)]
pub(super) fn add(state: [u32; 4], key: &[u8; 16]) -> [u32; 4] {
    let key = to_columns(key);
    core::array::from_fn(|c| state[c] ^ key[c])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One column by four lookups, which are SubBytes, ShiftRows and MixColumns together.
    #[test]
    fn rounds_of_fips_197() {
        crate::aes::fips197::each_round(|example, r, round| {
            let Some(mixed) = example.mixed(r) else { return };
            let state = to_columns(&round.start);
            let byte = |c: usize, row: usize| (state[(c + row) % 4] >> (8 * row)) as u8 as usize;
            let columns: [u32; 4] = core::array::from_fn(|c| {
                (0..4).fold(0, |sum, row| sum ^ ENC[byte(c, row)].rotate_left(8 * row as u32))
            });
            assert_eq!(to_block(columns), mixed, "round {}", r + 1);
            assert_eq!(to_block(add(columns, &round.key)), example.after_round(r), "round {}", r + 1);
        });
    }

    #[test]
    fn agrees_with_fips_197_and_another_implementation() {
        crate::aes::bitslice::tests::check_blocks(
            AesGeneric::new,
            |key, io| key.encrypt_blocks(io),
            |key, io| key.decrypt_blocks(io),
        );
    }

    /// FIPS 197, appendix B.
    #[test]
    fn single_blocks() {
        let key = AesGeneric::new(&0x2b7e151628aed2a6abf7158809cf4f3cu128.to_be_bytes()).unwrap();
        let plain = 0x3243f6a8885a308d313198a2e0370734u128.to_be_bytes();
        let mut block = plain;
        key.encrypt_blocks(InOut::from(&mut block[..]));
        assert_eq!(block, 0x3925841d02dc09fbdc118597196a0b32u128.to_be_bytes());
        key.decrypt_blocks(InOut::from(&mut block[..]));
        assert_eq!(block, plain);
    }
}

//! AES with one S-box of 256 bytes that is kept in the cache (`aes-fixed-time`): one block at a time, for MACs and
//! other chains of single blocks.
//!
//! # What is claimed, and what is not
//!
//! All steps of a round are arithmetic except the S-box. Before each block, the whole table is read, and the sum of what was read is xored into
//! each word of the state: the first round key is stored xored with it, and only xoring it again gives that key back. So neither compiler nor
//! CPU can do the reads after the lookups or leave them out, and the lookups find the whole table in the first-level cache.
//!
//! This is hardening, not constant time. Addresses still depend on secrets. A CPU with conflicting cache banks, an
//! interrupt or a sibling hyperthread that evicts lines *during* a block, and an observer of addresses in an enclave
//! can all still learn something. Checkers that track secrets (valgrind, ctgrind) rightly object.
//! [`Bitslice`](super::Bitslice) has none of these leaks and is the choice wherever several blocks are at hand. Key
//! expansion uses the S-box circuit, without a table.

use super::RoundKeys;
use super::generic::{add, to_block, to_columns};
use super::sbox::{INV_SBOX, SBOX, inv_mix_column, inv_mix_columns, mix_column, sub_word};
use crate::InOut;

/// An S-box aligned to a cache line.
#[repr(align(64))]
struct Sbox([u8; 256]);

static FORWARD: Sbox = Sbox(SBOX);
static INVERSE: Sbox = Sbox(INV_SBOX);

impl Sbox {
    /// Xors all bytes of the table into every column of a round key; a second call removes them. No lookup begins before all of them are there.
    ///
    /// One byte of each cache line would not be enough: a load gets its byte before the rest of a line that comes from the second-level
    /// cache is there, and a lookup in such a line waits. With one byte of each line, `attack` found 70 bits of a key with 2^21 samples on a Zen 5 where other
    /// work displaces lines of the table.
    #[inline(always)]
    fn mask(&self, state: [u32; 4]) -> [u32; 4] {
        let words: *const u64 = self.0.as_ptr().cast();
        let all = (0..self.0.len() / 8).fold(0, |all, at| {
            // SAFETY: the table has these words and their alignment. The read is volatile, so the compiler cannot drop it.
            all ^ unsafe { words.add(at).read_volatile() }
        });
        state.map(|column| column ^ all as u32 ^ (all >> 32) as u32)
    }

    #[inline(always)]
    fn get(&self, index: u32) -> u32 {
        self.0[index as u8 as usize].into()
    }
}

/// An AES key for single blocks, for both directions, with the two S-boxes as the only tables.
#[derive(Clone)]
pub struct AesFixedTime {
    /// The schedule for encryption. Its first key is masked, and so is that of `dec`.
    enc: RoundKeys,
    dec: RoundKeys,
}

impl AesFixedTime {
    /// Expands a key of 16, 24 or 32 bytes; `None` for any other length.
    pub fn new(key: &[u8]) -> Option<Self> {
        let mut enc = RoundKeys::expand(key, sub_word)?;
        let mut dec = enc.inverted(inv_mix_columns);
        for (keys, sbox) in [(&mut enc, &FORWARD), (&mut dec, &INVERSE)] {
            let first = keys.first_mut();
            *first = to_block(sbox.mask(to_columns(first)));
        }
        Some(Self { enc, dec })
    }

    /// Encrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn encrypt_blocks(&self, mut blocks: InOut<'_>) {
        while let Some(mut block) = blocks.take(16) {
            let out = crypt::<1>(&self.enc, &FORWARD, mix_column, block.get(0));
            block.put(0, &out);
        }
    }

    /// Decrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn decrypt_blocks(&self, mut blocks: InOut<'_>) {
        while let Some(mut block) = blocks.take(16) {
            let out = crypt::<3>(&self.dec, &INVERSE, inv_mix_column, block.get(0));
            block.put(0, &out);
        }
    }
}

/// Encrypts or decrypts one block; `STEP` as in `generic`.
#[inline(always)]
fn crypt<const STEP: usize>(keys: &RoundKeys, sbox: &Sbox, mix: impl Fn(u32) -> u32, block: [u8; 16]) -> [u8; 16] {
    let [first, inner @ .., last] = keys.keys() else { unreachable!("a schedule has at least 11 keys") };
    let mut state = sbox.mask(add(to_columns(&block), first));
    for key in inner {
        let [a, b, c, d] = sub_shift::<STEP>(sbox, state);
        state = add([mix(a), mix(b), mix(c), mix(d)], key);
    }
    to_block(add(sub_shift::<STEP>(sbox, state), last))
}

/// SubBytes and ShiftRows.
#[inline(always)]
fn sub_shift<const STEP: usize>(sbox: &Sbox, state: [u32; 4]) -> [u32; 4] {
    core::array::from_fn(|c| {
        sbox.get(state[c])
            | sbox.get(state[(c + STEP) % 4] >> 8) << 8
            | sbox.get(state[(c + 2) % 4] >> 16) << 16
            | sbox.get(state[(c + 3 * STEP) % 4] >> 24) << 24
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_fips_197_and_another_implementation() {
        crate::aes::bitslice::tests::check_blocks(
            AesFixedTime::new,
            |key, io| key.encrypt_blocks(io),
            |key, io| key.decrypt_blocks(io),
        );
    }

    /// Each step of each round, forwards and backwards.
    #[test]
    fn steps_of_fips_197() {
        crate::aes::fips197::each_round(|example, r, round| {
            let shifted = sub_shift::<1>(&FORWARD, to_columns(&round.start));
            assert_eq!(to_block(shifted), round.shift_rows, "SubBytes and ShiftRows in round {}", r + 1);
            let back = sub_shift::<3>(&INVERSE, to_columns(&round.shift_rows));
            assert_eq!(to_block(back), round.start, "backwards in round {}", r + 1);
            if let Some(mixed) = example.mixed(r) {
                let mixed_columns = shifted.map(mix_column);
                assert_eq!(to_block(mixed_columns), mixed, "MixColumns in round {}", r + 1);
                assert_eq!(
                    to_block(add(mixed_columns, &round.key)),
                    example.after_round(r),
                    "AddRoundKey in round {}",
                    r + 1
                );
                let unmixed = to_columns(&mixed).map(inv_mix_column);
                assert_eq!(to_block(unmixed), round.shift_rows, "InvMixColumns in round {}", r + 1);
            }
        });
    }

    /// FIPS 197, appendix B.
    #[test]
    fn single_blocks() {
        let key = AesFixedTime::new(&0x2b7e151628aed2a6abf7158809cf4f3cu128.to_be_bytes()).unwrap();
        let plain = 0x3243f6a8885a308d313198a2e0370734u128.to_be_bytes();
        let mut block = plain;
        key.encrypt_blocks(InOut::from(&mut block[..]));
        assert_eq!(block, 0x3925841d02dc09fbdc118597196a0b32u128.to_be_bytes());
        key.decrypt_blocks(InOut::from(&mut block[..]));
        assert_eq!(block, plain);
    }
}

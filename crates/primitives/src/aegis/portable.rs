//! Rounds of AES on five blocks at once, without tables. All 80 bytes go through the S-box circuit together: word *i*
//! of eight 128-bit words holds bit *i* of every byte.

use super::Block;
use crate::aes::sbox::{mix_column, sub_bytes};
use crate::cpu::Portable;
use crate::simd::opaque64;

/// A block in memory, for CPUs without AES instructions.
#[derive(Clone, Copy)]
pub struct Bytes([u8; 16]);

/// Transposes the 8 × 8 matrix of bits whose rows are the bytes: bit *i* of byte *j* becomes bit *j* of byte *i*.
/// Blocks of 1, 2 and 4 bits above the diagonal are swapped with those below.
#[inline(always)]
fn transpose(mut bits: u64) -> u64 {
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let moved = (bits ^ bits >> shift) & mask;
        // `moved ^ moved << shift` would become a multiplication, whose time depends on its operands on some CPUs.
        bits = bits ^ moved ^ opaque64(moved) << shift;
    }
    bits
}

/// Applies the S-box to each byte.
fn sub(bytes: &mut [[u8; 16]; 5]) {
    let eights = bytes.as_flattened_mut().as_chunks_mut::<8>().0;
    let mut words = [0u128; 8];
    for (i, eight) in eights.iter().enumerate() {
        for (word, byte) in words.iter_mut().zip(transpose(u64::from_le_bytes(*eight)).to_le_bytes()) {
            *word |= u128::from(byte) << (8 * i);
        }
    }
    let words = sub_bytes(words);
    for (i, eight) in eights.iter_mut().enumerate() {
        let mut bits = [0; 8];
        for (byte, word) in bits.iter_mut().zip(words) {
            *byte = (word >> (8 * i)) as u8;
        }
        // The circuit leaves out the S-box's constant, 0x63.
        *eight = (transpose(u64::from_le_bytes(bits)) ^ 0x6363_6363_6363_6363).to_le_bytes();
    }
}

/// ShiftRows and MixColumns: row *r* of column *c* comes from column *c* + *r*.
fn shift_and_mix(block: &[u8; 16]) -> u128 {
    let byte = |c: usize, r: usize| u32::from(block[4 * ((c + r) % 4) + r]) << (8 * r);
    let column = |c: usize| mix_column(byte(c, 0) | byte(c, 1) | byte(c, 2) | byte(c, 3));
    (0..4).fold(0, |all, c| all | u128::from(column(c)) << (32 * c))
}

impl Block for Bytes {
    type Token = Portable;

    fn from_bytes(_: Portable, bytes: &[u8; 16]) -> Self {
        Self(*bytes)
    }

    fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    fn xor(self, other: Self) -> Self {
        Self((u128::from_ne_bytes(self.0) ^ u128::from_ne_bytes(other.0)).to_ne_bytes())
    }

    fn and(self, other: Self) -> Self {
        Self((u128::from_ne_bytes(self.0) & u128::from_ne_bytes(other.0)).to_ne_bytes())
    }

    fn rounds(blocks: [Self; 5], keys: [Self; 5]) -> [Self; 5] {
        let mut bytes = blocks.map(|block| block.0);
        sub(&mut bytes);
        let mut out = keys;
        for (key, block) in out.iter_mut().zip(&bytes) {
            key.0 = (u128::from_le_bytes(key.0) ^ shift_and_mix(block)).to_le_bytes();
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, appendix B: the start of rounds 1 to 3, and the keys of rounds 1 and 2.
    #[test]
    fn rounds_of_fips_197() {
        let block = |n: u128| Bytes(n.to_be_bytes());
        let starts = [
            block(0x193de3bea0f4e22b9ac68d2ae9f84808),
            block(0xa49c7ff2689f352b6b5bea43026a5049),
            block(0xaa8f5f0361dde3ef82d24ad26832469a),
        ];
        let keys = [block(0xa0fafe1788542cb123a339392a6c7605), block(0xf2c295f27a96b9435935807a7359f67f)];
        for place in 0..5 {
            for (i, key) in keys.iter().enumerate() {
                let (mut blocks, mut all) = ([Bytes([0x5a; 16]); 5], [Bytes([0; 16]); 5]);
                (blocks[place], all[place]) = (starts[i], *key);
                assert_eq!(Bytes::rounds(blocks, all)[place].0, starts[i + 1].0, "round {} in place {place}", i + 1);
            }
        }
    }
}

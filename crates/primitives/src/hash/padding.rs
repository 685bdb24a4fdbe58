//! The end of a message of the Merkle–Damgård construction.

use super::memory::{little_endian, wipe};
use crate::{aligned::Aligned, simd::store_at_once};

/// The number of bytes in the last blocks of a message that ends with `rest` bytes after its whole blocks: one block or
/// two.
#[inline(always)]
pub(super) fn padded_len<const B: usize>(rest: usize, length_bytes: usize) -> usize {
    if rest + 1 + length_bytes > B { 2 * B } else { B }
}

/// Writes the last blocks of a message that ends with `rest` to `blocks`, which are zero and as long as
/// [`padded_len`]: Merkle–Damgård strengthening, that is, a 1 bit, zeros, and the last `length_bytes` bytes of `length`
/// at the end.
///
/// Each 16 bytes are written by one store last, because that is how a compression function loads them. A load that
/// needs the bytes of two stores waits until both are in the cache, and thus for the message before.
#[inline(always)]
pub(super) fn pad(rest: &[u8], length: &[u8; 16], length_bytes: usize, blocks: &mut [u8]) {
    let (pieces, _) = blocks.as_chunks_mut::<16>();
    let (whole, tail) = rest.as_chunks::<16>();
    for (piece, from) in pieces.iter_mut().zip(whole) {
        store_at_once(piece, u128::from_le_bytes(*from));
    }
    let last = pieces.len() - 1;
    // SHA-1 and SHA-256 have the length in half of the last piece.
    let length = u128::from_le_bytes(*length) >> (128 - 8 * length_bytes) << (128 - 8 * length_bytes);
    let end_of_text = little_endian(tail) | 0x80 << (8 * tail.len());
    store_at_once(&mut pieces[last], length);
    let with = if whole.len() == last { length } else { 0 };
    store_at_once(&mut pieces[whole.len()], end_of_text | with);
}

/// Passes the padded end of a message to `compress`, and wipes it.
///
/// A single block takes no more stores than it needs. A CPU holds some 64 stores until they are in the cache; with more
/// of them, the rounds of one short message do not overlap those of the next.
#[inline(always)]
pub(super) fn finish_padded<const B: usize>(
    rest: &[u8],
    length: &[u8; 16],
    length_bytes: usize,
    compress: impl FnOnce(&[u8]),
) {
    if padded_len::<B>(rest.len(), length_bytes) == B {
        let mut block = Aligned([0; B]);
        pad(rest, length, length_bytes, &mut *block);
        compress(&*block);
        wipe(&mut block);
    } else {
        let mut blocks = Aligned([[0; B]; 2]);
        pad(rest, length, length_bytes, blocks.as_flattened_mut());
        compress(blocks.as_flattened());
        wipe(&mut blocks[0]);
        wipe(&mut blocks[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn padding_takes_a_second_block_when_the_length_does_not_fit() {
        for (filled, blocks) in [(0, 1), (55, 1), (56, 2), (63, 2)] {
            let mut out = Vec::new();
            finish_padded::<64>(&[1; 64][..filled], &[9; 16], 8, |b| out.extend_from_slice(b));
            assert_eq!(out.len(), blocks * 64);
            assert_eq!(out[..filled], [1; 64][..filled]);
            assert_eq!(out[filled], 0x80);
            assert!(out[filled + 1..out.len() - 8].iter().all(|&b| b == 0));
            assert!(out[out.len() - 8..].iter().all(|&b| b == 9));
        }
    }
}

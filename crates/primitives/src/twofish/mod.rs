//! Twofish (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson, "Twofish: A 128-Bit Block Cipher",
//! 1998), by table lookups.
//!
//! **Not constant-time**: addresses depend on keys and data, and caches make addresses visible in the timing.
//!
//! Twofish is a Feistel network of 16 rounds on four little-endian words. Its function g sends each byte of a word
//! through one of four key-dependent S-boxes, and multiplies the four results by the MDS matrix. A product with a
//! matrix is the sum of its columns, each multiplied by one byte. So an S-box and its column are one table from a byte
//! to a word, and g is four lookups and three xors. Key setup computes these tables of 4 KiB (the paper's full keying),
//! in the time of 20 to 40 blocks.

mod tables;

use crate::InOut;
use crate::simd::{each, from_fn};
use tables::{MDS_Q, Q, S_BOX, rs_remainder};
use zeroize::{Zeroize, Zeroizing};

/// The length of a block in bytes.
const BLOCK: usize = 16;

/// The words of a block.
type Words = [u32; 4];

/// A Twofish key.
#[derive(Clone)]
pub struct Twofish {
    /// For each byte of a word, the table of its S-box and its column of the MDS matrix.
    columns: Zeroizing<[[u32; 256]; 4]>,
    /// The whitening keys before the first round and after the last.
    whitening: Zeroizing<[Words; 2]>,
    /// For each round, a key for each of the two words of the function F.
    round_keys: Zeroizing<[[u32; 2]; 16]>,
}

impl Twofish {
    /// Expands a key of 16, 24 or 32 bytes; `None` for any other length.
    pub fn new(key: &[u8]) -> Option<Self> {
        match key.len() {
            16 => Some(Self::expand::<2>(key)),
            24 => Some(Self::expand::<3>(key)),
            32 => Some(Self::expand::<4>(key)),
            _ => None,
        }
    }

    /// The key schedule of section 4.3 of the paper, for a key of `8 * K` bytes. The key's even words and its odd words
    /// key the function h, which makes the round keys. Check bytes of every 8 bytes of the key, in reverse order, key
    /// the S-boxes.
    fn expand<const K: usize>(key: &[u8]) -> Self {
        let (pairs, _) = key.as_chunks::<8>();
        let mut even = [[0; 4]; K];
        let mut odd = [[0; 4]; K];
        let mut s = [[0; 4]; K];
        for (i, pair) in pairs.iter().enumerate() {
            (even[i], odd[i]) = ([pair[0], pair[1], pair[2], pair[3]], [pair[4], pair[5], pair[6], pair[7]]);
            s[K - 1 - i] = rs_remainder(pair);
        }

        let mut subkeys = [[0u32; 2]; 20];
        for (i, subkey) in subkeys.iter_mut().enumerate() {
            let a = h(2 * i as u8, &even);
            let b = h(2 * i as u8 + 1, &odd).rotate_left(8);
            let sum = a.wrapping_add(b);
            *subkey = [sum, sum.wrapping_add(b).rotate_left(9)];
        }

        let mut twofish =
            Self { columns: [[0; 256]; 4].into(), whitening: [[0; 4]; 2].into(), round_keys: [[0; 2]; 16].into() };
        for (j, table) in twofish.columns.iter_mut().enumerate() {
            for (x, column) in table.iter_mut().enumerate() {
                *column = s_box_column(j, x as u8, &s);
            }
        }
        let (whitening, round_keys) = subkeys.split_at(4);
        for (words, [half, other]) in twofish.whitening.iter_mut().zip(whitening.as_chunks::<2>().0) {
            *words = [half[0], half[1], other[0], other[1]];
        }
        twofish.round_keys.copy_from_slice(round_keys);

        even.zeroize();
        odd.zeroize();
        s.zeroize();
        subkeys.zeroize();
        twofish
    }

    /// Encrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn encrypt_blocks(&self, data: InOut<'_>) {
        self.blocks::<true>(data);
    }

    /// Decrypts whole blocks of 16 bytes; bytes beyond the last whole block are left alone.
    pub fn decrypt_blocks(&self, data: InOut<'_>) {
        self.blocks::<false>(data);
    }

    /// A block waits for its lookups most of the time, and other blocks fill that time. On x86-64, three in parallel
    /// take half the time of three in sequence, and two take 0.6 of it.
    #[inline(always)]
    fn blocks<const ENCRYPT: bool>(&self, mut data: InOut<'_>) {
        self.batches::<ENCRYPT, 3>(&mut data);
        self.batches::<ENCRYPT, 2>(&mut data);
        self.batches::<ENCRYPT, 1>(&mut data);
    }

    /// Processes `N` blocks at a time, as long as `data` has that many.
    #[inline(always)]
    fn batches<const ENCRYPT: bool, const N: usize>(&self, data: &mut InOut<'_>) {
        while let Some(mut batch) = data.take(N * BLOCK) {
            let words = from_fn::<_, N>(|i| load(batch.get(i * BLOCK)));
            let words = if ENCRYPT { self.encrypt(words) } else { self.decrypt(words) };
            for (i, words) in words.into_iter().enumerate() {
                batch.put(i * BLOCK, &store(words));
            }
        }
    }

    /// Encrypts `N` blocks in parallel.
    #[inline(always)]
    fn encrypt<const N: usize>(&self, mut blocks: [Words; N]) -> [Words; N] {
        let [before, after] = *self.whitening;
        blocks = each(blocks, |words| xor(words, before));
        for keys in self.round_keys.as_chunks::<2>().0 {
            for block in &mut blocks {
                let [a, b, c, d] = *block;
                let [f0, f1] = self.f(a, b, keys[0]);
                let (c, d) = ((c ^ f0).rotate_right(1), d.rotate_left(1) ^ f1);
                let [f0, f1] = self.f(c, d, keys[1]);
                *block = [(a ^ f0).rotate_right(1), b.rotate_left(1) ^ f1, c, d];
            }
        }
        each(blocks, |[a, b, c, d]| xor([c, d, a, b], after))
    }

    /// Decrypts `N` blocks in parallel.
    #[inline(always)]
    fn decrypt<const N: usize>(&self, mut blocks: [Words; N]) -> [Words; N] {
        let [before, after] = *self.whitening;
        blocks = each(blocks, |words| {
            let [c, d, a, b] = xor(words, after);
            [a, b, c, d]
        });
        for keys in self.round_keys.as_chunks::<2>().0.iter().rev() {
            for block in &mut blocks {
                let [a, b, c, d] = *block;
                let [f0, f1] = self.f(c, d, keys[1]);
                let (a, b) = (a.rotate_left(1) ^ f0, (b ^ f1).rotate_right(1));
                let [f0, f1] = self.f(a, b, keys[0]);
                *block = [a, b, c.rotate_left(1) ^ f0, (d ^ f1).rotate_right(1)];
            }
        }
        each(blocks, |words| xor(words, before))
    }

    /// The function F: g of both words, the second rotated by a byte, then a pseudo-Hadamard transform and a round key.
    #[inline(always)]
    fn f(&self, a: u32, b: u32, key: [u32; 2]) -> [u32; 2] {
        let t0 = self.g::<0>(a);
        let t1 = self.g::<1>(b);
        let sum = t0.wrapping_add(t1);
        [sum.wrapping_add(key[0]), sum.wrapping_add(t1).wrapping_add(key[1])]
    }

    /// The function g of `x` rotated left by `BYTES` bytes.
    #[inline(always)]
    fn g<const BYTES: usize>(&self, x: u32) -> u32 {
        let [x0, x1, x2, x3] = x.to_le_bytes();
        self.columns[BYTES % 4][x0 as usize]
            ^ self.columns[(BYTES + 1) % 4][x1 as usize]
            ^ self.columns[(BYTES + 2) % 4][x2 as usize]
            ^ self.columns[(BYTES + 3) % 4][x3 as usize]
    }
}

/// The function h of a word whose bytes are all `x`.
fn h<const K: usize>(x: u8, key: &[[u8; 4]; K]) -> u32 {
    (0..4).fold(0, |sum, j| sum ^ s_box_column(j, x, key))
}

/// The contribution of byte `j`, whose value is `x`, to the function h with the words `key`: permutations q and key
/// bytes in turn, with the first word of the key last, then the column of the matrix.
#[inline(always)]
fn s_box_column<const K: usize>(j: usize, x: u8, key: &[[u8; 4]; K]) -> u32 {
    let y = (0..K).rev().fold(x, |y, i| Q[S_BOX[j][i + 1]][y as usize] ^ key[i][j]);
    MDS_Q[j][y as usize]
}

#[inline(always)]
fn xor(a: Words, b: Words) -> Words {
    from_fn(|i| a[i] ^ b[i])
}

#[inline(always)]
fn load(block: [u8; BLOCK]) -> Words {
    let (words, _) = block.as_chunks::<4>();
    from_fn(|i| u32::from_le_bytes(words[i]))
}

#[inline(always)]
fn store(words: Words) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    for (bytes, word) in block.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    block
}

#[cfg(test)]
mod tests;

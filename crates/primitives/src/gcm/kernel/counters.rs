//! Counter blocks, and the block of lengths that ends the hash.

use crate::simd::AesVector;

/// The counter of the text's first block. The one before it masks the tag (SP 800-38D section 7.1: J0 = IV || 1).
pub(crate) const FIRST_COUNTER: u32 = 2;

/// The block `iv` || `counter`.
#[inline(always)]
pub(crate) fn counter_block(iv: &[u8; 12], counter: u32) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *iv;
    let low = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let high = u64::from(u32::from_le_bytes([i, j, k, l])) | u64::from(counter.swap_bytes()) << 32;
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

/// The last block of GHASH, with its bytes reversed: both lengths in bits.
#[inline(always)]
pub(super) fn reversed_lengths(aad_len: u64, text_len: u64) -> [u8; 16] {
    (u128::from(aad_len << 3) << 64 | u128::from(text_len << 3)).to_le_bytes()
}

/// The last block of GHASH: both lengths in bits, big-endian.
#[inline(always)]
pub(crate) fn length_block(aad_len: u64, text_len: u64) -> [u8; 16] {
    u128::from_le_bytes(reversed_lengths(aad_len, text_len)).to_be_bytes()
}

/// The numbers 0 to 255, each as the last byte of a block. The number 2, with which a message begins, is at the
/// beginning of a cache line.
#[repr(C, align(64))]
struct LastBytes([[u8; 16]; 2], [[u8; 16]; 256]);

static LAST_BYTES: LastBytes = LastBytes([[0; 16]; 2], {
    let mut blocks = [[0; 16]; 256];
    let mut i = 0;
    while i < 256 {
        blocks[i][15] = i as u8;
        i += 1;
    }
    blocks
});

/// The counter blocks of the next vectors, with bytes in the order of AES, and the first round key added.
#[derive(Clone, Copy)]
pub(super) struct Counters<'a, V> {
    pub(super) iv: &'a [u8; 12],
    first_key: &'a [u8; 16],
    /// The counter of the next block.
    next: u32,
    /// In each place, the next block without its last byte, and the key.
    base: V,
}

impl<'a, V: AesVector> Counters<'a, V> {
    /// The counters from `next` on.
    #[inline(always)]
    pub(super) fn new(token: V::Token, iv: &'a [u8; 12], first_key: &'a [u8; 16], next: u32) -> Self {
        Self { iv, first_key, next, base: V::zero(token) }.based(token)
    }

    /// The same counters with the base of the next block.
    #[inline(always)]
    fn based(self, token: V::Token) -> Self {
        let base = V::splat(token, &counter_block(self.iv, self.next & !255));
        Self { base: base.xor(V::splat(token, self.first_key)), ..self }
    }

    /// The next `N` vectors.
    ///
    /// Usually all their blocks differ in the last byte only, and each vector is one exclusive or. Otherwise bytes are
    /// reversed before and after the additions. The shuffles would take a port from AES.
    #[inline(always)]
    pub(super) fn batch<const N: usize>(&mut self, token: V::Token) -> [V; N] {
        let (low, blocks) = ((self.next & 255) as usize, N * V::BLOCKS);
        let mut batch = [self.base; N];
        if let Some(last_bytes) = LAST_BYTES.1.get(low..low + blocks) {
            for (b, last_bytes) in batch.iter_mut().zip(last_bytes.chunks_exact(V::BLOCKS)) {
                *b = b.xor(V::load(token, last_bytes.as_flattened()));
            }
        } else {
            let key = V::splat(token, self.first_key);
            let first = V::splat(token, &counter_block(self.iv, self.next)).reverse_bytes();
            for (i, b) in batch.iter_mut().enumerate() {
                let numbers = V::load(token, LAST_BYTES.1[i * V::BLOCKS..].as_flattened()).reverse_bytes();
                *b = first.add32(numbers).reverse_bytes().xor(key);
            }
        }
        self.next = self.next.wrapping_add(blocks as u32);
        if low + blocks >= 256 {
            *self = self.based(token);
        }
        batch
    }
}

//! What the hash primitives have in common: the [`Hash`] trait, the block buffer, and the
//! Merkle–Damgård construction.

use crate::cpu::Token;

/// Overwrites `value`, in a way that the compiler may not leave out.
///
/// Unlike a loop of volatile stores this is a plain fill, as wide as the CPU's vectors: a wipe at
/// the end of a 64-byte message must not cost as much as hashing it.
#[inline(always)]
pub(crate) fn wipe<W: Copy + Default, const N: usize>(value: &mut [W; N]) {
    *value = [W::default(); N];
    zeroize::optimization_barrier(value);
}

/// Up to 15 bytes as a little-endian number, by loads that overlap.
#[inline(always)]
pub(crate) fn little_endian(bytes: &[u8]) -> u128 {
    let n = bytes.len();
    // The bits that both loads have are equal, so that "or" is right for them too.
    if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u64::from_le_bytes(*low)) | u128::from(u64::from_le_bytes(*high)) << (8 * (n - 8))
    } else if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u32::from_le_bytes(*low)) | u128::from(u32::from_le_bytes(*high)) << (8 * (n - 4))
    } else if let [first, .., last] = bytes {
        u128::from(*first) | u128::from(bytes[n / 2]) << (8 * (n / 2)) | u128::from(*last) << (8 * (n - 1))
    } else {
        bytes.first().map_or(0, |byte| u128::from(*byte))
    }
}

/// Copies a part of a block, without a call.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
fn copy_short(dst: &mut [u8], src: &[u8]) {
    assert_eq!(dst.len(), src.len());
    if let (Some(last), Some(from)) = (dst.last_chunk_mut::<16>(), src.last_chunk::<16>()) {
        *last = *from;
        for (dst, src) in dst.as_chunks_mut::<16>().0.iter_mut().zip(src.as_chunks::<16>().0) {
            *dst = *src;
        }
    } else if let (Some(last), Some(from)) = (dst.last_chunk_mut::<8>(), src.last_chunk::<8>()) {
        *last = *from;
        dst[..8].copy_from_slice(&src[..8]);
    } else if let (Some(last), Some(from)) = (dst.last_chunk_mut::<4>(), src.last_chunk::<4>()) {
        *last = *from;
        dst[..4].copy_from_slice(&src[..4]);
    } else if let ([first, .., last], [from, .., to]) = (&mut *dst, src) {
        (*first, *last) = (*from, *to);
        dst[src.len() / 2] = src[src.len() / 2];
    } else if let ([dst], [src]) = (dst, src) {
        *dst = *src;
    }
}

/// An incremental hash state, keyed or not.
///
/// A clone is an independent continuation. A state is wiped when it is dropped, but for checksums.
pub trait Hash: Clone + Send + Sync {
    /// How many messages [`Hash::digest_after_many`] takes side by side.
    const LANES: usize = 1;

    /// Bytes of digest.
    fn digest_size(&self) -> usize;

    /// Absorbs `data`; any split of a message gives the same digest.
    fn update(&mut self, data: &[u8]);

    /// Writes the digest of what was absorbed to `out`; the state must not be used afterwards.
    ///
    /// # Panics
    /// If `out` is not [`Hash::digest_size`] bytes long.
    fn finish(&mut self, out: &mut [u8]);

    /// Writes the digest of what was absorbed and `parts` behind it; the state stays as it is.
    ///
    /// What matters is the price of a short message on a fresh state: a hash that has a large key, or
    /// would not need its buffer, does better than to copy them.
    ///
    /// # Panics
    /// As [`Hash::finish`].
    #[inline]
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        digest_by_copy(self, parts, out);
    }

    /// [`Hash::digest_after`] for many messages at once.
    ///
    /// # Panics
    /// As [`Hash::finish`].
    fn digest_after_many(jobs: &mut [Job<'_, Self>]) {
        jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
    }
}

/// A digest to be made.
pub struct Job<'a, S: ?Sized> {
    /// What is there before the message.
    pub state: &'a S,
    /// The message, in pieces.
    pub parts: &'a [&'a [u8]],
    /// Where the digest goes.
    pub out: &'a mut [u8],
}

/// [`Hash::digest_after`] by a copy of the state. Not inlined, because the copy would make room for
/// itself in the stack frame of those who can often do without.
#[inline(never)]
pub(crate) fn digest_by_copy<H: Hash>(state: &H, parts: &[&[u8]], out: &mut [u8]) {
    let mut copy = state.clone();
    parts.iter().for_each(|part| copy.update(part));
    copy.finish(out);
}

/// The bytes of a message that do not fill a block yet.
#[derive(Clone)]
pub struct BlockBuffer<const B: usize> {
    block: [u8; B],
    filled: usize,
}

impl<const B: usize> Default for BlockBuffer<B> {
    fn default() -> Self {
        Self { block: [0; B], filled: 0 }
    }
}

impl<const B: usize> Drop for BlockBuffer<B> {
    fn drop(&mut self) {
        wipe(&mut self.block);
    }
}

impl<const B: usize> BlockBuffer<B> {
    /// Passes `data`, after what is buffered, to `compress` as runs of whole blocks (a multiple of
    /// `B` bytes each), and keeps the rest.
    #[inline(always)]
    pub fn absorb(&mut self, mut data: &[u8], mut compress: impl FnMut(&[u8])) {
        if self.filled > 0 {
            let n = data.len().min(B - self.filled);
            let (head, rest) = data.split_at(n);
            self.block[self.filled..self.filled + n].copy_from_slice(head);
            self.filled += n;
            data = rest;
            if self.filled < B {
                return;
            }
            compress(&self.block);
            self.filled = 0;
        }
        let (whole, rest) = data.split_at(data.len() - data.len() % B);
        if !whole.is_empty() {
            compress(whole);
        }
        copy_short(&mut self.block[..rest.len()], rest);
        self.filled = rest.len();
    }

    /// What is buffered, fewer than `B` bytes.
    pub fn pending(&self) -> &[u8] {
        &self.block[..self.filled]
    }
}

/// The last blocks of a message that ends with `rest`, less than a block, by Merkle–Damgård
/// strengthening: a 1 bit, zeros, and `length` at the end of the last block.
#[inline(always)]
fn finish_padded<const B: usize>(rest: &[u8], length: &[u8], compress: impl FnOnce(&[u8])) {
    let mut blocks = [[0; B]; 2];
    let bytes = blocks.as_flattened_mut();
    copy_short(&mut bytes[..rest.len()], rest);
    bytes[rest.len()] = 0x80;
    let end = if rest.len() + 1 + length.len() > B { 2 * B } else { B };
    bytes[end - length.len()..end].copy_from_slice(length);
    compress(&bytes[..end]);
    wipe(&mut blocks[0]);
    wipe(&mut blocks[1]);
}

/// The chaining value of a Merkle–Damgård hash, and its compression by the CPU of token `T`.
pub trait Chain<T: Token>: Clone + Send + Sync {
    /// Bytes of the big-endian bit count at the end of the padding: 8, or 16.
    const LENGTH_BYTES: usize;

    /// Absorbs `blocks`, a whole number of them.
    fn compress(&mut self, token: T, blocks: &[u8]);

    /// Writes the first bytes of the chaining value, big-endian, as many as `out` has.
    fn write(&self, out: &mut [u8]);

    /// Overwrites the chaining value.
    fn wipe(&mut self);
}

/// A Merkle–Damgård hash with blocks of `B` bytes (FIPS 180-4, sections 5 and 6): SHA-1 and SHA-2.
///
/// Messages are shorter than 2^64 bytes.
#[derive(Clone)]
pub struct MerkleDamgard<T: Token, C: Chain<T>, const B: usize> {
    token: T,
    chain: C,
    buffer: BlockBuffer<B>,
    absorbed: u64,
    digest_size: usize,
}

impl<T: Token, C: Chain<T>, const B: usize> MerkleDamgard<T, C, B> {
    /// The hash with this initial chaining value and number of digest bytes.
    #[inline(always)]
    pub(crate) fn start(token: T, chain: C, digest_size: usize) -> Self {
        Self { token, chain, buffer: BlockBuffer::default(), absorbed: 0, digest_size }
    }
}

impl<T: Token, C: Chain<T>, const B: usize> Hash for MerkleDamgard<T, C, B> {
    fn digest_size(&self) -> usize {
        self.digest_size
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        let Self { token, chain, buffer, absorbed, .. } = self;
        *absorbed = absorbed.wrapping_add(data.len() as u64);
        buffer.absorb(data, |blocks| chain.compress(*token, blocks));
    }

    #[inline]
    fn finish(&mut self, out: &mut [u8]) {
        self.finish_with(self.chain.clone(), self.absorbed, self.buffer.pending(), out);
    }

    #[inline]
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        let ([message], []) = (parts, self.buffer.pending()) else {
            return digest_by_copy(self, parts, out);
        };
        let mut chain = self.chain.clone();
        let (blocks, rest) = message.split_at(message.len() - message.len() % B);
        if !blocks.is_empty() {
            chain.compress(self.token, blocks);
        }
        self.finish_with(chain, self.absorbed.wrapping_add(message.len() as u64), rest, out);
    }
}

impl<T: Token, C: Chain<T>, const B: usize> MerkleDamgard<T, C, B> {
    /// The digest of a message of `absorbed` bytes, from the chaining value before the `rest` of it.
    #[inline(always)]
    fn finish_with(&self, mut chain: C, absorbed: u64, rest: &[u8], out: &mut [u8]) {
        assert_eq!(out.len(), self.digest_size, "digest length");
        let bits = (u128::from(absorbed) << 3).to_be_bytes();
        finish_padded::<B>(rest, &bits[16 - C::LENGTH_BYTES..], |blocks| chain.compress(self.token, blocks));
        chain.write(out);
        chain.wipe();
    }
}

impl<T: Token, C: Chain<T>, const B: usize> Drop for MerkleDamgard<T, C, B> {
    fn drop(&mut self) {
        self.chain.wipe();
    }
}

/// What every hash is put through, against somebody else's implementation of it.
#[cfg(test)]
pub(crate) mod check {
    use super::Hash;
    use std::{vec, vec::Vec};

    /// SplitMix64: reproducible test data.
    pub struct Random(pub u64);

    impl Random {
        pub fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        pub fn below(&mut self, n: usize) -> usize {
            (self.next() % n as u64) as usize
        }

        pub fn bytes(&mut self, n: usize) -> Vec<u8> {
            (0..n).map(|_| self.next() as u8).collect()
        }
    }

    pub fn digest<H: Hash>(mut hash: H, message: &[u8]) -> Vec<u8> {
        hash.update(message);
        let mut out = vec![0; hash.digest_size()];
        hash.finish(&mut out);
        out
    }

    fn digest_after<H: Hash>(hash: &H, parts: &[&[u8]]) -> Vec<u8> {
        let mut out = vec![0; hash.digest_size()];
        hash.digest_after(parts, &mut out);
        out
    }

    /// Every length up to 600, then longer ones, in one piece and split at random; and a clone
    /// that goes its own way.
    pub fn against<H: Hash>(new: impl Fn() -> H, peer: impl Fn(&[u8]) -> Vec<u8>) {
        let mut random = Random(1);
        let pool = random.bytes(4300);
        for len in (0..=600).chain((0..60).map(|_| 600 + random.below(3600)).collect::<Vec<_>>()) {
            let offset = random.below(64);
            let message = &pool[offset..offset + len];
            let expected = peer(message);
            assert_eq!(digest(new(), message), expected, "{len} bytes at {offset}");

            let mut hash = new();
            assert_eq!(digest_after(&hash, &[message]), expected, "{len} bytes at {offset}, the state kept");
            let (front, back) = message.split_at(random.below(len + 1));
            assert_eq!(digest_after(&hash, &[front, back]), expected, "{len} bytes in two parts, the state kept");
            let mut rest = message;
            while !rest.is_empty() {
                let most = [3, 40, 300, 5000][random.below(4)].min(rest.len());
                let (piece, tail) = rest.split_at(random.below(most + 1));
                hash.update(piece);
                assert_eq!(digest_after(&hash, &[tail]), expected, "the last {} of {len} bytes", tail.len());
                if random.below(4) == 0 {
                    let taken = message.len() - tail.len();
                    let other = [&message[..taken], &pool[..97]].concat();
                    assert_eq!(digest(hash.clone(), &pool[..97]), peer(&other), "clone after {taken} bytes");
                }
                rest = tail;
            }
            assert_eq!(digest(hash, b""), expected, "{len} bytes in pieces");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn any_split_gives_the_same_blocks() {
        let message: Vec<u8> = (0..200).collect();
        for cut in 0..=200 {
            let mut out = Vec::new();
            let mut buffer = BlockBuffer::<64>::default();
            buffer.absorb(&message[..cut], |b| out.extend_from_slice(b));
            buffer.absorb(&message[cut..], |b| out.extend_from_slice(b));
            assert_eq!(out, message[..192]);
            assert_eq!(buffer.pending(), &message[192..]);
        }
    }

    #[test]
    fn short_copies_are_copies() {
        let bytes: Vec<u8> = (1..=150).collect();
        for n in 0..=150 {
            let mut copy = [0; 151];
            copy_short(&mut copy[..n], &bytes[..n]);
            assert!(copy[..n] == bytes[..n] && copy[n] == 0);
            if n < 16 {
                assert_eq!(little_endian(&bytes[..n]).to_le_bytes(), copy[..16]);
            }
        }
    }

    #[test]
    fn padding_takes_a_second_block_when_the_length_does_not_fit() {
        for (filled, blocks) in [(0, 1), (55, 1), (56, 2), (63, 2)] {
            let mut out = Vec::new();
            finish_padded::<64>(&[1; 64][..filled], &[9; 8], |b| out.extend_from_slice(b));
            assert_eq!(out.len(), blocks * 64);
            assert_eq!(out[..filled], [1; 64][..filled]);
            assert_eq!(out[filled], 0x80);
            assert!(out[filled + 1..out.len() - 8].iter().all(|&b| b == 0));
            assert!(out[out.len() - 8..].iter().all(|&b| b == 9));
        }
    }
}

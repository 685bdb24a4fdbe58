//! What the hash primitives share: the [`Hash`] trait, the block buffer, the Merkle–Damgård construction, and the
//! hashing of many messages at a time.

mod bytes;
mod queue;

use crate::{
    aligned::Aligned,
    cpu::{CpuFeatures, Token},
    simd::store_at_once,
};
pub use bytes::{Number, Reader, Writer};
use core::hint;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use queue::SideBySide;
pub use queue::{Chaining, Queue, Tail};
pub(crate) use queue::{SORTED, longest_first, take};
pub(crate) use queue::{Stream, Streams};

/// Overwrites `value`, in a way that the compiler cannot leave out.
///
/// Unlike a loop of volatile stores, this is a plain fill, which uses the CPU's vectors: a wipe at the end of a 64-byte
/// message must not cost as much as hashing it.
#[inline(always)]
pub(crate) fn wipe<W: Copy + Default, const N: usize>(value: &mut [W; N]) {
    *value = [W::default(); N];
    zeroize::optimization_barrier(value);
}

/// Up to 15 bytes as a little-endian number, by loads that may overlap.
#[inline(always)]
pub(crate) fn little_endian(bytes: &[u8]) -> u128 {
    let n = bytes.len();
    // Bits that both loads cover are equal, so "or" is right for them too.
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

/// Copies a part of a block, without a call to `memcpy`.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub(crate) fn copy_short(dst: &mut [u8], src: &[u8]) {
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

/// The chaining value of a hash between two blocks of 64 bytes, for code that absorbs blocks beside other work.
pub enum Words<'a> {
    /// SHA-1.
    Sha1(&'a mut [u32; 5]),
    /// SHA-224 or SHA-256.
    Sha256(&'a mut [u32; 8]),
}

/// The state of an incremental hash, keyed or not.
///
/// A clone continues independently. A state is wiped when it is dropped, except for checksums.
pub trait Hash: Clone + Send + Sync {
    /// The number of messages that [`Hash::digest_batch_after`] hashes in parallel.
    const LANES: usize = 1;

    /// The length of the digest in bytes.
    fn digest_size(&self) -> usize;

    /// Absorbs `data`. A message may be split in any way.
    fn update(&mut self, data: &[u8]);

    /// Calls `absorb` with what the hash knows of the CPU and with the chaining value, which is to absorb `len` bytes in
    /// whole blocks. Returns false, as `absorb` does, if nothing was absorbed: also if the hash has no such value, or is
    /// within a block.
    #[must_use]
    fn absorb_by(&mut self, len: usize, absorb: &mut dyn FnMut(CpuFeatures, Words<'_>) -> bool) -> bool {
        let _ = (len, absorb);
        false
    }

    /// Writes the digest of what has been absorbed to `out`. The state must not be used afterwards.
    ///
    /// # Panics
    /// If the length of `out` is not [`Hash::digest_size`].
    fn finish(&mut self, out: &mut [u8]);

    /// Writes the next bytes of the output, for a hash whose output has no end; more data can be absorbed afterwards.
    /// Other hashes return false and leave `out` alone.
    #[must_use]
    fn squeeze(&mut self, out: &mut [u8]) -> bool {
        let _ = out;
        false
    }

    /// Writes the digest of what has been absorbed followed by `message`. The state does not change.
    ///
    /// This is the way for short messages. A hash that has a large key, or that needs no buffer for it, should avoid
    /// copying them.
    ///
    /// # Panics
    /// The same as for [`Hash::finish`].
    #[inline]
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        digest_by_copy(self, &[message], out);
    }

    /// [`Hash::digest_whole`] for a message in pieces.
    ///
    /// # Panics
    /// The same as for [`Hash::finish`].
    #[inline]
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        match parts {
            [message] => self.digest_whole(message, out),
            _ => digest_by_copy(self, parts, out),
        }
    }

    /// Writes the digest of what has been absorbed followed by the first `len` bytes of `data`; `len` is between
    /// `least` and the length of `data`. Neither the time nor the addresses depend on `len`, nor on `data`. The state does not change.
    /// Other hashes than those of the Merkle–Damgård construction return false and leave `out` alone.
    ///
    /// # Panics
    /// The same as for [`Hash::finish`].
    #[must_use]
    fn digest_within(&self, data: &[u8], least: usize, len: usize, out: &mut [u8]) -> bool {
        let _ = (data, least, len, out);
        false
    }

    /// A state under another key that has absorbed nothing, for authenticators whose key serves one message. `None` for
    /// other hashes, and for a key of another length.
    fn under(&self, key: &[u8]) -> Option<Self> {
        let _ = key;
        None
    }

    /// Writes the state of a message in progress. The key, and what depends on the key alone, is not part of it.
    ///
    /// The format belongs to the type, and may differ between builds.
    fn export(&self, to: &mut Writer<'_>);

    /// Replaces a state that has absorbed nothing by the one that was exported; both must have the same key. Returns
    /// `None` if the bytes are no such state; `self` must not be used then.
    #[must_use]
    fn import(&mut self, from: &mut Reader<'_>) -> Option<()>;

    /// [`Hash::digest_after`] for many messages at once, in any order. Afterwards the `out` of a job may be empty.
    ///
    /// # Panics
    /// The same as for [`Hash::finish`].
    fn digest_batch_after(jobs: &mut [Job<'_, Self>]) {
        jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
    }
}

/// A digest to be computed by [`Hash::digest_batch_after`].
pub struct Job<'a, S: ?Sized> {
    /// The state that the message continues.
    pub state: &'a S,
    /// The message, in pieces.
    pub parts: &'a [&'a [u8]],
    /// The buffer for the digest.
    pub out: &'a mut [u8],
}

/// [`Hash::digest_after`] on a copy of the state. It is not inlined, so that the copy takes no space in the stack
/// frames of callers that seldom need it.
#[inline(never)]
pub(crate) fn digest_by_copy<H: Hash>(state: &H, parts: &[&[u8]], out: &mut [u8]) {
    let mut copy = state.clone();
    parts.iter().for_each(|part| copy.update(part));
    copy.finish(out);
}

/// A buffer for the bytes of a message that do not fill a block of `B` bytes yet.
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
    /// Appends `data` to the buffered bytes, passes whole blocks to `compress` in runs of a multiple of `B` bytes, and
    /// buffers the rest.
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
        let (whole, rest) = split::<B>(data);
        if !whole.is_empty() {
            compress(whole);
        }
        copy_short(&mut self.block[..rest.len()], rest);
        self.filled = rest.len();
    }

    /// The buffered bytes, fewer than `B`.
    pub fn pending(&self) -> &[u8] {
        &self.block[..self.filled]
    }

    /// Reads what [`Writer::buffered`] wrote of [`BlockBuffer::pending`].
    pub(crate) fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.filled = from.buffered(&mut self.block[..B - 1])?;
        Some(())
    }
}

/// Splits data into whole blocks and the rest.
#[inline(always)]
fn split<const B: usize>(data: &[u8]) -> (&[u8], &[u8]) {
    data.split_at(data.len() - data.len() % B)
}

/// The number of bytes in the last blocks of a message that ends with `rest`: one block or two.
#[inline(always)]
fn padded_len<const B: usize>(rest: &[u8], length_bytes: usize) -> usize {
    if rest.len() + 1 + length_bytes > B { 2 * B } else { B }
}

/// Writes the last blocks of a message that ends with `rest` to `blocks`, which are zero and as long as
/// [`padded_len`]: Merkle–Damgård strengthening, that is, a 1 bit, zeros, and the last `length_bytes` bytes of `length`
/// at the end.
///
/// Each 16 bytes are written by one store last, because that is how a compression function loads them. A load that
/// needs the bytes of two stores waits until both are in the cache, and thus for the message before.
#[inline(always)]
fn pad(rest: &[u8], length: &[u8; 16], length_bytes: usize, blocks: &mut [u8]) {
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
fn finish_padded<const B: usize>(rest: &[u8], length: &[u8; 16], length_bytes: usize, compress: impl FnOnce(&[u8])) {
    if padded_len::<B>(rest, length_bytes) == B {
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

/// 0xff if `a < b`, else 0, for numbers below 2^63.
#[inline(always)]
fn below(a: usize, b: usize) -> u8 {
    ((a as i64).wrapping_sub(b as i64) >> 63) as u8
}

/// 0xff if `a == b`, else 0, for numbers below 2^63.
#[inline(always)]
fn equal(a: usize, b: usize) -> u8 {
    !below(0, a ^ b)
}

/// The chaining value of a Merkle–Damgård hash, with its compression function for the CPU of token `T`.
pub trait Chain<T: Token>: Chaining {
    /// The length of the big-endian bit count at the end of the padding: 8 or 16 bytes.
    const LENGTH_BYTES: usize;

    /// See [`Hash::LANES`].
    const LANES: usize;

    /// Whether messages that are all shorter than a block are hashed one after the other, because the CPU overlaps their
    /// rounds without a queue.
    const ALONE: bool = false;

    /// Absorbs `blocks`, which are whole blocks.
    fn compress(&mut self, token: T, blocks: &[u8]);

    /// The value, if it is one of [`Words`].
    fn words(&mut self) -> Option<Words<'_>> {
        None
    }

    /// Hashes all messages of `queue`.
    fn compress_queue(token: T, queue: &mut Queue<'_, '_, Self>);
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
    /// An empty message, with this initial chaining value and length of the digest in bytes.
    #[inline(always)]
    pub(crate) fn start(token: T, chain: C, digest_size: usize) -> Self {
        Self { token, chain, buffer: BlockBuffer::default(), absorbed: 0, digest_size }
    }
}

impl<T: Token, C: Chain<T>, const B: usize> Hash for MerkleDamgard<T, C, B> {
    const LANES: usize = C::LANES;

    fn digest_size(&self) -> usize {
        self.digest_size
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        let Self { token, chain, buffer, absorbed, .. } = self;
        *absorbed = absorbed.wrapping_add(data.len() as u64);
        buffer.absorb(data, |blocks| chain.compress(*token, blocks));
    }

    fn absorb_by(&mut self, len: usize, absorb: &mut dyn FnMut(CpuFeatures, Words<'_>) -> bool) -> bool {
        let ([], Some(words)) = (self.buffer.pending(), self.chain.words()) else { return false };
        let done = absorb(self.token.cpu(), words);
        if done {
            self.absorbed = self.absorbed.wrapping_add(len as u64);
        }
        done
    }

    #[inline]
    fn finish(&mut self, out: &mut [u8]) {
        self.finish_with(self.chain.clone(), 0, self.buffer.pending(), out);
    }

    #[inline]
    fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        let [] = self.buffer.pending() else {
            return digest_by_copy(self, &[message], out);
        };
        let mut chain = self.chain.clone();
        let (blocks, rest) = split::<B>(message);
        if !blocks.is_empty() {
            chain.compress(self.token, blocks);
        }
        self.finish_with(chain, message.len(), rest, out);
    }

    #[inline]
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        match parts {
            [] => self.finish_with(self.chain.clone(), 0, self.buffer.pending(), out),
            [message] => self.digest_whole(message, out),
            _ => digest_by_copy(self, parts, out),
        }
    }

    fn digest_within(&self, data: &[u8], least: usize, len: usize, out: &mut [u8]) -> bool {
        assert_eq!(out.len(), self.digest_size, "digest length");
        out.fill(0);
        let mut state = self.clone();
        // What is in the message for certain is absorbed up to the end of a block.
        let filled = state.buffer.filled;
        let sure = ((filled + least) / B * B).saturating_sub(filled);
        state.update(&data[..sure]);
        let (rest, filled) = (&data[sure..], state.buffer.filled);
        let length = state.length(len - sure);
        let end = hint::black_box(filled + len - sure);
        // Each block that may be the last is absorbed as if it were; the digest after the one that is last is kept.
        let last = (end + C::LENGTH_BYTES) / B;
        for number in 0..=(filled + rest.len() + C::LENGTH_BYTES) / B {
            let start = number * B;
            let block = &mut state.buffer.block;
            let kept = if start == 0 { filled } else { 0 };
            let from = (start + kept - filled).min(rest.len());
            let more = (rest.len() - from).min(B - kept);
            block[kept..kept + more].copy_from_slice(&rest[from..from + more]);
            block[kept + more..].fill(0);
            for (at, byte) in block.iter_mut().enumerate() {
                *byte = *byte & below(start + at, end) | 0x80 & equal(start + at, end);
            }
            let is_last = equal(number, last);
            for (byte, of_length) in block[B - C::LENGTH_BYTES..].iter_mut().zip(&length[16 - C::LENGTH_BYTES..]) {
                *byte |= of_length & is_last;
            }
            state.chain.compress(state.token, block);
            let mut digest = [0; 64];
            state.chain.write(&mut digest[..out.len()]);
            out.iter_mut().zip(&digest).for_each(|(out, byte)| *out |= byte & is_last);
            wipe(&mut digest);
        }
        true
    }

    fn digest_batch_after<'a>(jobs: &mut [Job<'a, Self>]) {
        let Some(token) = jobs.first().map(|job| job.state.token) else { return };
        let blocks = |job: &Job<'_, Self>| job.parts.iter().map(|part| part.len() / B + 1).sum::<usize>();
        // A queue costs as much as hashing eight blocks one after the other.
        let few = if jobs.len() <= 8 { 8 } else { 0 };
        let few = if C::ALONE { few.max(jobs.len()) } else { few };
        if jobs.iter().map(blocks).fold(0, usize::saturating_add) <= few {
            return jobs.iter_mut().for_each(|job| job.state.digest_after(job.parts, job.out));
        }
        for jobs in jobs.chunks_mut(SORTED) {
            let (count, mut order) = (jobs.len(), [0; SORTED]);
            let mut order = longest_first(jobs, &mut order).iter();
            let mut fill = |stream: &mut Stream<'a, C>| {
                for entry in order.by_ref() {
                    let Job { state, parts, out } = take(jobs, *entry);
                    let ([message], []) = (parts, state.buffer.pending()) else {
                        // The message is in pieces, or begins in the middle of a block.
                        state.digest_after(parts, out);
                        continue;
                    };
                    assert_eq!(out.len(), state.digest_size, "digest length");
                    let (blocks, rest) = split::<B>(message);
                    stream.chain.clone_from(&state.chain);
                    stream.run = blocks;
                    let length = state.length(message.len());
                    stream.tail_len = padded_len::<B>(rest, C::LENGTH_BYTES);
                    stream.tail.bytes()[..2 * B].fill(0);
                    pad(rest, &length, C::LENGTH_BYTES, &mut stream.tail.bytes()[..stream.tail_len]);
                    stream.out = Some(out);
                    return true;
                }
                false
            };
            let mut streams = Streams::new();
            C::compress_queue(token, &mut Queue::new(&mut streams, B, count, &mut fill));
        }
    }

    fn export(&self, to: &mut Writer<'_>) {
        self.chain.export(to);
        to.numbers(&[self.absorbed]);
        to.buffered(self.buffer.pending());
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.chain.import(from)?;
        self.absorbed = from.number()?;
        self.buffer.import(from)?;
        (self.absorbed % B as u64 == self.buffer.filled as u64).then_some(())
    }
}

impl<T: Token, C: Chain<T>, const B: usize> MerkleDamgard<T, C, B> {
    /// The length in bits of the whole message, of which `more` bytes are still to come.
    #[inline(always)]
    fn length(&self, more: usize) -> [u8; 16] {
        (u128::from(self.absorbed.wrapping_add(more as u64)) << 3).to_be_bytes()
    }

    /// Writes the digest of a message of which `more` bytes were still to come, from the chaining value before its last
    /// bytes, `rest`.
    #[inline(always)]
    fn finish_with(&self, mut chain: C, more: usize, rest: &[u8], out: &mut [u8]) {
        assert_eq!(out.len(), self.digest_size, "digest length");
        let length = self.length(more);
        finish_padded::<B>(rest, &length, C::LENGTH_BYTES, |blocks| chain.compress(self.token, blocks));
        chain.write(out);
        chain.wipe();
    }
}

impl<T: Token, C: Chain<T>, const B: usize> Drop for MerkleDamgard<T, C, B> {
    fn drop(&mut self) {
        self.chain.wipe();
    }
}

/// Tests that every hash is put through, which compare it with another implementation.
#[cfg(test)]
pub(crate) mod check {
    use super::{Hash, Job, Reader};
    use std::{vec, vec::Vec};

    /// SplitMix64, for reproducible test data.
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

    #[inline(never)]
    pub fn digest<H: Hash>(mut hash: H, message: &[u8]) -> Vec<u8> {
        hash.update(message);
        let mut out = vec![0; hash.digest_size()];
        hash.finish(&mut out);
        out
    }

    #[inline(never)]
    fn digest_after<H: Hash>(hash: &H, parts: &[&[u8]]) -> Vec<u8> {
        let mut out = vec![0; hash.digest_size()];
        hash.digest_after(parts, &mut out);
        out
    }

    /// Compares with `peer`, messages one by one and many at a time.
    pub fn against<H: Hash>(new: impl Fn() -> H, peer: impl Fn(&[u8]) -> Vec<u8>) {
        // As trait objects, so that these functions are compiled once for a type and not once for a closure.
        single::<H>(&new, &peer);
        many::<H>(&new, &peer);
    }

    /// A message whose length in bytes takes more than 32 bits: 2^32 + 272 zeros. `state` is the exported state before the
    /// last 400 of them, and `digest` what Python's hashlib (OpenSSL 3.0) or another implementation makes of all.
    pub fn beyond_32_bits<H: Hash>(mut hash: H, state: &str, digest: &str) {
        let (state, mut out) = (hex::decode(state).unwrap(), vec![0; hash.digest_size()]);
        hash.import(&mut Reader::new(&state)).expect("a state");
        for cut in [0, 1, 64, 128, 200, 400] {
            let (front, back) = [0; 400].split_at(cut);
            let mut state = hash.clone();
            state.update(front);
            assert_eq!(hex::encode(digest_after(&state, &[back])), digest, "the last {} bytes", back.len());
            assert_eq!(hex::encode(self::digest(state, back)), digest, "the last {} bytes, absorbed", back.len());
        }
        if hash.digest_within(&[0; 500], 100, 400, &mut out) {
            assert_eq!(hex::encode(&out), digest);
        }
        let mut outs = vec![vec![0; hash.digest_size()]; 20];
        let mut jobs: Vec<_> = outs.iter_mut().map(|out| Job { state: &hash, parts: &[&[0; 400]], out }).collect();
        H::digest_batch_after(&mut jobs);
        assert!(outs.iter().all(|out| hex::encode(out) == digest));
    }

    /// Every length up to 600 and some longer ones, in one piece and split at random. A clone must continue independently.
    fn single<H: Hash>(new: &dyn Fn() -> H, peer: &dyn Fn(&[u8]) -> Vec<u8>) {
        let mut random = Random(1);
        let pool = random.bytes(4600);
        for len in (0..=600).chain((0..60).map(|_| 600 + random.below(3600)).collect::<Vec<_>>()) {
            let offset = random.below(64);
            let message = &pool[offset..offset + len];
            let expected = peer(message);
            assert_eq!(digest(new(), message), expected, "{len} bytes at {offset}");

            let mut hash = new();
            assert_eq!(digest_after(&hash, &[message]), expected, "{len} bytes at {offset}, the state kept");
            let (front, back) = message.split_at(random.below(len + 1));
            let (mut state, more, mut out) = (new(), random.below(300), vec![0x55; hash.digest_size()]);
            state.update(front);
            let least = random.below(back.len() + 1);
            if state.digest_within(&pool[offset + front.len()..][..back.len() + more], least, back.len(), &mut out) {
                assert_eq!(out, expected, "{len} bytes from {} on within {more} more", front.len());
            }
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

    /// Hashes messages of the given lengths in one batch and compares each digest with `peer`. The first length of each
    /// pair is what its state has absorbed before.
    fn batch<H: Hash>(lens: &[(usize, usize)], pool: &[u8], new: &dyn Fn() -> H, peer: &dyn Fn(&[u8]) -> Vec<u8>) {
        let states: Vec<H> = lens
            .iter()
            .map(|&(before, _)| {
                let mut state = new();
                state.update(&pool[..before]);
                state
            })
            .collect();
        let message = |i: usize| &pool[7 * i % 64..][..lens[i].1];
        let mut digests = vec![vec![0x55; new().digest_size()]; lens.len()];
        let messages: Vec<[&[u8]; 1]> = (0..lens.len()).map(|i| [message(i)]).collect();
        let jobs = states.iter().zip(&messages).zip(&mut digests);
        let mut jobs: Vec<_> = jobs.map(|((state, parts), out)| Job { state, parts, out }).collect();
        H::digest_batch_after(&mut jobs);
        for (i, digest) in digests.iter().enumerate() {
            let expected = peer(&[&pool[..lens[i].0], message(i)].concat());
            assert_eq!(*digest, expected, "message {i} of (before, bytes) = {lens:?}");
        }
    }

    /// Many messages at a time: any number of them, in each lane one that is longer or shorter than the others, every
    /// length around the ends of blocks, random lengths, and states that have absorbed whole blocks or parts of one.
    fn many<H: Hash>(new: &dyn Fn() -> H, peer: &dyn Fn(&[u8]) -> Vec<u8>) {
        let mut random = Random(2);
        let pool = random.bytes(5000);
        for count in 0..=40 {
            batch(&vec![(0, 150); count], &pool, new, peer);
        }
        for lane in 0..18 {
            for len in [0, 1000] {
                let mut lens = vec![(0, 300); 18];
                lens[lane] = (0, len);
                batch(&lens, &pool, new, peer);
            }
        }
        for start in (0..=300).step_by(17) {
            batch(&(start..start + 17).map(|len| (0, len)).collect::<Vec<_>>(), &pool, new, peer);
        }
        for _ in 0..60 {
            let most = [10, 200, 1500, 4800][random.below(4)];
            let mut lens: Vec<_> = (0..1 + random.below(70)).map(|_| (0, random.below(most))).collect();
            if random.below(2) == 0 {
                lens.iter_mut().for_each(|len| len.0 = [0, 64, 128, 136, 100][random.below(5)]);
            }
            batch(&lens, &pool, new, peer);
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
            finish_padded::<64>(&[1; 64][..filled], &[9; 16], 8, |b| out.extend_from_slice(b));
            assert_eq!(out.len(), blocks * 64);
            assert_eq!(out[..filled], [1; 64][..filled]);
            assert_eq!(out[filled], 0x80);
            assert!(out[filled + 1..out.len() - 8].iter().all(|&b| b == 0));
            assert!(out[out.len() - 8..].iter().all(|&b| b == 9));
        }
    }
}

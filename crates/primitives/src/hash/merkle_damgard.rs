//! The Merkle–Damgård construction, of which SHA-1 and SHA-2 are made.

use super::buffer::{BlockBuffer, split};
use super::group::Group;
use super::kernel::{Chaining, Tail};
use super::memory::wipe;
use super::padding::{finish_padded, pad, padded_len};
use super::queue::{Queue, SORTED, Stream, Streams, longest_first, take};
use super::{Hash, Job, Reader, Words, Writer, digest_by_copy};
use crate::cpu::CpuFeatures;
use crate::lanes::MOST;
use core::{hint, mem};

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

/// The chaining value of a Merkle–Damgård hash.
pub trait Chain: Chaining {
    /// The length of the big-endian bit count at the end of the padding: 8 or 16 bytes.
    const LENGTH_BYTES: usize;

    /// The value, if it is one of [`Words`].
    fn words(&mut self) -> Option<Words<'_>> {
        None
    }
}

/// A compression function for the CPU of a token.
///
/// A hash has a reference to it in place of the token's type, as all else of the hash is the same for all CPUs: some 60 KB of
/// code are compiled once, and not for each of a dozen tokens.
pub(crate) trait Compression<C: Chaining>: Sync {
    /// The features that the token proves.
    fn cpu(&self) -> CpuFeatures;

    /// The number of messages that are hashed in parallel.
    fn lanes(&self) -> usize;

    /// Whether messages that do not go in step, and are all shorter than a block, are hashed one after the other: the CPU
    /// overlaps their rounds without a queue.
    fn alone(&self) -> bool;

    /// Absorbs `blocks`, which are whole blocks.
    fn compress(&self, chain: &mut C, blocks: &[u8]);

    /// Hashes all messages of `queue`.
    fn compress_queue(&self, queue: &mut Queue<'_, '_, C>);
}

/// Implements [`Compression`] of a chaining value for all tokens that have a compression function by the trait `$Compress`.
macro_rules! compression {
    ($Compress:ident, $Chain:ty) => {
        impl<T: $Compress> crate::hash::Compression<$Chain> for T {
            fn cpu(&self) -> crate::cpu::CpuFeatures {
                Token::cpu(*self)
            }

            fn lanes(&self) -> usize {
                T::LANES
            }

            fn alone(&self) -> bool {
                T::ALONE
            }

            #[inline]
            fn compress(&self, chain: &mut $Chain, blocks: &[u8]) {
                $Compress::compress(*self, &mut chain.0, blocks);
            }

            #[inline]
            fn compress_queue(&self, queue: &mut Queue<'_, '_, $Chain>) {
                $Compress::compress_queue(*self, queue);
            }
        }
    };
}
pub(crate) use compression;

/// A Merkle–Damgård hash with blocks of `B` bytes (FIPS 180-4, sections 5 and 6): SHA-1 and SHA-2.
///
/// Messages are shorter than 2^64 bytes.
#[derive(Clone)]
pub struct MerkleDamgard<C: Chain, const B: usize> {
    code: &'static dyn Compression<C>,
    chain: C,
    buffer: BlockBuffer<B>,
    absorbed: u64,
    digest_size: usize,
}

impl<C: Chain, const B: usize> MerkleDamgard<C, B> {
    /// An empty message, with this initial chaining value and length of the digest in bytes.
    #[inline(always)]
    pub(crate) fn start(code: &'static dyn Compression<C>, chain: C, digest_size: usize) -> Self {
        Self { code, chain, buffer: BlockBuffer::default(), absorbed: 0, digest_size }
    }
}

impl<C: Chain, const B: usize> Hash for MerkleDamgard<C, B> {
    const LANES: usize = MOST;

    fn digest_size(&self) -> usize {
        self.digest_size
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        let Self { code, chain, buffer, absorbed, .. } = self;
        *absorbed = absorbed.wrapping_add(data.len() as u64);
        buffer.absorb(data, |blocks| code.compress(chain, blocks));
    }

    fn absorb_by(&mut self, len: usize, absorb: &mut dyn FnMut(CpuFeatures, Words<'_>) -> bool) -> bool {
        let ([], Some(words)) = (self.buffer.pending(), self.chain.words()) else { return false };
        let done = absorb(self.code.cpu(), words);
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
            self.code.compress(&mut chain, blocks);
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
            // The compiler must not know that this is one of two numbers: on 32-bit Arm it branched on which.
            let is_last = hint::black_box(equal(number, last));
            for (byte, of_length) in block[B - C::LENGTH_BYTES..].iter_mut().zip(&length[16 - C::LENGTH_BYTES..]) {
                *byte |= of_length & is_last;
            }
            state.code.compress(&mut state.chain, block);
            let mut digest = [0; 64];
            state.chain.write(&mut digest[..out.len()]);
            out.iter_mut().zip(&digest).for_each(|(out, byte)| *out |= byte & is_last);
            wipe(&mut digest);
        }
        true
    }

    fn digest_batch_after<'a>(jobs: &mut [Job<'a, Self>]) {
        let all = jobs.len();
        let jobs = Self::in_step(jobs);
        let Some(code) = jobs.first().map(|job| job.state.code) else { return };
        let blocks = |job: &Job<'_, Self>| job.parts.iter().map(|part| part.len() / B + 1).sum::<usize>();
        // A queue costs as much as hashing eight blocks one after the other by instructions for the hash, or three without
        // them. What groups leave over goes through it even so.
        let few = if code.alone() || code.lanes() == 2 { 8 } else { 3 };
        let one_by_one = code.lanes() == 1
            || code.alone() && jobs.iter().all(|job| blocks(job) <= 1)
            || all <= 8 && jobs.iter().map(blocks).fold(0, usize::saturating_add) <= few;
        if one_by_one {
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
                    stream.tail_len = padded_len::<B>(rest.len(), C::LENGTH_BYTES);
                    stream.tail.bytes()[..2 * B].fill(0);
                    pad(rest, &length, C::LENGTH_BYTES, &mut stream.tail.bytes()[..stream.tail_len]);
                    stream.out = Some(out);
                    return true;
                }
                false
            };
            let mut streams = Streams::new();
            code.compress_queue(&mut Queue::new(&mut streams, B, count, &mut fill));
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

impl<C: Chain, const B: usize> MerkleDamgard<C, B> {
    /// The length of the messages at the front, if there are `lanes` of them and all have one length.
    #[inline(always)]
    fn alike(jobs: &[Job<'_, Self>], lanes: usize) -> Option<usize> {
        let len = |job: &Job<'_, Self>| match (job.parts, job.state.buffer.pending()) {
            ([message], []) => Some(message.len()),
            _ => None,
        };
        let jobs = jobs.get(..lanes)?;
        let first = len(jobs.first()?)?;
        jobs.iter().all(|job| len(job) == Some(first)).then_some(first)
    }

    /// Hashes messages from the front, a group at a time, while the next ones fill the lanes and have one length. Returns
    /// the messages that are left.
    #[inline(always)]
    fn in_step<'j, 'a>(mut jobs: &'j mut [Job<'a, Self>]) -> &'j mut [Job<'a, Self>] {
        let Some(Self { code, chain, .. }) = jobs.first().map(|job| job.state) else { return jobs };
        let lanes = code.lanes();
        // Vectors have four lanes or more. SHA instructions hash two or four messages at a time, by kernels that take no
        // groups: pairs need little between blocks, and four messages at a time are no faster than one by one.
        let vectors = lanes > 4 || lanes == 4 && !code.alone();
        if !vectors || Self::alike(jobs, lanes).is_none() {
            return jobs;
        }
        let mut group = Group::new(chain);
        while let Some(len) = Self::alike(jobs, lanes) {
            let (these, others) = jobs.split_at_mut(lanes);
            let tail_len = padded_len::<B>(len % B, C::LENGTH_BYTES);
            for Job { state, parts, out } in these {
                assert_eq!(out.len(), state.digest_size, "digest length");
                let (run, rest) = split::<B>(parts[0]);
                let tail = group.put(&state.chain, run, tail_len, mem::take(out));
                pad(rest, &state.length(len), C::LENGTH_BYTES, tail);
            }
            let (mut streams, mut none) = (Streams::new(), |_: &mut Stream<'a, C>| false);
            code.compress_queue(&mut Queue::new(&mut streams, B, 0, &mut none).with_group(&mut group));
            assert_eq!(group.count(), 0, "a kernel has hashed the group");
            jobs = others;
        }
        jobs
    }

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
        finish_padded::<B>(rest, &length, C::LENGTH_BYTES, |blocks| self.code.compress(&mut chain, blocks));
        chain.write(out);
        chain.wipe();
    }
}

impl<C: Chain, const B: usize> Drop for MerkleDamgard<C, B> {
    fn drop(&mut self) {
        self.chain.wipe();
    }
}

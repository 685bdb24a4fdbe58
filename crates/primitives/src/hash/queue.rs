//! Many messages at a time: the assignment of messages to lanes.
//!
//! A [`Queue`] holds the messages that are being hashed. Each has a chaining value, a run of whole blocks in the
//! caller's memory, and its padded last blocks, which are made here. A kernel, [`SideBySide`], takes as many messages
//! as it has lanes and absorbs as many blocks as the shortest of their runs has. Where a run ends, the lane continues
//! with the padded blocks, and after them with the next message. Only lengths decide what is done, and lengths are
//! public.
//!
//! A kernel with empty lanes is no faster. So when no more messages come, fewer lanes or single messages may be faster
//! for the last ones: a driver passes its queue from one kernel to the next.
//!
//! Messages that fill the lanes and have one length need none of this. They are hashed in step, as a [`Group`], which the
//! queue only carries to the kernel.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use super::Job;
use super::group::Group;
use super::kernel::{Chaining, SideBySide, Tail};
use crate::aligned::Aligned;
use crate::lanes::{MOST, Runs};
use arrayvec::ArrayVec;
use core::mem;

/// The number of jobs that are sorted at a time.
pub(crate) const SORTED: usize = 64;

/// Writes the order in which the jobs, at most [`SORTED`], go into lanes: the longest first, so that lanes become empty
/// late and at nearly the same time. The low byte of an entry is the job's index.
#[inline(always)]
pub(crate) fn longest_first<'o, S>(jobs: &[Job<'_, S>], order: &'o mut [u64; SORTED]) -> &'o [u64] {
    let len = |job: &Job<'_, S>| job.parts.iter().map(|part| part.len() as u64).sum::<u64>();
    let order = &mut order[..jobs.len()];
    let (first, mut alike) = (jobs.first().map_or(0, len), true);
    for (i, (entry, job)) in order.iter_mut().zip(jobs).enumerate() {
        let len = len(job);
        alike &= len == first;
        *entry = !len << 8 | i as u64;
    }
    if !alike {
        order.sort_unstable();
    }
    order
}

/// The job of an entry that [`longest_first`] wrote. The job keeps an empty buffer.
#[inline(always)]
pub(crate) fn take<'a, S>(jobs: &mut [Job<'a, S>], entry: u64) -> Job<'a, S> {
    let job = &mut jobs[entry as usize % SORTED];
    Job { state: job.state, parts: job.parts, out: mem::take(&mut job.out) }
}

/// The next bytes to be absorbed, of what is left of a run and of the tail after it.
#[inline(always)]
fn front([run, tail]: [&[u8]; 2]) -> &[u8] {
    if run.is_empty() { tail } else { run }
}

/// A message that is being hashed.
pub(crate) struct Stream<'a, C: Chaining> {
    pub chain: C,
    /// The whole blocks that are left, in the caller's memory.
    pub run: &'a [u8],
    /// The padded blocks after `run`, in the first `tail_len` bytes.
    pub tail: Aligned<C::Tail>,
    pub tail_len: usize,
    /// The number of bytes of the tail that have been absorbed.
    absorbed: usize,
    /// The buffer for the digest, while there is a message.
    pub out: Option<&'a mut [u8]>,
}

impl<C: Chaining> Stream<'_, C> {
    /// A stream without a message.
    const EMPTY: Self =
        Self { chain: C::ZERO, run: &[], tail: Aligned(C::Tail::ZERO), tail_len: 0, absorbed: 0, out: None };

    /// Writes the digest after the last block.
    #[inline(always)]
    fn finish(&mut self) {
        if let Some(out) = self.out.take() {
            self.chain.write(out);
        }
    }

    /// The chaining value, and what is left of the run and of the tail.
    #[inline(always)]
    fn rest(&mut self) -> (&mut C, [&[u8]; 2]) {
        (&mut self.chain, [self.run, &self.tail.first(self.tail_len)[self.absorbed..]])
    }

    /// The next bytes to be absorbed; empty after the last block.
    #[inline(always)]
    fn next(&self) -> &[u8] {
        if self.run.is_empty() { &self.tail.first(self.tail_len)[self.absorbed..] } else { self.run }
    }

    /// Removes all bytes.
    #[inline(always)]
    fn clear(&mut self) {
        (self.run, self.absorbed) = (&[], self.tail_len);
    }

    /// Removes `len` bytes from the front; returns whether the message ends there.
    #[inline(always)]
    fn advance(&mut self, len: usize) -> bool {
        if self.run.is_empty() {
            self.absorbed += len;
            self.absorbed == self.tail_len
        } else {
            self.run = &self.run[len..];
            false
        }
    }
}

/// The streams of a queue: as many as have had a message. They are not a part of [`Queue`], because to move them takes as
/// long as hashing a short message.
pub(crate) type Streams<'a, C> = ArrayVec<Stream<'a, C>, MOST>;

/// Messages to be hashed by kernels. A token's method that takes a queue hashes all its messages.
pub struct Queue<'q, 'a, C: Chaining> {
    streams: &'q mut Streams<'a, C>,
    /// One bit for each stream that has a message.
    taken: u32,
    /// One bit for each stream whose message is in no lane.
    waiting: u32,
    /// Puts the next message into a stream; returns false if there is none.
    fill: &'q mut dyn FnMut(&mut Stream<'a, C>) -> bool,
    block: usize,
    /// An upper bound of the number of messages, without those of the group.
    count: usize,
    /// Messages of one length for the first kernel.
    group: Option<&'q mut Group<'a, C>>,
}

impl<'q, 'a, C: Chaining> Queue<'q, 'a, C> {
    /// A queue of the messages that `fill` puts into streams, at most `count`, with blocks of `block` bytes.
    #[inline(always)]
    pub(crate) fn new(
        streams: &'q mut Streams<'a, C>,
        block: usize,
        count: usize,
        fill: &'q mut dyn FnMut(&mut Stream<'a, C>) -> bool,
    ) -> Self {
        Self { streams, taken: 0, waiting: 0, fill, block, count, group: None }
    }

    /// This queue, with a group, which goes to the first kernel that has [`SideBySide::IN_STEP`]. The group has as many
    /// messages as that kernel has lanes.
    #[inline(always)]
    pub(crate) fn with_group(mut self, group: &'q mut Group<'a, C>) -> Self {
        self.group = Some(group);
        self
    }

    /// The length of a block in bytes.
    #[inline(always)]
    pub(crate) fn block(&self) -> usize {
        self.block
    }

    /// The index of a stream whose message is in no lane, which may be a new message.
    #[inline(always)]
    fn take(&mut self) -> Option<usize> {
        if self.waiting != 0 {
            let i = self.waiting.trailing_zeros() as usize;
            self.waiting &= self.waiting - 1;
            return Some(i);
        }
        let i = self.taken.trailing_ones() as usize;
        if i == self.streams.len() {
            self.streams.try_push(Stream::EMPTY).ok()?;
        }
        let stream = &mut self.streams[i];
        stream.absorbed = 0;
        (self.fill)(stream).then(|| {
            self.taken |= 1 << i;
            i
        })
    }

    /// Hashes the group, if the kernel takes it; then hashes messages as long as at least `worth` lanes have one.
    #[inline(always)]
    pub(crate) fn side_by_side<K: SideBySide<C>>(&mut self, mut kernel: K, worth: usize) {
        const NONE: usize = MOST;
        const { assert!(K::LANES <= MOST) };
        if K::IN_STEP
            && let Some(group) = self.group.take()
        {
            group.hash(&mut kernel, self.block);
        }
        if self.count < worth {
            return kernel.wipe();
        }
        // The index of the stream in each lane, and one bit for each empty lane.
        let mut streams = [NONE; MOST];
        let (mut empty, mut more) = ((1u32 << K::LANES) - 1, true);
        loop {
            while more && empty != 0 {
                let lane = empty.trailing_zeros() as usize;
                match self.take() {
                    Some(i) => {
                        kernel.set(lane, &self.streams[i].chain);
                        streams[lane] = i;
                        empty &= empty - 1;
                    }
                    None => more = false,
                }
            }
            if K::LANES - (empty.count_ones() as usize) < worth {
                break;
            }

            // An empty lane repeats the work of another.
            let any = self.streams[streams[empty.trailing_ones() as usize]].next();
            let mut texts = [any; MOST];
            for lane in 0..K::LANES {
                if let Some(stream) = self.streams.get(streams[lane]) {
                    texts[lane] = stream.next();
                }
            }
            let runs = Runs::new(&texts);
            let len = runs.len();
            kernel.absorb(&runs, self.block);

            for (lane, of) in streams[..K::LANES].iter_mut().enumerate() {
                let i = *of;
                if let Some(stream) = self.streams.get_mut(i)
                    && stream.advance(len)
                {
                    if let Some(out) = stream.out.take() {
                        kernel.write(lane, out);
                    }
                    *of = NONE;
                    empty |= 1 << lane;
                    self.taken &= !(1 << i);
                }
            }
        }
        for (lane, i) in streams[..K::LANES].iter().enumerate() {
            if let Some(stream) = self.streams.get_mut(*i) {
                kernel.save(lane, &mut stream.chain);
                self.waiting |= 1 << i;
            }
        }
        kernel.wipe();
    }

    /// Hashes messages in pairs, until one is left at most. `absorb` absorbs two runs of one length, each into its own
    /// chaining value, and then two more. This does less between runs than [`Queue::side_by_side`], which short messages
    /// gain from.
    #[inline(always)]
    pub(crate) fn in_pairs(&mut self, absorb: impl Fn([&mut C; 2], [[&[u8]; 2]; 2])) {
        while let Some(first) = self.take() {
            let Some(second) = self.take() else {
                self.waiting |= 1 << first;
                return;
            };
            let [a, b] = self.streams.get_disjoint_mut([first, second]).expect("streams of two messages");
            loop {
                let ((chain_a, rest_a), (chain_b, rest_b)) = (a.rest(), b.rest());
                if rest_a.map(<[u8]>::len) == rest_b.map(<[u8]>::len) {
                    absorb([chain_a, chain_b], [[rest_a[0], rest_b[0]], [rest_a[1], rest_b[1]]]);
                    a.clear();
                    b.clear();
                    break;
                }
                let texts = [front(rest_a), front(rest_b)];
                let len = texts[0].len().min(texts[1].len());
                absorb([chain_a, chain_b], [texts.map(|text| &text[..len]), [&[]; 2]]);
                if a.advance(len) | b.advance(len) {
                    break;
                }
            }
            for (i, stream) in [(first, a), (second, b)] {
                if stream.next().is_empty() {
                    stream.finish();
                    self.taken &= !(1 << i);
                } else {
                    self.waiting |= 1 << i;
                }
            }
        }
    }

    /// Hashes all messages, one after the other.
    #[inline(always)]
    pub(crate) fn one_by_one(&mut self, mut absorb: impl FnMut(&mut C, &[u8])) {
        while let Some(i) = self.take() {
            let stream = &mut self.streams[i];
            while !stream.next().is_empty() {
                let (chain, rest) = stream.rest();
                let text = front(rest);
                absorb(chain, text);
                let len = text.len();
                stream.advance(len);
            }
            stream.finish();
            self.taken &= !(1 << i);
        }
    }
}

impl<C: Chaining> Drop for Queue<'_, '_, C> {
    fn drop(&mut self) {
        for stream in self.streams.iter_mut() {
            stream.chain.wipe();
            stream.tail.bytes().fill(0);
            zeroize::optimization_barrier(&stream.tail);
        }
    }
}

//! Modes in which each block waits for the one before, for many messages side by side.
//!
//! A chain of AES keeps one block in the CPU's AES units, which have room for eight to sixteen. Chains of different messages do
//! not wait for each other, so each block of a few vectors, a *lane*, works on a message of its own, with a key of its
//! own. A step takes one block of each message.
//!
//! * Lanes under one key load each round key once. The round keys of different keys lie interleaved in a scratch, so
//!   that those of one vector in one round are one load.
//! * When the message of a lane ends, the next one takes its place. The longest go first, so that at the end lanes
//!   run out at nearly the same time.
//! * A lane without a message does what another one does, to the same memory: no masks, and nothing to decide
//!   in a step.
//!
//! [`run`] plans the lanes, and exists once for all CPUs and modes; [`steps`] is the inner loop. What the modes are to
//! them is the trait [`Messages`].

mod modes;
mod steps;
#[cfg(test)]
mod tests;

pub use modes::{CbcJob, CcmJob, MacJob, cbc_encrypt_batch, cbc_mac_batch, ccm_batch};

use super::RoundKeys;
use crate::{
    hash::wipe,
    simd::{AesToken, Blocks},
};
use core::ptr;
use steps::{OneKey, OwnKeys};

/// The most lanes of any CPU.
const MAX_LANES: usize = 16;

/// Messages that are planned at once.
const MAX_PLANNED: usize = 64;

/// Lanes of a CPU: eight vectors, or four of four blocks. A round's latency is three to four cycles, and one or two begin
/// in a cycle.
const fn lanes<T: AesToken>() -> usize {
    if T::V::BLOCKS == 1 { 8 } else { MAX_LANES }
}

/// Consecutive blocks of a message: where they are, and where the chaining values after them go.
struct Piece {
    src: *const u8,
    /// Null for a mode that writes none.
    dst: *mut u8,
    blocks: usize,
}

/// Messages to be chained, by number.
///
/// # Safety
/// From [`Messages::start`] to [`Messages::finish`], the pieces of a message are readable and, but for null pointers,
/// writable. Different messages write to different places, and not where others read.
unsafe trait Messages<'k> {
    fn count(&self) -> usize;

    /// The key of message `i`.
    fn keys(&self, i: usize) -> &'k RoundKeys;

    /// How many blocks message `i` has.
    fn blocks(&self, i: usize) -> usize;

    /// The chaining value before message `i`, which is now about to be worked on.
    fn start(&mut self, i: usize) -> [u8; 16];

    /// Piece `n` of message `i`, which may be empty; there are as many as hold its blocks.
    fn piece(&mut self, i: usize, n: usize) -> Piece;

    /// Takes the last chaining value of message `i`.
    fn finish(&mut self, i: usize, state: &[u8; 16]);
}

/// One block of each lane, in the order of vectors.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default)]
struct Row([[u8; 16]; MAX_LANES]);

/// What a step works on.
struct Lanes {
    state: Row,
    src: [*const u8; MAX_LANES],
    dst: [*mut u8; MAX_LANES],
}

/// The inner loop, and the keys of the lanes.
trait Kernel {
    /// Whether lanes have keys of their own.
    fn own(&self) -> bool;

    /// Sets the key of a lane. All keys of a plan have the same number of rounds.
    fn take(&mut self, lane: usize, keys: &RoundKeys);

    /// Gives a lane the key of another.
    fn repeat(&mut self, lane: usize, other: usize);

    /// Advances every lane by `n` blocks.
    ///
    /// # Safety
    /// `src` and `dst` of every lane are those of a [`Piece`] with at least as many blocks left.
    unsafe fn steps(&mut self, lanes: &mut Lanes, n: usize);
}

/// Takes `messages` through the lanes of `T`; `WRITE` is whether their pieces have destinations.
fn chain<T: AesToken, const WRITE: bool>(token: T, messages: &mut dyn Messages<'_>) {
    let mut order = [0; MAX_PLANNED];
    let order = &mut order[..messages.count()];
    if order.is_empty() {
        return;
    }
    let first = messages.keys(0);
    if sort(order, messages) {
        run(lanes::<T>(), order, &mut OneKey::<T, WRITE>::new(token, first), messages);
    } else {
        own_keys::<T, WRITE>(token, order, messages);
    }
}

/// Not inlined, so that lanes under one key have no scratch in their stack frame.
#[inline(never)]
fn own_keys<T: AesToken, const WRITE: bool>(token: T, order: &[u64], messages: &mut dyn Messages<'_>) {
    let mut kernel = OwnKeys::<T, WRITE>::new(token);
    for group in order.chunk_by(|a, b| a >> 56 == b >> 56) {
        run(lanes::<T>(), group, &mut kernel, messages);
    }
}

/// The bits that hold a number of blocks.
const BLOCKS: u64 = (1 << 48) - 1;

/// The messages of one key size after those of another, and of these the longest first; whether all have one key.
///
/// An entry of `order` is, from the top, the rounds, the complement of the blocks, the message.
fn sort(order: &mut [u64], messages: &dyn Messages<'_>) -> bool {
    let first = messages.keys(0);
    let mut one_key = true;
    for i in 0..order.len() {
        let keys = messages.keys(i);
        one_key &= ptr::eq(keys, first);
        let less = !(messages.blocks(i) as u64) & BLOCKS;
        let entry = (keys.rounds() as u64) << 56 | less << 8 | i as u64;
        // Insertion: nearly always they are equally long.
        let mut at = i;
        while at > 0 && order[at - 1] > entry {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = entry;
    }
    one_key
}

/// What a lane works on.
#[derive(Clone, Copy)]
struct Work {
    message: usize,
    /// The piece.
    piece: usize,
    /// Blocks left of the piece; 0 for a lane without a message.
    left: usize,
    /// Blocks left of the message.
    total: usize,
    /// A lane without a message repeats this one, as long as that one keeps its message.
    like: usize,
}

/// A lane without a message that repeats none.
const IDLE: Work = Work { message: usize::MAX, piece: 0, left: 0, total: 0, like: usize::MAX };

/// Takes the messages in `order` through `count` lanes.
fn run(count: usize, order: &[u64], kernel: &mut dyn Kernel, messages: &mut dyn Messages<'_>) {
    let lanes = Lanes { state: Row::default(), src: [ptr::null(); MAX_LANES], dst: [ptr::null_mut(); MAX_LANES] };
    let mut plan = Plan { work: [IDLE; MAX_LANES], lanes, order, kernel, messages };
    for lane in 0..count {
        plan.refill(lane);
    }
    loop {
        let work = &plan.work[..count];
        let Some(n) = work.iter().map(|work| work.left).filter(|&left| left > 0).min() else { break };
        if work.iter().any(|work| work.left == 0) {
            plan.occupy(count);
        }
        // SAFETY: no lane has fewer blocks left, and those without a message are like one that has.
        unsafe { plan.kernel.steps(&mut plan.lanes, n) };
        for lane in 0..count {
            plan.advance(lane, n);
        }
    }
    wipe(&mut plan.lanes.state.0);
}

struct Plan<'p, 'm> {
    work: [Work; MAX_LANES],
    lanes: Lanes,
    /// The messages that have not been started.
    order: &'p [u64],
    kernel: &'p mut dyn Kernel,
    messages: &'p mut dyn Messages<'m>,
}

impl Plan<'_, '_> {
    /// Gives a lane the next message that has any blocks, if there is one.
    fn refill(&mut self, lane: usize) {
        self.work[lane] = IDLE;
        while let [next, rest @ ..] = self.order {
            self.order = rest;
            let message = (next & 0xff) as usize;
            let state = self.messages.start(message);
            let total = (!(next >> 8) & BLOCKS) as usize;
            if total == 0 {
                self.messages.finish(message, &state);
                continue;
            }
            self.lanes.state.0[lane] = state;
            if self.kernel.own() {
                self.kernel.take(lane, self.messages.keys(message));
            }
            self.work[lane] = Work { message, total, ..IDLE };
            return self.piece(lane);
        }
    }

    /// Begins the next piece of a lane's message, of which there is more.
    fn piece(&mut self, lane: usize) {
        let work = &mut self.work[lane];
        while work.left == 0 {
            let Piece { src, dst, blocks } = self.messages.piece(work.message, work.piece);
            work.piece += 1;
            work.left = blocks;
            (self.lanes.src[lane], self.lanes.dst[lane]) = (src, dst);
        }
    }

    /// Takes note of `n` blocks done.
    fn advance(&mut self, lane: usize, n: usize) {
        let work = &mut self.work[lane];
        if work.left == 0 {
            return;
        }
        (work.left, work.total) = (work.left - n, work.total - n);
        if work.left > 0 {
            self.lanes.src[lane] = self.lanes.src[lane].wrapping_add(16 * n);
            self.lanes.dst[lane] = self.lanes.dst[lane].wrapping_add(16 * n);
        } else if work.total > 0 {
            self.piece(lane);
        } else {
            self.messages.finish(work.message, &self.lanes.state.0[lane]);
            self.refill(lane);
        }
    }

    /// Has the lanes without a message do what the one with the most left to do does.
    fn occupy(&mut self, count: usize) {
        let Some(longest) = (0..count).max_by_key(|&lane| self.work[lane].total) else { return };
        for lane in 0..count {
            let Work { message, left, like, .. } = self.work[lane];
            if left > 0 {
                continue;
            }
            // `message` is that of `like`.
            let still = self.work.get(like).is_some_and(|work| work.left > 0 && work.message == message);
            let like = if still { like } else { longest };
            if !still {
                self.kernel.repeat(lane, longest);
                self.lanes.state.0[lane] = self.lanes.state.0[longest];
                self.work[lane] = Work { like, message: self.work[longest].message, ..IDLE };
            }
            (self.lanes.src[lane], self.lanes.dst[lane]) = (self.lanes.src[like], self.lanes.dst[like]);
        }
    }
}

//! Modes whose blocks depend on each other (CBC encryption, CBC-MAC, CCM), for many messages side by side.
//!
//! A chain of AES keeps one block in the CPU's AES units, which have room for eight to sixteen. Chains of different
//! messages are independent. So each block position of a few vectors, a *lane*, works on a message of its own, with a
//! key of its own. A step takes one block of each message.
//!
//! * If all lanes use one key, each round key is loaded once. Round keys of different keys lie interleaved in a scratch
//!   buffer, so one load reads those of one vector in one round.
//! * When the message of a lane ends, the next one takes its place. The longest go first, so that at the end all lanes
//!   run out at nearly the same time.
//! * A lane without a message repeats the work of another, on the same memory. So a step needs no masks and no
//!   decisions.
//!
//! [`run`] plans the lanes, and exists once for all CPUs and modes; [`steps`] is the inner loop. The trait [`Messages`]
//! is what both see of a mode.

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

/// The largest number of lanes on any CPU.
const MAX_LANES: usize = 16;

/// The largest number of messages that are planned together.
const MAX_PLANNED: usize = 64;

/// The number of lanes: eight vectors, or four vectors of four blocks. A round has a latency of three to four cycles,
/// and one or two begin in each cycle.
const fn lanes<T: AesToken>() -> usize {
    if T::V::BLOCKS == 1 { 8 } else { MAX_LANES }
}

/// Consecutive blocks of a message, and the place for the chaining values after them.
struct Piece {
    src: *const u8,
    /// Where the chaining values are written; null for a mode that writes none.
    dst: *mut u8,
    blocks: usize,
}

/// The messages to be chained, by index.
///
/// # Safety
/// From [`Messages::start`] to [`Messages::finish`], the sources of a message's pieces are readable, and their
/// destinations are null or writable, for as many blocks as a piece has. A message writes to no place that another
/// message reads or writes.
unsafe trait Messages<'k> {
    fn count(&self) -> usize;

    /// The key of message `i`.
    fn keys(&self, i: usize) -> &'k RoundKeys;

    /// How many blocks message `i` has.
    fn blocks(&self, i: usize) -> usize;

    /// Begins message `i` and returns the chaining value before its first block.
    fn start(&mut self, i: usize) -> [u8; 16];

    /// Piece `n` of message `i`. A piece may be empty; together the pieces hold the message's blocks.
    fn piece(&mut self, i: usize, n: usize) -> Piece;

    /// Ends message `i`, whose last chaining value is `state`.
    fn finish(&mut self, i: usize, state: &[u8; 16]);
}

/// One block for each lane.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default)]
struct Row([[u8; 16]; MAX_LANES]);

/// The state of the lanes in the inner loop: chaining values, sources and destinations.
struct Lanes {
    state: Row,
    src: [*const u8; MAX_LANES],
    dst: [*mut u8; MAX_LANES],
}

impl Lanes {
    fn new() -> Self {
        Self { state: Row::default(), src: [ptr::null(); MAX_LANES], dst: [ptr::null_mut(); MAX_LANES] }
    }
}

/// The inner loop with the keys of the lanes.
trait Kernel {
    /// Whether each lane has a key of its own.
    fn own(&self) -> bool;

    /// Sets the key of a lane. All keys of one plan have the same number of rounds.
    fn take(&mut self, lane: usize, keys: &RoundKeys);

    /// Gives `lane` the key of lane `other`.
    fn repeat(&mut self, lane: usize, other: usize);

    /// Advances every lane by `n` blocks.
    ///
    /// # Safety
    /// `src` and `dst` of every lane are those of a [`Piece`] of which at least `n` blocks are left.
    unsafe fn steps(&mut self, lanes: &mut Lanes, n: usize);
}

/// Chains all `messages` in the lanes of `T`. `WRITE` says whether their pieces have destinations.
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

/// Chains messages with different keys. Not inlined, so that lanes with one key have no scratch buffer in their stack
/// frame.
#[inline(never)]
fn own_keys<T: AesToken, const WRITE: bool>(token: T, order: &[u64], messages: &mut dyn Messages<'_>) {
    let mut kernel = OwnKeys::<T, WRITE>::new(token);
    for group in order.chunk_by(|a, b| a >> 56 == b >> 56) {
        run(lanes::<T>(), group, &mut kernel, messages);
    }
}

/// The bits of an entry of `order` that hold the complement of a number of blocks, after a shift by 8.
const BLOCKS: u64 = (1 << 48) - 1;

/// Fills `order` with all messages: grouped by number of rounds, and in each group the longest first. Returns whether
/// all have the same key.
///
/// An entry holds, from the top, the number of rounds, the complement of the number of blocks, and the message's index.
fn sort(order: &mut [u64], messages: &dyn Messages<'_>) -> bool {
    let first = messages.keys(0);
    let mut one_key = true;
    for i in 0..order.len() {
        let keys = messages.keys(i);
        one_key &= ptr::eq(keys, first);
        let less = !(messages.blocks(i) as u64) & BLOCKS;
        let entry = (keys.rounds() as u64) << 56 | less << 8 | i as u64;
        // Insertion sort: nearly always the messages are equally long.
        let mut at = i;
        while at > 0 && order[at - 1] > entry {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = entry;
    }
    one_key
}

/// The work of a lane.
#[derive(Clone, Copy)]
struct Work {
    message: usize,
    /// The index of the next piece.
    piece: usize,
    /// The number of blocks left in the piece; 0 for a lane without a message.
    left: usize,
    /// The number of blocks left in the message.
    total: usize,
    /// The lane whose work a lane without a message repeats.
    like: usize,
}

/// The work of a lane that has no message and repeats none.
const IDLE: Work = Work { message: usize::MAX, piece: 0, left: 0, total: 0, like: usize::MAX };

/// Takes the messages in `order` through `count` lanes.
fn run(count: usize, order: &[u64], kernel: &mut dyn Kernel, messages: &mut dyn Messages<'_>) {
    let mut plan = Plan { work: [IDLE; MAX_LANES], lanes: Lanes::new(), order, kernel, messages };
    for lane in 0..count {
        plan.refill(lane);
    }
    loop {
        let work = &plan.work[..count];
        let Some(n) = work.iter().map(|work| work.left).filter(|&left| left > 0).min() else { break };
        if work.iter().any(|work| work.left == 0) {
            plan.occupy(count);
        }
        // SAFETY: `n` is at most the number of blocks left of each lane's piece. A lane without a message has the
        // pointers of one that has a message.
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
    /// Gives a lane the next message that has any blocks; without one the lane becomes idle.
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

    /// Begins the next piece of a lane's message that is not empty. The message has blocks left.
    fn piece(&mut self, lane: usize) {
        let work = &mut self.work[lane];
        while work.left == 0 {
            let Piece { src, dst, blocks } = self.messages.piece(work.message, work.piece);
            work.piece += 1;
            work.left = blocks;
            (self.lanes.src[lane], self.lanes.dst[lane]) = (src, dst);
        }
    }

    /// Records that a lane has done `n` blocks, and begins its next piece or message if one has ended.
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

    /// Lets each lane without a message repeat the lane that has the most left to do.
    fn occupy(&mut self, count: usize) {
        let Some(longest) = (0..count).max_by_key(|&lane| self.work[lane].total) else { return };
        for lane in 0..count {
            let Work { left, like, .. } = self.work[lane];
            if left > 0 {
                continue;
            }
            // No message is left to be started, so the lane `like` has the same message as before, or none.
            let still = self.work.get(like).is_some_and(|work| work.left > 0);
            let like = if still { like } else { longest };
            if !still {
                self.kernel.repeat(lane, longest);
                self.lanes.state.0[lane] = self.lanes.state.0[longest];
                self.work[lane] = Work { like, ..IDLE };
            }
            (self.lanes.src[lane], self.lanes.dst[lane]) = (self.lanes.src[like], self.lanes.dst[like]);
        }
    }
}

//! Modes in which each block waits for the one before, for many messages side by side.
//!
//! A chain of AES keeps one block in the CPU's AES units, which have room for eight to sixteen. Chains of different messages do
//! not wait for each other, so each block of a few vectors, a *lane*, works on a message of its own, with a key of its
//! own. A step takes one block of each message.
//!
//! * The round keys of the lanes lie interleaved in a scratch, so that the keys of one vector in one round are one load.
//! * When the message of a lane ends, the next one takes its place. The longest go first, so that at the end lanes
//!   run out at nearly the same time.
//! * A lane without a message does what another one does, to the same memory: no masks, and nothing to decide
//!   in a step.
//!
//! [`chain`] plans the lanes, once for all CPUs and modes; [`steps`] is the inner loop. What the modes are to them is
//! the trait [`Messages`].

mod modes;
#[cfg(test)]
mod tests;

pub use modes::{CbcJob, CcmJob, MacJob, cbc_encrypt_many, cbc_mac_many, ccm_many};

use super::RoundKeys;
use crate::simd::{AesToken, AesVector, Blocks, opaque};
use core::ptr;
use zeroize::Zeroize;

/// The most lanes of any CPU.
const MAX_LANES: usize = 16;

/// Messages that are planned at once.
const MANY: usize = 64;

/// Lanes of a CPU: eight vectors, or four of four blocks. That is what a round's latency of three to four cycles needs, one to two rounds a
/// cycle.
pub(super) const fn lanes<T: AesToken>() -> usize {
    if T::V::BLOCKS == 1 { 8 } else { MAX_LANES }
}

/// Consecutive blocks of a message, at least one: where they are, and where the chaining values after them go.
#[derive(Clone, Copy)]
struct Piece {
    src: *const u8,
    /// Null for a mode that writes none.
    dst: *mut u8,
    blocks: usize,
}

/// Messages to be chained, by number.
///
/// # Safety
/// From [`Messages::start`] to [`Messages::finish`], the pieces of a message are readable and, but for null pointers, writable.
/// Different messages write to different places, and not where others read.
unsafe trait Messages {
    fn count(&self) -> usize;

    /// The key of message `i`.
    fn keys(&self, i: usize) -> &RoundKeys;

    /// How many blocks message `i` has.
    fn blocks(&self, i: usize) -> usize;

    /// The chaining value before message `i`, which is now about to be worked on.
    fn start(&mut self, i: usize) -> [u8; 16];

    /// Piece `n` of message `i`, if it has so many.
    fn piece(&mut self, i: usize, n: usize) -> Option<Piece>;

    /// Takes the last chaining value of message `i`.
    fn finish(&mut self, i: usize, state: &[u8; 16]);
}

/// One block of each lane, in the order of vectors.
type Row = [[u8; 16]; MAX_LANES];

/// What a step works with.
#[repr(C, align(64))]
struct Lanes {
    /// By round.
    keys: [Row; 15],
    state: Row,
    src: [*const u8; MAX_LANES],
    dst: [*mut u8; MAX_LANES],
    rounds: usize,
}

/// Advances every lane by a number of blocks.
///
/// # Safety
/// `src` and `dst` of every lane are those of a [`Piece`] with at least as many blocks left.
type Steps<T> = unsafe fn(T, &mut Lanes, usize);

/// Takes `messages` through the lanes of `T`; `WRITE` is whether their pieces have destinations.
fn chain<T: AesToken, const WRITE: bool>(token: T, messages: &mut dyn Messages) {
    let steps: Steps<T> = if T::V::BLOCKS == 4 { steps::<T, 4, WRITE> } else { steps::<T, 8, WRITE> };
    // SAFETY: `run` keeps to the contract.
    let mut steps = |lanes: &mut Lanes, n| unsafe { steps(token, lanes, n) };
    plan(lanes::<T>(), &mut steps, messages);
}

/// Messages of equal rounds together, the longest first.
fn plan(count: usize, steps: &mut dyn FnMut(&mut Lanes, usize), messages: &mut dyn Messages) {
    let many = messages.count();
    assert!(many <= MANY);
    let mut order = [0; MANY];
    let order = &mut order[..many];
    for (i, entry) in order.iter_mut().enumerate() {
        let rounds = messages.keys(i).rounds() as u64;
        *entry = rounds << 56 | (!(messages.blocks(i) as u64) << 16) >> 8 | i as u64;
    }
    order.sort_unstable();
    let no_block = Lanes {
        keys: [[[0; 16]; MAX_LANES]; 15],
        state: [[0; 16]; MAX_LANES],
        src: [ptr::null(); MAX_LANES],
        dst: [ptr::null_mut(); MAX_LANES],
        rounds: 0,
    };
    let mut plan = Plan { lanes: no_block, count, working: [None; MAX_LANES], like: [None; MAX_LANES], shared: false };
    for group in order.chunk_by(|a, b| a >> 56 == b >> 56) {
        plan.run(group, steps, messages);
    }
    plan.lanes.keys[..=plan.lanes.rounds].as_flattened_mut().as_flattened_mut().zeroize();
    plan.lanes.state.as_flattened_mut().zeroize();
}

/// What a lane is at.
#[derive(Clone, Copy)]
struct Work {
    message: usize,
    /// How many pieces have been begun.
    pieces: usize,
    /// Blocks left of the piece.
    left: usize,
    /// Blocks left of the message.
    total: usize,
}

struct Plan {
    lanes: Lanes,
    count: usize,
    working: [Option<Work>; MAX_LANES],
    /// What a lane without a message repeats: a lane and its message.
    like: [Option<(usize, usize)>; MAX_LANES],
    /// Whether all messages have one key.
    shared: bool,
}

impl Plan {
    fn run(&mut self, order: &[u64], steps: &mut dyn FnMut(&mut Lanes, usize), messages: &mut dyn Messages) {
        let mut queue = order.iter().map(|entry| (entry & 0xff) as usize);
        let first = messages.keys((order[0] & 0xff) as usize);
        self.lanes.rounds = first.rounds();
        self.shared = order.iter().all(|entry| ptr::eq(messages.keys((entry & 0xff) as usize), first));
        if self.shared {
            for (row, key) in self.lanes.keys.iter_mut().zip(first.keys()) {
                *row = [*key; MAX_LANES];
            }
        }
        for lane in 0..self.count {
            self.refill(lane, &mut queue, messages);
        }
        loop {
            let left = self.working[..self.count].iter().flatten().map(|work| work.left);
            let Some(n) = left.min() else { return };
            self.occupy();
            steps(&mut self.lanes, n);
            for lane in 0..self.count {
                let Some(work) = &mut self.working[lane] else { continue };
                (work.left, work.total) = (work.left - n, work.total - n);
                if work.left > 0 {
                    self.lanes.src[lane] = self.lanes.src[lane].wrapping_add(16 * n);
                    if !self.lanes.dst[lane].is_null() {
                        self.lanes.dst[lane] = self.lanes.dst[lane].wrapping_add(16 * n);
                    }
                } else if !self.next_piece(lane, messages) {
                    messages.finish(self.working[lane].map_or(0, |work| work.message), &self.lanes.state[lane]);
                    self.refill(lane, &mut queue, messages);
                }
            }
        }
    }

    /// Gives a lane the next message that has any blocks.
    fn refill(&mut self, lane: usize, queue: &mut dyn Iterator<Item = usize>, messages: &mut dyn Messages) {
        (self.working[lane], self.like[lane]) = (None, None);
        for message in queue {
            let state = messages.start(message);
            let total = messages.blocks(message);
            if total == 0 {
                messages.finish(message, &state);
                continue;
            }
            self.working[lane] = Some(Work { message, pieces: 0, left: 0, total });
            self.next_piece(lane, messages);
            self.lanes.state[lane] = state;
            if !self.shared {
                for (row, key) in self.lanes.keys.iter_mut().zip(messages.keys(message).keys()) {
                    row[lane] = *key;
                }
            }
            return;
        }
    }

    /// Begins the next piece of a lane's message, if there is one.
    fn next_piece(&mut self, lane: usize, messages: &mut dyn Messages) -> bool {
        let Some(work) = &mut self.working[lane] else { return false };
        let Some(piece) = messages.piece(work.message, work.pieces) else { return false };
        work.pieces += 1;
        work.left = piece.blocks;
        (self.lanes.src[lane], self.lanes.dst[lane]) = (piece.src, piece.dst);
        true
    }

    /// Has the lanes without a message do what the one with the most left to do does.
    fn occupy(&mut self) {
        let idle = |working: &Option<Work>| working.is_none();
        if !self.working[..self.count].iter().any(idle) {
            return;
        }
        let longest = (0..self.count).filter_map(|lane| Some((self.working[lane]?.total, lane))).max();
        let Some((_, longest)) = longest else { return };
        for lane in 0..self.count {
            if self.working[lane].is_some() {
                continue;
            }
            let like = match self.like[lane] {
                Some((like, message)) if self.working[like].is_some_and(|work| work.message == message) => like,
                _ => {
                    self.lanes.state[lane] = self.lanes.state[longest];
                    if !self.shared {
                        self.lanes.keys.iter_mut().for_each(|row| row[lane] = row[longest]);
                    }
                    self.like[lane] = self.working[longest].map(|work| (longest, work.message));
                    longest
                }
            };
            (self.lanes.src[lane], self.lanes.dst[lane]) = (self.lanes.src[like], self.lanes.dst[like]);
        }
    }
}

/// Vector `v` of a row.
#[inline(always)]
fn load<V: AesVector>(token: V::Token, row: &Row, v: usize) -> V {
    V::load(token, row[v * V::BLOCKS..].as_flattened())
}

/// The inner loop, with `N` vectors; see [`Steps`].
unsafe fn steps<T: AesToken, const N: usize, const WRITE: bool>(token: T, lanes: &mut Lanes, n: usize) {
    token.vectorize(
        #[inline(always)]
        || {
            let Lanes { keys, state, src, dst, rounds } = lanes;
            let mut chain = [T::V::zero(token); N];
            for (v, x) in chain.iter_mut().enumerate() {
                *x = load(token, state, v);
            }
            for at in 0..n {
                for (v, x) in chain.iter_mut().enumerate() {
                    let blocks = T::V::gather(
                        token,
                        #[inline(always)]
                        // SAFETY: each source has `n` blocks.
                        |i| unsafe { *src[v * T::V::BLOCKS + i].add(16 * at).cast::<[u8; 16]>() },
                    );
                    *x = x.xor3(blocks, load(token, &keys[0], v));
                }
                let mut round = 1;
                while round < *rounds {
                    let row = &keys[round];
                    for (v, x) in chain.iter_mut().enumerate() {
                        *x = x.enc(load(token, row, v));
                    }
                    round = opaque(round + 1);
                }
                for (v, x) in chain.iter_mut().enumerate() {
                    *x = x.enc_last(load(token, &keys[*rounds], v));
                    if WRITE {
                        // SAFETY: each destination has `n` blocks, and nobody else writes there but a lane that
                        // repeats this one, and writes the same.
                        x.scatter(
                            #[inline(always)]
                            |i, block| unsafe { *dst[v * T::V::BLOCKS + i].add(16 * at).cast::<[u8; 16]>() = block },
                        );
                    }
                }
            }
            for (v, x) in chain.iter().enumerate() {
                x.store(state[v * T::V::BLOCKS..].as_flattened_mut());
            }
        },
    );
}

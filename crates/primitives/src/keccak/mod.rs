//! Keccak (FIPS 202): SHA-3, and the original padding.
//!
//! The state is 25 lanes of 64 bits, lane (x, y) at index x + 5y. A message is absorbed `rate` bytes at a time: a block
//! is xored into the first lanes, and a permutation follows. The digest is read from the same lanes. One permutation is
//! 24 rounds of
//!
//! - θ: every lane is xored with the parity of column x-1 and the parity of column x+1 rotated by 1;
//! - ρ and π: lane (x, y) is rotated by a distance of its own and moves to (y, 2x + 3y);
//! - χ: lane x of a row is xored with !(lane x+1) & (lane x+2);
//! - ι: lane (0, 0) is xored with a constant of the round.
//!
//! The code is written once, with one lane in each register: a general register, or a vector register of a CPU whose
//! vectors have rotations and logic of three operands.

#[cfg(target_arch = "x86_64")]
mod in_lanes;
mod lanes;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::cpu::Token;
use crate::hash::{
    Chaining, Hash, Job, Queue, Reader, SORTED, Stream, Streams, Writer, little_endian, longest_first, take, wipe,
};

/// A token of a CPU that has a Keccak permutation.
pub trait Permute: Token {
    /// The number of messages that are hashed in parallel.
    const LANES: usize = 1;

    /// Absorbs `blocks`: for each block, xors it to the state and applies Keccak-f\[1600\].
    ///
    /// `rate` is the length of a block in bytes. It is a multiple of 8, at most 200, and divides the length of
    /// `blocks`.
    fn absorb(self, state: &mut [u64; 25], rate: usize, blocks: &[u8]);

    /// Applies Keccak-f\[1600\] once.
    fn permute(self, state: &mut [u64; 25]);

    /// Hashes all messages of `queue`, whose blocks have at least 16 bytes.
    fn absorb_queue(self, queue: &mut Queue<'_, '_, [u64; 25]>) {
        let rate = queue.block();
        queue.one_by_one(|state, blocks| self.absorb(state, rate, blocks));
    }
}

/// The round constants of ι.
static ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// A sponge over Keccak-f\[1600\] (FIPS 202 section 4).
#[derive(Clone)]
pub struct Keccak<T: Permute> {
    token: T,
    state: [u64; 25],
    /// The length of a block in bytes.
    rate: usize,
    /// The number of bytes of the block that have been absorbed, or read as output.
    absorbed: usize,
    /// Whether the message has been padded and output is being read.
    squeezing: bool,
    suffix: u8,
    digest_size: usize,
}

impl<T: Permute> Keccak<T> {
    /// A sponge with a `rate` in bytes and a digest of `output_len` bytes. `suffix` is the byte that separates domains
    /// and begins the padding: 0x01 for the original Keccak, 0x06 for SHA-3, 0x1f for SHAKE.
    ///
    /// # Panics
    /// If the rate is not a multiple of 8 between 8 and 200.
    pub fn new(token: T, rate: usize, suffix: u8, output_len: usize) -> Self {
        assert!(rate.is_multiple_of(8) && (8..=200).contains(&rate), "rate of {rate} bytes");
        Self { token, state: [0; 25], rate, absorbed: 0, squeezing: false, suffix, digest_size: output_len }
    }

    /// SHA3-224.
    pub fn sha3_224(token: T) -> Self {
        Self::new(token, 144, 0x06, 28)
    }

    /// SHA3-256.
    pub fn sha3_256(token: T) -> Self {
        Self::new(token, 136, 0x06, 32)
    }

    /// SHA3-384.
    pub fn sha3_384(token: T) -> Self {
        Self::new(token, 104, 0x06, 48)
    }

    /// SHA3-512.
    pub fn sha3_512(token: T) -> Self {
        Self::new(token, 72, 0x06, 64)
    }

    /// Sets the length of the digest in bytes; what has been absorbed stays.
    pub fn set_output_len(&mut self, output_len: usize) {
        self.digest_size = output_len;
    }

    /// Pads the bytes that were absorbed since the beginning, or since output was last read.
    #[inline(always)]
    fn pad(&mut self) {
        self.state[self.absorbed / 8] ^= u64::from(self.suffix) << (8 * (self.absorbed % 8));
        self.state[self.rate / 8 - 1] ^= 1 << 63;
    }

    /// [`Hash::digest_after`] with a digest as long as `out`.
    #[inline(never)]
    fn digest_of_any_length(&self, parts: &[&[u8]], out: &mut [u8]) {
        let mut copy = self.clone();
        copy.set_output_len(out.len());
        parts.iter().for_each(|part| copy.update(part));
        copy.finish(out);
    }

    /// Xors `data` to the state, from byte `absorbed` of the block on. It must not reach beyond the block.
    #[inline(always)]
    fn xor(&mut self, mut data: &[u8]) {
        let mut at = self.absorbed;
        self.absorbed += data.len();
        let within = at % 8;
        if within != 0 {
            let (head, rest) = data.split_at(data.len().min(8 - within));
            self.state[at / 8] ^= (little_endian(head) as u64) << (8 * within);
            at += 8 - within;
            data = rest;
        }
        let (lanes, rest) = data.as_chunks::<8>();
        let state = &mut self.state[(at / 8).min(25)..];
        for (state, bytes) in state.iter_mut().zip(lanes) {
            *state ^= u64::from_le_bytes(*bytes);
        }
        if let Some(state) = state.get_mut(lanes.len()) {
            *state ^= little_endian(rest) as u64;
        }
    }
}

impl<T: Permute> Hash for Keccak<T> {
    fn digest_size(&self) -> usize {
        self.digest_size
    }

    fn update(&mut self, mut data: &[u8]) {
        if self.squeezing {
            if data.is_empty() {
                return;
            }
            (self.squeezing, self.absorbed) = (false, 0);
        }
        if self.absorbed > 0 {
            let (head, rest) = data.split_at(data.len().min(self.rate - self.absorbed));
            self.xor(head);
            data = rest;
            if self.absorbed < self.rate {
                return;
            }
            self.token.permute(&mut self.state);
            self.absorbed = 0;
        }
        if data.len() >= self.rate {
            let (blocks, rest) = data.split_at(data.len() - data.len() % self.rate);
            self.token.absorb(&mut self.state, self.rate, blocks);
            data = rest;
        }
        self.xor(data);
    }

    fn finish(&mut self, out: &mut [u8]) {
        assert_eq!(out.len(), self.digest_size, "digest length");
        if self.squeezing {
            let _ = self.squeeze(out); // always true
            return;
        }
        self.pad();
        for out in out.chunks_mut(self.rate) {
            self.token.permute(&mut self.state);
            let (lanes, rest) = out.as_chunks_mut::<8>();
            for (out, lane) in lanes.iter_mut().zip(&self.state) {
                *out = lane.to_le_bytes();
            }
            if !rest.is_empty() {
                rest.copy_from_slice(&self.state[lanes.len()].to_le_bytes()[..rest.len()]);
            }
        }
    }

    /// Data that is absorbed after output begins a block, and is xored to the state as it is. If output is read at most
    /// one block at a time, and data between is shorter than a block, this is the duplex construction (Bertoni and
    /// others 2011, "Duplexing the sponge").
    fn squeeze(&mut self, mut out: &mut [u8]) -> bool {
        if !self.squeezing {
            self.pad();
            self.token.permute(&mut self.state);
            (self.squeezing, self.absorbed) = (true, 0);
        }
        let mut block = [0; 200];
        while !out.is_empty() {
            if self.absorbed == self.rate {
                self.token.permute(&mut self.state);
                self.absorbed = 0;
            }
            self.state.write(&mut block);
            let (front, rest) = out.split_at_mut(out.len().min(self.rate - self.absorbed));
            front.copy_from_slice(&block[self.absorbed..][..front.len()]);
            self.absorbed += front.len();
            out = rest;
        }
        wipe(&mut block);
        true
    }

    const LANES: usize = T::LANES;

    /// The digests may have other lengths than [`Hash::digest_size`].
    fn digest_batch_after<'a>(jobs: &mut [Job<'a, Self>]) {
        let Some((token, rate)) = jobs.first().map(|job| (job.state.token, job.state.rate)) else { return };
        for jobs in jobs.chunks_mut(SORTED) {
            let (count, mut order) = (jobs.len(), [0; SORTED]);
            let mut order = longest_first(jobs, &mut order).iter();
            let mut fill = |stream: &mut Stream<'a, [u64; 25]>| {
                for entry in order.by_ref() {
                    let Job { state, parts, out } = take(jobs, *entry);
                    // Lanes take messages in one piece that begin with a block and whose digest fits into one block.
                    let [message] = parts else {
                        state.digest_of_any_length(parts, out);
                        continue;
                    };
                    if state.rate != rate || rate < 16 || state.absorbed > 0 || state.squeezing || out.len() > rate {
                        state.digest_of_any_length(parts, out);
                        continue;
                    }
                    let (blocks, rest) = message.split_at(message.len() - message.len() % rate);
                    stream.chain = state.state;
                    stream.run = blocks;
                    stream.tail.fill(0);
                    stream.tail[..rest.len()].copy_from_slice(rest);
                    stream.tail[rest.len()] = state.suffix;
                    stream.tail[rate - 1] |= 0x80;
                    stream.tail_len = rate;
                    stream.out = Some(out);
                    return true;
                }
                false
            };
            let mut streams = Streams::new();
            token.absorb_queue(&mut Queue::new(&mut streams, rate, count, &mut fill));
        }
    }

    fn export(&self, to: &mut Writer<'_>) {
        self.state.export(to);
        // `absorbed` is at most the rate, which is at most 200, so it fits in a byte.
        to.numbers(&[self.absorbed as u8, u8::from(self.squeezing)]);
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.state.import(from)?;
        self.absorbed = from.number::<u8>()?.into();
        self.squeezing = from.number::<u8>()? != 0;
        (self.absorbed < self.rate + usize::from(self.squeezing)).then_some(())
    }
}

impl Chaining for [u64; 25] {
    const ZERO: Self = [0; 25];

    type Tail = [u8; 200];

    #[inline(always)]
    fn write(&self, out: &mut [u8]) {
        for (out, lane) in out.chunks_mut(8).zip(self) {
            out.copy_from_slice(&lane.to_le_bytes()[..out.len()]);
        }
    }

    #[inline(always)]
    fn wipe(&mut self) {
        wipe(self);
    }

    fn export(&self, to: &mut Writer<'_>) {
        to.numbers(self);
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        from.numbers(self)
    }
}

impl<T: Permute> Drop for Keccak<T> {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

#[cfg(test)]
mod tests;

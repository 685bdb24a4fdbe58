//! CBC encryption, CBC-MAC and CCM in lanes.

use super::{Kernel, Lanes, MAX_PLANNED, Messages, OneKey, Piece, chain, lanes};
use crate::{
    InOut,
    aes::{AesKey, RoundKeys},
    simd::{AesToken, load_partial_block},
};
use core::{cell::Cell, ptr};
use zeroize::optimization_barrier;

/// A message for [`cbc_encrypt_batch`].
pub struct CbcJob<'a, T> {
    /// The key to encrypt with.
    pub key: &'a AesKey<T>,
    /// The IV; it becomes the last ciphertext block.
    pub iv: &'a mut [u8; 16],
    /// The message, in whole blocks of 16 bytes.
    pub data: InOut<'a>,
}

struct Cbc<'j, 'a, T>(&'j mut [CbcJob<'a, T>]);

// SAFETY: a job holds an exclusive borrow of its data, which the pieces point into. So they are valid, and no two
// messages overlap.
unsafe impl<'a, T: AesToken> Messages<'a> for Cbc<'_, 'a, T> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn keys(&self, i: usize) -> &'a RoundKeys {
        &self.0[i].key.enc
    }

    fn blocks(&self, i: usize) -> usize {
        self.0[i].data.len() / 16
    }

    fn start(&mut self, i: usize) -> [u8; 16] {
        *self.0[i].iv
    }

    fn piece(&mut self, i: usize, n: usize) -> Piece {
        debug_assert_eq!(n, 0);
        let data = &mut self.0[i].data;
        let (src, dst) = data.as_ptrs();
        Piece { src, dst, blocks: data.len() / 16 }
    }

    fn finish(&mut self, i: usize, state: &[u8; 16]) {
        *self.0[i].iv = *state;
    }
}

/// Whether messages of these lengths are finished sooner one after the other. Setting up lanes takes as long as 16 to
/// 32 blocks, and the longest message takes as long in lanes as alone. Chains of up to 40 rounds overlap without lanes,
/// by out-of-order execution. On Zen 4, 32 messages of 64 bytes under AES-128 took 19 ns each; in lanes they took 22,
/// or 32 with different keys. Under AES-256 with one key, lanes took a sixth less.
fn sooner_one_by_one(rounds: usize, lengths: impl Iterator<Item = usize>) -> bool {
    let add = |(n, total, longest): (usize, usize, usize), len| (n + 1, total.saturating_add(len), longest.max(len));
    let (n, total, longest) = lengths.fold((0, 0, 0), add);
    total - longest < 512 || total.saturating_mul(rounds) <= 16 * 40 * n
}

/// CBC encryption of many messages; see [`AesKey::cbc_encrypt`].
///
/// With AVX-512, the lanes are those of AVX2: taking a vector of four blocks apart costs more shuffles. On Zen 4, 32
/// messages of 1360 bytes under one key took 94 ns each and not 114.
///
/// # Panics
/// If the length of a message is not a multiple of 16 bytes.
pub fn cbc_encrypt_batch<T: AesToken>(jobs: &mut [CbcJob<'_, T>]) {
    let rest = alike(jobs);
    assert!(rest.iter().all(|job| job.data.len().is_multiple_of(16)), "CBC works on whole blocks");
    for jobs in rest.chunks_mut(MAX_PLANNED) {
        if sooner_one_by_one(jobs[0].key.enc.rounds(), jobs.iter().map(|job| job.data.len())) {
            jobs.iter_mut().for_each(|job| job.key.cbc_encrypt(job.iv, job.data.reborrow()));
        } else {
            chain::<T::TwoBlocks, true>(jobs[0].key.token.two_blocks(), &mut Cbc(jobs));
        }
    }
}

/// Encrypts the messages at the front in groups of as many as there are lanes, as long as the messages of a group have
/// one key and one length. Returns the messages that are left.
fn alike<'j, 'a, T: AesToken>(mut jobs: &'j mut [CbcJob<'a, T>]) -> &'j mut [CbcJob<'a, T>] {
    let count = lanes::<T::TwoBlocks>();
    loop {
        let Some(group) = jobs.get(..count) else { return jobs };
        let CbcJob { key, data, .. } = &group[0];
        let (key, len) = (*key, data.len());
        if !group.iter().all(|job| ptr::eq(job.key, key) && job.data.len() == len) {
            return jobs;
        }
        assert!(len.is_multiple_of(16), "CBC works on whole blocks");
        let (group, rest) = jobs.split_at_mut(count);
        side_by_side(key.token.two_blocks(), &key.enc, group, len);
        jobs = rest;
    }
}

/// Encrypts as many messages of `len` bytes under one key as there are lanes. All begin and end together, so nothing
/// has to be planned.
fn side_by_side<T: AesToken, K: AesToken>(token: T, keys: &RoundKeys, jobs: &mut [CbcJob<'_, K>], len: usize) {
    assert_eq!(jobs.len(), lanes::<T>(), "a message in each lane");
    let mut lanes = Lanes::new();
    for (i, CbcJob { iv, data, .. }) in jobs.iter_mut().enumerate() {
        lanes.state.0[i] = **iv;
        (lanes.src[i], lanes.dst[i]) = data.as_ptrs();
    }
    // SAFETY: there are as many jobs as lanes. Each lane has the pointers of a job, which has `len` bytes and an exclusive
    // borrow of them.
    unsafe { OneKey::<T, true>::new(token, keys).steps(&mut lanes, len / 16) };
    jobs.iter_mut().zip(&lanes.state.0).for_each(|(job, state)| *job.iv = *state);
}

/// A message for [`cbc_mac_batch`].
pub struct MacJob<'a, K> {
    /// The key of the MAC.
    pub key: &'a K,
    /// The chaining value before the message, then the one after it.
    pub state: [u8; 16],
    /// The message up to the last block, in whole blocks of 16 bytes.
    pub blocks: &'a [u8],
    /// The last block, which callers mask or pad.
    pub last: [u8; 16],
}

struct Mac<'j, 'a, T>(&'j mut [MacJob<'a, AesKey<T>>]);

// SAFETY: the pieces are only read. They point into a shared borrow of the job, or to its last block, which this value
// borrows exclusively and leaves alone.
unsafe impl<'a, T: AesToken> Messages<'a> for Mac<'_, 'a, T> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn keys(&self, i: usize) -> &'a RoundKeys {
        &self.0[i].key.enc
    }

    fn blocks(&self, i: usize) -> usize {
        self.0[i].blocks.len() / 16 + 1
    }

    fn start(&mut self, i: usize) -> [u8; 16] {
        self.0[i].state
    }

    fn piece(&mut self, i: usize, n: usize) -> Piece {
        let job = &self.0[i];
        read([job.blocks, &job.last][n])
    }

    fn finish(&mut self, i: usize, state: &[u8; 16]) {
        self.0[i].state = *state;
    }
}

/// A piece that is only read.
fn read(piece: &[u8]) -> Piece {
    Piece { src: piece.as_ptr(), dst: ptr::null_mut(), blocks: piece.len() / 16 }
}

/// Absorbs whole blocks into many CBC-MAC states; see [`AesKey::cbc_mac`].
///
/// # Panics
/// If the length of a message is not a multiple of 16 bytes.
pub fn cbc_mac_batch<T: AesToken>(jobs: &mut [MacJob<'_, AesKey<T>>]) {
    assert!(jobs.iter().all(|job| job.blocks.len().is_multiple_of(16)), "CBC-MAC works on whole blocks");
    for jobs in jobs.chunks_mut(MAX_PLANNED) {
        if sooner_one_by_one(jobs[0].key.enc.rounds(), jobs.iter().map(|job| job.blocks.len())) {
            for MacJob { key, state, blocks, last } in jobs {
                key.cbc_mac(state, blocks);
                key.cbc_mac(state, last);
            }
        } else {
            chain::<T, false>(jobs[0].key.token, &mut Mac(jobs));
        }
    }
}

/// A message for [`ccm_batch`].
pub struct CcmJob<'a, T> {
    /// The key of both CTR and CBC-MAC.
    pub key: &'a AesKey<T>,
    /// The blocks that are authenticated before the text (B0 and associated data), in whole blocks of 16 bytes.
    pub prefix: &'a [u8],
    /// The counter block whose encryption masks the tag, as a big-endian number. The counters of the text follow it.
    pub counter: u128,
    /// The text to be encrypted or decrypted, of any length.
    pub data: InOut<'a>,
    /// The tag, when the job is done.
    pub tag: [u8; 16],
}

impl<T: AesToken> CcmJob<'_, T> {
    /// CTR of the text, whose first counter is the one after `counter`.
    fn ctr(&mut self) {
        let mut counter = self.counter.wrapping_add(1).to_be_bytes();
        self.key.ctr(&mut counter, self.data.reborrow());
    }
}

/// Computes the masks of the tags, all with one call if all jobs have one key.
fn masks<T: AesToken>(jobs: &mut [CcmJob<'_, T>]) {
    let key = jobs[0].key;
    let mut all = [[0; 16]; MAX_PLANNED];
    let blocks = &mut all[..jobs.len()];
    blocks.iter_mut().zip(&*jobs).for_each(|(block, job)| *block = job.counter.to_be_bytes());
    if jobs.iter().all(|job| ptr::eq(job.key, key)) {
        key.ecb_encrypt(InOut::from(blocks.as_flattened_mut()));
    } else {
        blocks.iter_mut().zip(&*jobs).for_each(|(block, job)| job.key.ecb_encrypt(InOut::from(&mut block[..])));
    }
    jobs.iter_mut().zip(&*blocks).for_each(|(job, block)| job.tag = *block);
    blocks.as_flattened_mut().fill(0);
    optimization_barrier(&all);
}

/// The last block of each plaintext, zero-padded. They are cells, because lanes read one by its address while those of
/// other messages are written.
type Tails = [Cell<[u8; 16]>; MAX_PLANNED];

struct Ccm<'j, 'a, T, const ENC: bool> {
    jobs: &'j mut [CcmJob<'a, T>],
    tails: &'j Tails,
}

// SAFETY: a message's text and tail are written only in `start` and `finish`, when no lane reads them; prefixes are
// shared borrows.
unsafe impl<'a, T: AesToken, const ENC: bool> Messages<'a> for Ccm<'_, 'a, T, ENC> {
    fn count(&self) -> usize {
        self.jobs.len()
    }

    fn keys(&self, i: usize) -> &'a RoundKeys {
        &self.jobs[i].key.enc
    }

    fn blocks(&self, i: usize) -> usize {
        self.jobs[i].prefix.len() / 16 + self.jobs[i].data.len().div_ceil(16)
    }

    fn start(&mut self, i: usize) -> [u8; 16] {
        let job = &mut self.jobs[i];
        if !ENC {
            job.ctr();
        }
        let plain = if ENC { job.data.src() } else { job.data.written() };
        self.tails[i].set(load_partial_block(plain.as_chunks::<16>().1).to_le_bytes());
        [0; 16]
    }

    fn piece(&mut self, i: usize, n: usize) -> Piece {
        let job = &self.jobs[i];
        let plain = if ENC { job.data.src() } else { job.data.written() };
        let whole = plain.as_chunks::<16>().0;
        match n {
            0 => read(job.prefix),
            1 => read(whole.as_flattened()),
            _ => Piece { src: self.tails[i].as_ptr().cast(), dst: ptr::null_mut(), blocks: 1 },
        }
    }

    fn finish(&mut self, i: usize, state: &[u8; 16]) {
        let job = &mut self.jobs[i];
        job.tag.iter_mut().zip(state).for_each(|(tag, mac)| *tag ^= mac);
        if ENC {
            job.ctr();
        }
        self.tails[i].set([0; 16]);
    }
}

/// CCM of many messages: encrypts (`ENC`) or decrypts each text and computes its tag.
///
/// CTR of a text comes right before its MAC (decryption) or right after it (encryption), so the second finds the text
/// in the cache.
///
/// # Panics
/// If the length of a prefix is not a multiple of 16 bytes.
pub fn ccm_batch<T: AesToken, const ENC: bool>(jobs: &mut [CcmJob<'_, T>]) {
    assert!(jobs.iter().all(|job| job.prefix.len().is_multiple_of(16)), "CBC-MAC works on whole blocks");
    for jobs in jobs.chunks_mut(MAX_PLANNED) {
        masks(jobs);
        let token = jobs[0].key.token;
        let tails: Tails = [const { Cell::new([0; 16]) }; MAX_PLANNED];
        chain::<T, false>(token, &mut Ccm::<T, ENC> { jobs, tails: &tails });
    }
}

//! Tests that every hash is put through, which compare it with another implementation.

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
/// length around the ends of blocks, messages of one length, random lengths, and states that have absorbed whole blocks
/// or parts of one.
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
    for len in 0..=300 {
        let mut lens: Vec<_> = (0..35).map(|_| ([0, 64, 128, 256][random.below(4)], len)).collect();
        if len % 3 == 0 {
            lens[random.below(35)].0 = 100;
        }
        batch(&lens, &pool, new, peer);
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

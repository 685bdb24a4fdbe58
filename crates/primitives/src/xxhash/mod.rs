//! XXH64 (Y. Collet): a 64-bit checksum, not a cryptographic hash.
//!
//! Four accumulators of 64 bits each take 8 bytes of every 32; a multiplication and a rotation mix
//! what they took. At the end they are merged, the last bytes are mixed in one word at a time, and
//! three multiplications spread every bit over the digest.
//!
//! The crypto API's `xxhash64` takes the seed as a key of 8 bytes, little-endian, 0 by default, and
//! gives the digest little-endian, where the canonical form of the reference is big-endian.

use crate::hash::{BlockBuffer, Hash, digest_by_copy};
use core::mem::ManuallyDrop;

const P1: u64 = 0x9e37_79b1_85eb_ca87;
const P2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const P3: u64 = 0x1656_67b1_9e37_79f9;
const P4: u64 = 0x85eb_ca77_c2b2_ae63;
const P5: u64 = 0x27d4_eb2f_1656_67c5;

/// XXH64: a digest of 8 bytes. A checksum guards no secrets, and its state is not wiped.
#[derive(Clone)]
pub struct XxHash64 {
    lanes: [u64; 4],
    buffer: ManuallyDrop<BlockBuffer<32>>,
    absorbed: u64,
    seed: u64,
}

impl XxHash64 {
    /// The checksum of the empty message so far.
    #[inline]
    pub fn new(seed: u64) -> Self {
        let lanes = [seed.wrapping_add(P1).wrapping_add(P2), seed.wrapping_add(P2), seed, seed.wrapping_sub(P1)];
        Self { lanes, buffer: ManuallyDrop::default(), absorbed: 0, seed }
    }
}

#[inline(always)]
fn round(lane: u64, input: u64) -> u64 {
    lane.wrapping_add(input.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

#[inline(always)]
fn absorb(lanes: &mut [u64; 4], stripes: &[u8]) {
    let mut l = *lanes;
    for stripe in stripes.as_chunks::<32>().0 {
        for (lane, word) in l.iter_mut().zip(stripe.as_chunks::<8>().0) {
            *lane = round(*lane, u64::from_le_bytes(*word));
        }
    }
    *lanes = l;
}

impl Hash for XxHash64 {
    fn digest_size(&self) -> usize {
        8
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.absorbed = self.absorbed.wrapping_add(data.len() as u64);
        let lanes = &mut self.lanes;
        self.buffer.absorb(data, |stripes| absorb(lanes, stripes));
    }

    #[inline]
    fn finish(&mut self, out: &mut [u8]) {
        let digest = finish(self.seed, &self.lanes, self.absorbed, self.buffer.pending());
        out.copy_from_slice(&digest.to_le_bytes());
    }

    #[inline]
    fn digest_after(&self, parts: &[&[u8]], out: &mut [u8]) {
        let ([message], []) = (parts, self.buffer.pending()) else {
            return digest_by_copy(self, parts, out);
        };
        let (stripes, rest) = message.split_at(message.len() - message.len() % 32);
        let absorbed = self.absorbed.wrapping_add(message.len() as u64);
        let digest = if stripes.is_empty() {
            finish(self.seed, &self.lanes, absorbed, rest)
        } else {
            let mut lanes = self.lanes;
            absorb(&mut lanes, stripes);
            finish(self.seed, &lanes, absorbed, rest)
        };
        out.copy_from_slice(&digest.to_le_bytes());
    }
}

/// The digest of a message of `absorbed` bytes, from the lanes after its stripes and the `rest` of it.
#[inline(always)]
fn finish(seed: u64, lanes: &[u64; 4], absorbed: u64, rest: &[u8]) -> u64 {
    let mut h = if absorbed >= 32 {
        let mut h = 0u64;
        for (lane, turn) in lanes.iter().zip([1, 7, 12, 18]) {
            h = h.wrapping_add(lane.rotate_left(turn));
        }
        lanes.iter().fold(h, |h, &lane| (h ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4))
    } else {
        seed.wrapping_add(P5)
    };
    h = h.wrapping_add(absorbed);

    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        h = (h ^ round(0, u64::from_le_bytes(*word))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    let (half, rest) = rest.as_chunks::<4>();
    for half in half {
        let half = u64::from(u32::from_le_bytes(*half));
        h = (h ^ half.wrapping_mul(P1)).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    }
    for &byte in rest {
        h = (h ^ u64::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }

    h = (h ^ (h >> 33)).wrapping_mul(P2);
    h = (h ^ (h >> 29)).wrapping_mul(P3);
    h ^ (h >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::check;

    #[test]
    fn agrees_with_published_values_and_the_peer() {
        // The values of the specification's and the reference implementation's tests.
        for (seed, message, digest) in [
            (0, &b""[..], 0xef46_db37_51d8_e999u64),
            (0, b"a", 0xd24e_c4f1_a98c_6e5b),
            (0, b"abc", 0x44bc_2cf5_ad77_0999),
        ] {
            assert_eq!(check::digest(XxHash64::new(seed), message), digest.to_le_bytes());
        }
        for seed in [0, 1, P1, u64::MAX] {
            check::against(|| XxHash64::new(seed), |m| xxhash_rust::xxh64::xxh64(m, seed).to_le_bytes().to_vec());
        }
    }
}

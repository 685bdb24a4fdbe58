//! SHA-1 (FIPS 180-4), with a digest of 160 bits. Collisions are practical; it lives on in HMAC and in old formats.
//!
//! A block of sixteen 32-bit words w(0..16) is expanded to eighty by
//! w(t) = (w(t-3) ^ w(t-8) ^ w(t-14) ^ w(t-16)) <<< 1. Round t maps the state (a, b, c, d, e) to
//! ((a <<< 5) + f(b, c, d) + e + k + w(t), a, b <<< 30, c, d), where f and k change every twenty rounds. Only b is
//! rotated and only one word is new, so CPUs with SHA instructions do four rounds in one instruction: a register holds
//! (a, b, c, d), and e after four rounds is the present a, rotated.

#[cfg(target_arch = "x86_64")]
mod lanes;
mod portable;
mod rounds;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod words;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cpu::AesSha;
use crate::cpu::Token;
use crate::hash::{Chain, Chaining, MerkleDamgard, Queue, Reader, Words, Writer, compression, wipe};

/// SHA-1, with blocks of 64 bytes and a digest of 20.
pub type Sha1 = MerkleDamgard<Chain160, 64>;

impl Sha1 {
    /// An empty message.
    pub fn new(token: impl Compress) -> Self {
        Self::start(token.forever(), Chain160([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]), 20)
    }
}

/// A token of a CPU that has a SHA-1 compression function.
pub trait Compress: Token {
    /// The number of messages that are hashed in parallel.
    const LANES: usize = 1;

    /// Whether short messages are hashed one after the other.
    const ALONE: bool = false;

    /// Absorbs `blocks`, whose length is a multiple of 64 bytes.
    fn compress(self, state: &mut [u32; 5], blocks: &[u8]);

    /// Hashes all messages of `queue`.
    fn compress_queue(self, queue: &mut Queue<'_, '_, Chain160>) {
        queue.one_by_one(|chain, blocks| self.compress(&mut chain.0, blocks));
    }
}

/// The chaining value of SHA-1.
#[derive(Clone, Default)]
pub struct Chain160([u32; 5]);

impl Chain for Chain160 {
    const LENGTH_BYTES: usize = 8;

    fn words(&mut self) -> Option<Words<'_>> {
        Some(Words::Sha1(&mut self.0))
    }
}

compression!(Compress, Chain160);

impl Chaining for Chain160 {
    const ZERO: Self = Self([0; 5]);

    type Tail = [u8; 128];

    #[inline(always)]
    fn write(&self, out: &mut [u8]) {
        for (out, word) in out.chunks_exact_mut(4).zip(self.0) {
            out.copy_from_slice(&word.to_be_bytes());
        }
    }

    #[inline(always)]
    fn wipe(&mut self) {
        wipe(&mut self.0);
    }

    fn export(&self, to: &mut Writer<'_>) {
        to.numbers(&self.0);
    }

    fn import(&mut self, from: &mut Reader<'_>) -> Option<()> {
        from.numbers(&mut self.0)
    }
}

/// The constants k of the four times twenty rounds: 2^30 times the square roots of 2, 3, 5 and 10.
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// Absorbs a block of SHA-1. `beside` is called with the number of each of the 20 groups of rounds, before the group.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn compress_beside(token: AesSha, state: &mut [u32; 5], block: &[u8; 64], beside: impl FnMut(usize)) {
    #[cfg(target_arch = "aarch64")]
    use aarch64::Halves;
    #[cfg(target_arch = "x86_64")]
    use x86::Halves;
    words::compress::<Halves, 1>(token.into(), [state], [block], beside);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{self, CpuFeatures};
    use crate::hash::check;
    use sha1::Digest;
    use std::vec;

    fn driver<T: Compress>() {
        let Some(token) = T::detect(CpuFeatures::detect()) else { return };
        // FIPS 180-4 examples (NIST, "SHA1.pdf" of the example values).
        for (message, digest) in [
            (&b"abc"[..], "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (&vec![b'a'; 1_000_000], "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        ] {
            assert_eq!(hex::encode(check::digest(Sha1::new(token), message)), digest);
        }
        check::against(|| Sha1::new(token), |m| sha1::Sha1::digest(m).to_vec());
        check::beyond_32_bits(
            Sha1::new(token),
            "ef1d9c2e1b5bdcffc7994c5debc93f08a3e9497580ffffff0000000000",
            "82526ddf0ffdf67131308cbf4736308f174f3d33",
        );
    }

    #[test]
    fn every_driver() {
        driver::<cpu::Portable>();
        #[cfg(target_arch = "x86_64")]
        {
            driver::<cpu::Avx2>();
            driver::<cpu::Avx512>();
            driver::<cpu::ShaNi>();
            driver::<cpu::ShaNiAvx2>();
            driver::<cpu::ShaNiAvx512>();
        }
        #[cfg(target_arch = "aarch64")]
        driver::<cpu::ArmSha2>();
    }
}

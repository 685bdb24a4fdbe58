//! Hash_DRBG (SP 800-90A Rev. 1 section 10.1.1). The state is a value V and a constant C. Each request adds a hash
//! of V, C and the request's number to V.

use super::drbg::Mechanism;
use crate::driver::{Failure, HashOps};
use zeroize::{Zeroize, Zeroizing};

/// The state of a Hash_DRBG.
pub(super) struct HashDrbg {
    hash: Box<dyn HashOps>,
    /// V and C, each of 55 or 111 bytes.
    v: Zeroizing<Vec<u8>>,
    c: Zeroizing<Vec<u8>>,
    /// Scratch buffers for another value of that length and for a digest. Between requests they hold zeros, because
    /// either would lead back to the V of the last output.
    scratch: Zeroizing<Vec<u8>>,
    digest: Zeroizing<Vec<u8>>,
}

impl HashDrbg {
    /// A Hash_DRBG that has not been instantiated yet.
    pub(super) fn new(hash: Box<dyn HashOps>, digest_size: usize, seed_len: usize) -> Self {
        let empty = |len| Zeroizing::new(vec![0; len]);
        let [v, c, scratch] = [seed_len; 3].map(empty);
        Self { hash, v, c, scratch, digest: empty(digest_size) }
    }

    /// Derives V and C from a seed.
    fn seed(&mut self, seed: &[&[u8]]) {
        derive(&*self.hash, seed, &mut self.digest, &mut self.scratch);
        std::mem::swap(&mut self.v, &mut self.scratch);
        derive(&*self.hash, &[&[0], &self.v], &mut self.digest, &mut self.c);
    }

    /// Adds the hash of `domain`, V and `more` to V.
    fn add_hash(&mut self, domain: u8, more: &[&[u8]]) {
        self.hash.digest(&[&[&[domain], &self.v[..]], more].concat(), &mut self.digest);
        add(&mut self.v, &self.digest);
    }
}

impl Mechanism for HashDrbg {
    fn instantiate(&mut self, seed: &[&[u8]]) -> Result<(), Failure> {
        self.seed(seed);
        Ok(())
    }

    fn reseed(&mut self, seed: &[&[u8]]) -> Result<(), Failure> {
        let v = std::mem::take(&mut self.v);
        self.v = Zeroizing::new(vec![0; v.len()]);
        self.seed(&[&[&[1], &v[..]], seed].concat());
        Ok(())
    }

    fn generate(&mut self, request: u64, additional: &[&[u8]], out: &mut [u8]) -> Result<(), Failure> {
        if additional.iter().any(|piece| !piece.is_empty()) {
            self.add_hash(2, additional);
        }
        self.scratch.copy_from_slice(&self.v);
        for chunk in out.chunks_mut(self.digest.len()) {
            self.hash.digest(&[&self.scratch], &mut self.digest);
            chunk.copy_from_slice(&self.digest[..chunk.len()]);
            add(&mut self.scratch, &[1]);
        }
        self.add_hash(3, &[]);
        add(&mut self.v, &self.c);
        add(&mut self.v, &request.to_be_bytes());
        self.scratch.as_mut_slice().zeroize();
        self.digest.as_mut_slice().zeroize();
        Ok(())
    }
}

/// Hash_df (section 10.3.1): fills `out` with hashes of a counter, the length of `out` in bits, and `input`.
fn derive(hash: &dyn HashOps, input: &[&[u8]], digest: &mut [u8], out: &mut [u8]) {
    let bits = (8 * out.len() as u32).to_be_bytes();
    for (chunk, counter) in out.chunks_mut(digest.len()).zip(1u8..) {
        hash.digest(&[&[&[counter], &bits[..]], input].concat(), digest);
        chunk.copy_from_slice(&digest[..chunk.len()]);
    }
}

/// `sum += term`, both big-endian, modulo 2 to the number of bits in `sum`.
fn add(sum: &mut [u8], term: &[u8]) {
    let mut carry = 0;
    let term = term.iter().rev().copied().chain(std::iter::repeat(0));
    for (byte, term) in sum.iter_mut().rev().zip(term) {
        carry += u16::from(*byte) + u16::from(term);
        *byte = carry as u8;
        carry >>= 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "sha")]
    #[test]
    fn nothing_stays_that_leads_back_to_the_output() {
        let sha256 = crate::hash("sha256").unwrap().unkeyed().unwrap();
        let mut drbg = HashDrbg::new(sha256.ops, 32, 55);
        drbg.instantiate(&[b"seed"]).unwrap();
        drbg.generate(1, &[b"more"], &mut [0; 70]).unwrap();
        assert!(*drbg.scratch == [0; 55] && *drbg.digest == [0; 32]);
    }

    #[test]
    fn sums_carry_and_wrap() {
        let sum = |mut a: [u8; 4], b: &[u8]| {
            add(&mut a, b);
            a
        };
        assert_eq!(sum([0, 0xff, 0xff, 0xff], &[1]), [1, 0, 0, 0]);
        assert_eq!(sum([0xff; 4], &[1]), [0; 4]);
        assert_eq!(sum([1, 2, 3, 0xff], &[1, 1]), [1, 2, 5, 0]);
        assert_eq!(sum([0x80, 0, 0, 1], &[0x80, 0, 0, 1]), [0, 0, 0, 2]);
    }
}

//! HMAC_DRBG (SP 800-90A Rev. 1 section 10.1.2). The state is a key K and a value V, each computed by HMAC from the
//! previous ones.

use super::drbg::Mechanism;
use crate::driver::{BadKey, Failure, HashOps};
use zeroize::{Zeroize, Zeroizing};

/// Makes an HMAC instance with a key.
type Keyed = Box<dyn Fn(&[u8]) -> Result<Box<dyn HashOps>, BadKey> + Send + Sync>;

/// The state of an HMAC_DRBG.
pub(super) struct HmacDrbg {
    keyed: Keyed,
    /// The HMAC under the key K.
    hmac: Box<dyn HashOps>,
    /// V, of the digest's length.
    v: Zeroizing<Vec<u8>>,
    /// A buffer for the next V. Between requests it holds zeros, because it would hold the last output.
    next: Zeroizing<Vec<u8>>,
}

impl HmacDrbg {
    /// An HMAC_DRBG that has not been instantiated yet.
    pub(super) fn new(keyed: Keyed, digest_size: usize) -> Result<Self, Failure> {
        let empty = || Zeroizing::new(vec![0; digest_size]);
        Ok(Self { hmac: keyed(&empty())?, keyed, v: empty(), next: empty() })
    }

    /// Computes `V = HMAC(K, V)`.
    fn advance(&mut self) {
        self.hmac.digest(&[&self.v], &mut self.next);
        std::mem::swap(&mut self.v, &mut self.next);
    }

    /// HMAC_DRBG_Update (section 10.1.2.2).
    fn update(&mut self, provided: &[&[u8]]) -> Result<(), Failure> {
        let given = provided.iter().any(|piece| !piece.is_empty());
        for round in 0..=u8::from(given) {
            self.hmac.digest(&[&[&self.v[..], &[round]], provided].concat(), &mut self.next);
            self.hmac = (self.keyed)(&self.next)?;
            self.advance();
        }
        Ok(())
    }
}

impl Mechanism for HmacDrbg {
    fn instantiate(&mut self, seed: &[&[u8]]) -> Result<(), Failure> {
        self.v.fill(0);
        self.hmac = (self.keyed)(&self.v)?;
        self.v.fill(1);
        self.update(seed)
    }

    fn reseed(&mut self, seed: &[&[u8]]) -> Result<(), Failure> {
        self.update(seed)
    }

    fn generate(&mut self, _request: u64, additional: &[&[u8]], out: &mut [u8]) -> Result<(), Failure> {
        if additional.iter().any(|piece| !piece.is_empty()) {
            self.update(additional)?;
        }
        for chunk in out.chunks_mut(self.v.len()) {
            self.advance();
            chunk.copy_from_slice(&self.v[..chunk.len()]);
        }
        self.update(additional)?;
        self.next.as_mut_slice().zeroize();
        Ok(())
    }
}

#[cfg(all(test, feature = "sha"))]
mod tests {
    use super::*;

    #[test]
    fn no_copy_of_the_output_stays() {
        let hmac = |key: &[u8]| Ok(crate::hash("hmac(sha256)").unwrap().key(key).unwrap().ops);
        let mut drbg = HmacDrbg::new(Box::new(hmac), 32).unwrap();
        drbg.instantiate(&[b"seed"]).unwrap();
        for additional in [&b""[..], b"more"] {
            let mut out = [0; 70];
            drbg.generate(1, &[additional], &mut out).unwrap();
            assert!(*drbg.next == [0; 32] && drbg.v[..6] != out[64..], "{additional:?}");
        }
    }
}

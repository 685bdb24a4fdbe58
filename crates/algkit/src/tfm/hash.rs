//! Hashes.

use super::{
    Unkeyed,
    limits::check_out,
    macros::{rekeyed, transform},
    state::State,
};
use crate::{Error, driver::HashOps};
use zeroize::Zeroize;

transform!(
    /// A hash or MAC, with its key if it has one.
    ///
    /// ```
    /// let mac = algkit::hash("hmac(sha256)")?.key(b"key")?;
    /// let mut state = mac.start();
    /// state.update(b"mess");
    /// state.update(b"age");
    /// assert_eq!(state.finish(), mac.digest(b"message"));
    /// # Ok::<(), algkit::Error>(())
    /// ```
    Hash, HashOps, limits = |_| None);

rekeyed!(Hash);

impl Unkeyed<Hash> {
    /// The hash without a key; an error if it requires one.
    pub fn unkeyed(&self) -> Result<Hash, Error> {
        let driver = self.driver();
        if driver.shape.optional_key { self.key(&[]) } else { Err(Error::KeyMissing(driver.name.clone())) }
    }

    /// The digest of `data`, without a key; an error if the hash requires one.
    pub fn digest(&self, data: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.unkeyed()?.digest(data))
    }
}

impl Hash {
    /// The digest's length in bytes.
    pub fn digest_size(&self) -> usize {
        self.driver.shape.digestsize
    }

    /// The digest of `data`.
    pub fn digest(&self, data: &[u8]) -> Vec<u8> {
        let mut out = vec![0; self.digest_size()];
        self.ops.digest_whole(data, &mut out);
        out
    }

    /// Writes the digest of the concatenation of `parts` to `out`, which must have the digest's length. `keccak`
    /// accepts any length.
    #[inline]
    pub fn digest_into(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        match parts {
            [message] if out.len() == self.limits.tag => {
                self.ops.digest_whole(message, out);
                Ok(())
            }
            _ => self.digest_pieces(parts, out),
        }
    }

    /// For a message in pieces or a digest of an unusual length. Separate from `digest_into`, which would otherwise
    /// save registers on every call.
    #[inline(never)]
    fn digest_pieces(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        self.check(out)?;
        self.ops.digest(parts, out);
        Ok(())
    }

    /// Checks the length of the output.
    #[inline]
    pub(crate) fn check(&self, out: &[u8]) -> Result<(), Error> {
        check_out(&self.driver, out)
    }

    /// A fresh state, for a message in pieces.
    pub fn start(&self) -> State {
        State::new(self.ops.start(), self.driver.shared.clone())
    }

    /// Continues from a state that the same driver [exported](State::export) under the same key. Any bytes may be
    /// given. Those that no state exports are an error; all others lead to some digest.
    pub fn import(&self, bytes: &[u8]) -> Result<State, Error> {
        self.start().import(bytes)
    }

    /// Whether `tag` is the digest of `data`. The time does not depend on where they differ.
    #[must_use]
    pub fn verify(&self, data: &[u8], tag: &[u8]) -> bool {
        use subtle::ConstantTimeEq;
        let mut digest = self.digest(data);
        let equal = digest.ct_eq(tag).into();
        digest.zeroize();
        equal
    }
}

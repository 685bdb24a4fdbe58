//! Hashes in progress as bytes, so that another process can go on with one.

use super::{Hash, State};
use crate::{
    Error,
    driver::{Reader, Writer},
};
use zeroize::Zeroizing;

/// Enough for the drivers of this crate.
const USUAL: usize = 264;

impl State {
    /// The state as bytes, with which [`Hash::import`] goes on: what was absorbed, but not the key, which the importing
    /// hash has. (The seed of a checksum, no secret, is where its state begins.)
    ///
    /// The format is the driver's own: it is for the same driver in the same build alone. The bytes are as secret as the
    /// message and the key.
    ///
    /// ```
    /// let mac = algkit::hash("hmac(sha256)")?.key(b"key")?;
    /// let mut state = mac.start();
    /// state.update(b"mess");
    /// let bytes = state.export()?;
    ///
    /// let mut elsewhere = mac.import(&bytes)?;
    /// elsewhere.update(b"age");
    /// assert_eq!(elsewhere.finish(), mac.digest(b"message"));
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn export(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut bytes = Zeroizing::new(vec![0; USUAL]);
        let len = self.export_into(&mut bytes)?;
        if len > bytes.len() {
            // A new one, as one that grows leaves its bytes behind.
            bytes = Zeroizing::new(vec![0; len]);
            self.export_into(&mut bytes)?;
        }
        bytes.truncate(len);
        Ok(bytes)
    }

    /// [`State::export`] into a buffer of one's own; the number of bytes. If that is more than the buffer has, the state is
    /// not in it. Drivers of this crate need at most 257 bytes.
    pub fn export_into(&self, out: &mut [u8]) -> Result<usize, Error> {
        let mut to = Writer::new(out);
        if self.state.export(&mut to) { Ok(to.len()) } else { Err(Error::NoExport(self.driver.driver.clone())) }
    }
}

impl Hash {
    /// A state that was [exported](State::export) by the same driver, under the same key. The bytes may be anything: those
    /// that no state has are an error, and what others lead to is some digest.
    pub fn import(&self, bytes: &[u8]) -> Result<State, Error> {
        let mut state = self.start();
        let mut from = Reader::new(bytes);
        let imported = state.state.import(&mut from);
        if imported.is_some() && from.is_empty() { Ok(state) } else { Err(Error::BadState(self.driver.driver.clone())) }
    }
}

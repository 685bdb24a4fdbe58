//! Hashes in progress, and the same as bytes, so that another process can go on with one.

use super::limits::check_out;
use crate::{
    Error,
    driver::{DriverRef, HashState, Reader, Writer},
};
use std::fmt;
use zeroize::Zeroizing;

/// Enough for the drivers of this crate.
const USUAL: usize = 264;

/// A hash in progress. A clone continues independently.
pub struct State {
    state: Box<dyn HashState>,
    driver: DriverRef,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { state: self.state.boxed_clone(), driver: self.driver.clone() }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("State(..)")
    }
}

impl State {
    pub(super) fn new(state: Box<dyn HashState>, driver: DriverRef) -> Self {
        Self { state, driver }
    }

    /// Absorbs `data`; any split of a message gives the same digest.
    pub fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// The next bytes of an output that has no end, as `keccak` has; [`State::update`] may follow, and more output after that.
    /// With at most a block of output at a time and input shorter than a block this is the duplex construction.
    ///
    /// ```
    /// let mut sponge = algkit::hash("keccak")?.key(&[])?.start();
    /// let (mut first, mut second) = ([0; 32], [0; 32]);
    /// sponge.update(b"abc");
    /// sponge.squeeze(&mut first)?;
    /// sponge.squeeze(&mut second)?;
    /// assert_eq!([first, second].concat(), algkit::hash("keccak")?.key(&[])?.digest(b"abc"));
    /// sponge.update(b"def");
    /// sponge.squeeze(&mut first)?;
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn squeeze(&mut self, out: &mut [u8]) -> Result<(), Error> {
        if self.state.squeeze(out) { Ok(()) } else { Err(Error::NotExtendable(self.driver.name.clone())) }
    }

    /// The digest of what was absorbed.
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = vec![0; self.driver.shape.digestsize];
        self.state.finish(&mut out);
        out
    }

    /// The digest of what was absorbed, written to `out`.
    pub fn finish_into(mut self, out: &mut [u8]) -> Result<(), Error> {
        check_out(&self.driver, out)?;
        self.state.finish(out);
        Ok(())
    }
}

impl State {
    /// The state as bytes, with which [`Hash::import`](crate::Hash::import) goes on: what was absorbed, but not the key, which the importing
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

    /// The state that was exported, in place of this fresh one.
    pub(super) fn import(mut self, bytes: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new(bytes);
        let imported = self.state.import(&mut from);
        if imported.is_some() && from.is_empty() { Ok(self) } else { Err(Error::BadState(self.driver.driver.clone())) }
    }
}

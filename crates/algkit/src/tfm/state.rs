//! Hashes in progress, and their export as bytes, so that another process can continue.

use super::limits::check_out;
use crate::{
    Error,
    driver::{DriverRef, HashState, Reader, Writer},
};
use std::{fmt, sync::Arc};
use zeroize::Zeroizing;

/// The first buffer size for an export, in bytes. It suffices for the drivers of this crate.
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

    /// Copies into the memory of this state, where both are of one driver.
    fn clone_from(&mut self, other: &Self) {
        if !self.state.copy_from(&*other.state) {
            *self = other.clone();
        } else if !Arc::ptr_eq(&self.driver, &other.driver) {
            self.driver.clone_from(&other.driver);
        }
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

    pub(super) fn inner(&mut self) -> &mut dyn HashState {
        &mut *self.state
    }

    /// Absorbs `data`. The digest does not depend on how a message is split.
    pub fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// Writes the next bytes of an unlimited output, such as `keccak`'s. [`State::update`] may follow, and more
    /// output after that. With at most one block of output at a time and input shorter than a block, this is the
    /// duplex construction.
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
        // SHA-3 is a sponge too, but no output is defined beyond its digest.
        if self.driver.shape.extendable && self.state.squeeze(out) {
            return Ok(());
        }
        Err(Error::NotExtendable(self.driver.name.clone()))
    }

    /// The digest of what was absorbed.
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = vec![0; self.driver.shape.digestsize];
        self.state.finish(&mut out);
        out
    }

    /// Writes the digest of what was absorbed followed by `parts` to `out`. The state does not change, and nothing is
    /// allocated.
    ///
    /// ```
    /// let fresh = algkit::hash("sha256")?.unkeyed()?.start();
    /// let (mut state, mut digest) = (fresh.clone(), [0; 32]);
    /// state.update(b"message");
    /// state.digest_into(&[b" and more"], &mut digest)?;
    /// assert_eq!(digest[..], algkit::hash("sha256")?.digest(b"message and more")?);
    /// state.clone_from(&fresh); // begins again, in the same memory
    /// assert_eq!(state.finish(), algkit::hash("sha256")?.digest(b"")?);
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn digest_into(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        check_out(&self.driver, out)?;
        self.state.digest_after(parts, out);
        Ok(())
    }

    /// Writes the digest of what was absorbed followed by the first `len` bytes of `data` to `out`. Neither the time
    /// nor the addresses depend on `len`, of which `least` alone may become known. It is for messages whose length is
    /// a secret, as that of a record of TLS in CBC mode is until its MAC was compared. A `len` that is less than `least` counts as
    /// `least`, and one beyond the end of `data` as its length. SHA-1, SHA-2 and their HMACs can do it; with other
    /// hashes it is an error.
    ///
    /// ```
    /// let mac = algkit::hash("hmac(sha256)")?.key(b"key")?;
    /// let (mut state, mut digest) = (mac.start(), [0; 32]);
    /// state.update(b"header");
    /// state.digest_within(b"message and padding", 0, 7, &mut digest)?;
    /// assert_eq!(digest[..], mac.digest(b"headermessage"));
    /// # Ok::<(), algkit::Error>(())
    /// ```
    pub fn digest_within(&self, data: &[u8], least: usize, len: usize, out: &mut [u8]) -> Result<(), Error> {
        check_out(&self.driver, out)?;
        let least = least.min(data.len());
        // Neither is a branch: they are conditional moves.
        let len = len.max(least).min(data.len());
        if self.state.digest_within(data, least, len, out) {
            Ok(())
        } else {
            Err(Error::LengthShows(self.driver.name.clone()))
        }
    }

    /// Writes the digest of what was absorbed to `out`.
    pub fn finish_into(mut self, out: &mut [u8]) -> Result<(), Error> {
        check_out(&self.driver, out)?;
        self.state.finish(out);
        Ok(())
    }
}

impl State {
    /// The state as bytes, from which [`Hash::import`](crate::Hash::import) continues. The key is not
    /// stored in it, as the importing hash has the same key, but some states reveal the key: `michael_mic` begins with the
    /// key as its state, and GHASH's state after a known block is a multiple of the key. So keep the bytes as secret as the
    /// message and the key. (The seed of a checksum is not secret and is part of the state.)
    ///
    /// The format is the driver's own and valid for the same driver in the same build only.
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
            // A new buffer, as growing this one would leave its contents unwiped.
            bytes = Zeroizing::new(vec![0; len]);
            self.export_into(&mut bytes)?;
        }
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Like [`State::export`], into the caller's buffer. Returns the number of bytes that the state needs. If the
    /// buffer is shorter, it does not hold the state. Drivers of this crate need at most 257 bytes.
    pub fn export_into(&self, out: &mut [u8]) -> Result<usize, Error> {
        let mut to = Writer::new(out);
        if self.state.export(&mut to) { Ok(to.len()) } else { Err(Error::NoExport(self.driver.driver.clone())) }
    }

    /// Replaces this fresh state by the exported one.
    pub(super) fn import(mut self, bytes: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new(bytes);
        let imported = self.state.import(&mut from);
        if imported.is_some() && from.is_empty() { Ok(self) } else { Err(Error::BadState(self.driver.driver.clone())) }
    }
}

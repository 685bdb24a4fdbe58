//! `/dev/crypto`, as cryptodev-linux defines it (`crypto/cryptodev.h`).

use crate::{Errno, Memory, Readiness};

/// An open `/dev/crypto`: sessions, and operations on them.
#[derive(Default, Debug)]
pub struct Device {}

/// What an `ioctl` did, beside what it wrote to the client's memory.
#[derive(Debug)]
pub enum Answer {
    /// It returns 0.
    Done,
    /// `CRIOGET`: a new descriptor, whose number is to be written to this address and the call returns 0.
    Clone(Device, u64),
}

impl Device {
    /// `open("/dev/crypto")`.
    pub fn new() -> Self {
        Self::default()
    }

    /// `ioctl`, with the argument's address.
    pub fn ioctl(&mut self, request: u32, argument: u64, memory: &mut dyn Memory) -> Result<Answer, Errno> {
        let _ = (request, argument, memory);
        Err(Errno::NOTTY)
    }

    /// What `poll` would say: readable when `CIOCASYNCFETCH` has something.
    pub fn readiness(&self) -> Readiness {
        Readiness::default()
    }
}

//! Random number generator sockets.

use super::{
    generator::{Generator, MAX_SIZE},
    parent::Lease,
    room::Room,
};
use crate::{Destination, Errno, Message};
use algkit::Rng;
use std::sync::Arc;
use zeroize::Zeroizing;

#[derive(Debug)]
pub(super) struct Operation {
    /// Keeps the parent's count of open sockets.
    _lease: Lease,
    rng: Option<Arc<Rng>>,
    /// Whether the socket accepts additional input (known-answer tests only).
    testing: bool,
    additional: Zeroizing<Vec<u8>>,
}

impl Operation {
    pub(super) fn new(lease: Lease, generator: &Generator) -> Self {
        let (rng, testing) = (generator.source(), generator.is_under_test());
        Self { _lease: lease, rng, testing, additional: Zeroizing::default() }
    }

    /// Stores the additional input of the next request.
    pub(super) fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        if !self.testing {
            return Err(Errno::OPNOTSUPP);
        }
        let len = message.data.iter().map(|piece| piece.len()).sum();
        if len > MAX_SIZE {
            return Err(Errno::MSGSIZE);
        }
        if message.fault {
            return Err(Errno::FAULT);
        }
        let mut additional = Zeroizing::new(Vec::with_capacity(len));
        message.data.iter().for_each(|piece| additional.extend_from_slice(piece));
        self.additional = additional;
        Ok(len)
    }

    pub(super) fn recv(&mut self, into: Destination<'_, '_>) -> Result<usize, Errno> {
        let additional = std::mem::take(&mut self.additional);
        let space = Room::new(into).take(MAX_SIZE, usize::MAX);
        if space.as_ref().is_ok_and(|space| space.len() == 0) {
            return Ok(0);
        }
        let rng = self.rng.as_ref().ok_or(Errno::INVAL)?;
        let mut space = space?;
        let mut bytes = Zeroizing::new([0; MAX_SIZE]);
        let bytes = &mut bytes[..space.len()];
        rng.generate(&additional, bytes).map_err(|_| Errno::INVAL)?;
        space.write(bytes);
        Ok(bytes.len())
    }
}

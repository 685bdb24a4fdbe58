//! Sockets that give random bytes.

use super::{
    parent::{Lease, Parent},
    room::Room,
};
use crate::{
    Destination, Errno, Message,
    snapshot::{Reader, Writer},
};
use algkit::{Rng, Unkeyed};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The most bytes of one request, of additional input, and of entropy given for a test.
const MAX_SIZE: usize = 128;

/// A generator, which the sockets accepted from one parent share.
#[derive(Debug)]
pub(super) struct Generator {
    driver: Unkeyed<Rng>,
    /// Absent until seeded; a generator that draws on itself alone is there from the start.
    rng: Option<Arc<Rng>>,
    /// What stands in for entropy in a test with known answers.
    entropy: Option<Zeroizing<Vec<u8>>>,
}

impl Generator {
    pub(super) fn new(driver: Unkeyed<Rng>) -> Self {
        let mut generator = Self { driver, rng: None, entropy: None };
        if !generator.takes_seed() {
            generator.rng = generator.driver.key(&[]).ok().map(Arc::new);
        }
        generator
    }

    fn takes_seed(&self) -> bool {
        self.driver.driver().name != "jitterentropy_rng"
    }

    /// `ALG_SET_KEY`: the first instantiates, those that follow reseed.
    pub(super) fn seed(&mut self, seed: &[u8]) -> Result<(), Errno> {
        if !self.takes_seed() {
            return Ok(());
        }
        match &self.rng {
            Some(rng) => rng.reseed(seed),
            None => match &self.entropy {
                Some(entropy) => self.driver.with_entropy(entropy, seed),
                None => self.driver.key(seed),
            }
            .map(|rng| self.rng = Some(Arc::new(rng))),
        }
        .map_err(|_| Errno::INVAL)
    }

    /// `ALG_SET_DRBG_ENTROPY`: from now on, nothing else is entropy, and sockets take additional input.
    pub(super) fn set_entropy(&mut self, entropy: &[u8]) -> Result<(), Errno> {
        if self.entropy.is_some() || !self.takes_seed() {
            return Err(Errno::INVAL);
        }
        if entropy.len() > MAX_SIZE {
            return Err(Errno::MSGSIZE);
        }
        if let Some(rng) = &self.rng {
            rng.set_entropy(entropy).map_err(|_| Errno::INVAL)?;
        }
        self.entropy = (!entropy.is_empty()).then(|| entropy.to_vec().into());
        Ok(())
    }

    /// What a socket that is accepted now works with.
    pub(super) fn accept(&self, lease: Lease) -> Operation {
        Operation { lease, rng: self.rng.clone(), testing: self.entropy.is_some(), additional: Zeroizing::default() }
    }
}

#[derive(Debug)]
pub(super) struct Operation {
    lease: Lease,
    rng: Option<Arc<Rng>>,
    /// Whether additional input is taken.
    testing: bool,
    additional: Zeroizing<Vec<u8>>,
}

impl Operation {
    pub(super) fn parent(&self) -> &Arc<Parent> {
        &self.lease.parent
    }

    /// The generator is each process's own: entropy is new for every request.
    pub(super) fn save(&self, to: &mut Writer<'_>) -> Option<()> {
        to.bytes(&self.additional)
    }

    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Errno> {
        self.additional = from.bytes(MAX_SIZE)?.to_vec().into();
        Ok(())
    }

    /// Additional input of the next request.
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

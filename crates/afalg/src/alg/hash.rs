//! Sockets that digest.

use super::{
    Role, Socket,
    parent::{Algorithm, Lease},
    room::Room,
};
use crate::{Errno, Message, Received};
use algkit::{Driver, Hash, State};
use std::{io::IoSliceMut, sync::Arc};
use zeroize::{Zeroize, Zeroizing};

#[derive(Debug)]
pub(super) struct Operation {
    lease: Lease,
    tfm: Option<Arc<Hash>>,
    /// The message in progress, while the client says that more is to come.
    state: Option<State>,
    /// The digest of the last message, if `finished`.
    digest: Zeroizing<Box<[u8]>>,
    finished: bool,
}

impl Operation {
    pub(super) fn new(lease: Lease, driver: &Driver, tfm: Option<Arc<Hash>>) -> Self {
        let digest = vec![0; driver.shape.digestsize].into();
        Self { lease, tfm, state: None, digest: Zeroizing::new(digest), finished: false }
    }

    #[inline]
    fn tfm(&mut self) -> Result<Arc<Hash>, Errno> {
        if self.tfm.is_none() {
            self.tfm = Some(self.lease.key(|algorithm| match algorithm {
                Algorithm::Hash { keyed, .. } => keyed.clone(),
                _ => None,
            })?);
        }
        self.tfm.clone().ok_or(Errno::NOKEY)
    }

    pub(super) fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        let tfm = self.tfm()?;
        let more = message.flags & libc::MSG_MORE != 0;
        self.finished = false;
        let done = match (self.state.take(), message.data) {
            (None, [piece]) if !more => tfm.digest_into(&[piece], &mut self.digest),
            (state, pieces) => {
                let mut state = state.unwrap_or_else(|| tfm.start());
                pieces.iter().for_each(|piece| state.update(piece));
                if more {
                    self.state = Some(state);
                    Ok(())
                } else {
                    state.finish_into(&mut self.digest)
                }
            }
        };
        done.map_err(|_| Errno::INVAL)?;
        self.finished = !more;
        Ok(message.data.iter().map(|piece| piece.len()).sum())
    }

    /// The digest of the message, finished or not, or of the empty one; then a new message begins.
    pub(super) fn recv(&mut self, into: &mut [IoSliceMut<'_>]) -> Result<Received, Errno> {
        let tfm = self.tfm()?;
        match self.state.take() {
            Some(state) => state.finish_into(&mut self.digest),
            None if !self.finished => tfm.digest_into(&[], &mut self.digest),
            None => Ok(()),
        }
        .map_err(|_| Errno::INVAL)?;
        let mut space = Room::new(into).take(self.digest.len(), usize::MAX);
        space.write(&self.digest);
        let len = space.len();
        self.digest.zeroize();
        self.finished = false;
        Ok(Received { len, flags: if len < self.digest.len() { libc::MSG_TRUNC } else { 0 } })
    }

    /// A socket that goes on with a copy of the message.
    pub(super) fn accept(&mut self) -> Result<Socket, Errno> {
        self.tfm()?;
        let mut socket = self.lease.parent.accept()?;
        if let Role::Hash(other) = &mut socket.role {
            other.state = self.state.clone();
        }
        Ok(socket)
    }
}

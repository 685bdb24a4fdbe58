//! Hash operation sockets.

use super::{
    algorithm::Algorithm,
    digest::{Digester, Progress},
    parent::{Lease, Parent},
    room::Room,
};
use crate::{Destination, Errno, Message, Received};
use algkit::Driver;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

#[derive(Debug)]
pub(super) struct Operation {
    lease: Lease,
    hash: Option<Digester>,
    /// The message in progress after a send with `MSG_MORE`.
    progress: Option<Progress>,
    /// The digest of the last message. Valid if `finished`.
    digest: Zeroizing<Box<[u8]>>,
    finished: bool,
}

impl Operation {
    pub(super) fn new(lease: Lease, driver: &Driver, hash: Option<Digester>) -> Self {
        let digest = vec![0; driver.shape.digestsize].into();
        Self { lease, hash, progress: None, digest: Zeroizing::new(digest), finished: false }
    }

    #[inline]
    fn check_key(&mut self) -> Result<(), Errno> {
        if self.hash.is_none() {
            self.hash = Some(self.lease.key(|algorithm| match algorithm {
                Algorithm::Hash { ready, .. } => ready.clone(),
                _ => None,
            })?);
        }
        Ok(())
    }

    pub(super) fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        self.check_key()?;
        let Self { hash, progress, digest, finished, .. } = self;
        let hash = hash.as_ref().ok_or(Errno::NOKEY)?;
        let more = message.flags & libc::MSG_MORE != 0;
        let sent = message.data.iter().map(|piece| piece.len()).sum();
        let former = progress.take();
        if more && former.is_none() {
            // The previous message's digest is discarded; if this message fails, there is none.
            *finished = false;
            digest.zeroize();
        }
        match (former, message.data) {
            // Unreadable data ends the message without a digest. The readable bytes count as sent.
            _ if message.fault && sent == 0 => return Err(Errno::FAULT),
            _ if message.fault => {}
            (None, [piece]) if !more => {
                *finished = true;
                hash.digest(piece, digest)?;
            }
            (former, pieces) => {
                let mut current = former.unwrap_or_else(|| hash.start());
                pieces.iter().for_each(|piece| current.update(piece));
                if more {
                    *progress = Some(current);
                } else {
                    *finished = true;
                    current.finish_into(digest)?;
                }
            }
        }
        Ok(sent)
    }

    /// Returns the digest of the message, finished or not, or of the empty message. Then a new message begins.
    pub(super) fn recv(&mut self, into: Destination<'_, '_>) -> Result<Received, Errno> {
        self.check_key()?;
        let Self { hash, progress, digest, finished, .. } = self;
        let hash = hash.as_ref().ok_or(Errno::NOKEY)?;
        match progress.take() {
            Some(current) => current.finish_into(digest)?,
            None if !std::mem::take(finished) => hash.digest(&[], digest)?,
            None => {}
        }
        let written = Room::new(into).take(digest.len(), usize::MAX).map(|mut space| {
            space.write(digest);
            space.len()
        });
        digest.zeroize();
        let len = written?;
        Ok(Received { len, flags: if len < digest.len() { libc::MSG_TRUNC } else { 0 }, end: len })
    }

    /// The parent socket, if there is a key.
    pub(super) fn ready_parent(&mut self) -> Result<&Arc<Parent>, Errno> {
        self.check_key()?;
        Ok(&self.lease.parent)
    }

    /// Continues with a copy of another socket's message.
    pub(super) fn continue_from(&mut self, other: &Self) {
        self.progress = other.progress.clone();
    }
}

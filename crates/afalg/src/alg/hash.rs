//! Sockets that digest.

use super::{
    Role, Socket,
    algorithm::Algorithm,
    digest::{Digester, Progress},
    parent::{Lease, Parent},
    room::Room,
};
use crate::{
    Destination, Errno, Message, Received,
    snapshot::{Reader, Writer},
};
use algkit::Driver;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

#[derive(Debug)]
pub(super) struct Operation {
    lease: Lease,
    hash: Option<Digester>,
    /// The message in progress, while the client says that more is to come.
    progress: Option<Progress>,
    /// The digest of the last message, if `finished`.
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

    pub(super) fn parent(&self) -> &Arc<Parent> {
        &self.lease.parent
    }

    pub(super) fn save(&self, to: &mut Writer<'_>) -> Option<()> {
        to.flag(self.hash.is_some())?;
        to.flag(self.finished)?;
        to.fixed(&self.digest)?;
        to.option(self.progress.as_ref(), |to, progress| progress.save(to))
    }

    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Errno> {
        if from.flag()? {
            self.check_key()?;
        }
        self.finished = from.flag()?;
        from.fill(&mut self.digest)?;
        let hash = self.hash.as_ref();
        self.progress = from.option(|from| hash.ok_or(Errno::IO)?.load(from))?;
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
            // The last message's digest is given up; that of a message which fails takes none's place.
            *finished = false;
            digest.zeroize();
        }
        match (former, message.data) {
            // What cannot be read ends the message, without a digest; what was read of it counts as sent.
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

    /// The digest of the message, finished or not, or of the empty one; then a new message begins.
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

    /// A socket that goes on with a copy of the message.
    pub(super) fn accept(&mut self) -> Result<Socket, Errno> {
        self.check_key()?;
        let mut socket = self.lease.parent.accept()?;
        if let Role::Hash(other) = &mut socket.role {
            other.progress = self.progress.clone();
        }
        Ok(socket)
    }
}

//! Symmetric cipher operation sockets.

use super::{
    algorithm::Algorithm,
    parent::Lease,
    room::{Room, Space},
    stream::Stream,
};
use crate::{Destination, Errno, Message, Received};
use algkit::{Driver, Error, Skcipher, Text, driver::TextRule};
use std::{io::IoSliceMut, sync::Arc};

#[derive(Debug)]
pub(super) struct Operation {
    lease: Lease,
    tfm: Option<Arc<Skcipher>>,
    /// The granularity in bytes of what is received before the end of a message.
    chunk: usize,
    pub(super) stream: Stream,
}

impl Operation {
    pub(super) fn new(lease: Lease, driver: &Driver, tfm: Option<Arc<Skcipher>>) -> Self {
        Self { lease, tfm, chunk: chunk_size(driver), stream: Stream::new(driver.shape.ivsize) }
    }

    #[inline]
    fn tfm(&mut self) -> Result<&Skcipher, Errno> {
        if self.tfm.is_none() {
            self.tfm = Some(self.lease.key(|algorithm| match algorithm {
                Algorithm::Skcipher { keyed, .. } => keyed.clone(),
                _ => None,
            })?);
        }
        self.tfm.as_deref().ok_or(Errno::NOKEY)
    }

    #[inline]
    pub(super) fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        self.tfm()?;
        self.stream.send(message)
    }

    pub(super) fn recv(&mut self, pieces: &mut [IoSliceMut<'_>], unwritable: usize) -> Result<Received, Errno> {
        self.tfm()?;
        Room::new(Destination { pieces, unwritable }).fill(|room| self.request(room))
    }

    /// Processes one request: the queued text, or as much of it as there is room for.
    #[inline]
    fn request(&mut self, room: &mut Room<'_, '_>) -> Result<usize, Errno> {
        let Self { stream, chunk, tfm, .. } = self;
        let tfm = tfm.as_deref().ok_or(Errno::NOKEY)?;
        let queued = stream.queue.len();
        if !stream.begun || (stream.more && queued < *chunk) {
            return Err(Errno::AGAIN);
        }
        let mut space = room.take(queued, stream.receive_limit())?;
        let mut len = space.len();
        if stream.more || len < queued {
            if len < *chunk {
                return Err(Errno::INVAL);
            }
            if !len.is_multiple_of(*chunk) {
                len -= len % *chunk;
                space = space.split_at(len).0;
            }
        }
        let done = crypt(tfm, stream, space);
        stream.consume(len);
        match done {
            Ok(()) => Ok(len),
            Err(Error::Authentication) => Err(Errno::BADMSG),
            Err(_) => Err(Errno::INVAL),
        }
    }
}

#[inline]
fn crypt(tfm: &Skcipher, stream: &mut Stream, space: Space<'_>) -> Result<(), Error> {
    let shape = &tfm.driver().shape;
    let len = space.len();
    if shape.text == TextRule::Blocks && !len.is_multiple_of(shape.blocksize) {
        return crypt_whole_blocks(tfm, stream, space);
    }
    let Stream { queue, iv, direction, .. } = stream;
    match space {
        Space::One(piece) => tfm.crypt(*direction, iv, &mut Text::new(queue.front(len), piece)?),
        Space::Many(pieces) => tfm.crypt(*direction, iv, &mut Text::lists([queue.front(len)], pieces)?),
    }
}

/// The kernel notices an incomplete last block when it reaches it: the other blocks have been written and the IV
/// has been updated. LRW makes two passes over the text, so it has done neither.
#[cold]
fn crypt_whole_blocks(tfm: &Skcipher, stream: &mut Stream, space: Space<'_>) -> Result<(), Error> {
    let driver = tfm.driver();
    let (got, block) = (space.len(), driver.shape.blocksize);
    if !driver.name.starts_with("lrw(") {
        crypt(tfm, stream, space.split_at(got / block * block).0)?;
    }
    Err(Error::TextLength { name: String::new(), got: got as u64, want: "whole blocks".into() })
}

/// The block size of a mode in bytes; for a stream cipher, the keystream block size.
pub(crate) fn chunk_size(driver: &Driver) -> usize {
    let shape = &driver.shape;
    match driver.name.split('(').next().unwrap_or_default() {
        _ if shape.blocksize > 1 => shape.blocksize,
        "rfc3686" => 16,
        "chacha20" | "xchacha20" | "xchacha12" => 64,
        // The IV of these modes is one cipher block.
        "ctr" | "xctr" | "cfb" | "ofb" => shape.ivsize,
        _ => 1,
    }
}

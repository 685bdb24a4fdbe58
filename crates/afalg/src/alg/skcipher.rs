//! Sockets that encrypt and decrypt.

use super::{
    algorithm::Algorithm,
    parent::Lease,
    queue::PAGE,
    room::{Room, Space},
    stream::Stream,
};
use crate::{Destination, Errno, Message, Received};
use algkit::{Direction, Driver, Error, InOut, Parts, Skcipher, Text, driver::TextRule};
use std::{io::IoSliceMut, sync::Arc};

#[derive(Debug)]
pub(super) struct Operation {
    lease: Lease,
    tfm: Option<Arc<Skcipher>>,
    /// What is received before the end of a message is a multiple of this.
    chunk: usize,
    pub(super) stream: Stream,
    ahead: Option<Ahead>,
}

/// What has been done of a message before anybody asked for it.
///
/// The client may overwrite what it sent, so it has to be copied, and the copy would take a third of the time that
/// encryption takes. So the half of a long message is encrypted when it is sent, while the other half is copied, and
/// the rest when it is received, while the first half is copied out. Should less be received than was sent, which has
/// another meaning, it is undone.
#[derive(Debug)]
struct Ahead {
    /// The first bytes of the queue, which have been passed through the cipher.
    done: usize,
    parts: Parts,
}

/// Bytes of a message that is worth it.
const LONG: usize = 8192;

impl Operation {
    pub(super) fn new(lease: Lease, driver: &Driver, tfm: Option<Arc<Skcipher>>) -> Self {
        Self { lease, tfm, chunk: chunk_size(driver), stream: Stream::new(driver.shape.ivsize), ahead: None }
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
        let Self { stream, tfm, ahead, .. } = self;
        let tfm = tfm.as_deref().ok_or(Errno::NOKEY)?;
        stream.send_by(message, |stream, bytes| {
            *ahead = None;
            if bytes.len() < LONG || !Ahead::begin(ahead, tfm, stream, bytes) {
                stream.queue.push(bytes);
            }
        })
    }

    pub(super) fn recv(&mut self, pieces: &mut [IoSliceMut<'_>], lost: usize) -> Result<Received, Errno> {
        self.tfm()?;
        Room::new(Destination { pieces, lost }).fill(|room| self.request(room))
    }

    /// One request: what is queued, or as much of it as there is room for.
    #[inline]
    fn request(&mut self, room: &mut Room<'_, '_>) -> Result<usize, Errno> {
        let Self { stream, chunk, tfm, ahead, .. } = self;
        let tfm = tfm.as_deref().ok_or(Errno::NOKEY)?;
        let queued = stream.queue.len();
        if !stream.begun || (stream.more && queued < *chunk) {
            return Err(Errno::AGAIN);
        }
        let mut space = room.take(queued, stream.receive_limit())?;
        let mut len = space.len();
        if let Some(begun) = ahead {
            if let Space::One(piece) = &mut space
                && len == queued
            {
                let done = begun.finish(tfm, stream, piece);
                *ahead = None;
                stream.consume(len);
                return done.map(|()| len).ok_or(Errno::INVAL);
            }
            let undone = begun.undo(tfm, stream);
            *ahead = None;
            undone.ok_or(Errno::INVAL)?;
        }
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

impl Ahead {
    /// Queues `bytes`, the first half of them encrypted or decrypted, and notes so in `ahead`; false, and nothing queued,
    /// if the cipher takes no text in parts, or not this one.
    #[inline]
    fn begin(ahead: &mut Option<Self>, tfm: &Skcipher, stream: &mut Stream, bytes: &[u8]) -> bool {
        let Ok(iv) = stream.iv[..].try_into() else { return false };
        let done = bytes.len() / 2 / PAGE * PAGE;
        let plain = match stream.direction {
            Direction::Encrypt => done..bytes.len(),
            Direction::Decrypt => 0..done,
        };
        let (first, second) = bytes.split_at(done);
        let (first_to, second_to) = stream.queue.add_partly_secret(bytes.len(), plain).split_at_mut(done);
        // Where it stays: were it moved after the call, the CPU would wait for all that was written meanwhile.
        let parts = Parts::new(stream.direction, iv, bytes.len());
        let parts = &mut ahead.insert(Self { done, parts }).parts;
        let texts = InOut::new(first, first_to).ok().zip(InOut::new(second, second_to).ok());
        let begun = texts.is_some_and(|(text, beside)| tfm.part(parts, text, beside) == Ok(true));
        if !begun {
            *ahead = None;
            stream.queue.clear();
        }
        begun
    }

    /// Does the rest, into a buffer as long as the message.
    #[inline]
    fn finish(&mut self, tfm: &Skcipher, stream: &Stream, into: &mut [u8]) -> Option<()> {
        let (first, second) = stream.queue.front(into.len()).split_at(self.done);
        let (first_to, second_to) = into.split_at_mut(self.done);
        tfm.part(&mut self.parts, InOut::new(second, second_to).ok()?, InOut::new(first, first_to).ok()?).ok()?;
        Some(())
    }

    /// Makes the queue what it would be.
    #[cold]
    fn undo(&self, tfm: &Skcipher, stream: &mut Stream) -> Option<()> {
        let back = match stream.direction {
            Direction::Encrypt => Direction::Decrypt,
            Direction::Decrypt => Direction::Encrypt,
        };
        let mut parts = Parts::new(back, stream.iv[..].try_into().ok()?, self.done);
        tfm.part(&mut parts, InOut::from(stream.queue.front_mut(self.done)), InOut::from(&mut [][..])).ok()?;
        Some(())
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

/// The kernel finds out that the last block is not whole when it gets there: the others have been
/// written, and the IV has moved on; that of LRW, which passes twice over the text, has not.
#[cold]
fn crypt_whole_blocks(tfm: &Skcipher, stream: &mut Stream, space: Space<'_>) -> Result<(), Error> {
    let driver = tfm.driver();
    let (got, block) = (space.len(), driver.shape.blocksize);
    if !driver.name.starts_with("lrw(") {
        crypt(tfm, stream, space.split_at(got / block * block).0)?;
    }
    Err(Error::TextLength { name: String::new(), got: got as u64, want: "whole blocks".into() })
}

/// The block of a mode; of a stream cipher, the bytes of keystream that are made at a time.
pub(crate) fn chunk_size(driver: &Driver) -> usize {
    let shape = &driver.shape;
    match driver.name.split('(').next().unwrap_or_default() {
        _ if shape.blocksize > 1 => shape.blocksize,
        "rfc3686" => 16,
        "chacha20" | "xchacha20" | "xchacha12" => 64,
        // The IV is as long as the cipher's block.
        "ctr" | "xctr" | "cfb" | "ofb" => shape.ivsize,
        _ => 1,
    }
}

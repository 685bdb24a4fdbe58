//! AEAD operation sockets.

use super::{
    algorithm::Algorithm,
    parent::Lease,
    room::{Room, Space},
    stream::Stream,
};
use crate::{Destination, Errno, Message, Received};
use algkit::{Aead, Direction, Driver, Error, Text};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Operation {
    lease: Lease,
    tfm: Option<(Arc<Aead>, usize)>,
    pub(super) stream: Stream,
}

impl Operation {
    pub(super) fn new(lease: Lease, driver: &Driver, tfm: Option<(Arc<Aead>, usize)>) -> Self {
        Self { lease, tfm, stream: Stream::new(driver.shape.ivsize) }
    }

    #[inline]
    fn check_key(&mut self) -> Result<(), Errno> {
        if self.tfm.is_none() {
            self.tfm = Some(self.lease.key(|algorithm| match algorithm {
                Algorithm::Aead { keyed, tag_len, .. } => keyed.clone().map(|keyed| (keyed, *tag_len)),
                _ => None,
            })?);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        self.check_key()?;
        self.stream.send(message)
    }

    pub(super) fn recv(&mut self, into: Destination<'_, '_>) -> Result<Received, Errno> {
        self.check_key()?;
        Room::new(into).fill(|room| self.request(room))
    }

    /// Processes one request. The queue holds associated data, text and, for decryption, the tag. The client
    /// receives associated data, text and, for encryption, the tag. If the buffers are smaller, less of the text is
    /// processed.
    fn request(&mut self, room: &mut Room<'_, '_>) -> Result<usize, Errno> {
        let Self { stream, tfm, .. } = self;
        let (tfm, tag_len) = tfm.as_ref().map(|(tfm, len)| (&**tfm, *len)).ok_or(Errno::NOKEY)?;
        if !stream.begun || stream.more {
            return Err(Errno::AGAIN);
        }
        let (tag_in, tag_out) = match stream.direction {
            Direction::Encrypt => (0, tag_len),
            Direction::Decrypt => (tag_len, 0),
        };
        let assoc_len = stream.assoc_len;
        let text_len = stream.queue.len().checked_sub(assoc_len + tag_in).ok_or(Errno::INVAL)?;
        let want = assoc_len + text_len + tag_out;
        let space = room.take(want, stream.receive_limit())?;
        let out = space.len();
        let text_len = text_len.checked_sub(want - out).ok_or(Errno::INVAL)?;

        let (assoc, rest) = stream.queue.front(assoc_len + text_len + tag_in).split_at(assoc_len);
        let (text, tag) = rest.split_at(text_len);
        let (mut assoc_out, space) = space.split_at(assoc_len);
        assoc_out.write(assoc);
        let iv_len = stream.iv.len();
        if let (Some(iv), Some(behind)) = (tfm.encrypted_iv(&stream.iv), assoc_len.checked_sub(iv_len)) {
            assoc_out.split_at(behind).1.write(&iv[..iv_len]);
        }
        let done = match stream.direction {
            Direction::Encrypt => seal(tfm, &stream.iv, assoc, text, tag_len, space),
            Direction::Decrypt => open(tfm, &stream.iv, assoc, text, tag, space),
        };
        stream.consume(assoc_len + text_len + tag_in);
        match done {
            Ok(()) => Ok(out),
            Err(Error::Authentication) => Err(Errno::BADMSG),
            Err(Error::TextLength { name, .. }) if tag_in > 0 && tag_comes_first(&name, assoc_len) => {
                Err(Errno::BADMSG)
            }
            Err(_) => Err(Errno::INVAL),
        }
    }
}

/// The kernel's authenc checks the tag before it checks that the text is whole blocks, and a text that is not whole
/// blocks never has a valid tag. Before both it checks the minimum of associated data: for essiv the IV at its end,
/// for authencesn the sequence number.
fn tag_comes_first(name: &str, assoc_len: usize) -> bool {
    let least = if name.starts_with("essiv(") {
        16
    } else if name.contains("authencesn(") {
        8
    } else {
        0
    };
    name.contains("authenc") && assoc_len >= least
}

fn seal(tfm: &Aead, iv: &[u8], assoc: &[u8], text: &[u8], tag_len: usize, space: Space<'_>) -> Result<(), Error> {
    match space.split_at(text.len()) {
        (Space::One(out), Space::One(tag)) => tfm.encrypt(iv, &[assoc], Text::new(text, out)?, tag),
        (out, mut tag_out) => {
            let mut tag = vec![0; tag_len];
            tfm.encrypt(iv, &[assoc], Text::lists([text], out.into_pieces())?, &mut tag)?;
            tag_out.write(&tag);
            Ok(())
        }
    }
}

fn open(tfm: &Aead, iv: &[u8], assoc: &[u8], text: &[u8], tag: &[u8], space: Space<'_>) -> Result<(), Error> {
    match space {
        Space::One(out) => tfm.decrypt(iv, &[assoc], Text::new(text, out)?, tag),
        Space::Many(out) => tfm.decrypt(iv, &[assoc], Text::lists([text], out)?, tag),
    }
}

//! Receiving one message.

use super::step::{CHUNK, Step, part, total, with_buffer};
use crate::serve::{
    msghdr::{CONTROLLEN, FLAGS, Header, NAMELEN},
    sys::Piece,
    target::Target,
};
use algkit_afalg::{Destination, Errno, File, may_be_memory, socket::put_address};
use std::io::IoSliceMut;

/// A message to be received.
#[derive(Debug)]
pub struct Recv {
    pieces: Vec<Piece>,
    flags: i32,
    sink: Sink,
}

/// The place for results other than the data.
#[derive(Clone, Copy, Debug)]
pub enum Sink {
    /// There are no other results.
    Nowhere,
    /// For `recvfrom`: the address of the sender's address, and that of its length.
    Address(u64, u64),
    /// For `recvmsg`: the address of the `struct msghdr`, and that of the sender's address.
    Header(u64, u64),
}

impl Recv {
    /// Receives `pieces`.
    pub fn new(pieces: Vec<Piece>, flags: i32, sink: Sink) -> Self {
        Self { pieces, flags, sink }
    }

    /// Receives what the `struct msghdr` at `address` describes.
    pub fn header(target: &Target<'_>, address: u64, flags: i32) -> Result<Self, Errno> {
        let Header { pieces, name: (name, _), .. } = Header::read(target, address)?;
        Ok(Self { pieces, flags, sink: Sink::Header(address, name) })
    }

    /// The number of bytes for which there is room.
    pub fn len(&self) -> usize {
        total(&self.pieces)
    }

    /// Whether it asks for no bytes, and for nothing else.
    pub fn has_no_effect(&self) -> bool {
        self.len() == 0 && matches!(self.sink, Sink::Nowhere)
    }

    /// Goes on as far as it can.
    pub fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        let end = self.pieces.iter().position(|&(at, len)| len > 0 && !may_be_memory(at).unwrap_or(false));
        let (pieces, unwritable) = self.pieces.split_at(end.unwrap_or(self.pieces.len()));
        let (pieces, unwritable) = (part(pieces, 0, CHUNK), total(unwritable));
        let done = with_buffer(total(&pieces), |buffer| {
            if pieces.len() > 1 {
                // A cipher may leave a gap between two pieces. It is filled with the target's bytes, so that they do
                // not change, and no other program's bytes are revealed.
                buffer.fill(0);
                target.readable(&pieces, buffer);
            }
            let mut rest = &mut *buffer;
            let mut into = Vec::with_capacity(pieces.len());
            for &(_, len) in &pieces {
                let (piece, behind) = rest.split_at_mut(len);
                into.push(IoSliceMut::new(piece));
                rest = behind;
            }
            target.check()?;
            let received = file.recv(Destination { pieces: &mut into, unwritable }, self.flags)?;
            drop(into);
            let end = received.end.min(buffer.len());
            target.scatter(&part(&pieces, 0, end), &buffer[..end])?;
            Ok(received)
        });
        match done {
            Ok(received) => Step::Done(self.finish(target, file, received.flags).map(|()| received.len as i64)),
            Err(Errno::AGAIN) => Step::Wait,
            Err(error) => Step::Done(Err(error)),
        }
    }

    /// Writes the results of `recvmsg` other than the data.
    fn finish(&self, target: &Target<'_>, file: &File, flags: i32) -> Result<(), Errno> {
        let mut memory = *target;
        let mut put_sender = |address: u64, len_at: u64| match address {
            0 => Ok(()),
            _ => put_address(&mut memory, address, len_at, file.sender()),
        };
        match self.sink {
            Sink::Nowhere => Ok(()),
            Sink::Address(address, len) => put_sender(address, len),
            Sink::Header(header, name) => {
                put_sender(name, header.wrapping_add(NAMELEN))?;
                target.put(header.wrapping_add(FLAGS), (flags | self.flags & libc::MSG_CMSG_CLOEXEC) as u32)?;
                target.scatter(&[(header.wrapping_add(CONTROLLEN), 8)], &[0; 8])
            }
        }
    }
}

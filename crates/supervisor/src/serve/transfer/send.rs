//! Sending one message.

use super::step::{CHUNK, Step, part, total, with_buffer};
use crate::serve::{msghdr::Header, proc::may_administer, sys::Piece, target::Target};
use algkit_afalg::{Errno, File, Message, abi::MAX_ADDRESS};
use std::io::IoSlice;

/// A message to be sent.
#[derive(Debug)]
pub struct Send {
    pieces: Vec<Piece>,
    control: Vec<u8>,
    flags: i32,
    total: usize,
    sent: usize,
    /// The destination address; empty if none is given.
    address: Vec<u8>,
    /// Whether the file has got the control messages.
    begun: bool,
}

impl Send {
    /// Sends `pieces`, without a destination address.
    pub fn new(pieces: Vec<Piece>, control: Vec<u8>, flags: i32) -> Self {
        let total = total(&pieces);
        Self { pieces, control, flags, total, sent: 0, address: Vec::new(), begun: false }
    }

    /// Sends what the `struct msghdr` at `address` describes.
    pub fn header(target: &Target<'_>, address: u64, flags: i32) -> Result<Self, Errno> {
        let header = Header::read(target, address)?;
        let (name, len) = header.name;
        let address = if len == 0 { Vec::new() } else { target.bytes(name, len)? };
        let control = header.control(target)?;
        Ok(Self { address, ..Self::new(header.pieces, control, flags) })
    }

    /// Sends `pieces` to an address, of which place and length are given.
    pub fn to(target: &Target<'_>, pieces: Vec<Piece>, flags: i32, (name, len): (u64, u64)) -> Result<Self, Errno> {
        let len = usize::try_from(len as i32).ok().filter(|&n| n <= MAX_ADDRESS).ok_or(Errno::INVAL);
        let address = if name == 0 { Vec::new() } else { target.bytes(name, len?)? };
        Ok(Self { address, ..Self::new(pieces, Vec::new(), flags) })
    }

    /// Goes on as far as it can.
    pub fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        let partial = |sent: usize, error| Step::Done(if sent > 0 { Ok(sent as i64) } else { Err(error) });
        loop {
            let len = (self.total - self.sent).min(CHUNK);
            let last = self.sent + len == self.total;
            let flags = if last { self.flags } else { self.flags | libc::MSG_MORE };
            let mut fault = false;
            let done = with_buffer(len, |buffer| {
                // If a part cannot be read, the file reports that, after its own errors.
                let readable = target.readable(&part(&self.pieces, self.sent, len), buffer);
                target.check()?;
                fault = readable < len;
                let data = [IoSlice::new(&buffer[..readable])];
                if let File::Netlink(socket) = &mut *file {
                    if !self.address.is_empty() {
                        socket.connect(&self.address)?;
                    }
                    socket.set_privileged(may_administer(target.request.tid));
                    target.check()?;
                }
                let message = Message { data: &data, control: &self.control, flags, fault };
                if self.begun { file.send_rest(&message) } else { file.send(&message) }
            });
            match done {
                Ok(n) => {
                    self.begun = true;
                    self.sent += n.min(len);
                    if self.sent == self.total || fault {
                        return Step::Done(Ok(self.sent as i64));
                    }
                    if n < len {
                        return Step::Wait;
                    }
                }
                Err(Errno::AGAIN) => {
                    self.begun = true;
                    return Step::Wait;
                }
                Err(error) => return partial(self.sent, error),
            }
        }
    }

    /// The number of the message's bytes.
    pub fn len(&self) -> usize {
        self.total
    }

    /// The number of bytes that were sent, if they are a part of the message.
    pub fn sent_part(&self) -> Option<usize> {
        (1..self.total).contains(&self.sent).then_some(self.sent)
    }
}

//! One message in either direction.

use super::{recv::Recv, send::Send, step::Step};
use crate::serve::target::Target;
use algkit_afalg::{Errno, File};

/// A message to be sent or received.
#[derive(Debug)]
pub enum Single {
    Send(Send),
    Recv(Recv),
}

impl Single {
    /// The message that the `struct msghdr` at `address` describes.
    pub fn of_header(target: &Target<'_>, sends: bool, address: u64, flags: i32) -> Result<Self, Errno> {
        match sends {
            true => Send::header(target, address, flags).map(Self::Send),
            false => Recv::header(target, address, flags).map(Self::Recv),
        }
    }

    /// The number of bytes to be sent or received.
    pub fn len(&self) -> usize {
        match self {
            Self::Send(send) => send.len(),
            Self::Recv(recv) => recv.len(),
        }
    }

    /// Goes on as far as it can.
    pub fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        match self {
            Self::Send(work) => work.advance(target, file),
            Self::Recv(work) => work.advance(target, file),
        }
    }

    /// The number of bytes that were sent, if they are a part of a message.
    pub fn sent_part(&self) -> Option<usize> {
        match self {
            Self::Send(send) => send.sent_part(),
            Self::Recv(_) => None,
        }
    }
}

//! The front of a pipe that is spliced to a socket. What the socket refuses must stay in the pipe, so the socket gets a copy.

use crate::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, pipe_with, splice, tee};
use std::os::fd::{AsFd, OwnedFd};

/// An empty pipe, through which bytes of another one are copied and removed. No call waits.
pub struct Front {
    out: OwnedFd,
    into: OwnedFd,
}

impl Front {
    /// Makes the empty pipe.
    pub fn new() -> Result<Self, Errno> {
        let (out, into) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Self { out, into })
    }

    /// Copies bytes from the front of `pipe`; returns their number, which is 0 if there are none.
    pub fn copy(&self, pipe: impl AsFd, to: &mut [u8]) -> Result<usize, Errno> {
        let copied = none_if_empty(tee(pipe, &self.into, to.len(), SpliceFlags::NONBLOCK))?;
        self.read(&mut to[..copied])?;
        Ok(copied)
    }

    /// Removes as many bytes from the front of `pipe` as `what` has, which is overwritten. They are fewer if another thread comes first. Unlike
    /// `read`, this leaves the rest of a packet in the pipe.
    pub fn remove(&self, pipe: impl AsFd, mut what: &mut [u8]) -> Result<(), Errno> {
        while !what.is_empty() {
            let moved = none_if_empty(splice(&pipe, None, &self.into, None, what.len(), SpliceFlags::NONBLOCK))?;
            if moved == 0 {
                break;
            }
            self.read(&mut what[..moved])?;
            what = &mut what[moved..];
        }
        Ok(())
    }

    /// Reads what is in this pipe. One call may return one packet only.
    fn read(&self, mut to: &mut [u8]) -> Result<(), Errno> {
        while !to.is_empty() {
            let got = rustix::io::read(&self.out, &mut *to)?;
            to = &mut to[got..];
        }
        Ok(())
    }
}

fn none_if_empty(moved: Result<usize, Errno>) -> Result<usize, Errno> {
    if moved == Err(Errno::AGAIN) { Ok(0) } else { moved }
}

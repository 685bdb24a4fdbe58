//! Calls that send and receive data.

mod many;
mod recv;
mod send;
mod single;
mod step;

use crate::serve::{aio::ContextId, msghdr::iovec, sys::Piece, target::Target};
use algkit_afalg::{
    Errno, File,
    abi::MAX_TRANSFER,
    aio::{Iocb, Operation},
    check_flags,
};
use many::Mmsg;
use recv::{Recv, Sink};
use send::Send;
use single::Single;
use std::os::fd::OwnedFd;
pub use step::Step;

/// The number of bytes above which a call is carried out by another thread than the leader.
const HEAVY: usize = 16 << 10;

/// A call that sends or receives, and its progress.
#[derive(Debug)]
pub struct Transfer {
    /// The target's number of the descriptor.
    pub fd: i32,
    /// For an asynchronous request: how its end is reported.
    pub completion: Option<Completion>,
    /// Whether the client asks not to wait (`MSG_DONTWAIT`).
    pub impatient: bool,
    work: Work,
}

/// The report of the end of an asynchronous request.
#[derive(Debug)]
pub struct Completion {
    /// The context that gets the event.
    pub id: ContextId,
    /// The number that the client has chosen for the event.
    pub data: u64,
    /// The address of the request in the target.
    pub iocb: u64,
    /// The eventfd to be signalled.
    pub event_fd: Option<OwnedFd>,
}

#[derive(Debug)]
enum Work {
    /// A transfer of no bytes, which does nothing.
    Nothing,
    /// A transfer that fails with this error.
    Refused(Errno),
    Single(Single),
    Many(Mmsg),
}

impl Work {
    fn send(send: Send) -> Self {
        Self::Single(Single::Send(send))
    }

    fn recv(recv: Recv) -> Self {
        Self::Single(Single::Recv(recv))
    }

    /// Replaces a transfer without effect by [`Work::Nothing`]: receiving no bytes, or writing an empty vector. An
    /// empty message of a socket, and an empty `write`, are messages.
    fn simplified(self, vector_write: bool) -> Self {
        match &self {
            Self::Single(Single::Recv(recv)) if recv.has_no_effect() => Self::Nothing,
            Self::Single(Single::Send(send)) if vector_write && send.len() == 0 => Self::Nothing,
            _ => self,
        }
    }
}

impl Transfer {
    /// Reads the arguments of a call from the target's memory; `None` if the call does not transfer data.
    pub fn parse(target: &Target<'_>) -> Option<Result<Self, Errno>> {
        let args = target.request.args;
        let single = || Ok(vec![(args[1], usize::try_from(args[2]).unwrap_or(MAX_TRANSFER).min(MAX_TRANSFER))]);
        let vector = || iovec(target, args[1], args[2]);
        let send = |pieces: Result<Vec<Piece>, Errno>| Ok(Work::send(Send::new(pieces?, Vec::new(), 0)));
        let recv = |pieces: Result<Vec<Piece>, Errno>, flags, sink| Ok(Work::recv(Recv::new(pieces?, flags, sink)));
        let int = |n| target.request.int(n);

        let (work, flags) = match target.request.nr {
            libc::SYS_write => (send(single()), 0),
            libc::SYS_writev | libc::SYS_pwritev2 => (send(vector()), 0),
            libc::SYS_sendto => {
                let pieces = single();
                (pieces.and_then(|p| Send::to(target, p, int(3), (args[4], args[5]))).map(Work::send), int(3))
            }
            libc::SYS_sendmsg => (Send::header(target, args[1], int(2)).map(Work::send), int(2)),
            libc::SYS_read => (recv(single(), 0, Sink::Nowhere), 0),
            libc::SYS_readv | libc::SYS_preadv2 => (recv(vector(), 0, Sink::Nowhere), 0),
            libc::SYS_recvfrom => (recv(single(), int(3), Sink::Address(args[4], args[5])), int(3)),
            libc::SYS_recvmsg => (Recv::header(target, args[1], int(2)).map(Work::recv), int(2)),
            libc::SYS_sendmmsg => (Mmsg::parse(target, true).map(Work::Many), int(3)),
            libc::SYS_recvmmsg => (Mmsg::parse(target, false).map(Work::Many), int(3)),
            _ => return None,
        };
        let fd = int(0);
        let impatient = flags & libc::MSG_DONTWAIT != 0;
        let vector_write = matches!(target.request.nr, libc::SYS_writev | libc::SYS_pwritev2);
        let work = work.map(|work| work.simplified(vector_write));
        let has_flags = matches!(target.request.nr, libc::SYS_preadv2 | libc::SYS_pwritev2);
        let work = work.and_then(|work| match work {
            Work::Nothing => Ok(work),
            work if has_flags => check_flags(int(5)).map(|()| work),
            work => Ok(work),
        });
        Some(work.map(|work| Self { fd, completion: None, impatient, work }))
    }

    /// The transfer of a request of `io_submit`.
    pub fn of_iocb(target: &Target<'_>, iocb: &Iocb, completion: Completion) -> Result<Self, Errno> {
        let pieces = match iocb.operation {
            Operation::Read | Operation::Write => vec![(iocb.address, iocb.len.min(MAX_TRANSFER))],
            Operation::ReadVector | Operation::WriteVector => iovec(target, iocb.address, iocb.len as u64)?,
        };
        let work = match iocb.operation {
            // A socket has no position, so the offset must be 0.
            _ if iocb.offset != 0 => Work::Refused(Errno::SPIPE),
            Operation::Read | Operation::ReadVector => Work::recv(Recv::new(pieces, 0, Sink::Nowhere)),
            Operation::Write | Operation::WriteVector => Work::send(Send::new(pieces, Vec::new(), 0)),
        };
        let work = work.simplified(false);
        Ok(Self { fd: iocb.fd, completion: Some(completion), impatient: false, work })
    }

    /// Whether the transfer sends.
    pub fn sends(&self) -> bool {
        match &self.work {
            Work::Nothing | Work::Refused(_) => false,
            Work::Single(work) => matches!(work, Single::Send(_)),
            Work::Many(list) => list.sends(),
        }
    }

    /// Whether the transfer takes so long that the leader should not carry it out.
    pub fn is_heavy(&self) -> bool {
        match &self.work {
            Work::Nothing | Work::Refused(_) => false,
            Work::Single(work) => work.len() > HEAVY,
            Work::Many(list) => list.has_many(),
        }
    }

    /// Goes on as far as it can.
    pub fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        match &mut self.work {
            Work::Nothing => Step::Done(Ok(0)),
            Work::Refused(error) => Step::Done(Err(*error)),
            Work::Single(work) => work.advance(target, file),
            Work::Many(list) => list.advance(target, file),
        }
    }

    /// Whether a `recvmmsg` with `MSG_WAITFORONE` has received a message.
    pub fn has_enough(&self) -> bool {
        matches!(&self.work, Work::Many(list) if list.has_enough())
    }

    /// The result of the call if it ends now with `error`.
    pub fn interrupt(&self, error: Errno) -> Result<i64, Errno> {
        match &self.work {
            Work::Single(work) => work.sent_part().map_or(Err(error), |sent| Ok(sent as i64)),
            Work::Many(list) => list.interrupt(error),
            _ => Err(error),
        }
    }
}

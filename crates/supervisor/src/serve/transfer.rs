//! Calls that send and receive data.

use crate::serve::{
    aio::ContextId,
    proc::may_administer,
    sys::Piece,
    target::{CONTROLLEN, FLAGS, HEADER_LEN, Header, NAMELEN, Target},
};
use algkit_afalg::{
    Destination, Errno, File, Message,
    abi::{MAX_ADDRESS, MAX_PIECES, MAX_TRANSFER},
    aio::{Iocb, Operation},
    check_flags, may_be_memory,
    socket::put_address,
};
use std::{
    cell::RefCell,
    io::{IoSlice, IoSliceMut},
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

/// The largest number of bytes that are processed at once. A longer request is processed in several steps.
const CHUNK: usize = 1 << 20;

/// The number of bytes above which a call is carried out by another thread than the leader.
const HEAVY: usize = 16 << 10;

/// The length of a `struct mmsghdr`, and the offset of its `msg_len`.
const MANY_LEN: u64 = 64;
const MANY_RESULT: u64 = HEADER_LEN as u64;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with `len` bytes of a buffer of this thread. They hold what an earlier call has left.
pub fn with_buffer<R>(len: usize, work: impl FnOnce(&mut [u8]) -> R) -> R {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        work(&mut buffer[..len])
    })
}

/// The part of `pieces` after the first `skip` bytes, at most `most` bytes.
fn part(pieces: &[Piece], mut skip: usize, mut most: usize) -> Vec<Piece> {
    let mut part = Vec::with_capacity(pieces.len());
    for &(at, len) in pieces {
        let skipped = skip.min(len);
        skip -= skipped;
        let len = (len - skipped).min(most);
        most -= len;
        if len > 0 {
            part.push((at.wrapping_add(skipped as u64), len));
        }
    }
    part
}

fn total(pieces: &[Piece]) -> usize {
    pieces.iter().map(|&(_, len)| len).sum()
}

/// The span of time in a `struct timespec`.
pub fn duration(timespec: [u8; 16]) -> Result<Duration, Errno> {
    let word = |at: usize| timespec[at..].first_chunk().map_or(0, |bytes| i64::from_ne_bytes(*bytes));
    match (u64::try_from(word(0)), u32::try_from(word(8))) {
        (Ok(seconds), Ok(nanos)) if nanos < 1_000_000_000 => Ok(Duration::new(seconds, nanos)),
        _ => Err(Errno::INVAL),
    }
}

/// The address of a `struct timespec`, and the end of that time; `None` if that is too far away.
fn deadline(target: &Target<'_>, at: u64) -> Result<Option<(u64, Instant)>, Errno> {
    let end = Instant::now().checked_add(duration(target.array(at)?)?);
    Ok(end.map(|end| (at, end)))
}

/// The state of a call after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The call has ended with this result.
    Done(Result<i64, Errno>),
    /// The call must wait.
    Wait,
}

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
    Send(Send),
    Recv(Recv),
    Mmsg(Mmsg),
}

/// A message to be sent.
#[derive(Debug)]
struct Send {
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

/// A message to be received.
#[derive(Debug)]
struct Recv {
    pieces: Vec<Piece>,
    flags: i32,
    sink: Sink,
}

/// The place for results other than the data.
#[derive(Clone, Copy, Debug)]
enum Sink {
    /// There are no other results.
    Nowhere,
    /// For `recvfrom`: the address of the sender's address, and that of its length.
    Address(u64, u64),
    /// For `recvmsg`: the address of the `struct msghdr`, and that of the sender's address.
    Header(u64, u64),
}

/// A `sendmmsg` or `recvmmsg`.
#[derive(Debug)]
struct Mmsg {
    vector: u64,
    count: u32,
    done: u32,
    flags: i32,
    sends: bool,
    current: Option<Box<Work>>,
    /// For a `recvmmsg` with a timeout: its address, and the time at which no further message is begun.
    until: Option<(u64, Instant)>,
    /// The error that ended the call after some messages.
    error: Option<Errno>,
}

impl Send {
    fn new(pieces: Vec<Piece>, control: Vec<u8>, flags: i32) -> Self {
        let total = total(&pieces);
        Self { pieces, control, flags, total, sent: 0, address: Vec::new(), begun: false }
    }

    fn header(target: &Target<'_>, address: u64, flags: i32) -> Result<Self, Errno> {
        let Header { window, pieces, control, name: (name, len) } = target.header(address)?;
        let address = if len == 0 { Vec::new() } else { target.bytes(name, len)? };
        Ok(Self { address, ..Self::new(pieces, target.control(&window, control)?, flags) })
    }

    fn to(target: &Target<'_>, pieces: Vec<Piece>, flags: i32, (name, len): (u64, u64)) -> Result<Self, Errno> {
        let len = usize::try_from(len as i32).ok().filter(|&n| n <= MAX_ADDRESS).ok_or(Errno::INVAL);
        let address = if name == 0 { Vec::new() } else { target.bytes(name, len?)? };
        Ok(Self { address, ..Self::new(pieces, Vec::new(), flags) })
    }

    fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
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
}

impl Recv {
    fn header(target: &Target<'_>, address: u64, flags: i32) -> Result<Self, Errno> {
        let Header { pieces, name: (name, _), .. } = target.header(address)?;
        Ok(Self { pieces, flags, sink: Sink::Header(address, name) })
    }

    fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
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

impl Mmsg {
    fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        while self.done < self.count {
            let entry = self.vector.wrapping_add(MANY_LEN * u64::from(self.done));
            let work = match self.current.take() {
                Some(work) => Ok(work),
                None if self.sends => Send::header(target, entry, self.flags).map(|w| Box::new(Work::Send(w))),
                None => Recv::header(target, entry, self.flags).map(|w| Box::new(Work::Recv(w))),
            };
            let mut part = None;
            let step = match work {
                Err(error) => Step::Done(Err(error)),
                Ok(mut work) => {
                    let step = work.advance(target, file);
                    part = work.sent_part();
                    self.current = (step == Step::Wait).then_some(work);
                    step
                }
            };
            let length = match (step, part) {
                (Step::Done(length), _) => length,
                // It counts as a message, whatever ends the call while it waits.
                (Step::Wait, Some(sent)) => Ok(sent as i64),
                (Step::Wait, None) => return Step::Wait,
            };
            if let Err(error) = length.and_then(|n| target.put(entry.wrapping_add(MANY_RESULT), n as u32)) {
                return Step::Done(self.partial(error));
            }
            if step == Step::Wait {
                return Step::Wait;
            }
            self.done += 1;
            // As in the kernel, a message of which only a part was sent is the last.
            if part.is_some() || self.until.is_some_and(|(_, end)| end <= Instant::now()) {
                break;
            }
        }
        Step::Done(Ok(self.done.into()))
    }

    /// Writes the time that is left to a `recvmmsg` that has received messages.
    fn put_time_left(&self, target: &Target<'_>) -> Result<(), Errno> {
        let Some((at, end)) = self.until.filter(|_| self.done > 0) else { return Ok(()) };
        let left = end.saturating_duration_since(Instant::now());
        let words = [left.as_secs(), left.subsec_nanos().into()];
        target.scatter(&[(at, 16)], words.map(u64::to_ne_bytes).as_flattened())
    }

    fn partial(&mut self, error: Errno) -> Result<i64, Errno> {
        if self.done == 0 {
            return Err(error);
        }
        self.error = Some(error);
        Ok(self.done.into())
    }

    /// Whether the call is a `recvmmsg` that has not begun.
    fn begins_to_receive(&self) -> bool {
        !self.sends && self.done == 0 && self.current.is_none()
    }
}

impl Work {
    /// Replaces a transfer without effect by [`Work::Nothing`]: receiving no bytes, or writing an empty vector. An
    /// empty message of a socket, and an empty `write`, are messages.
    fn simplified(self, vector_write: bool) -> Self {
        match &self {
            Self::Recv(Recv { pieces, sink: Sink::Nowhere, .. }) if total(pieces) == 0 => Self::Nothing,
            Self::Send(send) if vector_write && send.total == 0 => Self::Nothing,
            _ => self,
        }
    }

    fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        match self {
            Self::Nothing => Step::Done(Ok(0)),
            Self::Refused(error) => Step::Done(Err(*error)),
            Self::Send(work) => work.advance(target, file),
            Self::Recv(work) => work.advance(target, file),
            Self::Mmsg(work) => work.advance(target, file),
        }
    }

    /// The number of bytes that were sent, if they are a part of a message.
    fn sent_part(&self) -> Option<usize> {
        match self {
            Self::Send(Send { sent: sent @ 1.., total, .. }) if sent < total => Some(*sent),
            _ => None,
        }
    }

    fn interrupt(&self, error: Errno) -> Result<i64, Errno> {
        match self {
            Self::Send(send) if send.sent > 0 => Ok(send.sent as i64),
            Self::Mmsg(list) => {
                let is_part_sent = list.current.as_ref().is_some_and(|work| work.sent_part().is_some());
                match list.done + u32::from(is_part_sent) {
                    0 => Err(error),
                    n => Ok(n.into()),
                }
            }
            _ => Err(error),
        }
    }
}

impl Transfer {
    /// Reads the arguments of a call from the target's memory; `None` if the call does not transfer data.
    pub fn parse(target: &Target<'_>) -> Option<Result<Self, Errno>> {
        let args = target.request.args;
        let single = || Ok(vec![(args[1], usize::try_from(args[2]).unwrap_or(MAX_TRANSFER).min(MAX_TRANSFER))]);
        let vector = || target.iovec(args[1], args[2]);
        let send = |pieces: Result<Vec<Piece>, Errno>, flags| Ok(Work::Send(Send::new(pieces?, Vec::new(), flags)));
        let recv =
            |pieces: Result<Vec<Piece>, Errno>, flags, sink| Ok(Work::Recv(Recv { pieces: pieces?, flags, sink }));
        let int = |n| target.request.int(n);

        let (work, flags) = match target.request.nr {
            libc::SYS_write => (send(single(), 0), 0),
            libc::SYS_writev => (send(vector(), 0), 0),
            libc::SYS_pwritev2 => (send(vector(), 0), 0),
            libc::SYS_sendto => {
                let pieces = single();
                (pieces.and_then(|p| Send::to(target, p, int(3), (args[4], args[5]))).map(Work::Send), int(3))
            }
            libc::SYS_sendmsg => (Send::header(target, args[1], int(2)).map(Work::Send), int(2)),
            libc::SYS_read => (recv(single(), 0, Sink::Nowhere), 0),
            libc::SYS_readv => (recv(vector(), 0, Sink::Nowhere), 0),
            libc::SYS_preadv2 => (recv(vector(), 0, Sink::Nowhere), 0),
            libc::SYS_recvfrom => (recv(single(), int(3), Sink::Address(args[4], args[5])), int(3)),
            libc::SYS_recvmsg => (Recv::header(target, args[1], int(2)).map(Work::Recv), int(2)),
            nr @ (libc::SYS_sendmmsg | libc::SYS_recvmmsg) => {
                let count = (args[2] as u32).min(MAX_PIECES as u32);
                let sends = nr == libc::SYS_sendmmsg;
                let vector = args[1];
                let until = if sends || args[4] == 0 { Ok(None) } else { deadline(target, args[4]) };
                let flags = int(3);
                let list =
                    until.map(|until| Mmsg { vector, count, done: 0, flags, sends, current: None, until, error: None });
                (list.map(Work::Mmsg), flags)
            }
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
            Operation::ReadVector | Operation::WriteVector => target.iovec(iocb.address, iocb.len as u64)?,
        };
        let work = match iocb.operation {
            // A socket has no position, so the offset must be 0.
            _ if iocb.offset != 0 => Work::Refused(Errno::SPIPE),
            Operation::Read | Operation::ReadVector => Work::Recv(Recv { pieces, flags: 0, sink: Sink::Nowhere }),
            Operation::Write | Operation::WriteVector => Work::Send(Send::new(pieces, Vec::new(), 0)),
        };
        let work = work.simplified(false);
        Ok(Self { fd: iocb.fd, completion: Some(completion), impatient: false, work })
    }

    /// Whether the transfer sends.
    pub fn sends(&self) -> bool {
        match &self.work {
            Work::Send(_) => true,
            Work::Recv(_) | Work::Nothing | Work::Refused(_) => false,
            Work::Mmsg(list) => list.sends,
        }
    }

    /// Whether the transfer takes so long that the leader should not carry it out.
    pub fn is_heavy(&self) -> bool {
        match &self.work {
            Work::Nothing | Work::Refused(_) => false,
            Work::Send(work) => work.total > HEAVY,
            Work::Recv(work) => total(&work.pieces) > HEAVY,
            Work::Mmsg(work) => work.count > 1,
        }
    }

    /// Goes on as far as it can.
    pub fn advance(&mut self, target: &Target<'_>, file: &mut File) -> Step {
        match &self.work {
            Work::Mmsg(list) if list.begins_to_receive() => {
                if let Some(error) = file.take_error() {
                    return Step::Done(Err(error));
                }
            }
            _ => {}
        }
        let mut step = self.work.advance(target, file);
        if let (Work::Mmsg(list), Step::Done(Ok(_))) = (&self.work, step)
            && let Err(error) = list.put_time_left(target)
        {
            step = Step::Done(Err(error));
        }
        if let Work::Mmsg(Mmsg { sends: false, error: Some(error), .. }) = self.work
            && error != Errno::AGAIN
        {
            // Told by the next call.
            file.keep_error(error);
        }
        step
    }

    /// Whether a `recvmmsg` with `MSG_WAITFORONE` has received a message.
    pub fn has_enough(&self) -> bool {
        matches!(&self.work, Work::Mmsg(list) if list.flags & libc::MSG_WAITFORONE != 0 && list.done > 0)
    }

    /// The result of the call if it ends now with `error`.
    pub fn interrupt(&self, error: Errno) -> Result<i64, Errno> {
        self.work.interrupt(error)
    }
}

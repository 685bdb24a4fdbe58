//! `splice` and `sendfile`: data that comes through a pipe or from a file.
//!
//! The kernel moves references to pages. Here the data is read and sent. So changes that a program makes to a page
//! after `vmsplice` are seen until the page is spliced on, and not afterwards.

use crate::{
    descriptor::borrow, entry::Entry, errno::length, interpose::interpose, lock::Lock, memory, table, transfer,
};
use algkit_afalg::{Errno, Message, front::Front};
use libc::{
    MSG_MORE, SPLICE_F_GIFT, SPLICE_F_MORE, SPLICE_F_MOVE, SPLICE_F_NONBLOCK, c_int, c_uint, loff_t, off_t, size_t,
    ssize_t,
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{FileType, OFlags, SeekFrom, fcntl_getfl, fstat, seek},
    io::{ioctl_fionread, pread, write},
    pipe::fcntl_getpipe_size,
};
use std::{
    io::{IoSlice, IoSliceMut},
    os::fd::{BorrowedFd, RawFd},
};

interpose! {
    fn splice(
        from: c_int, from_at: *mut loff_t, to: c_int, to_at: *mut loff_t, len: size_t, flags: c_uint,
    ) -> ssize_t
    where Some(ends) = Ends::of(from, to) => {
        if !(from_at.is_null() && to_at.is_null()) {
            return Err(ends.seek_error(!from_at.is_null(), !to_at.is_null()));
        }
        spliced(ends, from, to, len, flags).map(length)
    }

    fn sendfile(to: c_int, from: c_int, offset: *mut off_t, len: size_t) -> ssize_t
    where Some(ends) = Ends::of(from, to) => send_file(ends, to, from, offset, len).map(length)

    fn sendfile64(to: c_int, from: c_int, offset: *mut off_t, len: size_t) -> ssize_t
    where Some(ends) = Ends::of(from, to) => send_file(ends, to, from, offset, len).map(length)
}

/// The capacity in bytes of a pipe that the kernel moves data through.
const PIPE: usize = 65536;
/// The room in bytes that a writable pipe has at least.
const PAGE: usize = 4096;

/// Locks of pipes, by inode: what one thread has copied from a pipe, no other one may send before the first has removed it. They are
/// taken last of all, and never held by a thread that waits.
static PIPES: [Lock<()>; 16] = [const { Lock::new(()) }; 16];

/// The end of the transfer that is served.
#[derive(Clone, Copy)]
enum Ends {
    To(&'static Entry),
    From(&'static Entry),
}

impl Ends {
    fn of(from: RawFd, to: RawFd) -> Option<Self> {
        table::entry(to).map(Self::To).or_else(|| table::entry(from).map(Self::From))
    }

    /// The error if an offset is given for an end: a pipe has no position, and neither has a socket.
    fn seek_error(self, from: bool, to: bool) -> Errno {
        match self {
            Self::To(_) if from => Errno::SPIPE,
            Self::From(_) if to => Errno::SPIPE,
            _ => Errno::INVAL,
        }
    }
}

/// Checks that a descriptor is that of a pipe, and was not opened for the wrong direction only.
fn check_pipe(fd: BorrowedFd<'_>, wrong: OFlags) -> Result<(), Errno> {
    if fcntl_getfl(fd)? & OFlags::RWMODE == wrong {
        return Err(Errno::BADF);
    }
    match FileType::from_raw_mode(fstat(fd)?.st_mode) {
        FileType::Fifo => Ok(()),
        _ => Err(Errno::INVAL),
    }
}

fn spliced(ends: Ends, from: RawFd, to: RawFd, len: usize, flags: c_uint) -> Result<usize, Errno> {
    if len == 0 {
        return Ok(0);
    }
    if flags & !(SPLICE_F_MOVE | SPLICE_F_NONBLOCK | SPLICE_F_MORE | SPLICE_F_GIFT) != 0 {
        return Err(Errno::INVAL);
    }
    match ends {
        Ends::To(entry) => {
            entry.check_socket().or(Err(Errno::INVAL))?;
            let pipe = borrow(from)?;
            check_pipe(pipe, OFlags::WRONLY)?;
            from_pipe(entry, pipe, to, len, flags)
        }
        Ends::From(entry) => {
            entry.check_socket().or(Err(Errno::INVAL))?;
            let pipe = borrow(to)?;
            check_pipe(pipe, OFlags::RDONLY)?;
            into_pipe(entry, from, pipe, len, flags & SPLICE_F_NONBLOCK != 0)
        }
    }
}

/// Waits for data in a pipe and returns how many bytes there are; 0 if there are no writers left.
fn available(pipe: BorrowedFd<'_>, waits: bool) -> Result<usize, Errno> {
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    loop {
        let mut fds = [PollFd::new(&pipe, PollFlags::IN)];
        let found = poll(&mut fds, (!waits).then_some(&now))?;
        match ioctl_fionread(pipe)? as usize {
            0 if found == 0 => return Err(Errno::AGAIN),
            // Another thread has read what was there.
            0 if !fds[0].revents().contains(PollFlags::HUP) => {}
            there => return Ok(there),
        }
    }
}

/// Sends up to `len` bytes from the pipe.
fn from_pipe(
    entry: &'static Entry,
    pipe: BorrowedFd<'_>,
    to: RawFd,
    len: usize,
    flags: c_uint,
) -> Result<usize, Errno> {
    loop {
        let total = len.min(available(pipe, flags & SPLICE_F_NONBLOCK == 0)?);
        if total == 0 {
            return Ok(0);
        }
        match drain(entry, pipe, to, total, flags & SPLICE_F_MORE != 0)? {
            // Another thread has read what was there.
            0 => {}
            sent => return Ok(sent),
        }
    }
}

/// Sends `total` bytes from the pipe, or fewer if another thread reads them; 0 if there are none any more.
fn drain(entry: &'static Entry, pipe: BorrowedFd<'_>, to: RawFd, total: usize, more: bool) -> Result<usize, Errno> {
    let lock = &PIPES[fstat(pipe)?.st_ino as usize % PIPES.len()];
    let front = Front::new()?;
    let mut buffer = vec![0; total.min(PIPE)];
    let (mut sent, mut begun) = (0, false);
    let mut entered = entry.enter(to)?;
    loop {
        let turn = lock.lock();
        let most = buffer.len().min(total - sent);
        let copied = front.copy(pipe, &mut buffer[..most])?;
        let piece = &mut buffer[..copied];
        let flags = if more || sent + copied < total { MSG_MORE } else { 0 };
        let taken = match copied {
            0 => Ok(0),
            _ => {
                let message = Message { data: &[IoSlice::new(piece)], control: &[], flags, fault: false };
                entered.file().and_then(|file| if begun { file.send_rest(&message) } else { file.send(&message) })
            }
        };
        if let Ok(taken) = taken {
            front.remove(pipe, &mut piece[..taken])?;
        }
        drop(turn);
        begun = true;
        let again = match taken {
            Ok(taken) => {
                sent += taken;
                entered.state().repeat();
                if copied == 0 || sent == total || taken < copied && entered.is_nonblocking() {
                    entered.leave();
                    return Ok(sent);
                }
                entered.reenter()
            }
            Err(Errno::AGAIN) if !entered.is_nonblocking() => entered.wait(),
            Err(errno) => {
                entered.leave();
                Err(errno)
            }
        };
        entered = match again {
            Err(_) if sent > 0 => return Ok(sent),
            again => again?,
        };
    }
}

/// Sends bytes from a buffer of this library.
fn send(entry: &'static Entry, to: RawFd, data: &[u8], flags: c_int) -> Result<usize, Errno> {
    transfer::send(entry, to, &Message { data: &[IoSlice::new(data)], control: &[], flags, fault: false })
}

/// Receives from the served file and writes to the pipe.
fn into_pipe(
    entry: &'static Entry,
    from: RawFd,
    pipe: BorrowedFd<'_>,
    len: usize,
    no_wait: bool,
) -> Result<usize, Errno> {
    let no_wait = no_wait || fcntl_getfl(pipe)?.contains(OFlags::NONBLOCK);
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    if poll(&mut [PollFd::new(&pipe, PollFlags::OUT)], no_wait.then_some(&now))? == 0 {
        return Err(Errno::AGAIN);
    }
    // A pipe that is not empty may have a page's room only: what it has may take many pages.
    let space = if ioctl_fionread(pipe)? == 0 { fcntl_getpipe_size(pipe)?.min(PIPE) } else { PAGE };
    let mut buffer = vec![0; len.min(space)];
    let received = transfer::recv(entry, from, (&mut [IoSliceMut::new(&mut buffer)]).into(), 0)?;
    let mut rest = &buffer[..received.len.min(buffer.len())];
    while !rest.is_empty() {
        match write(pipe, rest) {
            // Another thread has used the room meanwhile. What was received must not be lost.
            Err(Errno::AGAIN) => _ = poll(&mut [PollFd::new(&pipe, PollFlags::OUT)], None)?,
            written => rest = &rest[written?..],
        }
    }
    Ok(received.len)
}

/// `sendfile`.
///
/// # Safety
/// `offset` must be null or point to an offset.
unsafe fn send_file(ends: Ends, to: RawFd, from: RawFd, offset: *mut off_t, len: usize) -> Result<usize, Errno> {
    // SAFETY: `offset` is null or points to an offset (precondition).
    let mut offset = if offset.is_null() { None } else { Some(unsafe { memory::at_mut(offset)? }) };
    let entry = match ends {
        Ends::To(entry) => entry,
        Ends::From(_) if offset.is_some() => return Err(Errno::SPIPE),
        Ends::From(_) => return spliced(ends, from, to, len, 0),
    };
    entry.check_socket().or(Err(Errno::INVAL))?;
    let file = borrow(from)?;
    // Only a file that has a position can be sent.
    let mut position = match &offset {
        Some(offset) => u64::try_from(**offset).map_err(|_| Errno::INVAL)?,
        None => seek(file, SeekFrom::Current(0))
            .map_err(|errno| if errno == Errno::SPIPE { Errno::INVAL } else { errno })?,
    };
    let mut buffer = vec![0; len.min(PIPE)];
    let mut sent = 0;
    while sent < len {
        let left = len - sent;
        let limit = left.min(buffer.len());
        let got = match pread(file, &mut buffer[..limit], position) {
            Err(_) if sent > 0 => break,
            got => got.map_err(|errno| if errno == Errno::SPIPE { Errno::INVAL } else { errno })?,
        };
        if got == 0 {
            break;
        }
        // As long as less was read than the caller has asked for, more is to come, even if the file is too short for
        // that.
        let flags = if got < left { MSG_MORE } else { 0 };
        let taken = match send(entry, to, &buffer[..got], flags) {
            Err(_) if sent > 0 => break,
            taken => taken?,
        };
        sent += taken;
        position += taken as u64;
        if taken < got {
            break;
        }
    }
    match &mut offset {
        Some(offset) => **offset = position as off_t,
        None => {
            seek(file, SeekFrom::Start(position))?;
        }
    }
    Ok(sent)
}

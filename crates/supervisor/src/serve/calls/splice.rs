//! `splice` and `sendfile` between a served file and a pipe or file of the target.
//!
//! Such a call takes as long as the program at the other end likes, so each runs on a thread of its own.

use crate::serve::{
    calls::Reply,
    served::Served,
    server::{Server, lock},
    target::Target,
};
use algkit_afalg::{Errno, Message, abi::MAX_TRANSFER, front::Front};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{FileType, Mode, OFlags},
};
use std::{
    io::{IoSlice, IoSliceMut},
    os::fd::{AsRawFd, OwnedFd},
    sync::{Arc, Mutex},
    time::Duration,
};

/// The capacity in bytes of a pipe that the kernel moves data through, and the largest number of bytes moved at once.
const PIPE: usize = 65_536;

/// The bytes between two looks for signals, which read files in /proc.
const LOOK: usize = 64 * PIPE;

/// The room in bytes that a writable pipe has at least.
const PIPE_BUF: usize = 4096;

/// The time that a call sleeps before it tries again.
const NAP: Duration = Duration::from_millis(1);

/// The number of naps after which the call checks for signals.
const NAPS: u32 = 10;

/// Locks of pipes, by inode: what one thread has copied from a pipe, no other one may send before the first has removed it. They are
/// taken last of all, and never held by a thread that waits.
static PIPES: [Mutex<()>; 16] = [const { Mutex::new(()) }; 16];

/// The numbers (`statfs`) of file systems that store texts, on disks or in memory: a text is the same for every reader, and
/// reading it changes nothing.
const STORES: [u32; 22] = [
    0x0000_ef53, // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0xf2f5_2010, // F2FS
    0xca45_1a4e, // bcachefs
    0x2fc1_2fc1, // ZFS
    0x3153_464a, // JFS
    0x5265_4973, // ReiserFS
    0x0000_3434, // NILFS
    0x0102_1994, // tmpfs, memfd
    0x8584_58f6, // ramfs
    0x9584_58f6, // hugetlbfs
    0x794c_7630, // overlayfs
    0x7371_7368, // SquashFS
    0xe0f5_e1e2, // EROFS
    0x28cd_3d45, // cramfs
    0x0000_9660, // ISO 9660
    0x1501_3346, // UDF
    0x0000_4d44, // FAT
    0x2011_bab0, // exFAT
    0x7366_746e, // NTFS
    0x2405_1905, // UBIFS
];

/// The source and the destination of a transfer.
enum Move {
    /// `splice` from a pipe to a served file.
    FromPipe { pipe: OwnedFd, flags: u32, to: Arc<Served> },
    /// `splice` from a served file to a pipe.
    ToPipe { from: Arc<Served>, pipe: OwnedFd, flags: u32 },
    /// `sendfile` from a file to a served file. If `position` is the address of a position, the file's own position is
    /// neither used nor changed.
    FromFile { file: OwnedFd, position: u64, to: Arc<Served> },
}

impl Move {
    /// From a served file to the pipe behind the target's descriptor `to`.
    fn to_pipe(target: &Target<'_>, from: Arc<Served>, to: i32, flags: u32) -> Result<Self, Errno> {
        let (pipe, its) = pipe(target, to, OFlags::WRONLY)?;
        let nonblock = if its.contains(OFlags::NONBLOCK) { libc::SPLICE_F_NONBLOCK } else { 0 };
        Ok(Self::ToPipe { from, pipe, flags: flags | nonblock })
    }
}

/// `splice`.
pub fn splice(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let [_, from_at, _, to_at, len, flags] = target.request.args;
    let (from_fd, to_fd, flags) = (target.request.int(0), target.request.int(2), flags as u32);
    let ends = (server.find(target, from_fd), server.find(target, to_fd));
    if matches!(ends, (Ok(None), Ok(None))) {
        return Ok(Reply::Proceed);
    }
    const KNOWN: u32 = libc::SPLICE_F_MOVE | libc::SPLICE_F_NONBLOCK | libc::SPLICE_F_MORE | libc::SPLICE_F_GIFT;
    if len == 0 {
        return Ok(Reply::Value(0));
    }
    if flags & !KNOWN != 0 {
        return Err(Errno::INVAL);
    }
    let (what, fd) = match (ends.0?, ends.1?) {
        (None, Some(to)) => {
            // As in the kernel, the flags of a pipe that is read do not matter.
            let (pipe, _) = pipe(target, from_fd, OFlags::RDONLY)?;
            match (from_at, to_at) {
                (0, 0) => {}
                (0, _) => return Err(Errno::INVAL),
                _ => return Err(Errno::SPIPE),
            }
            (Move::FromPipe { pipe, flags, to }, to_fd)
        }
        (Some(from), None) => {
            let to_pipe = Move::to_pipe(target, from, to_fd, flags)?;
            match (from_at, to_at) {
                (0, 0) => {}
                (_, 0) => return Err(Errno::INVAL),
                _ => return Err(Errno::SPIPE),
            }
            (to_pipe, from_fd)
        }
        _ => return Err(Errno::INVAL),
    };
    begin(server, target, what, fd, len)
}

/// `sendfile`: from a file to a served one, or from a served file to a pipe.
pub fn sendfile(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let [_, _, position, len, ..] = target.request.args;
    let [to_fd, from_fd] = [0, 1].map(|n| target.request.int(n));
    let to = match (server.find(target, to_fd)?, server.find(target, from_fd)?) {
        (Some(to), _) => to,
        // A served file has no position.
        (None, Some(_)) if position != 0 => return Err(Errno::SPIPE),
        (None, Some(from)) => {
            let to_pipe = Move::to_pipe(target, from, to_fd, 0)?;
            return if len == 0 { Ok(Reply::Value(0)) } else { begin(server, target, to_pipe, from_fd, len) };
        }
        (None, None) => return Ok(Reply::Proceed),
    };
    let file = target.fetch(from_fd)?;
    // What a kernel file shows may depend on the reader, which here is the supervisor, and reading it may do something. A file
    // of a program's own file system may never be read to the end.
    let is_regular = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) == FileType::RegularFile;
    if !is_regular || !STORES.contains(&(rustix::fs::fstatfs(&file)?.f_type as u32)) {
        return Err(Errno::INVAL);
    }
    begin(server, target, Move::FromFile { file, position, to }, to_fd, len)
}

/// The pipe behind the target's descriptor, opened again, so that the flags of the target's descriptor stay as they
/// are; and these flags.
fn pipe(target: &Target<'_>, fd: i32, access: OFlags) -> Result<(OwnedFd, OFlags), Errno> {
    let theirs = target.fetch(fd)?;
    if FileType::from_raw_mode(rustix::fs::fstat(&theirs)?.st_mode) != FileType::Fifo {
        return Err(Errno::INVAL);
    }
    let flags = rustix::fs::fcntl_getfl(&theirs)?;
    let opened_for = flags & OFlags::RWMODE;
    if opened_for != access && opened_for != OFlags::RDWR {
        return Err(Errno::BADF);
    }
    let path = format!("/proc/self/fd/{}", theirs.as_raw_fd());
    match rustix::fs::open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
        // The pipe has no readers.
        Err(Errno::NXIO) => Err(Errno::PIPE),
        opened => Ok((opened?, flags)),
    }
}

fn begin(server: &Server, target: &Target<'_>, what: Move, fd: i32, len: u64) -> Result<Reply, Errno> {
    let request = target.request;
    let len = usize::try_from(len).unwrap_or(MAX_TRANSFER).min(MAX_TRANSFER);
    server.on_own_thread(request, move |server| {
        let target = server.target(request);
        let mut mover = Mover { target: &target, fd, moved: 0, naps: 0 };
        let done = match what {
            Move::FromPipe { pipe, flags, to } => mover.drain_pipe(server, &pipe, flags, &to, len),
            Move::ToPipe { from, pipe, flags } => mover.fill_pipe(server, &from, &pipe, flags, len),
            Move::FromFile { file, position, to } => mover.send_file(server, &file, position, &to, len),
        };
        if mover.moved > 0 { Ok(mover.moved as i64) } else { done.map(|()| 0) }
    })?;
    Ok(Reply::Taken)
}

/// A transfer in progress, on the target's descriptor `fd`.
struct Mover<'a> {
    target: &'a Target<'a>,
    fd: i32,
    moved: usize,
    naps: u32,
}

impl Mover<'_> {
    /// Sleeps; returns an error if the call has ended.
    fn doze(&self) -> Result<(), Errno> {
        std::thread::sleep(NAP);
        self.target.check()
    }

    /// Sleeps; returns an error if the call has ended or a signal interrupts it.
    fn nap(&mut self) -> Result<(), Errno> {
        self.doze()?;
        self.naps += 1;
        if self.naps.is_multiple_of(NAPS) && self.target.signals() != (false, false) {
            return Err(Errno::INTR);
        }
        Ok(())
    }

    fn waits(&self) -> bool {
        !self.target.flags(self.fd).contains(OFlags::NONBLOCK)
    }

    /// Waits for a pipe and returns what `poll` says. [`Errno::AGAIN`] if the client does not want to wait.
    fn wait_for(&mut self, pipe: &OwnedFd, events: PollFlags, flags: u32) -> Result<PollFlags, Errno> {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut fds = [PollFd::new(pipe, events)];
        while poll(&mut fds, Some(&now))? == 0 {
            if flags & libc::SPLICE_F_NONBLOCK != 0 {
                return Err(Errno::AGAIN);
            }
            self.nap()?;
        }
        Ok(fds[0].revents())
    }

    /// Sends `data`; returns the number of bytes that were accepted, which is all of them if the client waits.
    fn send(&mut self, server: &Server, to: &Served, data: &[u8], flags: i32) -> Result<usize, Errno> {
        let (mut sent, mut begun) = (0, false);
        loop {
            let message = Message { data: &[IoSlice::new(&data[sent..])], control: &[], flags, fault: false };
            let taken = server.operate(to, self.target, self.fd, |file| {
                if begun { file.send_rest(&message) } else { file.send(&message) }
            });
            begun = true;
            match taken {
                Ok(n) => sent += n,
                Err(Errno::AGAIN) => {}
                Err(error) if sent == 0 => return Err(error),
                Err(_) => return Ok(sent),
            }
            if sent >= data.len() {
                return Ok(sent);
            }
            if !self.waits() {
                return if sent > 0 { Ok(sent) } else { Err(Errno::AGAIN) };
            }
            if let Err(error) = self.nap() {
                return if sent > 0 { Ok(sent) } else { Err(error) };
            }
        }
    }

    /// Waits for data in the pipe, then sends what it has, at most `len` bytes.
    fn drain_pipe(
        &mut self,
        server: &Server,
        pipe: &OwnedFd,
        flags: u32,
        to: &Served,
        len: usize,
    ) -> Result<(), Errno> {
        // If another thread has read what was there, this one waits again.
        while self.moved == 0 {
            let revents = self.wait_for(pipe, PollFlags::IN, flags)?;
            let there = (rustix::io::ioctl_fionread(pipe)? as usize).min(len);
            if there == 0 && revents.contains(PollFlags::HUP) {
                break;
            }
            self.pass_on(server, pipe, flags & libc::SPLICE_F_MORE != 0, to, there)?;
        }
        Ok(())
    }

    /// Sends `total` bytes from the pipe, or fewer if another thread reads them.
    fn pass_on(&mut self, server: &Server, pipe: &OwnedFd, more: bool, to: &Served, total: usize) -> Result<(), Errno> {
        let pipe_lock = &PIPES[rustix::fs::fstat(pipe)?.st_ino as usize % PIPES.len()];
        let front = Front::new()?;
        let mut buffer = vec![0; total.min(PIPE)];
        let mut begun = false;
        while self.moved < total {
            let taken = server.operate(to, self.target, self.fd, |file| {
                let _turn = lock(pipe_lock);
                let most = (total - self.moved).min(PIPE);
                let copied = front.copy(pipe, &mut buffer[..most])?;
                if copied == 0 {
                    return Ok(None);
                }
                let flags = if more || self.moved + copied < total { libc::MSG_MORE } else { 0 };
                let message = Message { data: &[IoSlice::new(&buffer[..copied])], control: &[], flags, fault: false };
                let taken = if begun { file.send_rest(&message) } else { file.send(&message) }?;
                front.remove(pipe, &mut buffer[..taken])?;
                Ok(Some((taken, taken < copied)))
            });
            begun = true;
            let is_full = match taken {
                Ok(None) => break,
                Ok(Some((taken, is_full))) => {
                    self.moved += taken;
                    is_full
                }
                Err(Errno::AGAIN) => true,
                Err(error) => return Err(error),
            };
            if is_full && !self.waits() {
                return Err(Errno::AGAIN);
            }
            if is_full {
                self.nap()?;
            }
        }
        Ok(())
    }

    /// Waits for room in the pipe, then receives as much as fits, at most `len` bytes.
    fn fill_pipe(
        &mut self,
        server: &Server,
        from: &Served,
        pipe: &OwnedFd,
        flags: u32,
        len: usize,
    ) -> Result<(), Errno> {
        self.wait_for(pipe, PollFlags::OUT, flags)?;
        let room = match rustix::io::ioctl_fionread(pipe)? {
            0 => rustix::pipe::fcntl_getpipe_size(pipe)?.min(PIPE),
            _ => PIPE_BUF,
        };
        let mut buffer = vec![0; room.min(len)];
        let received = loop {
            match server.operate(from, self.target, self.fd, |file| file.recv(&mut [IoSliceMut::new(&mut buffer)], 0)) {
                // As in the kernel, `SPLICE_F_NONBLOCK` is about the pipe.
                Err(Errno::AGAIN) if self.waits() => self.nap()?,
                received => break received?.len.min(buffer.len()),
            }
        };
        while self.moved < received {
            match rustix::io::write(pipe, &buffer[self.moved..received]) {
                // Another thread has used the room meanwhile. What was received must not be lost, so no signal ends this.
                Err(Errno::AGAIN) => self.doze()?,
                written => self.moved += written?,
            }
        }
        Ok(())
    }

    /// Sends `len` bytes of a file, or fewer if it ends before. Then the message stays open.
    fn send_file(
        &mut self,
        server: &Server,
        file: &OwnedFd,
        position: u64,
        to: &Served,
        len: usize,
    ) -> Result<(), Errno> {
        let start = match position {
            0 => rustix::fs::seek(file, rustix::fs::SeekFrom::Current(0))?,
            at => u64::try_from(i64::from_ne_bytes(self.target.array(at)?)).map_err(|_| Errno::INVAL)?,
        };
        let mut buffer = vec![0; len.min(PIPE)];
        let mut done = Ok(());
        while self.moved < len {
            let left = len - self.moved;
            // Nobody waits for a call whose thread was killed or is interrupted.
            self.target.check()?;
            if self.moved > 0 && self.moved.is_multiple_of(LOOK) && self.target.signals().0 {
                break;
            }
            let part = &mut buffer[..left.min(PIPE)];
            let step = rustix::io::pread(file, &mut *part, start.saturating_add(self.moved as u64)).and_then(|n| {
                let flags = if n < left { libc::MSG_MORE } else { 0 };
                let sent = if n == 0 { 0 } else { self.send(server, to, &part[..n], flags)? };
                Ok((n, sent))
            });
            match step {
                Ok((n, sent)) => {
                    self.moved += sent;
                    if n == 0 || sent < n {
                        break;
                    }
                }
                Err(error) => {
                    done = Err(error);
                    break;
                }
            }
        }
        let end = start.saturating_add(self.moved as u64);
        match position {
            0 => _ = rustix::fs::seek(file, rustix::fs::SeekFrom::Start(end))?,
            at => self.target.scatter(&[(at, 8)], &end.to_ne_bytes())?,
        }
        done
    }
}

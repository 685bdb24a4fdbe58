//! The target: access to its memory and its descriptors while one of its calls is stopped.
//!
//! If the target was killed meanwhile and its number was reused, the bytes that were read belong to another process.
//! [`Target::check`] after reading finds that out. Everything is read once, into the supervisor's own memory.

use crate::serve::{
    handles::Handles,
    lost::Lost,
    proc,
    request::Request,
    sys::{self, Piece},
};
use algkit_afalg::{Errno, Memory};
use rustix::fs::OFlags;
use std::{
    ops::Range,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
};

/// How many numbers stay free in a range of served descriptors.
const RESERVE: u32 = 4;

/// Signals whose default action is to do nothing (signal(7)): SIGCHLD, SIGCONT, SIGURG, SIGWINCH.
const DULL: u64 =
    1 << (libc::SIGCHLD - 1) | 1 << (libc::SIGCONT - 1) | 1 << (libc::SIGURG - 1) | 1 << (libc::SIGWINCH - 1);

/// The thread that made a call.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The stopped call.
    pub request: Request,
    listener: BorrowedFd<'a>,
    handles: &'a Handles,
    lost: Option<&'a Lost>,
}

impl<'a> Target<'a> {
    /// The thread that made the call of `request`.
    pub fn new(request: Request, listener: BorrowedFd<'a>, handles: &'a Handles, lost: Option<&'a Lost>) -> Self {
        Self { request, listener, handles, lost }
    }

    /// Whether the call still waits. If so, the bytes that were read before belong to the target.
    pub fn valid(&self) -> bool {
        sys::valid(self.listener, self.request.id)
    }

    /// [`valid`](Self::valid) as a result. No program will see the error.
    pub fn check(&self) -> Result<(), Errno> {
        if self.valid() { Ok(()) } else { Err(Errno::INTR) }
    }

    /// Fills `into` with the bytes of `pieces`. [`Errno::FAULT`] if some cannot be read.
    pub fn gather(&self, pieces: &[Piece], into: &mut [u8]) -> Result<(), Errno> {
        if self.readable(pieces, into) == into.len() { Ok(()) } else { Err(Errno::FAULT) }
    }

    /// Fills `into` with the bytes of `pieces`, up to the first that cannot be read; returns their number.
    pub fn readable(&self, pieces: &[Piece], into: &mut [u8]) -> usize {
        if into.is_empty() {
            return 0;
        }
        sys::read_memory(self.request.tid, pieces, into).unwrap_or(0)
    }

    /// Writes `from` to `pieces`, which have the same length together.
    pub fn scatter(&self, pieces: &[Piece], from: &[u8]) -> Result<(), Errno> {
        if from.is_empty() {
            return Ok(());
        }
        match (self.check(), self.lost) {
            (Err(_), Some(lost)) => {
                lost.owe(&self.request, pieces, from);
                return Ok(());
            }
            (valid, _) => valid?,
        }
        match sys::write_memory(self.request.tid, pieces, from) {
            Ok(n) if n == from.len() => Ok(()),
            _ => Err(Errno::FAULT),
        }
    }

    /// Reads `N` bytes.
    pub fn array<const N: usize>(&self, address: u64) -> Result<[u8; N], Errno> {
        let mut bytes = [0; N];
        self.gather(&[(address, N)], &mut bytes)?;
        Ok(bytes)
    }

    /// Reads `len` bytes; the caller limits `len`.
    pub fn bytes(&self, address: u64, len: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0; len];
        self.gather(&[(address, len)], &mut bytes)?;
        Ok(bytes)
    }

    /// Writes an `int` or an `unsigned int`.
    pub fn put(&self, address: u64, value: u32) -> Result<(), Errno> {
        self.scatter(&[(address, 4)], &value.to_ne_bytes())
    }

    /// Reads a C string that is shorter than `most` bytes; `None` if it is longer or cannot be read. Bytes after its
    /// end need not be readable.
    pub fn string(&self, address: u64, most: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; most];
        // The two pieces meet at the end of a page, so a fault in the second leaves the bytes of the first.
        let first = (4096 - (address % 4096) as usize).min(most);
        let pieces = [(address, first), (address.checked_add(first as u64)?, most - first)];
        let n = sys::read_memory(self.request.tid, &pieces[..if first < most { 2 } else { 1 }], &mut bytes).ok()?;
        bytes.truncate(n);
        let end = bytes.iter().position(|&b| b == 0)?;
        bytes.truncate(end);
        Some(bytes)
    }

    /// The destination of a link in the thread's folder in `/proc`.
    pub fn link(&self, name: std::fmt::Arguments<'_>) -> Result<Vec<u8>, Errno> {
        proc::link(self.request.tid, name)
    }

    /// The flags of an open file of the target.
    pub fn flags(&self, fd: i32) -> OFlags {
        OFlags::from_bits_retain(proc::flags(self.request.tid, fd).unwrap_or(0))
    }

    /// The number of the process that the thread belongs to.
    pub fn process(&self) -> Option<i32> {
        proc::process(self.request.tid)
    }

    /// Whether signals for this thread interrupt the call, and whether signals for its process may do so, which another
    /// thread may take instead.
    pub fn signals(&self) -> (bool, bool) {
        let names = ["SigBlk", "SigIgn", "SigCgt", "SigPnd", "ShdPnd", "Threads"];
        let [masks @ .., threads] = proc::fields(self.request.tid, names);
        let [blocked, ignored, caught, own, shared] =
            masks.map(|mask| mask.and_then(|mask| u64::from_str_radix(&mask, 16).ok()).unwrap_or(0));
        // If a process is traced, even signals without effect become pending.
        let ignored = ignored | DULL & !caught;
        let deliverable = |pending: u64| pending & !blocked & !ignored != 0;
        let (own, shared) = (deliverable(own), deliverable(shared));
        let alone = shared && threads.is_some_and(|threads| threads == "1");
        (own || alone, shared && !alone)
    }

    /// A copy of the target's descriptor `fd`.
    pub fn fetch(&self, fd: i32) -> Result<OwnedFd, Errno> {
        let fd = self.handles.fetch(self.request.tid, fd)?;
        self.check()?;
        Ok(fd)
    }

    /// A number in `range`, not below `least`, that the target does not use and that is not `taken`.
    ///
    /// Until the descriptor is [given](Self::give), another thread of the target may begin to use the number, and would
    /// lose its file. A call that lets the kernel choose gets the lowest free number. So the highest is chosen here,
    /// and only if [`RESERVE`] lower ones are free: that many calls would have to succeed in that moment. (A call that
    /// names the number, as `dup2` does, replaces the file under that number in the kernel, too.)
    pub fn free_number(&self, range: Range<u32>, least: u32, taken: impl Fn(u32) -> bool) -> Result<u32, Errno> {
        let descriptors = proc::Descriptors::of(self.request.tid)?;
        // If the kernel has not reached the range with its own choices, all numbers in it are free except those that
        // calls have named.
        let start = range.start;
        let (mut free, mut found) = (if descriptors.is_free(start)? { RESERVE } else { 0 }, None);
        for fd in range.rev() {
            if descriptors.is_free(fd)? {
                free += u32::from(found.is_some());
                found = found.or(Some(fd).filter(|&fd| fd >= least.max(start + RESERVE) && !taken(fd)));
            }
            if let (Some(fd), RESERVE..) = (found, free) {
                return Ok(fd);
            }
            if found.is_none() && fd <= least {
                break;
            }
        }
        Err(Errno::MFILE)
    }

    /// Whether the target does not use the number `fd`.
    pub fn is_free(&self, fd: u32) -> Result<bool, Errno> {
        proc::Descriptors::of(self.request.tid)?.is_free(fd)
    }

    /// Gives the target a descriptor with the number `at`, or with the lowest free one, and returns the number. With
    /// `answer`, the number is the result of the call, which ends at the same moment.
    fn add(&self, fd: BorrowedFd<'_>, at: Option<u32>, close_on_exec: bool, answer: bool) -> Result<i32, Errno> {
        let flag = |set: bool, flag: libc::c_ulong| if set { flag as u32 } else { 0 };
        let request = libc::seccomp_notif_addfd {
            id: self.request.id,
            flags: flag(at.is_some(), libc::SECCOMP_ADDFD_FLAG_SETFD) | flag(answer, libc::SECCOMP_ADDFD_FLAG_SEND),
            srcfd: fd.as_raw_fd() as u32,
            newfd: at.unwrap_or(0),
            newfd_flags: flag(close_on_exec, libc::O_CLOEXEC as libc::c_ulong),
        };
        sys::add_fd(self.listener, &request).map_err(|error| match error {
            // The target has lowered its limit of open files after it was started.
            Errno::BADF => Errno::MFILE,
            error => error,
        })
    }

    /// Gives the target a descriptor; the call continues to wait.
    pub fn give(&self, fd: BorrowedFd<'_>, at: Option<u32>, close_on_exec: bool) -> Result<i32, Errno> {
        self.add(fd, at, close_on_exec, false)
    }

    /// Ends the call with a new descriptor. The supervisor has closed its copy when the call ends, because the target
    /// may close its own at once and expect the file to be closed.
    pub fn answer_with(&self, fd: OwnedFd, at: Option<u32>, close_on_exec: bool) -> Result<(), Errno> {
        if self.lost.is_some() {
            // Giving and answering must be one step. A signal between two would leave the target with a descriptor that
            // it does not know.
            match self.add(fd.as_fd(), at, close_on_exec, true) {
                // Before Linux 5.14, the kernel does not support that, so two steps are used.
                Err(Errno::INVAL) => {}
                // The call was interrupted or the target killed, so no thread waits for an answer.
                Err(Errno::NOENT | Errno::INPROGRESS) => return Ok(()),
                done => return done.map(drop),
            }
        }
        let number = self.give(fd.as_fd(), at, close_on_exec)?;
        drop(fd);
        self.answer(Ok(number.into()));
        Ok(())
    }

    fn respond(&self, val: i64, error: i32, flags: libc::c_ulong) -> bool {
        let response = libc::seccomp_notif_resp { id: self.request.id, val, error, flags: flags as u32 };
        // It fails if the call does not wait any more.
        sys::respond(self.listener, response).is_ok()
    }

    /// Ends the call; returns false if the target does not wait any more.
    pub fn answer(&self, result: Result<i64, Errno>) -> bool {
        let answered = match result {
            Ok(value) => self.respond(value, 0, 0),
            Err(error) => self.respond(0, -error.raw_os_error(), 0),
        };
        if let Some(lost) = self.lost {
            lost.end(&self.request, result.ok().filter(|_| !answered));
        }
        answered
    }

    /// Answers a call whose first answer came too late; returns false if this is none.
    pub fn answer_again(&self) -> bool {
        let Some(answer) = self.lost.and_then(|lost| lost.take(&self.request)) else { return false };
        let written = answer.owed.iter().try_for_each(|(pieces, bytes)| self.scatter(pieces, bytes));
        self.answer(written.map(|()| answer.value));
        true
    }

    /// Ends the call as the kernel ends one that a signal interrupted: the kernel restarts it after the handler if
    /// `SA_RESTART` is set. The signal must be for this thread.
    pub fn restart(&self) -> bool {
        const ERESTARTSYS: i32 = 512;
        self.respond(0, -ERESTARTSYS, 0)
    }

    /// Lets the kernel carry out the call.
    pub fn proceed(&self) {
        self.respond(0, 0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE);
    }
}

impl Memory for Target<'_> {
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        self.gather(&[(address, into.len())], into)?;
        self.check()
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        self.scatter(&[(address, from.len())], from)
    }
}

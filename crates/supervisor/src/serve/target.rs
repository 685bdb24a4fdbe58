//! The target: access to its memory and its descriptors while one of its calls is stopped.
//!
//! If the target was killed meanwhile and its number was reused, the bytes that were read belong to another process.
//! [`Target::check`] after reading finds that out. Everything is read once, into the supervisor's own memory.

use crate::serve::{
    handles::Handles,
    proc,
    sys::{self, Piece},
};
use algkit_afalg::{
    Errno, Memory,
    abi::{MAX_ADDRESS, MAX_CONTROL, MAX_PIECES, MAX_TRANSFER},
};
use rustix::fs::OFlags;
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// A stopped call, which waits for its answer.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The number of the notification.
    pub id: u64,
    /// The thread that made the call.
    pub tid: i32,
    /// The number of the system call.
    pub nr: libc::c_long,
    /// The arguments of the call.
    pub args: [u64; 6],
    /// Whether `nr` is a number of the native 64-bit system calls, neither of a 32-bit program nor of x32.
    pub is_native: bool,
}

impl Request {
    /// Argument `n`, as a C `int`.
    pub fn int(&self, n: usize) -> i32 {
        self.args[n] as i32
    }
}

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

/// Answers that came too late.
///
/// Before Linux 5.19, a signal ends a call that waits for its answer, and the program makes the call again after the
/// handler. By then the supervisor has carried it out, and must not do so twice. It must not begin with it either while
/// another thread still works on the interrupted call.
#[derive(Default, Debug)]
pub struct Lost {
    answers: Mutex<Answers>,
    done: Condvar,
}

#[derive(Default, Debug)]
struct Answers {
    /// For each thread: its interrupted call.
    lost: HashMap<i32, LostAnswer>,
    /// For each notification: the bytes that could not be written.
    owed: HashMap<u64, Vec<Write>>,
    /// The threads with a call that is being worked on.
    busy: HashSet<i32>,
}

/// The answer to an interrupted call.
#[derive(Debug)]
struct LostAnswer {
    request: Request,
    /// When the thread was started: its number may be another's later, which must not get what was read for this one.
    started: u64,
    value: i64,
    /// The bytes that were still to be written.
    owed: Vec<Write>,
}

/// Bytes, and the pieces of the target's memory that they are for.
type Write = (Vec<Piece>, Vec<u8>);

/// The largest number of answers that are kept. Those of threads that were killed are never asked for.
const MAX_LOST: usize = 64;

impl Lost {
    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other call of this thread is being worked on.
    pub fn begin(&self, request: &Request) {
        let mut answers = self.lock();
        while !answers.busy.insert(request.tid) {
            answers = self.done.wait(answers).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that no call of this thread is being worked on.
    pub fn leave(&self, request: &Request) {
        self.lock().busy.remove(&request.tid);
        self.done.notify_all();
    }

    fn owe(&self, request: &Request, pieces: &[Piece], bytes: &[u8]) {
        let owed = &mut self.lock().owed;
        if owed.len() >= MAX_LOST {
            owed.clear();
        }
        owed.entry(request.id).or_default().push((pieces.to_vec(), bytes.to_vec()));
    }

    /// Records the end of a call. `lost` is its result if the answer came too late.
    fn end(&self, request: &Request, lost: Option<i64>) {
        let started = lost.and_then(|_| proc::started(request.tid));
        let Answers { lost: answers, owed, .. } = &mut *self.lock();
        let owed = owed.remove(&request.id).unwrap_or_default();
        // A thread that was killed asks no more.
        let Some((value, started)) = lost.zip(started) else { return };
        if answers.len() >= MAX_LOST {
            answers.clear();
        }
        answers.insert(request.tid, LostAnswer { request: *request, started, value, owed });
    }

    /// Answers a call that repeats the last call of its thread that got no answer; returns whether it does. Calls that
    /// a signal handler makes in between are ignored.
    pub fn answer(&self, target: &Target<'_>) -> bool {
        let request = target.request;
        let found = {
            let lost = &mut self.lock().lost;
            let again = |lost: &LostAnswer| (lost.request.nr, lost.request.args) == (request.nr, request.args);
            if lost.get(&request.tid).is_some_and(again) { lost.remove(&request.tid) } else { None }
        };
        let Some(LostAnswer { started, value, owed, .. }) = found else { return false };
        if proc::started(request.tid) != Some(started) {
            return false;
        }
        let written = owed.iter().try_for_each(|(pieces, bytes)| target.scatter(pieces, bytes));
        target.answer(written.map(|()| value));
        true
    }
}

/// The memory around a structure, read in one call. What the structure points to is usually beside it, on the stack.
pub struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// The numbers of bytes before and behind the structure.
    const BEFORE: u64 = 512;
    const BEHIND: u64 = 1024;
    const PAGE: u64 = 4096;

    /// Reads the `len` bytes at `address` with their surroundings, within the same pages. So if the bytes can be read,
    /// the surroundings can.
    fn read(target: &Target<'_>, address: u64, len: u64) -> Result<Self, Errno> {
        let first = address - address % Self::PAGE;
        let last = address.checked_add(len - 1).ok_or(Errno::FAULT)?;
        let end = last - last % Self::PAGE + (Self::PAGE - 1);
        let start = address.saturating_sub(Self::BEFORE).max(first);
        let end = address.saturating_add(len + Self::BEHIND).min(end.saturating_add(1));
        Ok(Self { start, bytes: target.bytes(start, (end - start) as usize)? })
    }

    /// The `len` bytes at `address`, from the window or else from the target. The caller limits `len`.
    fn bytes(&self, target: &Target<'_>, address: u64, len: usize) -> Result<Vec<u8>, Errno> {
        let inside =
            address.checked_sub(self.start).and_then(|at| self.bytes.get(usize::try_from(at).ok()?..)?.get(..len));
        inside.map_or_else(|| target.bytes(address, len), |bytes| Ok(bytes.to_vec()))
    }
}

/// A `struct msghdr` of the target.
pub struct Header {
    /// The memory around the structure.
    pub window: Window,
    /// `msg_name` and `msg_namelen`.
    pub name: (u64, usize),
    /// The pieces of memory that `msg_iov` describes.
    pub pieces: Vec<Piece>,
    /// `msg_control` and `msg_controllen`.
    pub control: (u64, u64),
}

/// The length of a `struct msghdr`, and the offsets of its fields.
pub const HEADER_LEN: usize = 56;
pub const NAMELEN: u64 = 8;
pub const CONTROLLEN: u64 = 40;
pub const FLAGS: u64 = 48;

/// The pieces that an array of `struct iovec` describes.
fn pieces(array: &[u8]) -> Result<Vec<Piece>, Errno> {
    let mut left = MAX_TRANSFER;
    let members = array.chunks_exact(16).map(|entry| {
        let len = usize::try_from(word(entry, 8)).ok().filter(|&n| isize::try_from(n).is_ok());
        let len = len.ok_or(Errno::INVAL)?.min(left);
        left -= len;
        Ok((word(entry, 0), len))
    });
    members.collect()
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_ne_bytes(*b))
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

    /// Reads an array of `struct iovec` and returns its pieces.
    pub fn iovec(&self, address: u64, count: u64) -> Result<Vec<Piece>, Errno> {
        let count = usize::try_from(count).ok().filter(|&n| n <= MAX_PIECES).ok_or(Errno::INVAL)?;
        pieces(&self.bytes(address, 16 * count)?)
    }

    /// Reads a `struct msghdr`.
    pub fn header(&self, address: u64) -> Result<Header, Errno> {
        let window = Window::read(self, address, HEADER_LEN as u64)?;
        let bytes = window.bytes(self, address, HEADER_LEN)?;
        let (name, iov, count) = (word(&bytes, 0), word(&bytes, 16), word(&bytes, 24));
        let name_len = match usize::try_from(word(&bytes, 8) as i32) {
            _ if name == 0 => 0,
            Ok(len) => len.min(MAX_ADDRESS),
            Err(_) => return Err(Errno::INVAL),
        };
        if count > MAX_PIECES as u64 {
            return Err(Errno::MSGSIZE);
        }
        let control = (word(&bytes, 32), word(&bytes, 40));
        let pieces = pieces(&window.bytes(self, iov, 16 * count as usize)?)?;
        Ok(Header { window, name: (name, name_len), pieces, control })
    }

    /// Reads control messages.
    pub fn control(&self, window: &Window, (address, len): (u64, u64)) -> Result<Vec<u8>, Errno> {
        if len > MAX_CONTROL as u64 {
            return Err(Errno::NOBUFS);
        }
        window.bytes(self, address, len as usize)
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

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{EventfdFlags, eventfd};

    #[test]
    fn a_lost_answer_is_for_the_same_call_of_the_same_thread() {
        // No call waits at this descriptor, so every answer is lost.
        let listener = eventfd(0, EventfdFlags::CLOEXEC).expect("an eventfd");
        let (handles, lost) = (Handles::new(), Lost::default());
        let tid = std::process::id() as i32;
        let call = |fd| {
            let request = Request { id: 1, tid, nr: libc::SYS_read, args: [fd, 0, 0, 0, 0, 0], is_native: true };
            Target::new(request, listener.as_fd(), &handles, Some(&lost))
        };
        assert!(!call(3).answer(Ok(7)));
        assert!(!lost.answer(&call(4)), "a call of a signal handler");
        assert!(lost.answer(&call(3)));
        // That answer is lost, too. Meanwhile, the thread has ended, and another one has its number.
        lost.lock().lost.get_mut(&tid).expect("an answer").started += 1;
        assert!(!lost.answer(&call(3)));
    }
}

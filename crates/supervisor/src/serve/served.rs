//! A file that is served, and the socket that stands for it in the target.
//!
//! The target holds one end of a pair of sockets, so that everything about descriptors (`close`, `fork`, `exec`,
//! flags, `fstat`, `poll`, `select`, `epoll`) is the kernel's own work. The supervisor holds the other end. Through
//! it the file's readiness shows, and it hangs up when the target has closed its last descriptor. The target's end names the
//! file, whatever process asks, and under whatever number: by its cookie (`SO_COOKIE`), which no other socket ever has.

use crate::serve::{park::Parked, program::Account, target::Target};
use algkit_afalg::{Errno, File, Readiness};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair, sockopt},
};
use std::{
    cell::Cell,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// A file that is served.
#[derive(Debug)]
pub struct Served {
    /// The cookie of the target's end.
    pub cookie: u64,
    /// Its inode, which other sockets come to have after 2³² more. It names the file where `pidfd_getfd` is forbidden.
    pub inode: u64,
    /// Whose it is: of the program that made it.
    pub account: Arc<Account>,
    /// A socket, and not `/dev/crypto`.
    pub is_socket: bool,
    /// How many calls wait here.
    pub parked: AtomicUsize,
    end: OwnedFd,
    state: Mutex<State>,
}

/// What calls change.
#[derive(Debug)]
pub struct State {
    /// The file.
    pub file: File,
    /// Calls that wait until they can go on.
    pub parked: Vec<Parked>,
    /// The target has closed it.
    pub closed: bool,
    shown: Readiness,
    /// Bytes that it was last found to keep.
    held: usize,
}

/// Fills the smallest buffer that a socket can have, more than a quarter of it: the sender is not writable then.
const FILLING: [u8; 2048] = [0; 2048];

impl Served {
    /// A file, and the descriptor for the target.
    pub fn new(file: File, nonblocking: bool, account: Arc<Account>) -> Result<(Self, OwnedFd), Errno> {
        let (end, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)?;
        sockopt::set_socket_send_buffer_size(&theirs, 0)?;
        let (cookie, inode) = (sockopt::socket_cookie(&theirs)?, rustix::fs::fstat(&theirs)?.st_ino);
        let shown = Readiness { readable: false, writable: true };
        let is_socket = !matches!(file, File::Device(_));
        let mut state = State { file, parked: Vec::new(), closed: false, shown, held: 0 };
        show(&end, &mut state, || Ok(theirs.as_fd()))?;
        if !nonblocking {
            let flags = rustix::fs::fcntl_getfl(&theirs)?;
            rustix::fs::fcntl_setfl(&theirs, flags - rustix::fs::OFlags::NONBLOCK)?;
        }
        let (parked, state) = (AtomicUsize::new(0), Mutex::new(state));
        Ok((Self { cookie, inode, account, is_socket, parked, end, state }, theirs))
    }

    /// The supervisor's end.
    pub fn end(&self) -> BorrowedFd<'_> {
        self.end.as_fd()
    }

    /// Whether the target has closed its last descriptor, and no call waits.
    pub fn is_hung_up(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut end = [PollFd::new(&self.end, PollFlags::empty())];
        let closed = poll(&mut end, Some(&now)).is_ok() && end[0].revents().contains(PollFlags::HUP);
        closed && self.try_lock().is_some_and(|state| state.parked.is_empty())
    }

    /// The state, when no other thread works on it.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, unless another thread works on it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Lets the target's `poll` see what the file has become, and counts what it keeps. `fd` is the target's descriptor, and
    /// `known` its end of the file, if somebody has it at hand.
    pub fn show(&self, state: &mut State, target: &Target<'_>, fd: i32, known: Option<OwnedFd>) {
        let held = state.file.held();
        self.account.bytes.fetch_add(held, Ordering::Relaxed);
        self.account.bytes.fetch_sub(std::mem::replace(&mut state.held, held), Ordering::Relaxed);
        if state.file.readiness() == state.shown {
            return;
        }
        // Where `pidfd_getfd` is forbidden, the target may see an event too many, as with any socket.
        let known = Cell::new(known);
        let _ = show(&self.end, state, || {
            if let Some(theirs) = known.take() {
                return Ok(theirs);
            }
            let theirs = target.fetch(fd)?;
            if sockopt::socket_cookie(&theirs)? == self.cookie { Ok(theirs) } else { Err(Errno::BADF) }
        });
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.account.files.fetch_sub(1, Ordering::Relaxed);
        let held = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).held;
        self.account.bytes.fetch_sub(held, Ordering::Relaxed);
    }
}

/// Brings what is shown up to date. Events appear through the supervisor's end, and disappear through the target's.
fn show<Fd: AsFd>(end: &OwnedFd, state: &mut State, theirs: impl Fn() -> Result<Fd, Errno>) -> Result<(), Errno> {
    let State { file, shown, .. } = state;
    let now = file.readiness();
    if now.readable && !shown.readable {
        send(end, &[0], SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?;
        shown.readable = true;
    }
    if now.writable && !shown.writable {
        recv(end, &mut [0u8; 1], RecvFlags::DONTWAIT)?;
        shown.writable = true;
    }
    if !now.readable && shown.readable {
        recv(theirs()?, &mut [0u8; 1], RecvFlags::DONTWAIT)?;
        shown.readable = false;
    }
    if !now.writable && shown.writable {
        send(theirs()?, &FILLING, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?;
        shown.writable = false;
    }
    Ok(())
}

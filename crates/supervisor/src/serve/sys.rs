//! System calls that no crate wraps. Nothing here keeps state or decides anything.

use libc::{c_long, c_void, seccomp_notif, seccomp_notif_addfd, seccomp_notif_resp, seccomp_notif_sizes};
use rustix::io::Errno;
use std::{
    mem::{size_of, zeroed},
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
};

fn last() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

fn check(result: c_long) -> Result<c_long, Errno> {
    if result == -1 { Err(last()) } else { Ok(result) }
}

/// Sets `PR_SET_NO_NEW_PRIVS` and installs `filter`, which the kernel copies. Async-signal-safe.
pub fn install(filter: &[libc::sock_filter], flags: libc::c_ulong) -> Result<OwnedFd, Errno> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the arguments are numbers.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }.into())?;
    // SAFETY: `program` points to `len` instructions that live as long as the call.
    let fd =
        check(unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) })?;
    // SAFETY: the call has just made this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Whether the kernel knows `SECCOMP_RET_USER_NOTIF`.
pub fn knows_notification() -> bool {
    let action = libc::SECCOMP_RET_USER_NOTIF;
    // SAFETY: the kernel reads four bytes.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) == 0 }
}

/// Bytes for a `seccomp_notif` or a `seccomp_notif_resp` of this kernel or a later one.
#[repr(C, align(8))]
struct Room([u8; 512]);

/// Whether this kernel's structures fit those that [`receive`] and [`respond`] pass.
pub fn sizes_fit() -> bool {
    // SAFETY: zero is a value of this structure of integers.
    let mut sizes: seccomp_notif_sizes = unsafe { zeroed() };
    // SAFETY: the kernel writes one such structure.
    let result = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_NOTIF_SIZES, 0, &raw mut sizes) };
    result == 0 && sizes.seccomp_notif.max(sizes.seccomp_notif_resp) as usize <= size_of::<Room>()
}

/// Takes the next notification.
pub fn receive(listener: BorrowedFd<'_>) -> Result<seccomp_notif, Errno> {
    let mut room = Room([0; 512]);
    // SAFETY: the kernel writes a structure that `sizes_fit` has found to fit.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut room) }.into())?;
    // SAFETY: `room` is large and aligned enough, and any bytes are a value of this structure of integers.
    Ok(unsafe { room.0.as_ptr().cast::<seccomp_notif>().read() })
}

/// Answers a notification.
pub fn respond(listener: BorrowedFd<'_>, response: seccomp_notif_resp) -> Result<(), Errno> {
    let mut room = Room([0; 512]);
    // SAFETY: `room` is large and aligned enough.
    unsafe { room.0.as_mut_ptr().cast::<seccomp_notif_resp>().write(response) };
    // SAFETY: the kernel reads a structure that `sizes_fit` has found to fit.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut room) }.into())?;
    Ok(())
}

/// Whether the call of notification `id` still waits.
pub fn valid(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the kernel reads eight bytes.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const id) == 0 }
}

/// Puts a descriptor into the target.
pub fn add_fd(listener: BorrowedFd<'_>, request: &seccomp_notif_addfd) -> Result<i32, Errno> {
    let request: *const seccomp_notif_addfd = request;
    // SAFETY: the kernel reads one such structure.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, request) }.into())
        .map(|fd| fd as i32)
}

/// Wakes the target on the CPU of the supervisor, where its answer is still warm (Linux 6.6).
pub fn wake_on_this_cpu(listener: BorrowedFd<'_>) {
    // SAFETY: the argument is a number; where it is unknown nothing changes.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, 1u64) };
}

/// `struct sched_attr`, as far as every kernel has it.
#[repr(C)]
struct Scheduling {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// As long as it lives, this thread runs soon after it wakes, and not long at a time (Linux 6.12). Its share of the CPU stays the same.
pub struct Soon(Scheduling);

impl Soon {
    /// The shortest slice that Linux gives, in nanoseconds.
    const SLICE: u64 = 100_000;

    /// Begins; nothing where somebody has given this thread another policy, or the kernel does not know of that.
    pub fn new() -> Option<Self> {
        // SAFETY: zero is a value of this structure of integers.
        let mut before: Scheduling = unsafe { zeroed() };
        let size = size_of::<Scheduling>() as u32;
        // SAFETY: the kernel writes at most one such structure.
        let got = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut before, size, 0) };
        if got != 0 || before.policy != libc::SCHED_OTHER as u32 {
            return None;
        }
        let slice = std::mem::replace(&mut before.runtime, Self::SLICE);
        before.set().then(|| Self(Scheduling { runtime: slice, ..before }))
    }
}

impl Scheduling {
    fn set(&self) -> bool {
        let this: *const Self = self;
        // SAFETY: the kernel reads one such structure.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, this, 0) == 0 }
    }
}

impl Drop for Soon {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Whether [`receive`] returns when the last process under the filter has ended (Linux 6.11), and does not wait for ever.
pub fn receive_ends() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(11))
}

/// A run of bytes in the target.
pub type Piece = (u64, usize);

/// The most pieces that one call takes.
pub const MAX_PIECES: usize = 1024;

fn remote(pieces: &[Piece]) -> Vec<libc::iovec> {
    pieces.iter().map(|&(at, len)| libc::iovec { iov_base: at as usize as *mut c_void, iov_len: len }).collect()
}

/// Reads the bytes of `pieces` of thread `tid` into `into`, and says how many it got.
pub fn read_memory(tid: i32, pieces: &[Piece], into: &mut [u8]) -> Result<usize, Errno> {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let one;
    let many;
    let remote = if let [(at, len)] = *pieces {
        one = [libc::iovec { iov_base: at as usize as *mut c_void, iov_len: len }];
        &one[..]
    } else {
        many = remote(pieces);
        &many[..]
    };
    // SAFETY: the kernel writes at most `iov_len` bytes to `into`; the remote addresses are not ours.
    let result =
        unsafe { libc::process_vm_readv(tid, &raw const local, 1, remote.as_ptr(), remote.len() as libc::c_ulong, 0) };
    check(result as c_long).map(|n| n as usize)
}

/// Writes `from` to `pieces` of thread `tid`, and says how many bytes it wrote.
pub fn write_memory(tid: i32, pieces: &[Piece], from: &[u8]) -> Result<usize, Errno> {
    let local = libc::iovec { iov_base: from.as_ptr().cast_mut().cast(), iov_len: from.len() };
    let remote = remote(pieces);
    // SAFETY: the kernel reads `iov_len` bytes of `from`; the remote addresses are not ours.
    let result =
        unsafe { libc::process_vm_writev(tid, &raw const local, 1, remote.as_ptr(), remote.len() as libc::c_ulong, 0) };
    check(result as c_long).map(|n| n as usize)
}

/// A set of signals, blocked for this thread as long as this lives, and read from a descriptor instead.
pub struct Signals {
    fd: OwnedFd,
    before: libc::sigset_t,
}

/// A signal that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Its number.
    pub signal: i32,
    /// Whether the kernel sent it, as it does for a key pressed on the terminal.
    pub from_kernel: bool,
}

impl Signals {
    /// Blocks `signals`.
    pub fn block(signals: &[i32]) -> Result<Self, Errno> {
        // SAFETY: zero is a value of this structure, and the calls below initialize both.
        let (mut set, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { (zeroed(), zeroed()) };
        // SAFETY: `set` is a set of signals to write to.
        unsafe { libc::sigemptyset(&raw mut set) };
        for &signal in signals {
            // SAFETY: as above.
            unsafe { libc::sigaddset(&raw mut set, signal) };
        }
        // SAFETY: `set` is initialized.
        let fd = check(unsafe { libc::signalfd(-1, &raw const set, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) }.into())?;
        // SAFETY: the call has just made this descriptor.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as i32) };
        // SAFETY: both sets are valid.
        match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before) } {
            0 => Ok(Self { fd, before }),
            error => Err(Errno::from_raw_os_error(error)),
        }
    }

    /// The descriptor to wait on.
    pub fn fd(&self) -> BorrowedFd<'_> {
        use std::os::fd::AsFd;
        self.fd.as_fd()
    }

    /// The mask of this thread before.
    pub fn mask_before(&self) -> libc::sigset_t {
        self.before
    }

    /// The next one, if any.
    pub fn next(&self) -> Option<Arrived> {
        // SAFETY: zero is a value of this structure of integers.
        let mut info: libc::signalfd_siginfo = unsafe { zeroed() };
        let size = size_of::<libc::signalfd_siginfo>();
        // SAFETY: the kernel writes at most one such structure.
        let n = unsafe { libc::read(self.fd.as_raw_fd(), (&raw mut info).cast(), size) };
        (n == size as isize)
            .then_some(Arrived { signal: info.ssi_signo as i32, from_kernel: info.ssi_code == libc::SI_KERNEL })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        set_mask(&self.before);
    }
}

/// Sets the signal mask of this thread. Async-signal-safe.
pub fn set_mask(mask: &libc::sigset_t) {
    // SAFETY: `mask` is a set of signals.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

/// Whether a child has exited and waits to be waited for.
pub fn has_exited() -> bool {
    // SAFETY: zero is a value of this structure of integers.
    let mut info: libc::siginfo_t = unsafe { zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the kernel writes one such structure.
    let result = unsafe { libc::waitid(libc::P_ALL, 0, &raw mut info, options) };
    // SAFETY: `waitid` fills this member, and leaves it zero if there is no such child.
    let pid = unsafe { info.si_pid() };
    result == 0 && pid != 0
}

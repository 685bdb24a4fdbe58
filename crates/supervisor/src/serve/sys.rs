//! System calls that no crate wraps. These functions keep no state and make no decisions.

use libc::{c_long, c_void, seccomp_notif, seccomp_notif_addfd, seccomp_notif_resp, seccomp_notif_sizes};
use rustix::{io::Errno, process::Pid};
use std::{
    mem::{size_of, zeroed},
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
    sync::{Mutex, MutexGuard, PoisonError},
};

fn last() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

fn check(result: c_long) -> Result<c_long, Errno> {
    if result == -1 { Err(last()) } else { Ok(result) }
}

/// Sets `PR_SET_NO_NEW_PRIVS` and installs `filter`, which the kernel copies. It is async-signal-safe.
pub fn install(filter: &[libc::sock_filter], flags: libc::c_ulong) -> Result<OwnedFd, Errno> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the call takes no pointers.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }.into())?;
    // SAFETY: `program` points to `len` instructions, which live as long as the call.
    let fd =
        check(unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) })?;
    // SAFETY: the call has just made this descriptor, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Whether the kernel supports `SECCOMP_RET_USER_NOTIF`.
pub fn knows_notification() -> bool {
    let action = libc::SECCOMP_RET_USER_NOTIF;
    // SAFETY: the kernel reads four bytes, which `action` has.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) == 0 }
}

/// Room for a `seccomp_notif` or a `seccomp_notif_resp` of this kernel or a later one.
#[repr(C, align(8))]
struct Room([u8; 512]);

/// Whether the kernel's structures fit into the room that [`receive`] and [`respond`] provide.
pub fn sizes_fit() -> bool {
    // SAFETY: the structure consists of integers, so zeros are a valid value.
    let mut sizes: seccomp_notif_sizes = unsafe { zeroed() };
    // SAFETY: the kernel writes one structure of this type.
    let result = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_NOTIF_SIZES, 0, &raw mut sizes) };
    result == 0 && sizes.seccomp_notif.max(sizes.seccomp_notif_resp) as usize <= size_of::<Room>()
}

/// Takes the next notification.
pub fn receive(listener: BorrowedFd<'_>) -> Result<seccomp_notif, Errno> {
    let mut room = Room([0; 512]);
    // SAFETY: the kernel writes a structure that fits into `room`, as `sizes_fit` has checked.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut room) }.into())?;
    // SAFETY: `room` is large and aligned enough, and the structure consists of integers, so any bytes are a valid
    // value.
    Ok(unsafe { room.0.as_ptr().cast::<seccomp_notif>().read() })
}

/// Answers a notification.
pub fn respond(listener: BorrowedFd<'_>, response: seccomp_notif_resp) -> Result<(), Errno> {
    let mut room = Room([0; 512]);
    // SAFETY: `room` is large and aligned enough for the structure.
    unsafe { room.0.as_mut_ptr().cast::<seccomp_notif_resp>().write(response) };
    // SAFETY: the kernel reads a structure that fits into `room`, as `sizes_fit` has checked.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut room) }.into())?;
    Ok(())
}

/// Whether the call of notification `id` still waits for its answer.
pub fn valid(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the kernel reads eight bytes, which `id` has.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const id) == 0 }
}

/// Puts a descriptor into the target, and returns its number there.
pub fn add_fd(listener: BorrowedFd<'_>, request: &seccomp_notif_addfd) -> Result<i32, Errno> {
    let request: *const seccomp_notif_addfd = request;
    // SAFETY: the kernel reads one structure of this type.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, request) }.into())
        .map(|fd| fd as i32)
}

/// Makes the kernel wake the target on the supervisor's CPU, whose cache has the answer (Linux 6.6).
pub fn wake_on_this_cpu(listener: BorrowedFd<'_>) {
    // SAFETY: the argument is a number. A kernel that does not know the request changes nothing.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, 1u64) };
}

/// `struct sched_attr`, with the fields that every kernel has.
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

/// As long as this lives, the thread gets shorter time slices and so runs sooner after it wakes (Linux 6.12). Its share
/// of the CPU does not change.
pub struct Soon(Scheduling);

impl Soon {
    /// The shortest slice that Linux gives, in nanoseconds.
    const SLICE: u64 = 100_000;

    /// Sets the short slice; `None` if the thread has another scheduling policy, or if the kernel does not support it.
    pub fn new() -> Option<Self> {
        // SAFETY: the structure consists of integers, so zeros are a valid value.
        let mut before: Scheduling = unsafe { zeroed() };
        let size = size_of::<Scheduling>() as u32;
        // SAFETY: the kernel writes at most `size` bytes, which `before` has.
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
        // SAFETY: the kernel reads one structure of this type.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, this, 0) == 0 }
    }
}

impl Drop for Soon {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Whether [`receive`] returns when the last process under the filter has ended (Linux 6.11). On older kernels it waits
/// for ever.
pub fn receive_ends() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(11))
}

/// An address in the target, and a number of bytes.
pub type Piece = (u64, usize);

fn remote(pieces: &[Piece]) -> Vec<libc::iovec> {
    pieces.iter().map(|&(at, len)| libc::iovec { iov_base: at as usize as *mut c_void, iov_len: len }).collect()
}

/// Reads the bytes of `pieces` of thread `tid` into `into`, and returns the number of bytes.
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
    // SAFETY: the kernel writes at most `iov_len` bytes to `into`. The remote addresses belong to another process.
    let result =
        unsafe { libc::process_vm_readv(tid, &raw const local, 1, remote.as_ptr(), remote.len() as libc::c_ulong, 0) };
    check(result as c_long).map(|n| n as usize)
}

/// Writes `from` to `pieces` of thread `tid`, and returns the number of bytes.
pub fn write_memory(tid: i32, pieces: &[Piece], from: &[u8]) -> Result<usize, Errno> {
    let local = libc::iovec { iov_base: from.as_ptr().cast_mut().cast(), iov_len: from.len() };
    let remote = remote(pieces);
    // SAFETY: the kernel reads at most `iov_len` bytes of `from`. The remote addresses belong to another process.
    let result =
        unsafe { libc::process_vm_writev(tid, &raw const local, 1, remote.as_ptr(), remote.len() as libc::c_ulong, 0) };
    check(result as c_long).map(|n| n as usize)
}

/// Signals eventfds as the kernel does at the end of its own requests: whatever their counts are, this does not wait. A
/// `write` to an eventfd that its program has filled waits for ever. So the eventfd is given to a request of this
/// process that ends at once.
#[derive(Default)]
pub struct Signaller(Mutex<Option<libc::c_ulong>>);

impl Signaller {
    fn lock(&self) -> MutexGuard<'_, Option<libc::c_ulong>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the context of these requests, before the first one.
    pub fn prepare(&self) -> Result<(), Errno> {
        let mut made = self.lock();
        if made.is_none() {
            let mut context: libc::c_ulong = 0;
            // SAFETY: the kernel writes the address of the context to a local variable.
            check(unsafe { libc::syscall(libc::SYS_io_setup, 1, &raw mut context) })?;
            *made = Some(context);
        }
        Ok(())
    }

    /// Adds 1 to the count of `event_fd`. `writable` is a descriptor that is writable.
    pub fn signal(&self, event_fd: BorrowedFd<'_>, writable: BorrowedFd<'_>) {
        const IOCB_CMD_POLL: u64 = 5;
        const IOCB_FLAG_RESFD: u64 = 1;
        let made = self.lock();
        let Some(context) = *made else { return };
        let number = |fd: BorrowedFd<'_>| (fd.as_raw_fd() as u64) << 32;
        // A `struct iocb`: the operation and its descriptor, the events, the flags and the eventfd.
        let request: [u64; 8] =
            [0, 0, IOCB_CMD_POLL | number(writable), libc::POLLOUT as u64, 0, 0, 0, IOCB_FLAG_RESFD | number(event_fd)];
        let list = &raw const request;
        let mut event = [0u64; 4];
        // SAFETY: the kernel reads a list of one request, and writes at most one event.
        unsafe {
            libc::syscall(libc::SYS_io_submit, context, 1, &raw const list);
            libc::syscall(
                libc::SYS_io_getevents,
                context,
                0,
                1,
                event.as_mut_ptr(),
                std::ptr::null::<libc::timespec>(),
            );
        }
    }
}

impl Drop for Signaller {
    fn drop(&mut self) {
        if let Some(context) = *self.lock() {
            // SAFETY: nothing uses the context any more.
            unsafe { libc::syscall(libc::SYS_io_destroy, context) };
        }
    }
}

/// A set of signals that are blocked for this thread as long as this lives, and are read from a descriptor.
pub struct Signals {
    fd: OwnedFd,
    before: libc::sigset_t,
}

/// Sends a signal, which may be one of real time, to a process. If the process has ended, nothing happens.
pub fn signal(process: BorrowedFd<'_>, signal: i32) {
    let none = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: without further information, the call reads no memory.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), signal, none, 0) };
}

/// The same for a child of this process that nobody waits for meanwhile.
pub fn kill(child: Pid, signal: i32) {
    // SAFETY: the call takes no memory.
    unsafe { libc::kill(child.as_raw_nonzero().get(), signal) };
}

/// A signal that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// The number of the signal.
    pub signal: i32,
    /// Whether the kernel has sent it, as for a key pressed on the terminal.
    pub from_kernel: bool,
}

impl Signals {
    /// Blocks `signals` and makes the descriptor.
    pub fn block(signals: &[i32]) -> Result<Self, Errno> {
        // SAFETY: a `sigset_t` of zeros is a valid value.
        let (mut set, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { (zeroed(), zeroed()) };
        // SAFETY: the pointer is to a local variable.
        unsafe { libc::sigemptyset(&raw mut set) };
        for &signal in signals {
            // SAFETY: `set` has been initialized by `sigemptyset`.
            unsafe { libc::sigaddset(&raw mut set, signal) };
        }
        // SAFETY: `set` has been initialized by `sigemptyset`.
        let fd = check(unsafe { libc::signalfd(-1, &raw const set, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) }.into())?;
        // SAFETY: the call has just made this descriptor, and nothing else owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as i32) };
        // SAFETY: `set` is initialized, and `before` is a local variable.
        match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before) } {
            0 => Ok(Self { fd, before }),
            error => Err(Errno::from_raw_os_error(error)),
        }
    }

    /// The descriptor that is readable when a signal has arrived.
    pub fn fd(&self) -> BorrowedFd<'_> {
        use std::os::fd::AsFd;
        self.fd.as_fd()
    }

    /// The signal mask that this thread had before.
    pub fn mask_before(&self) -> libc::sigset_t {
        self.before
    }

    /// The next signal that has arrived, if any.
    pub fn next(&self) -> Option<Arrived> {
        // SAFETY: the structure consists of integers, so zeros are a valid value.
        let mut info: libc::signalfd_siginfo = unsafe { zeroed() };
        let size = size_of::<libc::signalfd_siginfo>();
        // SAFETY: the kernel writes at most `size` bytes, which `info` has.
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

/// Sets the signal mask of this thread. It is async-signal-safe.
pub fn set_mask(mask: &libc::sigset_t) {
    // SAFETY: `mask` is a reference to an initialized set.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

/// A child that has exited and has not been waited for, if there is any.
pub fn exited() -> Option<u32> {
    // SAFETY: zeros are a valid value of this structure.
    let mut info: libc::siginfo_t = unsafe { zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the kernel writes one structure of this type.
    let result = unsafe { libc::waitid(libc::P_ALL, 0, &raw mut info, options) };
    // SAFETY: `waitid` fills this field, or leaves it zero if there is no such child.
    let pid = unsafe { info.si_pid() };
    u32::try_from(pid).ok().filter(|&pid| result == 0 && pid != 0)
}

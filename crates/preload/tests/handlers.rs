//! Signal handlers that run in the middle of a request, and invalid addresses.

mod common;

use common::{assert_encrypts, assert_succeeds, cbc, checked, in_child, parent, sha256};
use nix::{
    errno::Errno,
    sys::{
        signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction},
        socket::{MsgFlags, send},
    },
};
use std::{
    os::fd::AsRawFd,
    sync::atomic::{AtomicI32, AtomicU32, Ordering},
};

/// The socket that handlers use, and how often their calls were refused, were served, or forked.
static SOCKET: AtomicI32 = AtomicI32::new(-1);
static REFUSED: AtomicU32 = AtomicU32::new(0);
static SERVED: AtomicU32 = AtomicU32::new(0);
static FORKED: AtomicU32 = AtomicU32::new(0);

/// A timer that calls a handler until this is dropped. It must be dropped before the socket that the handler uses: a
/// handler that comes while that is closed finds another socket, or none.
struct Timer;

/// Calls `handler` every 300 µs of this process's CPU time.
#[must_use]
fn every_moment(handler: extern "C" fn(libc::c_int)) -> Timer {
    let action = SigAction::new(SigHandler::Handler(handler), SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handlers make only calls that are allowed in a signal handler.
    unsafe { sigaction(Signal::SIGPROF, &action) }.unwrap();
    set_timer(300);
    Timer
}

fn set_timer(microseconds: libc::suseconds_t) {
    let every = libc::timeval { tv_sec: 0, tv_usec: microseconds };
    let timer = libc::itimerval { it_interval: every, it_value: every };
    // SAFETY: the pointer is to a local variable, and the other may be null.
    assert_eq!(unsafe { libc::setitimer(libc::ITIMER_PROF, &raw const timer, std::ptr::null_mut()) }, 0);
}

impl Drop for Timer {
    fn drop(&mut self) {
        set_timer(0);
    }
}

extern "C" fn digests(_: libc::c_int) {
    let before = Errno::last_raw();
    let mut digest = [0_u8; 32];
    // SAFETY: the buffer has 32 bytes.
    match checked(unsafe { libc::recv(SOCKET.load(Ordering::Relaxed), digest.as_mut_ptr().cast(), 32, 0) } as i64) {
        Ok(32) => SERVED.fetch_add(1, Ordering::Relaxed),
        Err(Errno::EBUSY) => REFUSED.fetch_add(1, Ordering::Relaxed),
        _ => std::process::abort(),
    };
    Errno::set_raw(before);
}

/// Does what the handler of a crash does: forks, closes all descriptors in the child, and waits for it.
extern "C" fn forks(_: libc::c_int) {
    let before = Errno::last_raw();
    // SAFETY: the child makes two system calls and ends.
    unsafe {
        match libc::fork() {
            0 => {
                libc::close_range(3, u32::MAX, 0);
                libc::_exit(0);
            }
            child => {
                let mut status = 0;
                while libc::waitpid(child, &raw mut status, 0) < 0 {}
                assert_eq!(status, 0);
            }
        }
    }
    FORKED.fetch_add(1, Ordering::Relaxed);
    Errno::set_raw(before);
}

served! {
    fn a_handler_that_comes_in_the_middle_is_told_so() {
        let (named, hash) = (parent("skcipher", "cbc(aes)", &common::KEY), sha256());
        SOCKET.store(hash.as_raw_fd(), Ordering::Relaxed);
        let _timer = every_moment(digests);
        // Requests on the handler's socket and on others, and changes of the table.
        while REFUSED.load(Ordering::Relaxed) < 20 {
            send(hash.as_raw_fd(), &[7; 100_000], MsgFlags::empty()).unwrap();
            assert_encrypts(&common::operation(&named));
        }
        let served = SERVED.load(Ordering::Relaxed);
        nix::sys::signal::raise(Signal::SIGPROF).unwrap();
        assert!(SERVED.load(Ordering::Relaxed) > served, "between two requests it is served");
    }
}

extern "C" fn polls(_: libc::c_int) {
    let before = Errno::last_raw();
    let mut poll = libc::pollfd { fd: SOCKET.load(Ordering::Relaxed), events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer is to one `pollfd`.
    match checked(unsafe { libc::poll(&raw mut poll, 1, 0) }) {
        Ok(_) => SERVED.fetch_add(1, Ordering::Relaxed),
        Err(Errno::EBUSY) => REFUSED.fetch_add(1, Ordering::Relaxed),
        _ => std::process::abort(),
    };
    Errno::set_raw(before);
}

served! {
    fn a_handler_that_polls_in_the_middle_is_told_so() {
        let hash = sha256();
        SOCKET.store(hash.as_raw_fd(), Ordering::Relaxed);
        let _timer = every_moment(polls);
        while REFUSED.load(Ordering::Relaxed) < 20 {
            drop(sha256());
        }
    }
}

served! {
    fn a_handler_may_fork_in_the_middle() {
        let (hash, mut text) = (sha256(), vec![7_u8; 100_000]);
        let _timer = every_moment(forks);
        // Nothing in the loop may allocate: in a process with other threads, the C library's own `fork` waits for the
        // lock of `malloc`.
        while FORKED.load(Ordering::Relaxed) < 100 {
            // SAFETY: the buffers have the lengths that are passed, and the descriptor that is closed is new.
            unsafe {
                assert_eq!(libc::send(hash.as_raw_fd(), text.as_ptr().cast(), text.len(), 0), text.len() as isize);
                assert_eq!(libc::recv(hash.as_raw_fd(), text.as_mut_ptr().cast(), 32, 0), 32);
                libc::close(libc::dup(hash.as_raw_fd()));
            }
        }
    }
}

served! {
    /// A thread that forks holds all locks, so a handler that waited for one would wait for ever, and the other threads with it.
    fn a_handler_that_comes_while_its_thread_forks_does_not_wait() {
        let hash = sha256();
        SOCKET.store(hash.as_raw_fd(), Ordering::Relaxed);
        // More pages, and so a longer fork.
        let _pages = vec![7_u8; 8 << 20];
        let _timer = every_moment(digests);
        while REFUSED.load(Ordering::Relaxed) < 5 {
            assert_succeeds(in_child(|| {}));
        }
    }
}

extern "C" fn ends(_: libc::c_int) {
    // SAFETY: the call ends the process and does nothing else.
    unsafe { libc::_exit(0) }
}

/// Statistics are written then, unless the handler has interrupted a request.
#[test]
fn a_handler_may_end_the_process_in_the_middle() {
    const NAME: &str = "a_handler_may_end_the_process_in_the_middle";
    if std::env::var_os(common::SERVED).is_some() {
        for _ in 0..100 {
            assert_succeeds(in_child(|| {
                let _timer = every_moment(ends);
                loop {
                    drop(sha256());
                }
            }));
        }
        return;
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", NAME, "--test-threads=1"]).env("LD_PRELOAD", common::library());
    let output = command.env(common::SERVED, "1").env("ALGKIT_STATS", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

extern "C" fn closes(_: libc::c_int) {
    let fd = SOCKET.swap(-1, Ordering::Relaxed);
    if fd >= 0 {
        // SAFETY: the descriptor belongs to this handler.
        unsafe { libc::close(fd) };
    }
}

served! {
    fn what_a_handler_closes_is_gone() {
        let hash = sha256();
        let _timer = every_moment(closes);
        for _ in 0..200 {
            let victim = sha256();
            let number = std::os::fd::IntoRawFd::into_raw_fd(victim);
            SOCKET.store(number, Ordering::Relaxed);
            while SOCKET.load(Ordering::Relaxed) >= 0 {
                send(hash.as_raw_fd(), &[7; 10_000], MsgFlags::empty()).unwrap();
            }
            assert_eq!(send(number, b"abc", MsgFlags::empty()), Err(Errno::EBADF));
            assert_encrypts(&cbc());
        }
    }
}

/// Addresses where no program has memory.
const NOWHERE: [usize; 3] = [8, 0x7000_0000_0000, usize::MAX - 4095];

served! {
    fn an_address_of_nothing_is_the_kernels_to_refuse() {
        // Once before any socket is served, and once after.
        for _ in 0..2 {
            for address in NOWHERE {
                let path = std::ptr::without_provenance::<libc::c_char>(address);
                let room = std::ptr::without_provenance_mut::<libc::c_void>(address);
                let mut stat = std::mem::MaybeUninit::<libc::stat>::uninit();
                let mut statx = std::mem::MaybeUninit::<libc::statx>::uninit();
                // SAFETY: the kernel checks the arguments of these system calls, and that it does is what is tested.
                let results = unsafe {
                    [
                        ("open", libc::open(path, libc::O_RDONLY)),
                        ("openat", libc::openat(libc::AT_FDCWD, path, libc::O_RDONLY)),
                        ("access", libc::access(path, 0)),
                        ("faccessat", libc::faccessat(libc::AT_FDCWD, path, 0, 0)),
                        ("stat", libc::stat(path, stat.as_mut_ptr())),
                        ("lstat", libc::lstat(path, stat.as_mut_ptr())),
                        ("fstatat", libc::fstatat(libc::AT_FDCWD, path, stat.as_mut_ptr(), 0)),
                        ("statx", libc::statx(libc::AT_FDCWD, path, 0, 0, statx.as_mut_ptr())),
                        ("poll", libc::poll(room.cast(), 3, 0)),
                        ("select", libc::select(70, room.cast(), room.cast(), room.cast(), std::ptr::null_mut())),
                        ("SYS_openat", libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, 0) as i32),
                        ("SYS_ppoll", libc::syscall(libc::SYS_ppoll, room, 3, 0, 0, 8) as i32),
                    ]
                    .map(|(name, returned)| (name, returned, Errno::last()))
                };
                for (name, returned, _) in results {
                    assert_eq!(returned, -1, "{name} at {address:#x}");
                }
                assert_eq!(results[11].2, Errno::EFAULT, "the last one at {address:#x}");
                // SAFETY: as above.
                assert_eq!(checked(unsafe { libc::access(path, 0) }), Err(Errno::EFAULT), "{address:#x}");
                // SAFETY: as above.
                assert_eq!(checked(unsafe { libc::open(path, 0) }), Err(Errno::EFAULT), "{address:#x}");
                // SAFETY: as above.
                assert_eq!(checked(unsafe { libc::poll(room.cast(), 3, 0) }), Err(Errno::EFAULT), "{address:#x}");
            }
            std::mem::forget(cbc());
        }
    }
}

served! {
    fn an_address_of_nothing_is_refused_on_a_served_descriptor() {
        let (socket, cipher) = (cbc(), parent("skcipher", "cbc(aes)", &common::KEY));
        let device = std::fs::File::open("/dev/crypto").unwrap();
        let (fd, parent) = (socket.as_raw_fd(), cipher.as_raw_fd());
        // In the first page, and outside of user space.
        for bad in [8, usize::MAX - 4095] {
            let calls: &[(&str, libc::c_long, i32, [usize; 5])] = &[
                ("sendto", libc::SYS_sendto, fd, [bad, 16, 0, 0, 0]),
                ("write", libc::SYS_write, fd, [bad, 16, 0, 0, 0]),
                ("sendmsg", libc::SYS_sendmsg, fd, [bad, 0, 0, 0, 0]),
                ("recvmsg", libc::SYS_recvmsg, fd, [bad, 0, 0, 0, 0]),
                ("sendmmsg", libc::SYS_sendmmsg, fd, [bad, 2, 0, 0, 0]),
                ("recvmmsg", libc::SYS_recvmmsg, fd, [bad, 2, 0, 0, 0]),
                ("recvmmsg's timeout", libc::SYS_recvmmsg, fd, [bad, 2, 0, bad, 0]),
                ("writev", libc::SYS_writev, fd, [bad, 3, 0, 0, 0]),
                ("readv", libc::SYS_readv, fd, [bad, 3, 0, 0, 0]),
                ("setsockopt", libc::SYS_setsockopt, parent, [libc::SOL_ALG as usize, 1, bad, 16, 0]),
                ("getsockopt", libc::SYS_getsockopt, fd, [1, 3, bad, bad, 0]),
                ("bind", libc::SYS_bind, parent, [bad, 88, 0, 0, 0]),
                ("FIONBIO", libc::SYS_ioctl, fd, [libc::FIONBIO as usize, bad, 0, 0, 0]),
                // CIOCGSESSION
                ("ioctl", libc::SYS_ioctl, device.as_raw_fd(), [0xc030_6366, bad, 0, 0, 0]),
            ];
            for &(name, number, fd, [a, b, c, d, e]) in calls {
                // SAFETY: that these addresses are refused is what is tested.
                let result = checked(unsafe { libc::syscall(number, fd, a, b, c, d, e) });
                assert_eq!(result, Err(Errno::EFAULT), "{name} of {bad:#x}");
            }
        }
        assert_encrypts(&socket);
    }
}

served! {
    fn other_names_of_the_same_files() {
        for path in [c"/proc/crypto", c"//proc/./crypto"] {
            // SAFETY: the path is a C string.
            let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY) };
            let mut text = [0; 4096];
            let len = nix::unistd::read(common::own(fd), &mut text).unwrap();
            assert!(String::from_utf8_lossy(&text[..len]).contains("module       : algkit"), "{path:?}");
        }
        std::env::set_current_dir("/dev").unwrap();
        assert!(std::fs::metadata("crypto").is_ok());
        std::env::set_current_dir("/proc").unwrap();
        assert!(std::fs::read_to_string("crypto").unwrap().contains("module       : algkit"));
        std::env::set_current_dir("/proc/self").unwrap();
        assert!(std::fs::read_to_string("crypto").is_err());
    }
}

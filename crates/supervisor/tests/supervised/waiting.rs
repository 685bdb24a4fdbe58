//! Calls that wait: for data, until a timeout, or until a signal.

use crate::{
    client::{self, *},
    supervised,
};
use std::{
    mem::zeroed,
    os::fd::{AsRawFd, OwnedFd},
    process::Command,
    ptr,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// A socket in the middle of a message, with no text to be processed.
fn drained() -> OwnedFd {
    let socket = cbc(0);
    let mut out = [0; 16];
    send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
    recv(&socket, &mut out, 0).expect("received");
    assert_eq!(out, SECRET);
    socket
}

supervised! {
    fn a_reader_waits_for_a_writer() {
        let socket = drained();
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut out = [0; 16];
                assert_eq!(recv(&socket, &mut out, 0).expect("received"), 16);
                out
            });
            thread::sleep(Duration::from_millis(30));
            assert!(!reader.is_finished());
            send(&socket, &TEXT_2, 0).expect("sent");
            assert_eq!(reader.join().expect("a text"), SECRET_2);
        });
    }
}

supervised! {
    fn a_writer_waits_for_a_reader() {
        let socket = drained();
        let text = vec![0x5a; 1_000_000];
        thread::scope(|scope| {
            let writer = scope.spawn(|| send(&socket, &text, 0).expect("sent"));
            let (mut out, mut received) = (vec![0; 50_000], 0);
            while received < text.len() {
                received += recv(&socket, &mut out, 0).expect("received");
            }
            assert_eq!(received, text.len());
            assert_eq!(writer.join().expect("a length"), text.len());
        });
    }
}

supervised! {
    fn patience_ends() {
        let socket = drained();
        let timeout = libc::timeval { tv_sec: 0, tv_usec: 60_000 };
        // SAFETY: the slice covers the local variable, whose type has no padding.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const timeout).cast(), size_of::<libc::timeval>()) };
        let netlink = client::socket(libc::AF_NETLINK, libc::SOCK_RAW, 21).expect("a socket");
        set_option(&netlink, libc::SOL_SOCKET, libc::SO_RCVTIMEO, bytes).expect("set");
        let start = Instant::now();
        assert_eq!(errno(recv(&netlink, &mut [0; 16], 0)), libc::EAGAIN);
        assert!(start.elapsed() >= Duration::from_millis(60));
        // AF_ALG ignores it (`af_alg_wait_for_data`).
        set_option(&socket, libc::SOL_SOCKET, libc::SO_RCVTIMEO, bytes).expect("set");
        thread::scope(|scope| {
            let reader = scope.spawn(|| recv(&socket, &mut [0; 16], 0));
            thread::sleep(Duration::from_millis(200));
            assert!(!reader.is_finished());
            send(&socket, &TEXT_2, 0).expect("sent");
            assert_eq!(reader.join().expect("a thread").expect("received"), 16);
        });
    }
}

supervised! {
    fn others_are_served_meanwhile() {
        let socket = drained();
        thread::scope(|scope| {
            let waiting: Vec<_> = (0..8).map(|_| scope.spawn(|| recv(&socket, &mut [0; 16], 0))).collect();
            thread::sleep(Duration::from_millis(20));
            for _ in 0..50 {
                let hash = hash("sha256");
                send(&hash, b"abc", 0).expect("sent");
                assert_eq!(digest(&hash), ABC);
            }
            for _ in &waiting {
                send(&socket, &TEXT, libc::MSG_MORE).expect("sent");
                thread::sleep(Duration::from_millis(2));
            }
            for waiting in waiting {
                assert_eq!(waiting.join().expect("a thread").expect("received"), 16);
            }
        });
    }
}

/// The number of alarms so far.
pub static ALARMS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn alarm(_: i32) {
    ALARMS.fetch_add(1, Ordering::SeqCst);
}

/// Sends SIGALRM to this process every `micros` microseconds.
pub fn alarms(micros: i64, flags: i32) {
    // SAFETY: zeros are a valid value of the structure, and the handler is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = alarm as *const () as usize;
        action.sa_flags = flags;
        assert_eq!(libc::sigaction(libc::SIGALRM, &raw const action, ptr::null_mut()), 0);
        let time = libc::timeval { tv_sec: 0, tv_usec: micros };
        let timer = libc::itimerval { it_interval: time, it_value: time };
        assert_eq!(libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut()), 0);
    }
}

/// Blocks SIGALRM in this thread, so that another thread takes it.
fn block_alarms() {
    // SAFETY: zeros are a valid value of the set, and the calls change only local variables.
    unsafe {
        let mut set: libc::sigset_t = zeroed();
        libc::sigaddset(&raw mut set, libc::SIGALRM);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut());
    }
}

/// Asserts that a call that waits at `socket` fails when an alarm comes.
pub fn interrupted(socket: &OwnedFd) {
    // In a process of its own, there is no other thread that could take the signal.
    let code = fork(|| {
        alarms(50_000, 0);
        match recv(socket, &mut [0; 16], 0) {
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => i32::from(ALARMS.load(Ordering::SeqCst) == 0),
            _ => 2,
        }
    });
    assert_eq!(code, 0);
}

supervised! {
    fn a_signal_interrupts() {
        interrupted(&drained());
    }
}

supervised! {
    options { interruptible = true };
    fn a_signal_interrupts_on_older_kernels() {
        interrupted(&drained());
    }
}

/// Asserts that a call continues to wait if the handler asks for that (`SA_RESTART`).
pub fn restarted(socket: &OwnedFd) {
    let code = fork(|| {
        // A grandchild writes after several alarms have come.
        // SAFETY: the grandchild makes only system calls and exits.
        if unsafe { libc::fork() } == 0 {
            thread::sleep(Duration::from_millis(200));
            let sent = send(socket, &TEXT_2, 0);
            // SAFETY: the call ends the process and does nothing else.
            unsafe { libc::_exit(i32::from(sent.is_err())) }
        }
        alarms(20_000, libc::SA_RESTART);
        let mut out = [0; 16];
        match recv(socket, &mut out, 0) {
            Ok(16) if out == SECRET_2 && ALARMS.load(Ordering::SeqCst) > 2 => 0,
            Ok(_) => 3,
            Err(error) => error.raw_os_error().unwrap_or(1),
        }
    });
    assert_eq!(code, 0);
}

supervised! {
    fn a_blocked_signal_interrupts_nothing() {
        let socket = drained();
        let code = fork(|| {
            block_alarms();
            alarms(20_000, 0);
            // SAFETY: the grandchild makes only system calls and exits.
            if unsafe { libc::fork() } == 0 {
                thread::sleep(Duration::from_millis(200));
                let sent = send(&socket, &TEXT_2, 0);
                // SAFETY: the call ends the process and does nothing else.
                unsafe { libc::_exit(i32::from(sent.is_err())) }
            }
            let mut out = [0; 16];
            match recv(&socket, &mut out, 0) {
                Ok(16) if out == SECRET_2 => 0,
                _ => 1,
            }
        });
        assert_eq!(code, 0);
    }
}

supervised! {
    fn a_call_starts_again_after_a_signal() {
        restarted(&drained());
    }
}

supervised! {
    options { interruptible = true };
    fn a_call_starts_again_after_a_signal_on_older_kernels() {
        restarted(&drained());
    }
}

/// Computes the digest of a thousand times a thousand "a" while signals arrive all the time.
fn signals_all_the_time() -> [u8; 32] {
    alarms(150, libc::SA_RESTART);
    let socket = hash("sha256");
    for _ in 0..1000 {
        let (text, mut sent) = ([b'a'; 1000], 0);
        while sent < text.len() {
            // The handler has SA_RESTART, so the kernel restarts a call that a signal has ended before it was taken.
            sent += send(&socket, &text[sent..], libc::MSG_MORE).expect("the handler has SA_RESTART");
        }
    }
    assert_ne!(ALARMS.load(Ordering::SeqCst), 0);
    digest(&socket)
}

supervised! {
    fn no_byte_is_sent_twice() {
        let code = fork(|| {
            // The first bytes of the SHA-256 of a million times "a", FIPS 180-4's example.
            i32::from(signals_all_the_time()[..4] != [0xcd, 0xc7, 0x6e, 0x5c])
        });
        assert_eq!(code, 0);
    }
}

/// The SHA-256 of `n` times "a", computed by coreutils.
fn sha256sum(n: usize) -> String {
    let script = format!("head -c {n} /dev/zero | tr '\\0' a | sha256sum");
    let output = Command::new("/bin/sh").args(["-c", &script]).output().expect("coreutils");
    String::from_utf8(output.stdout).expect("text").chars().take(64).collect()
}

supervised! {
    options { interruptible = true };
    // The kernel drops an answer that it has accepted if the signal arrives at that moment, and no program can know
    // that. Of about a thousand interrupted calls of this test, none to three are carried out twice.
    fn no_byte_is_lost_on_older_kernels() {
        let code = fork(|| {
            let digest: String = signals_all_the_time().iter().map(|byte| format!("{byte:02x}")).collect();
            i32::from(!(1000..1020).any(|thousands| sha256sum(1000 * thousands) == digest))
        });
        assert_eq!(code, 0);
    }
}

supervised! {
    fn another_thread_takes_the_signal() {
        let socket = drained();
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                block_alarms();
                let mut out = [0; 16];
                recv(&socket, &mut out, 0).map(|_| out)
            });
            alarms(5_000, libc::SA_RESTART);
            thread::sleep(Duration::from_millis(100));
            send(&socket, &TEXT_2, 0).expect("sent");
            assert_eq!(reader.join().expect("a thread").expect("received"), SECRET_2);
        });
        assert!(ALARMS.load(Ordering::SeqCst) > 0);
    }
}

supervised! {
    fn a_signal_interrupts_a_long_send() {
        let socket = drained();
        let code = fork(|| {
            alarms(50_000, 0);
            // The text is longer than the queue, so the result is the length of the part that was accepted.
            match send(&socket, &vec![0; 1_000_000], libc::MSG_MORE) {
                Ok(n) if n > 0 && n < 1_000_000 => 0,
                _ => 1,
            }
        });
        assert_eq!(code, 0);
    }
}

/// The number of SIGIO so far.
static READY: AtomicUsize = AtomicUsize::new(0);

extern "C" fn ready(_: i32) {
    READY.fetch_add(1, Ordering::SeqCst);
}

supervised! {
    /// The calls are those that Linux has for every socket. When the signal comes, docs/run.md says.
    fn a_signal_tells_of_readiness() {
        // `FIOSETOWN`, `SIOCSPGRP`, `FIOGETOWN`, `SIOCGPGRP` (asm-generic/sockios.h).
        const SET: [libc::c_ulong; 2] = [0x8901, 0x8902];
        const GET: [libc::c_ulong; 2] = [0x8903, 0x8904];
        let me = std::process::id() as i32;
        let ioctl = |socket: &OwnedFd, request, mut number: i32| {
            // SAFETY: the pointer is to a number, as these requests demand.
            check(unsafe { libc::ioctl(socket.as_raw_fd(), request, &raw mut number) } as isize).map(|_| number)
        };
        let netlink = socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_CRYPTO).expect("a socket");
        for socket in [&cbc(0), &netlink] {
            for set in SET {
                ioctl(socket, set, 0).expect("nobody");
                assert_eq!(ioctl(socket, GET[0], -1).expect("a number"), 0);
                ioctl(socket, set, me).expect("set");
                assert_eq!(GET.map(|get| ioctl(socket, get, -1).expect("a number")), [me; 2]);
            }
        }
        // SAFETY: zeros are a valid value of the structure, and the handler is async-signal-safe.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = ready as *const () as usize;
            action.sa_flags = libc::SA_RESTART;
            assert_eq!(libc::sigaction(libc::SIGIO, &raw const action, ptr::null_mut()), 0);
        }
        let socket = cbc(0);
        send_with(&socket, &[], &mut encrypt(), libc::MSG_MORE).expect("sent");
        ioctl(&socket, SET[0], me).expect("set");
        ioctl(&socket, libc::FIOASYNC, 1).expect("set");
        let before = READY.load(Ordering::SeqCst);
        send(&socket, &TEXT, 0).expect("sent");
        let start = Instant::now();
        while READY.load(Ordering::SeqCst) == before {
            assert!(start.elapsed() < Duration::from_secs(10), "no signal");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(recv(&socket, &mut [0; 16], 0).expect("text"), 16);
        // FIONREAD, FIOQSIZE and SIOCGSTAMP, as Debian's Linux 6.1 answered them; and FIGETBSZ, which has an answer.
        for (socket, expected) in [(&socket, libc::EOPNOTSUPP), (&netlink, libc::ENOTTY)] {
            let answers = [libc::FIONREAD, 0x5460, 0x8906].map(|request| errno(ioctl(socket, request, 0)));
            assert_eq!(answers, [expected, libc::ENOTTY, libc::ENOTTY]);
            assert!(ioctl(socket, 2, 0).expect("a size") > 0);
        }
    }
}

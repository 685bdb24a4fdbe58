//! Processes that are traced for their numbers: signals, stops, and how they end.

use crate::{
    alone,
    client::*,
    is_inside,
    numbers::{close, dup2, moved, number, tracer},
    supervised,
    waiting::{ALARMS, alarms, interrupted, restarted},
};
use algkit_supervisor::Options;
use std::{
    os::{
        fd::{AsRawFd, IntoRawFd},
        unix::process::ExitStatusExt,
    },
    process::{Command, ExitStatus},
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

/// A socket under a number outside the range that has nothing and waits for more.
fn drained() -> std::os::fd::OwnedFd {
    let socket = moved(cbc(0), number(0));
    send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
    recv(&socket, &mut [0; 16], 0).expect("received");
    socket
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

supervised! {
    options { interruptible = true };
    fn numbers_on_older_kernels() {
        thread::scope(|scope| {
            for n in 0..4 {
                scope.spawn(move || {
                    for _ in 0..50 {
                        let socket = hash("sha256");
                        dup2(socket.as_raw_fd(), number(n)).expect("a number");
                        drop(socket);
                        write(number(n), b"abc").expect("written");
                        let mut room = [0; 32];
                        assert_eq!(read(number(n), &mut room).expect("read"), 32);
                        assert_eq!(room, ABC);
                        close(number(n));
                    }
                });
            }
        });
    }
}

supervised! {
    fn no_byte_is_sent_twice() {
        let code = fork(|| {
            let socket = moved(hash("sha256"), number(0));
            alarms(2000, libc::SA_RESTART);
            for _ in 0..1000 {
                let (text, mut sent) = ([b'a'; 1000], 0);
                while sent < text.len() {
                    sent += send(&socket, &text[sent..], libc::MSG_MORE).unwrap_or(0);
                }
            }
            assert_ne!(ALARMS.load(Ordering::SeqCst), 0);
            // The first bytes of the SHA-256 of a million times "a", FIPS 180-4's example.
            i32::from(digest(&socket)[..4] != [0xcd, 0xc7, 0x6e, 0x5c])
        });
        assert_eq!(code, 0);
    }
}

/// Starts `child` in a process of its own.
fn spawn(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child makes system calls and exits.
    match unsafe { libc::fork() } {
        0 => {
            let code = child();
            // SAFETY: it ends here.
            unsafe { libc::_exit(code) }
        }
        pid => pid,
    }
}

/// Waits for a child; the status is as `waitpid` gives it.
fn wait(pid: i32, options: i32) -> i32 {
    let mut status = 0;
    // SAFETY: the call writes a status.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, options) }, pid);
    status
}

fn signal(pid: i32, signal: i32) {
    // SAFETY: a child that has not been waited for.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

supervised! {
    fn stopped_and_continued() {
        let socket = drained();
        let (out, into) = pipe();
        let pid = spawn(|| {
            let mut text = [0; 16];
            let got = recv(&socket, &mut text, 0).is_ok_and(|n| n == 16) && text == SECRET_2;
            i32::from(!got || write(into.as_raw_fd(), b"x").is_err())
        });
        for pause in [30, 0, 30] {
            thread::sleep(Duration::from_millis(pause));
            signal(pid, libc::SIGSTOP);
            let status = wait(pid, libc::WUNTRACED);
            assert!(libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGSTOP, "{status:#x}");
            signal(pid, libc::SIGCONT);
            assert!(libc::WIFCONTINUED(wait(pid, libc::WCONTINUED)));
        }
        // While it is stopped, it takes nothing.
        signal(pid, libc::SIGSTOP);
        wait(pid, libc::WUNTRACED);
        send(&socket, &TEXT_2, 0).expect("sent");
        thread::sleep(Duration::from_millis(30));
        assert_eq!(poll(out.as_raw_fd(), 0), 0);
        signal(pid, libc::SIGCONT);
        assert_eq!(wait(pid, 0), 0);
    }
}

supervised! {
    fn killed_at_any_time() {
        let socket = moved(hash("sha256"), number(0));
        for micros in 0..60u64 {
            let pid = spawn(|| loop {
                let own = hash("sha256");
                let _ = dup2(own.as_raw_fd(), number(1)).and_then(|_| write(number(1), b"abc"));
                close(number(1));
            });
            thread::sleep(Duration::from_micros(97 * micros));
            signal(pid, libc::SIGKILL);
            assert_eq!(wait(pid, 0), libc::SIGKILL);
        }
        send(&socket, b"abc", 0).expect("sent");
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn signals_that_do_nothing_end_no_call() {
        let socket = drained();
        let code = fork(|| {
            // Two threads, so that the signal may be either's.
            let other = thread::spawn(|| thread::sleep(Duration::from_secs(60)));
            let reader = &socket;
            let done = thread::scope(|scope| {
                let reader = scope.spawn(move || recv(reader, &mut [0; 16], 0));
                for _ in 0..5 {
                    thread::sleep(Duration::from_millis(15));
                    fork(|| 0);
                    // SAFETY: this process.
                    unsafe { libc::kill(libc::getpid(), libc::SIGWINCH) };
                }
                send(&socket, &TEXT_2, 0).expect("sent");
                reader.join().expect("a thread")
            });
            drop(other);
            i32::from(!done.is_ok_and(|n| n == 16))
        });
        assert_eq!(code, 0);
    }
}

/// Under a tracer of the program's own, which is in a fork of the test.
fn under_a_tracer(child: impl FnOnce() -> i32) -> i32 {
    let pid = spawn(|| {
        // SAFETY: numbers.
        unsafe { libc::syscall(libc::SYS_ptrace, libc::PTRACE_TRACEME, 0, 0, 0) };
        // SAFETY: as above.
        unsafe { libc::raise(libc::SIGSTOP) };
        child()
    });
    loop {
        let status = wait(pid, 0);
        if !libc::WIFSTOPPED(status) {
            return status;
        }
        // SAFETY: a child that has stopped.
        let done = unsafe { libc::syscall(libc::SYS_ptrace, libc::PTRACE_CONT, pid, 0, 0) };
        assert_eq!(done, 0);
    }
}

supervised! {
    fn who_has_a_tracer_has_no_other() {
        let socket = hash("sha256");
        let status = under_a_tracer(|| {
            let refused = errno(dup2(socket.as_raw_fd(), number(0))) == libc::EBADF;
            // In the range, all is as ever.
            let wrote = write(socket.as_raw_fd(), b"abc").is_ok();
            i32::from(!refused) + 2 * i32::from(!wrote)
        });
        assert_eq!(status, 0);
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn a_child_that_shares_the_memory() {
        // As `posix_spawn` does it: the parent waits until the child is another program.
        let socket = hash("sha256");
        let mut out = [0; 32];
        for _ in 0..20 {
            let status = Command::new("/bin/sh")
                .args(["-c", "printf abc >&0"])
                .stdin(socket.try_clone().expect("a duplicate"))
                .status()
                .expect("a shell");
            assert!(status.success(), "{status}");
            assert_eq!(recv(&socket, &mut out, 0).expect("a digest"), 32);
            assert_eq!(out, ABC);
        }
        assert_eq!(tracer(), 0);
    }
}

/// How the program is to end; the test runs as a whole program under supervision.
const ENDS: &str = "ALGKIT_TEST_ENDS";

fn program(how: &str) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.args(["--exact", "traced::the_status_of_a_traced_program", "--quiet", "--nocapture"]);
    command.env(crate::INSIDE, "1").env(ENDS, how);
    alone(command, &Options::default()).expect("it runs")
}

#[test]
fn the_status_of_a_traced_program() {
    if !is_inside() {
        for _ in 0..5 {
            assert_eq!(program("0").code(), Some(0));
            assert_eq!(program("7").code(), Some(7));
            assert_eq!(program("SIGKILL").signal(), Some(libc::SIGKILL));
            assert_eq!(program("SIGABRT").signal(), Some(libc::SIGABRT));
            assert_eq!(program("orphan").code(), Some(3));
        }
        let start = Instant::now();
        assert_eq!(program("orphan").code(), Some(3));
        assert!(start.elapsed() >= Duration::from_millis(100));
        return;
    }
    let fd = moved(hash("sha256"), number(0)).into_raw_fd();
    // The program's first thread, too.
    assert_eq!(write(fd, b"abc").expect("written"), 3);
    match &std::env::var(ENDS).expect("how")[..] {
        "SIGKILL" => signal(std::process::id() as i32, libc::SIGKILL),
        "SIGABRT" => std::process::abort(),
        "orphan" => {
            spawn(|| {
                thread::sleep(Duration::from_millis(100));
                i32::from(write(fd, b"abc").is_err())
            });
            std::process::exit(3);
        }
        code => std::process::exit(code.parse().expect("a code")),
    }
}

//! `fork`, `vfork`, `exec` and threads.

mod common;

use common::{ABC, assert_encrypts, assert_succeeds, cbc, digest, in_child, operation, parent, sha256};
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, FdFlag, fcntl},
    sched::{CloneFlags, clone},
    sys::socket::{MsgFlags, send, setsockopt, sockopt::AlgSetKey},
    unistd::Pid,
};
use std::{
    os::fd::{AsRawFd, IntoRawFd},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

served! {
    fn what_a_child_closes_stays_open_here() {
        let fd = cbc();
        let number = fd.as_raw_fd();
        assert_succeeds(in_child(|| {
            assert_encrypts(&fd);
            nix::unistd::close(number).unwrap();
            assert!(nix::unistd::close(number).is_err());
            assert_encrypts(&cbc());
        }));
        assert_encrypts(&fd);
    }
}

/// The status is the program's own, so a line is all that can tell.
#[test]
fn statistics_that_cannot_be_written_leave_a_line() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "what_a_child_closes_stays_open_here", "--test-threads=1"])
        .env("LD_PRELOAD", common::library())
        .env(common::SERVED, "1")
        .env("ALGKIT_STATS", "/dev/full")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    // One of the child, and one of the process.
    assert_eq!(said.matches("]: cannot write statistics: error 28\n").count(), 2, "{said}");
}

served! {
    fn forks_while_threads_are_at_work() {
        let done = AtomicBool::new(false);
        let named = parent("skcipher", "cbc(aes)", &common::KEY);
        let shared = operation(&named);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        assert_encrypts(&operation(&named));
                    }
                });
            }
            for _ in 0..50 {
                assert_succeeds(in_child(|| {
                    assert_encrypts(&shared);
                    assert_encrypts(&operation(&named));
                }));
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}

served! {
    fn a_child_in_the_parents_memory_leaves_no_trace() {
        let (first, second) = (cbc(), sha256());
        let (one, two) = (first.as_raw_fd(), second.as_raw_fd());
        let mut stack = vec![0; 1 << 18];
        let child = || {
            // What Python and other programs do between vfork and exec.
            // SAFETY: the child's descriptors are copies, so the parent keeps its own.
            unsafe {
                libc::dup2(one, two);
                libc::close(one);
                libc::close_range(3, u32::MAX, 0);
            }
            0
        };
        let flags = CloneFlags::CLONE_VM | CloneFlags::CLONE_VFORK;
        // SAFETY: the stack is large enough for the child, and this thread waits for it to end.
        let child = unsafe { clone(Box::new(child), &mut stack, flags, Some(libc::SIGCHLD)) }.unwrap();
        assert_succeeds(child);
        assert_encrypts(&first);
        send(two, b"abc", MsgFlags::empty()).unwrap();
        assert_eq!(digest(&second), ABC);
    }
}

served! {
    fn so_does_one_of_vfork() {
        let fd = cbc();
        let number = fd.as_raw_fd();
        for _ in 0..3 {
            // SAFETY: the child makes two system calls and ends.
            #[allow(deprecated, reason = "what is tested is this function")]
            let child = unsafe { libc::vfork() };
            if child == 0 {
                // SAFETY: the descriptor is the child's copy, and `_exit` runs no code of the parent.
                unsafe {
                    libc::close(number);
                    libc::_exit(0);
                }
            }
            assert_succeeds(Pid::from_raw(child));
            assert_encrypts(&fd);
        }
        drop(fd);
        assert_eq!(fcntl(std::io::stdin(), FcntlArg::F_DUPFD(number)).unwrap(), number, "the parent's close counts");
    }
}

/// Runs `child` between `vfork` and the end of the child, and asserts that it returns true.
fn in_this_memory(child: impl Fn() -> bool) {
    // SAFETY: the child calls functions of C, and ends.
    #[allow(deprecated, reason = "what is tested is this function")]
    let pid = unsafe { libc::vfork() };
    if pid == 0 {
        // SAFETY: `_exit` runs no code of the parent.
        unsafe { libc::_exit(i32::from(!child())) };
    }
    assert_succeeds(Pid::from_raw(pid));
}

served! {
    fn a_child_of_vfork_makes_no_socket_in_its_parents_table() {
        // Once before any socket is served, and once after.
        for _ in 0..2 {
            in_this_memory(|| {
                // SAFETY: the call takes no pointers.
                let made = common::checked(unsafe { libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0) });
                made == Err(Errno::EBUSY)
            });
            // The parent closes a served descriptor, and a pipe gets its number.
            assert_encrypts(&cbc());
            let (out, into) = nix::unistd::pipe().unwrap();
            let copy = into.try_clone().unwrap();
            for end in [into, copy] {
                assert_eq!(nix::unistd::write(&end, b"hello"), Ok(5));
                let mut text = [0; 8];
                assert_eq!(nix::unistd::read(&out, &mut text), Ok(5));
                assert_eq!(text[..5], *b"hello");
            }
        }
    }
}

served! {
    fn what_a_child_of_vfork_opens_is_its_own() {
        let (hash, (out, into)) = (sha256(), nix::unistd::pipe().unwrap());
        let (number, pipe) = (hash.as_raw_fd(), into.as_raw_fd());
        send(number, b"a", common::MORE).unwrap();
        // SAFETY: the descriptors are the child's copies, and the buffer has five bytes.
        in_this_memory(|| unsafe {
            libc::send(number, b"b".as_ptr().cast(), 1, libc::MSG_MORE) == 1
                && libc::close(number) == 0
                && libc::dup2(pipe, number) == number
                && libc::write(number, b"hello".as_ptr().cast(), 5) == 5
        });
        let mut text = [0; 8];
        assert_eq!(nix::unistd::read(&out, &mut text), Ok(5));
        assert_eq!(text[..5], *b"hello");
        send(number, b"c", MsgFlags::empty()).unwrap();
        assert_eq!(digest(&hash), ABC);
    }
}

served! {
    fn programs_that_are_started_are_served_too() {
        let mut output = output_of(Command::new("/bin/sh").args(["-c", "echo $LD_PRELOAD"]));
        assert!(output.starts_with(common::library().to_str().unwrap()));
        // Exec closes a descriptor with CLOEXEC and leaves another one open.
        let fd = cbc();
        let number = fd.as_raw_fd();
        let listed = |output: &str| output.contains(&format!(" {number} -> socket:"));
        fcntl(&fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
        output = output_of(Command::new("/bin/ls").args(["-l", "/proc/self/fd"]));
        assert!(!listed(&output), "{output}");
        fcntl(&fd, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();
        output = output_of(Command::new("/bin/ls").args(["-l", "/proc/self/fd"]));
        assert!(listed(&output), "{output}");
    }
}

fn output_of(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

served! {
    fn threads_do_not_disturb_each_other() {
        let named = parent("skcipher", "cbc(aes)", &common::KEY);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        let fd = operation(&named);
                        assert_encrypts(&fd);
                        // Misuse is refused and disturbs no other thread.
                        assert!(send(fd.as_raw_fd(), b"", MsgFlags::MSG_OOB).is_ok());
                        assert_eq!(setsockopt(&fd, AlgSetKey::<&[u8]>::default(), &&[0; 3][..]), Err(Errno::EOPNOTSUPP));
                        drop(fd);
                    }
                });
            }
        });
    }
}

served! {
    fn closing_wakes_who_waits() {
        let fd = cbc();
        common::encrypt(&fd, &[], common::MORE).unwrap();
        let number = fd.into_raw_fd();
        let reader = thread::spawn(move || {
            let mut text = [0_u8; 16];
            // SAFETY: the buffer has 16 bytes.
            common::checked(unsafe { libc::read(number, text.as_mut_ptr().cast(), 16) } as i64)
        });
        thread::sleep(std::time::Duration::from_millis(50));
        nix::unistd::close(number).unwrap();
        assert_eq!(reader.join().unwrap(), Err(Errno::EBADF));
    }
}

served! {
    fn who_waits_gets_nothing_of_the_next_file_with_that_number() {
        let named = parent("skcipher", "cbc(aes)", &common::KEY);
        for _ in 0..10 {
            let fd = operation(&named);
            common::encrypt(&fd, &[], common::MORE).unwrap();
            let number = fd.into_raw_fd();
            let reader = thread::spawn(move || {
                let mut text = [0_u8; 16];
                // SAFETY: the buffer has 16 bytes.
                common::checked(unsafe { libc::read(number, text.as_mut_ptr().cast(), 16) } as i64)
            });
            thread::sleep(std::time::Duration::from_millis(20));
            nix::unistd::close(number).unwrap();
            let next = operation(&named);
            assert_eq!(next.as_raw_fd(), number);
            assert_encrypts(&next);
            assert_eq!(reader.join().unwrap(), Err(Errno::EBADF));
        }
    }
}

unsafe extern "C-unwind" {
    /// libc's function, declared so that cancellation may unwind out of it.
    fn read(fd: libc::c_int, into: *mut libc::c_void, len: libc::size_t) -> libc::ssize_t;
}

/// Reads from the descriptor of this number.
extern "C-unwind" fn read_one(number: *mut libc::c_void) -> *mut libc::c_void {
    let mut byte = 0_u8;
    // SAFETY: the pointer is to a byte.
    unsafe { read(number.addr() as i32, (&raw mut byte).cast(), 1) };
    std::ptr::null_mut()
}

served! {
    fn a_thread_can_be_cancelled_in_a_foreign_call() {
        const PTHREAD_CANCELED: usize = usize::MAX;
        let (reader, _writer) = nix::unistd::pipe().unwrap();
        // The library has served a socket, so its `read` is called.
        assert_encrypts(&cbc());
        // SAFETY: the thread's function has nothing that would have to be dropped, and the thread is joined.
        let returned = unsafe {
            let body: extern "C" fn(*mut libc::c_void) -> *mut libc::c_void =
                std::mem::transmute(read_one as extern "C-unwind" fn(*mut libc::c_void) -> *mut libc::c_void);
            let mut thread = 0;
            let number = std::ptr::without_provenance_mut(reader.as_raw_fd() as usize);
            assert_eq!(libc::pthread_create(&raw mut thread, std::ptr::null(), body, number), 0);
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert_eq!(libc::pthread_cancel(thread), 0);
            let mut returned = std::ptr::null_mut();
            assert_eq!(libc::pthread_join(thread, &raw mut returned), 0);
            returned.addr()
        };
        assert_eq!(returned, PTHREAD_CANCELED);
    }
}

/// An unrelated program runs with the library as it does without.
#[test]
fn an_unrelated_program_sees_no_difference() {
    let run = |preload: bool| {
        let script = "ls /proc/self/fd /proc/self/task | grep -c .; env | grep -v LD_PRELOAD | sort | cksum; echo error >&2; exit 3";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        if preload {
            command.env("LD_PRELOAD", common::library());
        }
        command.output().unwrap()
    };
    assert_eq!(run(true), run(false));
}

//! Descriptors: their numbers, duplicates, and use in other processes.

use crate::{client::*, supervised};
use std::{
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    panic::catch_unwind,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

fn duplicate(fd: i32, command: i32, least: i32) -> std::io::Result<OwnedFd> {
    // SAFETY: the call takes no pointers, and nothing else owns the new descriptor.
    let fd = check(unsafe { libc::fcntl(fd, command, least) } as isize)? as i32;
    // SAFETY: the call has just made the descriptor, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn closes_on_exec(fd: &OwnedFd) -> bool {
    // SAFETY: the call takes no pointers.
    let flags = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) };
    flags & libc::FD_CLOEXEC != 0
}

supervised! {
    fn duplicates_share_the_state() {
        let socket = hash("sha256");
        // SAFETY: the call takes no pointers, and nothing else owns the duplicate.
        let one = unsafe { OwnedFd::from_raw_fd(libc::dup(socket.as_raw_fd())) };
        let two = duplicate(socket.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0).expect("a duplicate");
        assert!(!closes_on_exec(&one) && closes_on_exec(&two));
        send(&socket, b"a", libc::MSG_MORE).expect("sent");
        drop(socket);
        send(&one, b"b", libc::MSG_MORE).expect("sent");
        send(&two, b"c", libc::MSG_MORE).expect("sent");
        drop(two);
        assert_eq!(digest(&one), ABC);
    }
}

supervised! {
    fn a_duplicate_with_a_number_in_the_range() {
        let socket = hash("sha256");
        let fd = socket.as_raw_fd();
        assert!((256..1024).contains(&fd), "{fd} is beyond select");
        // SAFETY: the call takes no pointers.
        let dup2 = |from, to| check(unsafe { libc::dup2(from, to) } as isize);
        assert_eq!(dup2(fd, fd).expect("the same"), fd as usize);
        assert_eq!(dup2(fd, fd - 9).expect("another"), fd as usize - 9);
        write(fd, b"abc").expect("written");
        let mut digest = [0; 32];
        assert_eq!(read(fd - 9, &mut digest).expect("read"), 32);
        assert_eq!(digest, ABC);
        // SAFETY: the call takes no pointers.
        let dup3 = |flags| check(unsafe { libc::dup3(fd, fd - 8, flags) } as isize);
        assert_eq!(errno(dup3(1)), libc::EINVAL);
        assert_eq!(dup3(libc::O_CLOEXEC).expect("a third"), fd as usize - 8);
    }
}

supervised! {
    fn a_duplicate_outside_the_range_is_refused() {
        let (socket, (out, into)) = (hash("sha256"), pipe());
        let (fd, taken) = (socket.as_raw_fd(), into.as_raw_fd());
        // SAFETY: the call takes no pointers.
        assert_eq!(errno(check(unsafe { libc::dup2(fd, taken) } as isize)), libc::EBADF);
        // SAFETY: the call takes no pointers.
        assert_eq!(errno(check(unsafe { libc::dup3(fd, taken, libc::O_CLOEXEC) } as isize)), libc::EBADF);
        // SAFETY: the call takes no pointers.
        assert_eq!(errno(check(unsafe { libc::dup2(fd, -1) } as isize)), libc::EBADF);
        // The file with that number stays open.
        assert_eq!(write(taken, b"hello").expect("written"), 5);
        assert_eq!(read(out.as_raw_fd(), &mut [0; 5]).expect("read"), 5);
        write(fd, b"abc").expect("written");
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn others_may_have_numbers_in_the_range() {
        let (out, into) = pipe();
        let number = hash("sha256").as_raw_fd();
        // SAFETY: the call takes no pointers.
        assert_eq!(unsafe { libc::dup2(into.as_raw_fd(), number) }, number);
        drop(into);
        assert_eq!(write(number, b"hello").expect("written"), 5);
        let mut room = [0; 16];
        assert_eq!(read(out.as_raw_fd(), &mut room).expect("read"), 5);
        assert_eq!(room[..5], *b"hello");
    }
}

supervised! {
    fn a_number_that_is_used_again_keeps_no_reader_waiting() {
        let cipher = bound("hash", "sha256").expect("a hash");
        let number = accept(&cipher, 0).expect("a socket").as_raw_fd();
        let (out, into) = pipe();
        let splice = || {
            let (from, to, none) = (number, into.as_raw_fd(), std::ptr::null_mut());
            // SAFETY: the pointers to positions are null.
            let moved = check(unsafe { libc::splice(from, none, to, none, 32, 0) })?;
            read(out.as_raw_fd(), &mut [0; 32]).map(|_| moved)
        };
        let readers: [&(dyn Fn() -> std::io::Result<usize> + Sync); 2] = [&|| read(number, &mut [0; 32]), &splice];
        let is_over = AtomicBool::new(false);
        let (done, end) = mpsc::channel();
        thread::scope(|scope| {
            for reader in readers {
                let (done, is_over) = (done.clone(), &is_over);
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        match reader() {
                            Ok(32) => {}
                            found => assert_eq!(errno(found), libc::EBADF),
                        }
                    }
                    done.send(()).expect("a receiver");
                });
            }
            for _ in 0..2000 {
                accept(&cipher, 0).expect("a socket");
            }
            is_over.store(true, Ordering::Relaxed);
            for _ in readers {
                if end.recv_timeout(Duration::from_secs(20)).is_err() {
                    // The thread that waits cannot be waited for.
                    std::process::exit(1);
                }
            }
        });
    }
}

supervised! {
    fn flags_of_socket_and_accept() {
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        let socket = socket(libc::AF_ALG, kind, 0).expect("a socket");
        assert!(closes_on_exec(&socket));
        let flags = |fd: &OwnedFd| {
            // SAFETY: the call takes no pointers.
            unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) }
        };
        assert!(flags(&socket) & libc::O_NONBLOCK != 0);
        let socket = cbc(libc::SOCK_CLOEXEC);
        assert!(closes_on_exec(&socket) && flags(&socket) & libc::O_NONBLOCK == 0);
        assert_eq!(errno(accept(&bound("hash", "sha256").expect("a hash"), 1)), libc::EINVAL);
    }
}

supervised! {
    fn a_child_shares_the_state() {
        let socket = hash("sha256");
        send(&socket, b"a", libc::MSG_MORE).expect("sent");
        let code = fork(|| i32::from(send(&socket, b"bc", libc::MSG_MORE).is_err()));
        assert_eq!(code, 0);
        assert_eq!(digest(&socket), ABC);
    }
}

/// The variable that tells the program the number of the inherited descriptor.
const NUMBER: &str = "ALGKIT_TEST_NUMBER";

supervised! {
    fn a_program_inherits_the_descriptor() {
        if let Ok(number) = std::env::var(NUMBER) {
            assert_eq!(write(number.parse().expect("a number"), b"abc").expect("written"), 3);
            return;
        }
        let socket = hash("sha256");
        let status = std::process::Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "descriptors::a_program_inherits_the_descriptor", "--quiet"])
            .env(NUMBER, socket.as_raw_fd().to_string())
            .status()
            .expect("it runs");
        assert!(status.success(), "{status}");
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn there_are_only_so_many() {
        let mut open = Vec::new();
        let error = loop {
            match socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0) {
                Ok(socket) => open.push(socket),
                Err(error) => break error,
            }
        };
        assert_eq!(error.raw_os_error(), Some(libc::EMFILE));
        assert!(open.len() >= 64, "{}", open.len());
        let count = open.len();
        // The number of a closed descriptor is free at once.
        for _ in 0..3 {
            open.clear();
            open.extend((0..count).map(|_| socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0).expect("a socket")));
        }
    }
}

supervised! {
    options { files = 10 };
    fn a_supervisor_has_only_so_many() {
        let open: Vec<_> = (0..10).map(|_| socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0).expect("a socket")).collect();
        assert_eq!(errno(socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)), libc::ENFILE);
        drop(open);
        socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0).expect("a socket");
    }
}

supervised! {
    fn a_program_with_very_many_descriptors() {
        const MANY: usize = 1069;
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointers are to a local variable.
        unsafe {
            assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit), 0);
            limit.rlim_cur = limit.rlim_cur.max(4096);
            assert!(limit.rlim_max >= 4096, "the hard limit of open files is {}", limit.rlim_max);
            assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0);
        }
        let (out, into) = pipe();
        let open: Vec<_> =
            std::iter::repeat_with(|| duplicate(into.as_raw_fd(), libc::F_DUPFD, 0).expect("a duplicate")).take(MANY).collect();
        let socket = hash("sha256");
        assert!(socket.as_raw_fd() >= 1024, "{}", socket.as_raw_fd());
        send(&socket, b"abc", 0).expect("sent");
        assert_eq!(digest(&socket), ABC);
        let copy = duplicate(socket.as_raw_fd(), libc::F_DUPFD, 0).expect("a duplicate");
        send(&copy, b"abc", 0).expect("sent");
        assert_eq!(digest(&socket), ABC);
        // None of the program's own descriptors has been replaced.
        for one in &open {
            assert_eq!(write(one.as_raw_fd(), b"x").expect("written"), 1);
            assert_eq!(read(out.as_raw_fd(), &mut [0; 2]).expect("read"), 1);
        }
    }
}

/// Starts a child that has this process's table of descriptors, and memory of its own.
fn with_the_same_descriptors(child: fn()) -> libc::pid_t {
    let flags = libc::CLONE_FILES | libc::SIGCHLD;
    // SAFETY: as after `fork`, the child has a copy of the stack.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        0 => {
            let failed = catch_unwind(child).is_err();
            // SAFETY: the call ends the process and does nothing else.
            unsafe { libc::_exit(failed.into()) }
        }
        pid => pid as libc::pid_t,
    }
}

/// Takes most of the numbers of served descriptors. So it takes long to find one, and two calls look at once.
fn take_most_numbers() {
    let taken = std::fs::File::open("/dev/null").expect("opened");
    let highest = hash("sha256").as_raw_fd();
    for number in highest - 200..=highest {
        // SAFETY: the call takes no pointers.
        assert_eq!(unsafe { libc::dup2(taken.as_raw_fd(), number) }, number);
    }
}

supervised! {
    fn threads_get_different_numbers() {
        take_most_numbers();
        let end = Instant::now() + Duration::from_secs(4);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while Instant::now() < end {
                        let sockets = [(); 3].map(|()| hash("sha256"));
                        for socket in &sockets {
                            send(socket, b"abc", 0).expect("sent");
                        }
                        assert_eq!(sockets.each_ref().map(digest), [ABC; 3]);
                    }
                });
            }
        });
    }
}

supervised! {
    fn programs_with_one_table_of_descriptors_get_different_numbers() {
        take_most_numbers();
        let children = [(); 3].map(|()| {
            with_the_same_descriptors(|| {
                let end = Instant::now() + Duration::from_secs(1);
                while Instant::now() < end {
                    let socket = hash("sha256");
                    send(&socket, b"abc", 0).expect("sent");
                    assert_eq!(digest(&socket), ABC);
                }
            })
        });
        for child in children {
            let mut status = 0;
            // SAFETY: the call writes the status to a local variable.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status, 0);
        }
    }
}

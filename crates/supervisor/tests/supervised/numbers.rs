//! Served descriptors with numbers outside the range: every kind of call, and who is traced for how long.

use crate::{client::*, supervised};
use std::{
    io::Result,
    os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd},
    process::{Command, Stdio},
    ptr, thread,
    time::Duration,
};

pub fn dup2(from: i32, to: i32) -> Result<usize> {
    // SAFETY: numbers.
    check(unsafe { libc::dup2(from, to) } as isize)
}

pub fn close(fd: i32) {
    // SAFETY: a number that nobody else owns.
    assert_eq!(unsafe { libc::close(fd) }, 0);
}

/// A number that nobody has, `n` being another each time.
pub fn number(n: i32) -> i32 {
    600 + n
}

/// The same file under number `to`, and no other.
pub fn moved(socket: OwnedFd, to: i32) -> OwnedFd {
    assert_eq!(dup2(socket.as_raw_fd(), to).expect("any number"), to as usize);
    // SAFETY: the number is this descriptor's.
    unsafe { OwnedFd::from_raw_fd(to) }
}

/// Who traces this thread; 0 is nobody.
pub fn tracer() -> i32 {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("TracerPid:")).expect("a tracer");
    line.trim().parse().expect("a number")
}

/// Waits until this thread is not traced any more; it is told that it got a number before all is noted.
fn let_go() {
    let start = std::time::Instant::now();
    while tracer() != 0 {
        assert!(start.elapsed() < Duration::from_secs(10), "still traced");
        thread::sleep(Duration::from_millis(1));
    }
}

supervised! {
    fn each_call_on_low_numbers() {
        let parent = moved(socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0).expect("a socket"), number(0));
        let mut address = [0; 88];
        address[..2].copy_from_slice(&(libc::AF_ALG as u16).to_ne_bytes());
        address[2..10].copy_from_slice(b"skcipher");
        address[24..32].copy_from_slice(b"cbc(aes)");
        // SAFETY: an address of this length.
        let bound = unsafe { libc::bind(parent.as_raw_fd(), address.as_ptr().cast(), 88) };
        check(bound as isize).expect("bound");
        set_option(&parent, libc::SOL_ALG, libc::ALG_SET_KEY, &KEY).expect("a key");
        let socket = accept(&parent, 0).expect("a socket");
        assert!(socket.as_raw_fd() >= 700);
        let socket = moved(socket, 0);
        let fd = socket.as_raw_fd();
        let mut out = [0; 16];
        for round in 0..4 {
            send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
            assert_ne!(poll(fd, 0) & libc::POLLIN, 0);
            out.fill(0);
            let mut pieces = [place(&mut out)];
            let mut message = header(&mut pieces, &mut []);
            // SAFETY: the structures name memory that lives.
            let got = unsafe {
                match round {
                    0 => libc::read(fd, message.msg_iov.read().iov_base, 16),
                    1 => libc::readv(fd, message.msg_iov, 1),
                    2 => libc::recvmsg(fd, &raw mut message, 0),
                    _ => libc::recv(fd, message.msg_iov.read().iov_base, 16, 0),
                }
            };
            assert_eq!(check(got).expect("received"), 16);
            assert_eq!(out, SECRET);
        }
        assert_eq!(option(&socket, libc::SO_DOMAIN).expect("an option"), libc::AF_ALG);
        // SAFETY: numbers.
        assert_eq!(errno(check(unsafe { libc::listen(fd, 1) } as isize)), libc::EOPNOTSUPP);
    }
}

supervised! {
    fn hashes_by_all_kinds_of_send() {
        let socket = moved(hash("sha256"), number(0));
        let fd = socket.as_raw_fd();
        let piece = piece(b"abc");
        for round in 0..4 {
            // SAFETY: the piece names memory that lives.
            let sent = unsafe {
                match round {
                    0 => libc::write(fd, piece.iov_base, 3),
                    1 => libc::writev(fd, &raw const piece, 1),
                    2 => libc::pwritev2(fd, &raw const piece, 1, -1, 0),
                    _ => libc::sendto(fd, piece.iov_base, 3, 0, ptr::null(), 0),
                }
            };
            assert_eq!(check(sent).expect("sent"), 3);
            assert_eq!(digest(&socket), ABC);
        }
    }
}

supervised! {
    fn pipes_and_files() {
        let (socket, (out, into)) = (moved(hash("sha256"), number(0)), pipe());
        let fd = socket.as_raw_fd();
        let splice = |from, to, len| {
            // SAFETY: no positions are given.
            check(unsafe { libc::splice(from, ptr::null_mut(), to, ptr::null_mut(), len, 0) })
        };
        write(into.as_raw_fd(), b"abc").expect("written");
        assert_eq!(splice(out.as_raw_fd(), fd, 3).expect("moved"), 3);
        assert_eq!(splice(fd, into.as_raw_fd(), 64).expect("moved"), 32);
        let mut digest = [0; 32];
        assert_eq!(read(out.as_raw_fd(), &mut digest).expect("read"), 32);
        assert_eq!(digest, ABC);
        assert_eq!(errno(splice(fd, fd, 1)), libc::EINVAL);
        let other = moved(hash("sha256"), number(1));
        assert_eq!(errno(splice(fd, other.as_raw_fd(), 1)), libc::EINVAL);

        let path = std::env::temp_dir().join(format!("algkit-numbers-{}", std::process::id()));
        std::fs::write(&path, b"abc").expect("written");
        let file = std::fs::File::open(&path).expect("a file");
        std::fs::remove_file(path).expect("removed");
        // SAFETY: no position.
        let sent = unsafe { libc::sendfile(fd, file.as_raw_fd(), ptr::null_mut(), 3) };
        assert_eq!(check(sent).expect("sent"), 3);
        assert_eq!(crate::client::digest(&socket), ABC);
    }
}

supervised! {
    fn what_the_kernel_does_it_does_to_the_real_one() {
        let socket = moved(hash("sha256"), number(0));
        let fd = socket.as_raw_fd();
        let timeout = [0u64, 30_000];
        // SAFETY: two words.
        let bytes = unsafe { std::slice::from_raw_parts(timeout.as_ptr().cast::<u8>(), 16) };
        set_option(&socket, libc::SOL_SOCKET, libc::SO_RCVTIMEO, bytes).expect("set");
        let (mut room, mut len) = ([0u64; 2], 16u32);
        // SAFETY: the call writes as much, and its length.
        let got = unsafe {
            libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_RCVTIMEO, room.as_mut_ptr().cast(), &raw mut len)
        };
        check(got as isize).expect("an option");
        // The clock's ticks may round it up.
        assert!(room[0] == 0 && (30_000..50_000).contains(&room[1]), "{room:?}");
        let mut on = 1;
        // SAFETY: the request takes an `int`.
        check(unsafe { libc::ioctl(fd, libc::FIONBIO, &raw mut on) } as isize).expect("set");
        // SAFETY: numbers.
        assert_ne!(unsafe { libc::fcntl(fd, libc::F_GETFL) } & libc::O_NONBLOCK, 0);
        let piece = piece(b"abc");
        // SAFETY: the piece names memory that lives.
        assert_eq!(errno(check(unsafe { libc::pwritev2(fd, &raw const piece, 1, 5, 0) })), libc::ESPIPE);
    }
}

supervised! {
    fn duplicates_of_duplicates() {
        let socket = moved(hash("sha256"), number(0));
        let fd = socket.as_raw_fd();
        // SAFETY: numbers; nobody else owns the duplicate.
        let back = unsafe { OwnedFd::from_raw_fd(libc::dup(fd)) };
        assert!(back.as_raw_fd() >= 700, "{back:?}");
        assert_eq!(dup2(fd, number(1)).expect("another"), number(1) as usize);
        assert_eq!(dup2(fd, fd).expect("the same"), fd as usize);
        // SAFETY: numbers.
        let dup3 = |to, flags| check(unsafe { libc::dup3(fd, to, flags) } as isize);
        assert_eq!(errno(dup3(fd, 0)), libc::EINVAL);
        assert_eq!(dup3(number(2), libc::O_CLOEXEC).expect("a third"), number(2) as usize);
        // SAFETY: numbers.
        assert_eq!(unsafe { libc::fcntl(number(2), libc::F_GETFD) }, libc::FD_CLOEXEC);
        // SAFETY: numbers.
        assert_eq!(unsafe { libc::fcntl(number(1), libc::F_GETFD) }, 0);
        let mut sent = 0;
        for (fd, text) in [(fd, b"a"), (number(1), b"b"), (number(2), b"c")] {
            sent += 1;
            let piece = piece(text);
            let more = if sent < 3 { libc::MSG_MORE } else { 0 };
            // SAFETY: the piece names memory that lives.
            check(unsafe { libc::send(fd, piece.iov_base, 1, more) }).expect("sent");
        }
        assert_eq!(digest(&back), ABC);
        close(number(1));
        close(number(2));
    }
}

supervised! {
    fn numbers_that_cannot_be() {
        let socket = hash("sha256");
        // SAFETY: zero is a value of this structure, and the call writes one.
        let limit = unsafe {
            let mut limit: libc::rlimit = std::mem::zeroed();
            libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
            limit.rlim_cur
        };
        for to in [-1, i32::MIN, i32::try_from(limit).expect("a limit"), 1 << 20, i32::MAX] {
            assert_eq!(errno(dup2(socket.as_raw_fd(), to)), libc::EBADF, "{to}");
        }
        assert_eq!(tracer(), 0);
        let last = limit as i32 - 1;
        if last >= 1024 {
            let socket = moved(socket, last);
            send(&socket, b"abc", 0).expect("sent");
            assert_eq!(digest(&socket), ABC);
        }
    }
}

supervised! {
    fn no_longer_traced_than_needed() {
        let (one, two) = (number(0), number(1));
        let socket = hash("sha256");
        let end = |how: &dyn Fn()| {
            assert_eq!(tracer(), 0);
            dup2(socket.as_raw_fd(), one).expect("a number");
            assert_ne!(tracer(), 0);
            dup2(one, two).expect("a number");
            close(one);
            assert_ne!(tracer(), 0);
            write(two, b"abc").expect("written");
            assert_eq!(digest(&socket), ABC);
            how();
            let_go();
        };
        end(&|| close(two));
        // SAFETY: numbers of nobody else.
        end(&|| assert_eq!(unsafe { libc::syscall(libc::SYS_close_range, two, two, 0) }, 0));
        let (out, into) = pipe();
        end(&|| assert_eq!(dup2(into.as_raw_fd(), two).expect("over it"), two as usize));
        assert_eq!(write(two, b"hello").expect("written"), 5);
        let mut room = [0; 8];
        assert_eq!(read(out.as_raw_fd(), &mut room).expect("read"), 5);
        close(two);
        for _ in 0..100 {
            end(&|| close(two));
        }
    }
}

supervised! {
    fn over_a_number_that_is_in_use() {
        let (out, into) = pipe();
        let socket = hash("sha256");
        assert_eq!(dup2(into.as_raw_fd(), number(0)).expect("a number"), number(0) as usize);
        drop(into);
        assert_eq!(dup2(socket.as_raw_fd(), number(0)).expect("over it"), number(0) as usize);
        // That was the last end to write to.
        assert_eq!(read(out.as_raw_fd(), &mut [0; 8]).expect("the end"), 0);
        let other = cbc(0);
        assert_eq!(dup2(other.as_raw_fd(), number(0)).expect("over it"), number(0) as usize);
        // SAFETY: the number is nobody else's.
        let moved = unsafe { OwnedFd::from_raw_fd(number(0)) };
        send_with(&moved, &TEXT, &mut encrypt(), 0).expect("sent");
        let mut out = [0; 16];
        assert_eq!(recv(&other, &mut out, 0).expect("received"), 16);
        assert_eq!(out, SECRET);
    }
}

supervised! {
    fn there_are_only_so_many_numbers() {
        let socket = hash("sha256");
        let given = (100..600).take_while(|&to| dup2(socket.as_raw_fd(), to).is_ok()).count() as i32;
        assert!((16..400).contains(&given), "{given}");
        // What is closed makes room, once the call that gave it is through with it.
        thread::sleep(Duration::from_millis(50));
        close(100);
        dup2(socket.as_raw_fd(), 100 + given).expect("room for one");
        assert_eq!(errno(dup2(socket.as_raw_fd(), 100)), libc::EBADF);
        (101..=100 + given).for_each(close);
        let_go();
    }
}

/// Set where the program is one that another has started.
const STARTED: &str = "ALGKIT_TEST_STARTED";

supervised! {
    fn a_program_whose_input_is_the_socket() {
        if std::env::var_os(STARTED).is_some() {
            assert_ne!(tracer(), 0);
            assert_eq!(write(0, b"abc").expect("written"), 3);
            close(0);
            assert_eq!(tracer(), 0);
            return;
        }
        for _ in 0..3 {
            let socket = hash("sha256");
            let status = Command::new(std::env::current_exe().expect("a path"))
                .args(["--exact", "numbers::a_program_whose_input_is_the_socket", "--quiet", "--test-threads=1"])
                .env(STARTED, "1")
                .stdin(Stdio::from(socket.try_clone().expect("a duplicate")))
                .status()
                .expect("it runs");
            assert!(status.success(), "{status}");
            assert_eq!(digest(&socket), ABC);
            assert_eq!(tracer(), 0);
        }
    }
}

supervised! {
    fn what_exec_closes_is_not_served() {
        if std::env::var_os(STARTED).is_some() {
            assert_eq!(tracer(), 0);
            return;
        }
        let socket = hash("sha256");
        let fd = number(0);
        // SAFETY: numbers.
        assert_eq!(unsafe { libc::dup3(socket.as_raw_fd(), fd, libc::O_CLOEXEC) }, fd);
        let status = Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "numbers::what_exec_closes_is_not_served", "--quiet"])
            .env(STARTED, "1")
            .status()
            .expect("it runs");
        assert!(status.success(), "{status}");
        write(fd, b"abc").expect("written");
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn children_have_what_their_parents_had() {
        fn descend(levels: i32, fd: i32) -> i32 {
            let traced = tracer() != 0;
            let socket = hash("sha256");
            let wrote = write(fd, b"a").is_ok() && dup2(socket.as_raw_fd(), fd + 1).is_ok();
            let wrote = wrote && write(fd + 1, b"abc").is_ok() && digest(&socket) == ABC;
            if levels == 0 || !wrote || !traced { i32::from(!wrote) + 2 * i32::from(!traced) } else {
                fork(|| descend(levels - 1, fd + 1))
            }
        }
        let socket = moved(hash("sha256"), number(0));
        assert_eq!(fork(|| descend(8, number(0))), 0);
        // The children of a process that is not traced are not.
        drop(socket);
        assert_eq!(fork(tracer), 0);
    }
}

supervised! {
    fn threads_share_the_number() {
        let socket = cbc(0);
        let fd = number(0);
        let (out, into) = pipe();
        thread::scope(|scope| {
            // One is there before, and waits in the kernel.
            let before = scope.spawn(|| {
                let mut room = [0; 16];
                assert_eq!(read(out.as_raw_fd(), &mut room[..1]).expect("read"), 1);
                assert_eq!(read(fd, &mut room).expect("read"), 16);
                room
            });
            thread::sleep(Duration::from_millis(20));
            dup2(socket.as_raw_fd(), fd).expect("a number");
            send_with(&socket, &[], &mut encrypt(), libc::MSG_MORE).expect("sent");
            write(into.as_raw_fd(), b"x").expect("written");
            // Others come later; it waits by the number.
            thread::sleep(Duration::from_millis(20));
            let after = scope.spawn(|| write(fd, &TEXT));
            assert_eq!(after.join().expect("a thread").expect("written"), 16);
            assert_eq!(before.join().expect("a text"), SECRET);
        });
        close(fd);
    }
}

supervised! {
    fn many_threads_and_numbers() {
        thread::scope(|scope| {
            for thread in 0..6 {
                scope.spawn(move || {
                    for round in 0..60 {
                        let socket = hash("sha256");
                        let fd = number(2 * thread + round % 2);
                        dup2(socket.as_raw_fd(), fd).expect("a number");
                        assert_eq!(write(fd, b"abc").expect("written"), 3);
                        let mut room = [0; 32];
                        assert_eq!(read(fd, &mut room).expect("read"), 32);
                        assert_eq!(room, ABC);
                        close(fd);
                    }
                });
            }
        });
        let_go();
    }
}

supervised! {
    fn numbers_with_the_bias_are_nothing() {
        let socket = hash("sha256");
        let bias = 0x4000_0000;
        assert_eq!(errno(write(bias + 5, b"abc")), libc::EBADF);
        assert_eq!(errno(write(bias + socket.as_raw_fd(), b"abc")), libc::EBADF);
        assert_eq!(errno(write(bias - 1, b"abc")), libc::EBADF);
        let (_out, into) = pipe();
        assert_eq!(errno(write(bias + into.as_raw_fd(), b"abc")), libc::EBADF);
        assert_eq!(errno(dup2(bias + into.as_raw_fd(), number(0))), libc::EBADF);
    }
}

supervised! {
    fn asynchronous_requests() {
        let socket = moved(hash("sha256"), number(0));
        assert_eq!(crate::aio::digest_by_aio(&socket), ABC);
    }
}

supervised! {
    fn a_descriptor_that_stays_open_to_the_end() {
        // Nobody closes it: the end of the process does.
        assert_ne!(moved(hash("sha256"), number(0)).into_raw_fd(), 0);
    }
}

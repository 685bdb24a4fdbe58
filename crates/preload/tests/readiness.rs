//! `poll`, `select`, `epoll`, and waiting in calls.

mod common;

use common::{CIPHER, MORE, PLAIN, assert_encrypts, cbc, digest, encrypt, parent, sha256, start, timed};
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, OFlag, fcntl},
    poll::{PollFd, PollFlags, PollTimeout, poll, ppoll},
    sys::{
        epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout},
        select::{FdSet, select},
        signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction},
        socket::{MsgFlags, recv, send},
        stat::fstat,
        time::{TimeSpec, TimeVal, TimeValLike},
    },
    unistd::{pipe, read, write},
};
use std::{
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::thread::JoinHandleExt,
    },
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

const SOON: Duration = Duration::from_millis(50);
const LATE: Duration = Duration::from_secs(20);

fn polled(fd: &OwnedFd, events: PollFlags, timeout: u16) -> PollFlags {
    let mut fds = [PollFd::new(fd.as_fd(), events)];
    let count = poll(&mut fds, PollTimeout::from(timeout)).unwrap();
    let found = fds[0].revents().unwrap();
    assert_eq!(count, i32::from(!found.is_empty()));
    found
}

const BOTH: PollFlags = PollFlags::POLLIN.union(PollFlags::POLLOUT);

/// A socket in the middle of a message, with no text to be processed.
fn waiting() -> OwnedFd {
    let fd = cbc();
    encrypt(&fd, &[], MORE).unwrap();
    fd
}

/// A socket whose queue is full, and the number of bytes that it took.
fn full() -> (OwnedFd, usize) {
    let fd = cbc();
    let mut sent = encrypt(&fd, &PLAIN[0], MORE | MsgFlags::MSG_DONTWAIT).unwrap();
    loop {
        match send(fd.as_raw_fd(), &[0; 4096], MORE | MsgFlags::MSG_DONTWAIT) {
            Ok(more) => sent += more,
            Err(errno) => {
                assert_eq!(errno, Errno::EAGAIN);
                return (fd, sent);
            }
        }
    }
}

/// Runs `act` after a moment in another thread. `wait`, which waits meanwhile, must end soon after.
fn woken<T>(act: impl FnOnce() + Send, wait: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(SOON);
            act();
        });
        let (result, took) = timed(wait);
        assert!((SOON / 2..LATE / 2).contains(&took), "{took:?}");
        result
    })
}

served! {
    fn poll_tells_what_the_kernel_tells() {
        let named = parent("skcipher", "cbc(aes)", &common::KEY);
        assert_eq!(polled(&named, BOTH, 0), PollFlags::empty());
        assert_eq!(polled(&sha256(), BOTH, 0), PollFlags::empty());
        assert_eq!(polled(&cbc(), BOTH, 0), BOTH);
        assert_eq!(polled(&cbc(), PollFlags::POLLPRI, 0), PollFlags::empty());
        assert_eq!(polled(&waiting(), BOTH, 0), PollFlags::POLLOUT);
        let (fd, _) = full();
        assert_eq!(polled(&fd, BOTH, 0), PollFlags::POLLIN);
    }
}

served! {
    fn poll_waits_as_long_as_it_is_told() {
        for fd in [waiting(), sha256(), parent("hash", "sha256", &[])] {
            let (found, took) = timed(|| polled(&fd, PollFlags::POLLIN, 60));
            assert_eq!(found, PollFlags::empty());
            assert!(took >= Duration::from_millis(60), "{took:?}");
        }
        let fd = waiting();
        let mut fds = [PollFd::new(fd.as_fd(), PollFlags::POLLIN)];
        let (count, took) = timed(|| ppoll(&mut fds, Some(TimeSpec::milliseconds(60)), None));
        assert_eq!(count, Ok(0));
        assert!(took >= Duration::from_millis(60), "{took:?}");
    }
}

served! {
    fn poll_wakes_when_another_thread_sends() {
        let fd = waiting();
        let found = woken(|| assert_eq!(send(fd.as_raw_fd(), &PLAIN[0], MORE), Ok(16)), || polled(&fd, PollFlags::POLLIN, 20_000));
        assert_eq!(found, PollFlags::POLLIN);
        // Again, with the mirror in the state that `poll` has left.
        assert_eq!(polled(&fd, BOTH, 0), BOTH);
        assert_eq!(read(&fd, &mut [0; 16]), Ok(16));
        assert_eq!(polled(&fd, BOTH, 0), PollFlags::POLLOUT);
        assert_eq!(polled(&fd, PollFlags::POLLIN, 10), PollFlags::empty());
    }
}

served! {
    fn poll_wakes_when_there_is_room_again() {
        let (fd, sent) = full();
        let mut text = vec![0; sent];
        let found = woken(|| assert_eq!(read(&fd, &mut text), Ok(sent)), || polled(&fd, PollFlags::POLLOUT, 20_000));
        assert_eq!(found, PollFlags::POLLOUT);
        assert_eq!(text[..16], CIPHER[0]);
    }
}

served! {
    fn poll_serves_mixed_sets() {
        let (reader, writer) = pipe().unwrap();
        let (ready, idle) = (cbc(), waiting());
        let set = || [&reader, &ready, &idle].map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN));
        let found = |fds: [PollFd; 3]| fds.map(|poll| poll.any().unwrap());

        let mut fds = set();
        assert_eq!(poll(&mut fds, PollTimeout::from(10_000_u16)), Ok(1));
        assert_eq!(found(fds), [false, true, false]);
        write(&writer, b"a").unwrap();
        let mut fds = set();
        assert_eq!(poll(&mut fds, PollTimeout::from(10_000_u16)), Ok(2));
        assert_eq!(found(fds), [true, true, false]);
        read(&reader, &mut [0; 1]).unwrap();

        // Only the pipe may end this wait.
        let mut fds = [&reader, &idle].map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN));
        let count = woken(|| assert_eq!(write(&writer, b"a"), Ok(1)), || poll(&mut fds, PollTimeout::from(20_000_u16)));
        assert_eq!(count, Ok(1));
        assert_eq!(fds.map(|poll| poll.any().unwrap()), [true, false]);
    }
}

served! {
    fn select_is_poll_in_other_words() {
        let (reader, writer) = pipe().unwrap();
        let (ready, idle) = (cbc(), waiting());
        let set = || {
            let mut set = FdSet::new();
            [&reader, &ready, &idle].into_iter().for_each(|fd| set.insert(fd.as_fd()));
            set
        };
        let (mut read_set, mut write_set) = (set(), set());
        let mut timeout = TimeVal::seconds(10);
        let selected = select(None, &mut read_set, &mut write_set, None, &mut timeout);
        // Linux stores the time that is left.
        assert!(timeout.num_milliseconds() > 5000);
        let has = |set: &FdSet| [&reader, &ready, &idle].map(|fd| set.contains(fd.as_fd()));
        assert_eq!((has(&read_set), has(&write_set)), ([false, true, false], [false, true, true]));
        assert_eq!(selected, Ok(3));

        let mut set = FdSet::new();
        set.insert(idle.as_fd());
        let (selected, took) = timed(|| select(None, &mut set, None, None, &mut TimeVal::milliseconds(60)));
        assert_eq!((selected, set.contains(idle.as_fd())), (Ok(0), false));
        assert!(took >= Duration::from_millis(60));
        set.insert(idle.as_fd());
        let selected = woken(
            || assert_eq!(send(idle.as_raw_fd(), &PLAIN[0], MORE), Ok(16)),
            || select(None, &mut set, None, None, &mut TimeVal::seconds(20)),
        );
        assert_eq!((selected, set.contains(idle.as_fd())), (Ok(1), true));
        drop(writer);
    }
}

fn events(epoll: &Epoll, timeout: u16) -> EpollFlags {
    let mut found = [EpollEvent::empty()];
    match epoll.wait(&mut found, EpollTimeout::from(timeout)).unwrap() {
        0 => EpollFlags::empty(),
        _ => found[0].events(),
    }
}

served! {
    fn epoll_follows_what_is_sent_and_read() {
        let both = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT;
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).unwrap();
        let fd = cbc();
        epoll.add(&fd, EpollEvent::new(both, 7)).unwrap();
        assert_eq!(events(&epoll, 0), both);
        encrypt(&fd, &[], MORE).unwrap();
        assert_eq!(events(&epoll, 0), EpollFlags::EPOLLOUT);
        send(fd.as_raw_fd(), &PLAIN[0], MORE).unwrap();
        assert_eq!(events(&epoll, 0), both);
        while send(fd.as_raw_fd(), &[0; 4096], MORE | MsgFlags::MSG_DONTWAIT).is_ok() {}
        assert_eq!(events(&epoll, 0), EpollFlags::EPOLLIN);
        read(&fd, &mut vec![0; 1 << 20]).unwrap();
        assert_eq!(events(&epoll, 0), EpollFlags::EPOLLOUT);

        epoll.modify(&fd, &mut EpollEvent::new(EpollFlags::EPOLLIN, 7)).unwrap();
        assert_eq!(events(&epoll, 20), EpollFlags::empty());
        let found = woken(|| assert_eq!(send(fd.as_raw_fd(), &PLAIN[0], MORE), Ok(16)), || events(&epoll, 20_000));
        assert_eq!(found, EpollFlags::EPOLLIN);
        epoll.delete(&fd).unwrap();
        assert_eq!(events(&epoll, 0), EpollFlags::empty());
    }
}

served! {
    fn what_passes_is_an_event() {
        let both = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT;
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).unwrap();
        let fd = cbc();
        epoll.add(&fd, EpollEvent::new(both | EpollFlags::EPOLLET, 7)).unwrap();
        assert_eq!(events(&epoll, 0), both);
        // A socket that has been sent nothing is ready, and receiving fails all the same.
        let mut text = [0; 16];
        assert_eq!(nix::sys::socket::recv(fd.as_raw_fd(), &mut text, MsgFlags::MSG_DONTWAIT), Err(Errno::EAGAIN));
        assert_eq!(events(&epoll, 0), EpollFlags::empty());
        let found = woken(|| assert_eq!(encrypt(&fd, &PLAIN[0], MsgFlags::empty()), Ok(16)), || events(&epoll, 20_000));
        assert_eq!(found, both);
        assert_eq!(read(&fd, &mut text), Ok(16));
        assert_eq!(text, CIPHER[0]);
        assert_eq!(events(&epoll, 0), both);
        assert_eq!(events(&epoll, 0), EpollFlags::empty());
    }
}

served! {
    fn nobody_else_can_send_to_the_socket() {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).unwrap();
        let fd = waiting();
        epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, 7)).unwrap();
        let inode = fstat(&fd).unwrap().st_ino.to_string();
        let sockets = std::fs::read_to_string("/proc/self/net/unix").unwrap();
        let line = sockets.lines().find(|line| line.split_whitespace().nth(6) == Some(&inode)).unwrap();
        assert_eq!(line.split_whitespace().nth(7), None, "a name: {line}");
        // Linux 6.18 can come to a standstill when thousands of filters are freed.
        let (mut filter, mut len) = ([0u64; 64], 64);
        // SAFETY: the length is the number of instructions for which there is room.
        let got = unsafe { libc::getsockopt(fd.as_raw_fd(), libc::SOL_SOCKET, libc::SO_GET_FILTER, filter.as_mut_ptr().cast(), &raw mut len) };
        assert_eq!((got, len), (0, 0), "a filter");
    }
}

/// The numbers of all open descriptors.
fn numbers() -> Vec<i32> {
    let names = std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.to_str().unwrap().parse().unwrap()).collect()
}

served! {
    fn the_librarys_own_descriptor_stays() {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).unwrap();
        let (fd, before) = (waiting(), numbers());
        epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, 7)).unwrap();
        let after = numbers();
        let own: Vec<_> = after.iter().filter(|number| **number > 900 && !before.contains(number)).collect();
        let [&own] = own[..] else { panic!("{before:?}, then {after:?}") };
        // SAFETY: the calls take no pointers, and the number is none of this program's.
        unsafe {
            assert_eq!((libc::close(own), Errno::last()), (-1, Errno::EBADF));
            assert_eq!(libc::close_range(own as u32, own as u32, 0), 0);
        }
        let follows = || {
            send(fd.as_raw_fd(), &PLAIN[0], MORE).unwrap();
            assert_eq!(events(&epoll, 0), EpollFlags::EPOLLIN);
            read(&fd, &mut [0; 16]).unwrap();
            assert_eq!(events(&epoll, 0), EpollFlags::empty());
        };
        follows();
        // The program uses the number for a file of its own, which gets nothing of what the library sends.
        let (reader, writer) = pipe().unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { libc::dup2(writer.as_raw_fd(), own) }, own);
        follows();
        assert_eq!(polled(&reader, PollFlags::POLLIN, 0), PollFlags::empty());
        // SAFETY: the number is this program's now.
        assert_eq!(unsafe { libc::close(own) }, 0);
        drop(fd);
        assert_eq!(numbers().len(), before.len() + 1, "the pipe's two, and not the socket");
    }
}

served! {
    fn epoll_has_nothing_to_say_of_a_hash() {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).unwrap();
        let fd = sha256();
        epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT, 0)).unwrap();
        assert_eq!(events(&epoll, 20), EpollFlags::empty());
        write(&fd, b"abc").unwrap();
        assert_eq!(events(&epoll, 0), EpollFlags::empty());
        assert_eq!(digest(&fd), common::ABC);
    }
}

served! {
    fn a_read_waits_for_another_threads_text() {
        let fd = waiting();
        let mut text = [0; 16];
        let got = woken(
            || assert_eq!(send(fd.as_raw_fd(), &PLAIN[0], MsgFlags::empty()), Ok(16)),
            || read(&fd, &mut text),
        );
        assert_eq!((got, text), (Ok(16), CIPHER[0]));
    }
}

served! {
    fn who_does_not_want_to_wait_does_not() {
        let fd = waiting();
        let mut text = [0; 16];
        assert_eq!(recv(fd.as_raw_fd(), &mut text, MsgFlags::MSG_DONTWAIT), Err(Errno::EAGAIN));
        fcntl(&fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        assert_eq!(read(&fd, &mut text), Err(Errno::EAGAIN));
        fcntl(&fd, FcntlArg::F_SETFL(OFlag::empty())).unwrap();
        let mut on = 1;
        // SAFETY: the pointer is to a number, as FIONBIO demands.
        assert_eq!(unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONBIO, &raw mut on) }, 0);
        assert_eq!(read(&fd, &mut text), Err(Errno::EAGAIN));
        assert!(OFlag::from_bits_retain(fcntl(&fd, FcntlArg::F_GETFL).unwrap()).contains(OFlag::O_NONBLOCK));
        send(fd.as_raw_fd(), &PLAIN[0], MsgFlags::empty()).unwrap();
        assert_eq!(read(&fd, &mut text), Ok(16));
        assert_eq!(text, CIPHER[0]);
        assert_encrypts(&fd);
    }
}

/// `FIOSETOWN`, `SIOCSPGRP`, `FIOGETOWN`, `SIOCGPGRP` (asm-generic/sockios.h).
const SET_RECEIVER: [libc::c_ulong; 2] = [0x8901, 0x8902];
const GET_RECEIVER: [libc::c_ulong; 2] = [0x8903, 0x8904];

static SIGNALS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn count(_: libc::c_int) {
    SIGNALS.fetch_add(1, Ordering::SeqCst);
}

served! {
    /// The calls are those that Linux has for every socket. When the signal comes, docs/run.md says.
    fn a_signal_tells_of_readiness() {
        let action = SigAction::new(SigHandler::Handler(count), SaFlags::SA_RESTART, SigSet::empty());
        // SAFETY: the handler is async-signal-safe.
        unsafe { sigaction(Signal::SIGIO, &action).unwrap() };
        let ioctl = |fd: &OwnedFd, request, number: &mut libc::c_int| {
            // SAFETY: the pointer is to a number, as these requests demand.
            Errno::result(unsafe { libc::ioctl(fd.as_raw_fd(), request, &raw mut *number) })
        };
        // SAFETY: the command takes no pointers.
        let receiver = |fd: &OwnedFd| unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETOWN) };
        let (me, other) = (std::process::id() as libc::c_int, waiting());
        for request in SET_RECEIVER {
            let fd = waiting();
            ioctl(&fd, request, &mut me.clone()).unwrap();
            for request in GET_RECEIVER {
                let mut got = 0;
                ioctl(&fd, request, &mut got).unwrap();
                assert_eq!(got, me);
            }
            assert_eq!((receiver(&fd), receiver(&other)), (me, 0));
        }
        let fd = waiting();
        // SAFETY: as above.
        assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETOWN, me) }, 0);
        assert_eq!((receiver(&fd), receiver(&other)), (me, 0));
        // Another socket stands behind it from here on.
        assert_eq!(polled(&fd, PollFlags::POLLIN, 0), PollFlags::empty());
        assert_eq!(receiver(&fd), me);
        for by_ioctl in [false, true] {
            let fd = waiting();
            // SAFETY: as above.
            assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETOWN, me) }, 0);
            if by_ioctl {
                ioctl(&fd, libc::FIOASYNC, &mut 1).unwrap();
            } else {
                fcntl(&fd, FcntlArg::F_SETFL(OFlag::O_ASYNC)).unwrap();
            }
            let before = SIGNALS.load(Ordering::SeqCst);
            send(fd.as_raw_fd(), &PLAIN[0], MsgFlags::empty()).unwrap();
            for _ in 0..200 {
                if SIGNALS.load(Ordering::SeqCst) == before {
                    thread::sleep(SOON / 10);
                }
            }
            assert!(SIGNALS.load(Ordering::SeqCst) > before, "no signal");
            assert_eq!(read(&fd, &mut [0; 16]), Ok(16));
        }
        // A program that asks for what no AF_ALG socket knows.
        assert_eq!(ioctl(&other, libc::FIONREAD, &mut 0), Err(Errno::EOPNOTSUPP));
        // FIOQSIZE, SIOCGSTAMP and FIGETBSZ are answered before the kernel asks for the kind of socket. Debian's Linux 6.1 gave these answers.
        for (request, answer) in [(0x5460, Err(Errno::ENOTTY)), (0x8906, Err(Errno::ENOTTY)), (2, Ok(0))] {
            assert_eq!(ioctl(&other, request, &mut 0), answer, "{request:x}");
        }
    }
}

extern "C" fn ignore(_: libc::c_int) {}

served! {
    fn a_signal_ends_the_wait() {
        let action = SigAction::new(SigHandler::Handler(ignore), SaFlags::empty(), SigSet::empty());
        // SAFETY: the handler does nothing.
        unsafe { sigaction(Signal::SIGUSR1, &action).unwrap() };
        let fd = waiting();
        let reader = thread::spawn(move || timed(|| read(&fd, &mut [0; 16])));
        thread::sleep(SOON);
        // SAFETY: the thread has not been joined, so its number is valid.
        assert_eq!(unsafe { libc::pthread_kill(reader.as_pthread_t(), libc::SIGUSR1) }, 0);
        let (got, took) = reader.join().unwrap();
        assert_eq!(got, Err(Errno::EINTR));
        assert!(took < LATE / 2, "{took:?}");
    }
}

served! {
    fn a_long_send_waits_for_a_reader() {
        const LEN: usize = 3 << 20;
        let text: Vec<u8> = (0..LEN).map(|at| (at * 7 + at / 256) as u8).collect();
        let fd = cbc();
        let ciphertext = thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut all = Vec::new();
                let mut piece = vec![0; 65536];
                while all.len() < LEN {
                    let got = read(&fd, &mut piece).unwrap();
                    all.extend_from_slice(&piece[..got]);
                }
                all
            });
            assert_eq!(encrypt(&fd, &text, MORE), Ok(LEN));
            reader.join().unwrap()
        });
        assert_eq!(send(fd.as_raw_fd(), &[], MsgFlags::empty()), Ok(0));

        // The expected plaintext: decrypted in small pieces, none of which waits.
        let fd = cbc();
        let mut plaintext = vec![0; LEN];
        let mut first = true;
        for (from, to) in ciphertext.chunks(16384).zip(plaintext.chunks_mut(16384)) {
            let sent = match std::mem::take(&mut first) {
                true => start(&fd, libc::ALG_OP_DECRYPT, from, MORE),
                false => send(fd.as_raw_fd(), from, MORE),
            };
            assert_eq!(sent, Ok(from.len()));
            assert_eq!(read(&fd, to), Ok(to.len()));
        }
        assert!(plaintext == text);
    }
}

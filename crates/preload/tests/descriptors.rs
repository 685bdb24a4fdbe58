//! Descriptors: duplicates, closing, flags, names, options.

mod common;

use common::{ABC, CIPHER, IV, PLAIN, assert_encrypts, cbc, checked, digest, encrypt, operation, own, parent, sha256};
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, FdFlag, OFlag, fcntl},
    sys::{
        epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout},
        socket::{
            AddressFamily, Backlog, MsgFlags, Shutdown, SockFlag, SockType, accept4, getsockopt, listen, send,
            shutdown, socket, sockopt,
        },
        stat::{SFlag, fstat},
    },
    unistd::{close, dup, dup2_raw, pipe, read, write},
};
use std::os::fd::{AsFd, AsRawFd, IntoRawFd, OwnedFd};

unsafe extern "C" {
    fn closefrom(first: libc::c_int);
}

served! {
    fn a_duplicate_outlives_the_original() {
        let first = cbc();
        let second = dup(&first).unwrap();
        encrypt(&first, &PLAIN[0], MsgFlags::empty()).unwrap();
        drop(first);
        let mut text = [0; 16];
        assert_eq!(read(&second, &mut text), Ok(16));
        assert_eq!(text, CIPHER[0]);

        let third = own(fcntl(&second, FcntlArg::F_DUPFD_CLOEXEC(100)).unwrap());
        assert!(third.as_raw_fd() >= 100);
        drop(second);
        assert_encrypts(&third);
    }
}

served! {
    /// Rustix makes system calls itself. So it finds what a call of another thread finds if it comes just before the kernel closes the descriptor.
    fn who_reads_past_the_library_does_not_wait() {
        let plain = sha256();
        let shared_flags = sha256();
        fcntl(&shared_flags, FcntlArg::F_SETFL(OFlag::empty())).unwrap();
        let nonblocking = own(accept4(parent("hash", "sha256", &[]).as_raw_fd(), SockFlag::SOCK_NONBLOCK).unwrap());
        fcntl(&nonblocking, FcntlArg::F_SETFL(OFlag::empty())).unwrap();
        for fd in [plain, shared_flags, nonblocking] {
            assert_eq!(rustix::io::read(&fd, &mut [0; 32]), Ok(0));
        }
    }
}

served! {
    fn dup2_replaces_in_both_directions() {
        let (reader, writer) = pipe().unwrap();
        // The pipe replaces the file behind a served descriptor.
        let number = cbc().into_raw_fd();
        // SAFETY: only this test uses the number.
        let replaced = unsafe { dup2_raw(&writer, number) }.unwrap();
        write(&replaced, b"through the pipe").unwrap();
        let mut text = [0; 16];
        assert_eq!(read(&reader, &mut text), Ok(16));
        assert_eq!(&text, b"through the pipe");

        // A served file replaces the pipe.
        let hash = sha256();
        // SAFETY: as above.
        let replaced = unsafe { dup2_raw(&hash, replaced.into_raw_fd()) }.unwrap();
        drop(hash);
        write(&replaced, b"abc").unwrap();
        assert_eq!(digest(&replaced), ABC);
    }
}

served! {
    fn a_number_that_was_served_is_free_again() {
        let number = cbc().into_raw_fd();
        close(number).unwrap();
        assert_eq!(close(number), Err(Errno::EBADF));
        let (reader, writer) = pipe().unwrap();
        assert!([reader.as_raw_fd(), writer.as_raw_fd()].contains(&number));
        write(&writer, b"abc").unwrap();
        let mut text = [0; 3];
        assert_eq!(read(&reader, &mut text), Ok(3));
        assert_eq!(&text, b"abc");
    }
}

served! {
    fn ranges_are_closed() {
        let (one, two, three) = (cbc().into_raw_fd(), cbc().into_raw_fd(), cbc());
        let range = |first: i32, last: i32| {
            // SAFETY: only this test uses the descriptors.
            checked(unsafe { libc::close_range(first as u32, last as u32, 0) })
        };
        assert_eq!(range(one.min(two), one.max(two)), Ok(0));
        let (reader, writer) = pipe().unwrap();
        write(&writer, b"a").unwrap();
        assert_eq!(read(&reader, &mut [0; 1]), Ok(1));
        assert_encrypts(&three);

        let high = own(fcntl(&three, FcntlArg::F_DUPFD(500)).unwrap()).into_raw_fd();
        // SAFETY: only this test has descriptors with numbers that high.
        unsafe { closefrom(500) };
        assert_eq!(close(high), Err(Errno::EBADF));
        assert_encrypts(&three);
    }
}

served! {
    fn a_program_may_close_what_it_did_not_open() {
        let file = |fd: i32| std::fs::read_link(format!("/proc/self/fd/{fd}")).unwrap();
        let kept = || {
            let numbers = std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().file_name());
            numbers.map(|name| name.to_str().unwrap().parse::<i32>().unwrap()).find(|&fd| fd >= 900)
        };
        let (_reader, writer) = pipe().unwrap();
        let pipe_name = file(writer.as_raw_fd());
        let replace = |kept: i32, writer: &OwnedFd| {
            // SAFETY: the descriptor of this number shall be replaced.
            let replaced = unsafe { dup2_raw(writer, kept) }.unwrap();
            assert_eq!(replaced.into_raw_fd(), kept);
        };
        let ways: [fn(i32); 4] = [
            |_| {},
            |kept| close(kept).unwrap(),
            // SAFETY: only the descriptor that is tested has a number that high.
            |kept| unsafe { closefrom(kept) },
            // SAFETY: the call closes the descriptor that is tested.
            |kept| assert_eq!(unsafe { libc::syscall(libc::SYS_close, kept) }, 0),
        ];
        for way in ways {
            assert_encrypts(&cbc());
            let number = kept().expect("a socket is kept, for duplicates");
            way(number);
            replace(number, &writer);
            let served = cbc();
            assert_ne!(file(served.as_raw_fd()), pipe_name);
            assert_encrypts(&served);
            assert_eq!(file(number), pipe_name);
            close(number).unwrap();
        }
    }
}

served! {
    fn flags_are_the_kernels() {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let fd = socket(AddressFamily::Alg, SockType::SeqPacket, flags, None).unwrap();
        let descriptor = |fd: &OwnedFd| FdFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFD).unwrap());
        let status = |fd: &OwnedFd| OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL).unwrap());
        assert!(descriptor(&fd).contains(FdFlag::FD_CLOEXEC) && status(&fd).contains(OFlag::O_NONBLOCK));
        // Another socket is put behind it so that its readiness shows.
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).unwrap();
        epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, 1)).unwrap();
        assert!(descriptor(&fd).contains(FdFlag::FD_CLOEXEC) && status(&fd).contains(OFlag::O_NONBLOCK));

        let named = parent("hash", "sha256", &[]);
        let accepted = own(accept4(named.as_raw_fd(), SockFlag::SOCK_NONBLOCK).unwrap());
        assert!(!descriptor(&accepted).contains(FdFlag::FD_CLOEXEC) && status(&accepted).contains(OFlag::O_NONBLOCK));
        let plain = operation(&named);
        assert!(!status(&plain).contains(OFlag::O_NONBLOCK));
        assert_eq!(SFlag::from_bits_truncate(fstat(&plain).unwrap().st_mode) & SFlag::S_IFMT, SFlag::S_IFSOCK);
    }
}

served! {
    fn flags_are_not_shared_with_the_parent() {
        let named = parent("hash", "sha256", &[]);
        let status = |fd: &OwnedFd| OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL).unwrap()) & OFlag::O_NONBLOCK;
        let (first, second) = (operation(&named), operation(&named));
        fcntl(&first, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        assert_eq!([&named, &first, &second].map(status), [OFlag::empty(), OFlag::O_NONBLOCK, OFlag::empty()]);
        fcntl(&named, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        assert_eq!([&named, &first, &second].map(status), [OFlag::O_NONBLOCK, OFlag::O_NONBLOCK, OFlag::empty()]);
        let third = operation(&named);
        assert_eq!(status(&third), OFlag::empty());
        // SAFETY: the pointer is to a number.
        assert_eq!(unsafe { libc::ioctl(third.as_raw_fd(), libc::FIONBIO, &1) }, 0);
        assert_eq!([&second, &third, &operation(&named)].map(status), [OFlag::empty(), OFlag::O_NONBLOCK, OFlag::empty()]);
    }
}

served! {
    fn a_closed_socket_leaves_epoll_though_its_parent_lives() {
        let named = parent("skcipher", "cbc(aes)", &[0; 16]);
        let epoll = Epoll::new(EpollCreateFlags::empty()).unwrap();
        let mut events = [EpollEvent::empty(); 4];
        let (first, second) = (operation(&named), operation(&named));
        epoll.add(&first, EpollEvent::new(EpollFlags::EPOLLOUT, 1)).unwrap();
        epoll.add(&second, EpollEvent::new(EpollFlags::EPOLLOUT, 2)).unwrap();
        assert_eq!(epoll.wait(&mut events, EpollTimeout::ZERO), Ok(2));
        drop(first);
        assert_eq!(epoll.wait(&mut events, EpollTimeout::ZERO), Ok(1));
        assert_eq!(events[0].data(), 2);
    }
}

served! {
    fn what_such_sockets_do_not_do() {
        let fd = cbc();
        // As in crypto/af_alg.c, which leaves these calls to the defaults of sockets: none exists.
        assert_eq!(listen(&fd, Backlog::MAXCONN), Err(Errno::EOPNOTSUPP));
        assert_eq!(shutdown(fd.as_raw_fd(), Shutdown::Both), Err(Errno::EOPNOTSUPP));
        let mut address = [0_u8; 128];
        let mut len = 128;
        // SAFETY: the pointers are to local variables, and `len` is the length of `address`.
        let name = unsafe { libc::getsockname(fd.as_raw_fd(), address.as_mut_ptr().cast(), &raw mut len) };
        assert_eq!(checked(name), Err(Errno::EOPNOTSUPP));
        // A caller that asks for the address of the peer gets no socket.
        let named = parent("skcipher", "cbc(aes)", &[]);
        // SAFETY: the pointers are to local variables, and `len` is the length of `address`.
        let accepted = unsafe { libc::accept(named.as_raw_fd(), address.as_mut_ptr().cast(), &raw mut len) };
        assert_eq!(checked(accepted), Err(Errno::ECONNABORTED));
        assert_eq!(accept4(named.as_raw_fd(), SockFlag::from_bits_retain(1)), Err(Errno::EINVAL));
        assert_eq!(send(named.as_raw_fd(), b"a", MsgFlags::empty()), Err(Errno::EOPNOTSUPP));
        let wrong = |kind, protocol| {
            // SAFETY: the call takes no pointers.
            checked(unsafe { libc::socket(libc::AF_ALG, kind, protocol) })
        };
        assert_eq!(wrong(libc::SOCK_DGRAM, 0), Err(Errno::ESOCKTNOSUPPORT));
        assert_eq!(wrong(libc::SOCK_SEQPACKET, 1), Err(Errno::EPROTONOSUPPORT));
    }
}

served! {
    fn options_of_every_socket() {
        let fd = cbc();
        assert_eq!(getsockopt(&fd, sockopt::SockType), Ok(SockType::SeqPacket));
        assert_eq!(getsockopt(&fd, sockopt::SocketError), Ok(0));
        let get = |name| {
            let (mut value, mut len) = (0_i32, 4);
            let place = (&raw mut value).cast();
            // SAFETY: the pointers are to local variables, and `len` is the length of `value`.
            checked(unsafe { libc::getsockopt(fd.as_raw_fd(), libc::SOL_SOCKET, name, place, &raw mut len) }).unwrap();
            value
        };
        assert_eq!([libc::SO_DOMAIN, libc::SO_PROTOCOL, libc::SO_ACCEPTCONN].map(get), [libc::AF_ALG, 0, 0]);
        nix::sys::socket::setsockopt(&fd, sockopt::SndBuf, &8192).unwrap();
        assert_eq!(get(libc::SO_SNDBUF), 16384);
    }
}

served! {
    fn calls_by_number_are_the_same_calls() {
        let fd = cbc();
        encrypt(&fd, &PLAIN[0], MsgFlags::empty()).unwrap();
        let mut text = [0_u8; 16];
        // SAFETY: the buffer has 16 bytes.
        let got = unsafe { libc::syscall(libc::SYS_read, fd.as_raw_fd(), text.as_mut_ptr(), 16) };
        assert_eq!((got, text), (16, CIPHER[0]));
        // SAFETY: the call takes no pointers.
        let made = unsafe { libc::syscall(libc::SYS_socket, libc::AF_ALG, libc::SOCK_SEQPACKET, 0) };
        let made = own(made as i32);
        assert_eq!(getsockopt(&made, sockopt::SockType), Ok(SockType::SeqPacket));
        // Other calls go to the kernel, with all six arguments.
        let page = std::ptr::null_mut::<libc::c_void>();
        let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: the call makes a new mapping, at an address that the kernel chooses.
        let mapped = unsafe { libc::syscall(libc::SYS_mmap, page, 4096, protection, flags, -1, 0_i64) };
        assert!(mapped > 0);
    }
}

served! {
    fn an_unrelated_descriptor_is_left_alone() {
        let (reader, writer) = pipe().unwrap();
        let copy = dup(&writer).unwrap();
        assert_eq!(write(copy.as_fd(), &IV), Ok(16));
        assert_eq!(read(&reader, &mut [0; 32]), Ok(16));
        assert_eq!(send(writer.as_raw_fd(), b"a", MsgFlags::empty()), Err(Errno::ENOTSOCK));
        assert_eq!(read(&writer, &mut [0; 1]), Err(Errno::EBADF));
    }
}

served! {
    fn few_free_numbers_keep_nothing_waiting() {
        use nix::{
            fcntl::{SpliceFFlags, splice},
            poll::{PollFd, PollFlags, poll},
        };
        // Before the first socket, so that the library makes no reserve.
        let limit = libc::rlimit { rlim_cur: 64, rlim_max: 64 };
        // SAFETY: the pointer is to a limit.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
        let (reader, writer) = pipe().unwrap();
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).unwrap();
        for free in 0..4 {
            // No two of these have been polled.
            let files: Vec<_> = (0..4).map(|_| cbc()).collect();
            for fd in &files {
                encrypt(fd, &[], common::MORE).unwrap();
            }
            let named = parent("hash", "sha256", &[]);
            let mut rest: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
            rest.truncate(rest.len() - free);
            for events in [PollFlags::POLLIN, PollFlags::POLLIN | PollFlags::POLLOUT] {
                let mut fds: Vec<_> = files.iter().map(|fd| PollFd::new(fd.as_fd(), events)).collect();
                let ready = if events == PollFlags::POLLIN { 0 } else { 4 };
                assert_eq!(poll(&mut fds, 20_u16), Ok(ready), "{free} free");
            }
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(std::time::Duration::from_millis(30));
                    send(files[3].as_raw_fd(), &PLAIN[0], common::MORE).unwrap();
                });
                let mut fds: Vec<_> = files.iter().map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN)).collect();
                assert_eq!(poll(&mut fds, 20_000_u16), Ok(1));
            });
            assert_eq!(read(&files[3], &mut [0; 16]), Ok(16));
            let added = epoll.add(&files[0], EpollEvent::new(EpollFlags::EPOLLIN, 7));
            assert!(matches!(added, Ok(()) | Err(Errno::EMFILE)), "{added:?}");
            write(&writer, &PLAIN[0]).unwrap();
            let spliced = splice(&reader, None, &files[1], None, 16, SpliceFFlags::SPLICE_F_MORE);
            match spliced {
                Ok(16) => assert_eq!(read(&files[1], &mut [0; 16]), Ok(16)),
                failed => assert_eq!((failed, read(&reader, &mut [0; 16])), (Err(Errno::EMFILE), Ok(16))),
            }
            let text = std::fs::File::open("/proc/crypto").map(drop).map_err(|error| error.raw_os_error());
            let accepted = accept4(named.as_raw_fd(), SockFlag::empty()).map(|fd| drop(own(fd))).map_err(|errno| Some(errno as i32));
            for opened in [text, accepted] {
                assert!(opened.is_ok() || opened == Err(Some(libc::EMFILE)), "{free} free: {opened:?}");
            }
        }
    }
}

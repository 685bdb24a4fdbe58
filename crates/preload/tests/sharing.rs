//! One state for the processes that `fork` makes.

mod common;

use common::{
    ABC, CIPHER, KEY, MILLION, MORE, PLAIN, assert_encrypts, assert_succeeds, cbc, digest, encrypt, hex, in_child,
    operation, parent, sha256, timed,
};
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, FdFlag, OFlag, fcntl},
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::{
        epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout},
        signal::{Signal, kill},
        socket::{
            AddressFamily, AlgAddr, MsgFlags, SockFlag, SockType, bind, recv, send, setsockopt, socket,
            sockopt::AlgSetKey,
        },
        wait::{WaitStatus, waitpid},
    },
    unistd::{close, pipe, read, write},
};
use std::{
    os::fd::{AsFd, AsRawFd, OwnedFd},
    thread,
    time::Duration,
};

const SOON: Duration = Duration::from_millis(60);
const NOW: MsgFlags = MsgFlags::MSG_DONTWAIT;

fn send_all(fd: &OwnedFd, text: &[u8], flags: MsgFlags) {
    assert_eq!(send(fd.as_raw_fd(), text, flags), Ok(text.len()));
}

/// Receives a block without waiting.
fn block(fd: &OwnedFd) -> nix::Result<[u8; 16]> {
    let mut block = [0; 16];
    assert_eq!(recv(fd.as_raw_fd(), &mut block, NOW)?, 16);
    Ok(block)
}

fn set_key(fd: &OwnedFd, key: &[u8]) -> nix::Result<()> {
    setsockopt(fd, AlgSetKey::<&[u8]>::default(), &key)
}

/// A moment's rest, then `body`, in a child.
fn soon(body: impl FnOnce()) -> nix::unistd::Pid {
    in_child(|| {
        thread::sleep(SOON);
        body();
    })
}

served! {
    fn one_takes_what_the_other_has_sent() {
        let fd = cbc();
        encrypt(&fd, &PLAIN[0], MORE).unwrap();
        assert_succeeds(in_child(|| {
            assert_eq!(block(&fd), Ok(CIPHER[0]));
            assert_eq!(block(&fd), Err(Errno::EAGAIN));
            send_all(&fd, &PLAIN[1], MORE);
        }));
        assert_eq!(block(&fd), Ok(CIPHER[1]));
        send_all(&fd, &[PLAIN[2], PLAIN[3]].concat(), MsgFlags::empty());
        assert_succeeds(in_child(|| assert_eq!(block(&fd), Ok(CIPHER[2]))));
        assert_eq!(block(&fd), Ok(CIPHER[3]));
        assert_encrypts(&fd);
    }
}

served! {
    fn grandchildren_and_siblings_have_the_same_state() {
        let fd = cbc();
        encrypt(&fd, &PLAIN[0], MORE).unwrap();
        let sibling = soon(|| {
            assert_eq!(block(&fd), Ok(CIPHER[1]));
            send_all(&fd, &PLAIN[2], MORE);
        });
        assert_succeeds(in_child(|| {
            assert_succeeds(in_child(|| assert_eq!(block(&fd), Ok(CIPHER[0]))));
            send_all(&fd, &PLAIN[1], MORE);
        }));
        assert_succeeds(sibling);
        assert_eq!(block(&fd), Ok(CIPHER[2]));
    }
}

served! {
    fn a_message_is_hashed_by_both() {
        let hash = sha256();
        send_all(&hash, b"a", MORE);
        assert_succeeds(in_child(|| send_all(&hash, b"b", MORE)));
        send_all(&hash, b"c", MsgFlags::empty());
        // A digest is received once.
        assert_succeeds(in_child(|| assert_eq!(digest(&hash), ABC)));
        assert_ne!(digest(&hash), ABC);

        for _ in 0..10 {
            send_all(&hash, &[b'a'; 50_000], MORE);
            assert_succeeds(in_child(|| send_all(&hash, &[b'a'; 50_000], MORE)));
        }
        assert_eq!(digest(&hash), MILLION);
    }
}

served! {
    fn every_kind_of_hash_goes_on_in_the_other_process() {
        let text: Vec<u8> = (0..=255).collect();
        let names = [
            ("hmac(sha512)", 20), ("cmac(aes)", 16), ("sha3-256", 0), ("blake2b-256", 0), ("poly1305", 0), ("md5", 0),
            ("crc32c", 4), ("xxhash64", 0), ("ghash", 16),
        ];
        for (name, key) in names {
            let hash = operation(&parent("hash", name, &text[..key]));
            let receive = || {
                let mut digest = [0; 64];
                let len = read(&hash, &mut digest).unwrap();
                hex(&digest[..len])
            };
            send_all(&hash, &text, MsgFlags::empty());
            let whole = receive();
            // Poly1305 takes the first 32 bytes of a message as its key.
            let (first, [second, third]) = (&text[..10], [&text[10..100], &text[100..]]);
            send_all(&hash, first, MORE);
            assert_succeeds(in_child(|| send_all(&hash, second, MORE)));
            send_all(&hash, third, MORE);
            assert_succeeds(in_child(|| assert_eq!(receive(), whole, "{name}")));
        }
    }
}

served! {
    fn a_text_and_its_tag_go_through_both() {
        // Test case 3 of the GCM specification (McGrew, Viega), its first block.
        let key = 0xfeffe9928665731c6d6a8f9467308308_u128.to_be_bytes();
        let iv = [0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88];
        let text = 0xd9313225f88406e5a55909c5aff5269a_u128.to_be_bytes();
        let cipher = 0x42831ec2217774244b7221b784d0d49c_u128.to_be_bytes();
        let fd = operation(&parent("aead", "gcm(aes)", &key));
        common::start_with(&fd, libc::ALG_OP_ENCRYPT, &iv, &text[..7], MORE).unwrap();
        assert_succeeds(in_child(|| {
            assert_eq!(block(&fd), Err(Errno::EAGAIN), "without all of the text there is no tag");
            send_all(&fd, &text[7..], MsgFlags::empty());
        }));
        let mut sealed = [0; 32];
        assert_eq!(read(&fd, &mut sealed), Ok(32));
        assert_eq!(sealed[..16], cipher);
        common::start_with(&fd, libc::ALG_OP_DECRYPT, &iv, &sealed, MsgFlags::empty()).unwrap();
        assert_succeeds(in_child(|| assert_eq!(block(&fd), Ok(text))));
        assert_eq!(block(&fd), Err(Errno::EAGAIN));
    }
}

served! {
    fn who_waits_is_woken_by_the_other_process() {
        let fd = cbc();
        encrypt(&fd, &[], MORE).unwrap();
        // One that waits since before the fork, in a thread, takes the first block, and nobody else does.
        let waits = || {
            let mut text = [0; 16];
            assert_eq!(read(&fd, &mut text), Ok(16));
            text
        };
        thread::scope(|scope| {
            let thread = scope.spawn(waits);
            thread::sleep(SOON);
            assert_succeeds(in_child(|| send_all(&fd, &PLAIN[0], MORE)));
            assert_eq!(thread.join().unwrap(), CIPHER[0]);
        });
        // The child waits, then this process.
        let child = in_child(|| assert_eq!(waits(), CIPHER[1]));
        thread::sleep(SOON);
        send_all(&fd, &PLAIN[1], MORE);
        assert_succeeds(child);
        let child = soon(|| send_all(&fd, &PLAIN[2], MORE));
        let (text, took) = timed(waits);
        assert!(text == CIPHER[2] && took > SOON / 2, "{took:?}");
        assert_succeeds(child);
    }
}

served! {
    fn room_made_by_one_is_used_by_the_other() {
        const LEN: usize = 1 << 20;
        let fd = cbc();
        encrypt(&fd, &[], MORE).unwrap();
        let child = in_child(|| {
            let (mut text, mut got) = (vec![0; 1 << 16], 0);
            while got < LEN {
                got += read(&fd, &mut text).unwrap();
            }
            assert_eq!(got, LEN);
        });
        send_all(&fd, &vec![0; LEN], MORE);
        assert_succeeds(child);
    }
}

served! {
    fn poll_and_epoll_see_what_the_other_process_does() {
        let fd = cbc();
        encrypt(&fd, &[], MORE).unwrap();
        let epoll = Epoll::new(EpollCreateFlags::empty()).unwrap();
        epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, 7)).unwrap();
        let polled = |timeout: u16| {
            let mut fds = [PollFd::new(fd.as_fd(), PollFlags::POLLIN)];
            poll(&mut fds, PollTimeout::from(timeout)).unwrap() == 1
        };
        let waited = |timeout: u16| {
            let mut events = [EpollEvent::empty()];
            epoll.wait(&mut events, EpollTimeout::from(timeout)).unwrap() == 1
        };
        assert!(!polled(20) && !waited(20));
        // A set made before the fork, by either of them.
        for waits in [&waited as &dyn Fn(u16) -> bool, &polled] {
            let child = soon(|| send_all(&fd, &PLAIN[0], MORE));
            let (ready, took) = timed(|| waits(20_000));
            assert!(ready && took > SOON / 2, "{took:?}");
            assert_succeeds(child);
            let child = in_child(|| {
                assert!(waits(0));
                block(&fd).unwrap();
                assert!(!waits(20));
            });
            assert_succeeds(child);
            assert!(!waits(20));
        }
        // A set that the child makes.
        let child = in_child(|| {
            let own = Epoll::new(EpollCreateFlags::empty()).unwrap();
            own.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, 7)).unwrap();
            assert_eq!(own.wait(&mut [EpollEvent::empty()], EpollTimeout::from(20_000_u16)), Ok(1));
            block(&fd).unwrap();
        });
        thread::sleep(SOON);
        send_all(&fd, &PLAIN[0], MORE);
        assert_succeeds(child);
        assert!(!polled(20) && !waited(20));
    }
}

served! {
    fn a_file_that_nobody_polled_before_the_fork_is_polled_by_both() {
        let fd = cbc();
        encrypt(&fd, &[], MORE).unwrap();
        let child = in_child(|| {
            let mut fds = [PollFd::new(fd.as_fd(), PollFlags::POLLIN)];
            assert_eq!(poll(&mut fds, PollTimeout::from(20_000_u16)), Ok(1));
            block(&fd).unwrap();
        });
        thread::sleep(SOON);
        send_all(&fd, &PLAIN[0], MORE);
        let epoll = Epoll::new(EpollCreateFlags::empty()).unwrap();
        epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, 7)).unwrap();
        assert_succeeds(child);
        assert_eq!(epoll.wait(&mut [EpollEvent::empty()], EpollTimeout::from(20_u16)), Ok(0));
        let child = soon(|| send_all(&fd, &PLAIN[0], MORE));
        assert_eq!(epoll.wait(&mut [EpollEvent::empty()], EpollTimeout::from(20_000_u16)), Ok(1));
        assert_succeeds(child);
    }
}

served! {
    fn whether_calls_wait_is_the_same_in_both() {
        let fd = cbc();
        encrypt(&fd, &[], MORE).unwrap();
        assert_succeeds(in_child(|| {
            fcntl(&fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        }));
        assert_eq!(read(&fd, &mut [0; 16]), Err(Errno::EAGAIN));
        let flags = || OFlag::from_bits_retain(fcntl(&fd, FcntlArg::F_GETFL).unwrap());
        assert!(flags().contains(OFlag::O_NONBLOCK));
        let child = in_child(|| {
            assert_eq!(read(&fd, &mut [0; 16]), Err(Errno::EAGAIN));
            thread::sleep(2 * SOON);
            assert_eq!(read(&fd, &mut [0; 16]), Ok(16));
        });
        thread::sleep(SOON);
        fcntl(&fd, FcntlArg::F_SETFL(OFlag::empty())).unwrap();
        thread::sleep(2 * SOON);
        send_all(&fd, &PLAIN[0], MORE);
        assert_succeeds(child);
        assert!(!flags().contains(OFlag::O_NONBLOCK));
    }
}

served! {
    fn a_name_and_a_key_given_by_one_are_there_for_the_other() {
        let named = socket(AddressFamily::Alg, SockType::SeqPacket, SockFlag::empty(), None).unwrap();
        assert_succeeds(in_child(|| {
            bind(named.as_raw_fd(), &AlgAddr::new("skcipher", "cbc(aes)")).unwrap();
        }));
        // Accepted here, before there is a key, and given to the next child.
        let fd = operation(&named);
        assert_eq!(encrypt(&fd, &PLAIN[0], NOW), Err(Errno::ENOKEY));
        assert_succeeds(in_child(|| {
            set_key(&named, &[1; 16]).unwrap();
            assert_eq!(set_key(&named, &[1; 5]), Err(Errno::EINVAL), "which leaves the former key");
            set_key(&named, &KEY).unwrap();
            assert_eq!(set_key(&named, &[1; 5]), Err(Errno::EINVAL));
            drop(operation(&named));
        }));
        assert_encrypts(&operation(&named));
        assert_encrypts(&fd);
        // The name may not be another one while a socket is open that was accepted.
        assert_eq!(bind(named.as_raw_fd(), &AlgAddr::new("skcipher", "ctr(aes)")), Err(Errno::EBUSY));
    }
}

served! {
    fn a_key_reaches_a_socket_whose_parent_is_closed_here() {
        let named = parent("skcipher", "cbc(aes)", &[]);
        let fd = operation(&named);
        let (from, to) = pipe().unwrap();
        let child = in_child(|| {
            assert_eq!(read(&from, &mut [0]), Ok(1));
            set_key(&named, &KEY).unwrap();
        });
        drop(named);
        assert_eq!(encrypt(&fd, &PLAIN[0], NOW), Err(Errno::ENOKEY));
        write(&to, &[1]).unwrap();
        assert_succeeds(child);
        assert_encrypts(&fd);
    }
}

served! {
    fn a_transform_in_use_anywhere_takes_no_key() {
        let named = parent("skcipher", "cbc(aes)", &KEY);
        let fd = operation(&named);
        let (number, (from, to), (answers, answer)) = (fd.as_raw_fd(), pipe().unwrap(), pipe().unwrap());
        let child = in_child(|| {
            // Closed here, and open there.
            close(number).unwrap();
            assert_eq!(set_key(&named, &KEY), Err(Errno::EBUSY));
            let own = operation(&named);
            write(&answer, &[1]).unwrap();
            assert_eq!(read(&from, &mut [0]), Ok(1));
            assert_encrypts(&own);
        });
        assert_eq!(read(&answers, &mut [0]), Ok(1));
        close(fd).unwrap();
        assert_eq!(set_key(&named, &KEY), Err(Errno::EBUSY), "the child has one");
        // Until it ends, without having closed anything.
        write(&to, &[1]).unwrap();
        let mut info = std::mem::MaybeUninit::uninit();
        // SAFETY: room for what is told of a child, which is left to be waited for.
        let told = unsafe { libc::waitid(libc::P_PID, child.as_raw() as u32, info.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT) };
        assert_eq!(told, 0);
        assert_eq!(set_key(&named, &KEY), Ok(()));
        assert_succeeds(child);
        assert_encrypts(&operation(&named));
        // One that does nothing but have it, and may not even have begun to run.
        for _ in 0..20 {
            let fd = operation(&named);
            let child = in_child(|| {
                nix::unistd::pause();
            });
            drop(fd);
            assert_eq!(set_key(&named, &KEY), Err(Errno::EBUSY));
            kill(child, Signal::SIGKILL).unwrap();
            waitpid(child, None).unwrap();
            assert_eq!(set_key(&named, &KEY), Ok(()));
        }
        // One that never will.
        let child = in_child(|| ());
        kill(child, Signal::SIGKILL).unwrap();
        waitpid(child, None).unwrap();
        assert_eq!(set_key(&named, &KEY), Ok(()));
    }
}

served! {
    fn a_socket_that_has_seen_its_key_elsewhere_keeps_the_transform_in_use() {
        let named = parent("hash", "hmac(sha256)", &[]);
        let fd = operation(&named);
        assert_succeeds(in_child(|| {
            assert_eq!(set_key(&named, &KEY), Ok(()));
            // A socket without a key does not keep the transform from taking another.
            assert_eq!(set_key(&named, &KEY), Ok(()));
            assert_eq!(recv(fd.as_raw_fd(), &mut [0; 32], NOW), Ok(32));
        }));
        assert_eq!(set_key(&named, &KEY), Err(Errno::EBUSY));
        drop(fd);
        assert_eq!(set_key(&named, &KEY), Ok(()));
    }
}

served! {
    fn a_child_that_has_become_another_program_uses_nothing() {
        let named = parent("skcipher", "cbc(aes)", &KEY);
        let fd = operation(&named);
        fcntl(&fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
        // The program says that it is there.
        let (said, say) = pipe().unwrap();
        let child = in_child(|| {
            nix::unistd::dup2_stdout(&say).unwrap();
            let program = [c"/bin/sh", c"-c", c"echo; kill -STOP $$"];
            nix::unistd::execv(program[0], &program).unwrap();
        });
        assert_eq!(read(&said, &mut [0]), Ok(1));
        assert_eq!(set_key(&named, &KEY), Err(Errno::EBUSY));
        drop(fd);
        assert_eq!(set_key(&named, &KEY), Ok(()));
        kill(child, Signal::SIGKILL).unwrap();
        waitpid(child, None).unwrap();
    }
}

served! {
    fn an_answer_of_netlink_is_read_by_either() {
        // SAFETY: a descriptor, or an error.
        let fd = unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW, 21) };
        let fd = common::own(common::checked(fd).unwrap() as i32);
        // `CRYPTO_MSG_GETALG` of everything: a header, and `crypto_user_alg` of zeros.
        let mut request = [0; 16 + 216];
        request[..4].copy_from_slice(&232_u32.to_ne_bytes());
        request[4..6].copy_from_slice(&0x13_u16.to_ne_bytes());
        request[6..8].copy_from_slice(&0x301_u16.to_ne_bytes());
        request[8..12].copy_from_slice(&77_u32.to_ne_bytes());
        send_all(&fd, &request, MsgFlags::empty());
        let mut kinds = Vec::new();
        loop {
            let mut datagram = [0; 8192];
            let child = in_child(|| {
                let len = recv(fd.as_raw_fd(), &mut datagram, NOW).unwrap();
                assert!(len >= 16 && datagram[8..12] == 77_u32.to_ne_bytes());
            });
            assert_succeeds(child);
            match recv(fd.as_raw_fd(), &mut datagram, NOW) {
                Ok(len) => assert!(len >= 16 && datagram[8..12] == 77_u32.to_ne_bytes()),
                Err(errno) => break assert_eq!(errno, Errno::EAGAIN),
            }
            kinds.push(u16::from_ne_bytes([datagram[4], datagram[5]]));
            if kinds.last() == Some(&3) {
                break;
            }
        }
        assert!(kinds.len() > 3, "{kinds:?}");
        assert_eq!(recv(fd.as_raw_fd(), &mut [0; 8192], NOW), Err(Errno::EAGAIN));
    }
}

served! {
    fn a_killed_process_leaves_a_whole_state() {
        for round in 0..60_u64 {
            let fd = cbc();
            let named = parent("hash", "sha256", &[]);
            let epoll = Epoll::new(EpollCreateFlags::empty()).unwrap();
            epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, 7)).unwrap();
            let text = [PLAIN[0]; 128].concat();
            let child = in_child(|| {
                let mut into = [0; 2048];
                loop {
                    // Each call changes what the descriptor shows, too.
                    encrypt(&fd, &text, NOW | MORE).unwrap();
                    recv(fd.as_raw_fd(), &mut into, NOW).unwrap();
                    drop(operation(&named));
                }
            });
            thread::sleep(Duration::from_micros(500 + 37 * round));
            kill(child, Signal::SIGKILL).unwrap();
            assert_eq!(waitpid(child, None), Ok(WaitStatus::Signaled(child, Signal::SIGKILL, false)));
            // There is a whole message, or none.
            let mut into = [0; 2048];
            match recv(fd.as_raw_fd(), &mut into, NOW) {
                Ok(len) => assert!(len == 2048 && into[..16] == CIPHER[0], "{len}"),
                Err(errno) => assert_eq!(errno, Errno::EAGAIN),
            }
            let ready = |timeout: u16| epoll.wait(&mut [EpollEvent::empty()], EpollTimeout::from(timeout)).unwrap();
            encrypt(&fd, &PLAIN[0], NOW).unwrap();
            assert_eq!(ready(1000), 1);
            assert_eq!(block(&fd), Ok(CIPHER[0]));
            encrypt(&fd, &[], MORE).unwrap();
            assert_eq!(ready(0), 0);
            set_key(&named, &[]).unwrap_err();
            drop(operation(&named));
        }
    }
}

served! {
    fn processes_take_turns_as_they_agree() {
        const ROUNDS: usize = 2000;
        let fd = cbc();
        // Who has the byte that is in the pipe has the socket.
        let (from, to) = pipe().unwrap();
        write(&to, &[0]).unwrap();
        let work = || {
            for _ in 0..ROUNDS {
                assert_eq!(read(&from, &mut [0]), Ok(1));
                assert_encrypts(&fd);
                write(&to, &[0]).unwrap();
            }
        };
        let children = [in_child(work), in_child(work)];
        work();
        children.into_iter().for_each(assert_succeeds);
    }
}

served! {
    fn processes_that_do_not_agree_harm_nobody() {
        let hash = sha256();
        let work = || {
            for _ in 0..2500 {
                send_all(&hash, &[b'a'; 100], MORE);
            }
        };
        let children = [in_child(work), in_child(work), in_child(work)];
        work();
        children.into_iter().for_each(assert_succeeds);
        // Whoever sent what, none of the letters is lost, and none comes twice.
        assert_eq!(digest(&hash), MILLION);
    }
}

served! {
    fn nothing_is_lost_while_threads_work_and_children_are_made() {
        const LETTERS: [u8; 50] = [b'a'; 50];
        let hash = sha256();
        let work = |sends: usize| (0..sends).for_each(|_| send_all(&hash, &LETTERS, MORE));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| work(7000));
            }
            let children: Vec<_> = (0..30).map(|_| in_child(|| work(200))).collect();
            children.into_iter().for_each(assert_succeeds);
        });
        // 50 * (2 * 7000 + 30 * 200) letters.
        assert_eq!(digest(&hash), MILLION);
    }
}

served! {
    fn what_is_closed_by_one_stays_open_in_the_other() {
        let fd = cbc();
        encrypt(&fd, &PLAIN[0], MORE).unwrap();
        let number = fd.as_raw_fd();
        assert_succeeds(in_child(|| {
            close(number).unwrap();
            assert_encrypts(&cbc());
        }));
        assert_eq!(block(&fd), Ok(CIPHER[0]));
        let child = soon(|| {
            send_all(&fd, &PLAIN[1], MORE);
            assert_eq!(block(&fd), Ok(CIPHER[1]));
        });
        close(number).unwrap();
        std::mem::forget(fd);
        assert_succeeds(child);
    }
}

served! {
    fn closing_wakes_who_waits_in_this_process() {
        let fd = cbc();
        encrypt(&fd, &[], MORE).unwrap();
        let number = fd.as_raw_fd();
        let child = in_child(|| assert_eq!(read(&fd, &mut [0; 16]), Ok(16)));
        let reader = thread::spawn({
            // SAFETY: open until it is closed below.
            let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(number) };
            move || read(fd, &mut [0; 16])
        });
        thread::sleep(SOON);
        let copy = fd.try_clone().unwrap();
        close(number).unwrap();
        std::mem::forget(fd);
        drop(copy);
        assert_eq!(reader.join().unwrap(), Err(Errno::EBADF));
        // The child goes on waiting, until it is done for.
        thread::sleep(SOON);
        assert_eq!(waitpid(child, Some(nix::sys::wait::WaitPidFlag::WNOHANG)), Ok(WaitStatus::StillAlive));
        kill(child, Signal::SIGKILL).unwrap();
        waitpid(child, None).unwrap();
    }
}

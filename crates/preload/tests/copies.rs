//! States after `fork`: the child has a copy.

mod common;

use common::{
    ABC, CIPHER, KEY, MORE, PLAIN, assert_encrypts, assert_succeeds, cbc, digest, encrypt, in_child, operation, parent,
    sha256, timed,
};
use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::{
        epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout},
        socket::{MsgFlags, recv, send, setsockopt, sockopt::AlgSetKey},
    },
};
use std::{
    fs,
    os::fd::{AsFd, AsRawFd, OwnedFd},
    thread,
    time::Duration,
};

/// Receives a block without waiting.
fn block(fd: &OwnedFd) -> nix::Result<[u8; 16]> {
    let mut block = [0; 16];
    assert_eq!(recv(fd.as_raw_fd(), &mut block, MsgFlags::MSG_DONTWAIT)?, 16);
    Ok(block)
}

served! {
    fn a_child_shares_a_page_of_numbers_with_its_parent_and_no_more() {
        let (_named, _operation, _hash) = (parent("skcipher", "cbc(aes)", &KEY), cbc(), sha256());
        assert_succeeds(in_child(|| {
            let maps = fs::read_to_string("/proc/self/maps").unwrap();
            let shared = maps.lines().filter(|line| line.split(' ').nth(1) == Some("rw-s"));
            let number = |text: &str| usize::from_str_radix(text, 16).unwrap();
            let lengths = shared.map(|line| {
                let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
                number(end) - number(start)
            });
            // The page holds which programs a line was printed for. Other processes read what one process writes there.
            assert_eq!(lengths.collect::<Vec<_>>(), [4096]);
        }));
    }
}

served! {
    fn each_goes_on_with_what_was_there() {
        let fd = cbc();
        encrypt(&fd, &PLAIN[0], MORE).unwrap();
        let hash = sha256();
        send(hash.as_raw_fd(), b"ab", MORE).unwrap();
        let goes_on = || {
            assert_eq!(block(&fd), Ok(CIPHER[0]));
            assert_eq!(block(&fd), Err(Errno::EAGAIN));
            send(fd.as_raw_fd(), &PLAIN[1], MsgFlags::empty()).unwrap();
            assert_eq!(block(&fd), Ok(CIPHER[1]));
            send(hash.as_raw_fd(), b"c", MsgFlags::empty()).unwrap();
            assert_eq!(digest(&hash), ABC);
        };
        assert_succeeds(in_child(goes_on));
        goes_on();
    }
}

served! {
    fn a_name_and_a_key_are_there_for_the_child() {
        let unkeyed = parent("skcipher", "cbc(aes)", &[]);
        assert_succeeds(in_child(|| {
            setsockopt(&unkeyed, AlgSetKey::<&[u8]>::default(), &&KEY[..]).unwrap();
            assert_encrypts(&operation(&unkeyed));
        }));
        assert_eq!(encrypt(&operation(&unkeyed), &PLAIN[0], MsgFlags::empty()), Err(Errno::ENOKEY));
        setsockopt(&unkeyed, AlgSetKey::<&[u8]>::default(), &&KEY[..]).unwrap();
        assert_succeeds(in_child(|| {
            assert_encrypts(&operation(&unkeyed));
            assert_succeeds(in_child(|| assert_encrypts(&operation(&unkeyed))));
        }));
        assert_encrypts(&operation(&unkeyed));
    }
}

served! {
    /// Behind the child's descriptor is the parent's socket until the child waits, too.
    fn a_child_wakes_itself_and_not_its_parent() {
        let fd = cbc();
        encrypt(&fd, &[], MORE).unwrap();
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).unwrap();
        epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, 1)).unwrap();
        let ready = || epoll.wait(&mut [EpollEvent::empty()], EpollTimeout::ZERO);
        assert_eq!(ready(), Ok(0));
        let send_block = || assert_eq!(send(fd.as_raw_fd(), &PLAIN[0], MORE), Ok(16));
        assert_succeeds(in_child(send_block));
        assert_eq!(ready(), Ok(0));
        assert_succeeds(in_child(|| thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                send_block();
            });
            let mut fds = [PollFd::new(fd.as_fd(), PollFlags::POLLIN)];
            let (found, took) = timed(|| poll(&mut fds, PollTimeout::from(20_000_u16)));
            assert_eq!(found, Ok(1));
            assert!(took < Duration::from_secs(10), "{took:?}");
        })));
        assert_eq!(ready(), Ok(0));
        send_block();
        assert_eq!(ready(), Ok(1));
    }
}

served! {
    fn each_polls_its_own() {
        let fd = cbc();
        encrypt(&fd, &PLAIN[0], MORE).unwrap();
        let is_readable = || {
            let mut fds = [PollFd::new(fd.as_fd(), PollFlags::POLLIN)];
            poll(&mut fds, PollTimeout::ZERO).unwrap() == 1
        };
        assert!(is_readable());
        assert_succeeds(in_child(|| {
            assert!(is_readable());
            assert_eq!(block(&fd), Ok(CIPHER[0]));
            assert!(!is_readable());
        }));
        assert!(is_readable());
        assert_eq!(block(&fd), Ok(CIPHER[0]));
        assert!(!is_readable());
    }
}

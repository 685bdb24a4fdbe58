//! The many functions that send and receive.

mod common;

use common::{ABC, CIPHER, IV, MORE, PLAIN, assert_encrypts, cbc, digest, encrypt, hex, operation, parent, sha256};
use nix::{
    errno::Errno,
    sys::{
        socket::{
            MsgFlags, MultiHeaders, SockaddrStorage, getsockopt, recv, recvfrom, recvmmsg, recvmsg, send, sendmmsg,
            sendto, sockopt::SocketError,
        },
        uio::{readv, writev},
    },
    unistd::{read, write},
};
use std::{
    io::{IoSlice, IoSliceMut},
    os::fd::AsRawFd,
    ptr,
};

served! {
    fn every_way_to_send_and_receive() {
        let fd = cbc();
        let number = fd.as_raw_fd();
        let control = [
            nix::sys::socket::ControlMessage::AlgSetOp(&libc::ALG_OP_ENCRYPT),
            nix::sys::socket::ControlMessage::AlgSetIv(&IV),
        ];
        let mut texts = [[0_u8; 16]; 4];
        let message = [IoSlice::new(&PLAIN[0][..3]), IoSlice::new(&[]), IoSlice::new(&PLAIN[0][3..])];
        assert_eq!(nix::sys::socket::sendmsg::<()>(number, &message, &control, MORE, None), Ok(16));
        assert_eq!(read(&fd, &mut texts[0]), Ok(16));

        assert_eq!(send(number, &PLAIN[1], MORE), Ok(16));
        assert_eq!(recv(number, &mut texts[1], MsgFlags::empty()), Ok(16));

        let address = nix::sys::socket::UnixAddr::new("/nowhere").unwrap();
        assert_eq!(sendto(number, &PLAIN[2], &address, MORE), Ok(16));
        let received = recvfrom::<SockaddrStorage>(number, &mut texts[2]);
        assert_eq!(received.map(|(len, from)| (len, from.is_none())), Ok((16, true)));

        assert_eq!(writev(&fd, &[IoSlice::new(&PLAIN[3][..15]), IoSlice::new(&PLAIN[3][15..])]), Ok(16));
        let (first, second) = texts[3].split_at_mut(1);
        assert_eq!(readv(&fd, &mut [IoSliceMut::new(first), IoSliceMut::new(second)]), Ok(16));
        assert_eq!(texts, CIPHER);
    }
}

served! {
    fn a_received_message_has_no_sender_and_no_control() {
        let fd = cbc();
        encrypt(&fd, PLAIN.as_flattened(), MsgFlags::empty()).unwrap();
        let (mut first, mut second) = ([0_u8; 17], [0_u8; 47]);
        let mut pieces = [&mut first[..], &mut second[..]]
            .map(|piece| libc::iovec { iov_base: piece.as_mut_ptr().cast(), iov_len: piece.len() });
        let (mut name, mut control) = ([0_u8; 128], [0_u64; 16]);
        // SAFETY: a `msghdr` of zeros is a valid value: an empty header.
        let mut header = unsafe { std::mem::zeroed::<libc::msghdr>() };
        header.msg_name = name.as_mut_ptr().cast();
        header.msg_namelen = 128;
        header.msg_control = control.as_mut_ptr().cast();
        header.msg_controllen = 128;
        header.msg_iov = pieces.as_mut_ptr();
        header.msg_iovlen = 2;
        header.msg_flags = -1;
        // SAFETY: the header names local variables with their lengths.
        assert_eq!(unsafe { libc::recvmsg(fd.as_raw_fd(), &raw mut header, libc::MSG_CMSG_CLOEXEC) }, 64);
        // As in the kernel, this flag is returned.
        let left = (header.msg_namelen, header.msg_controllen, header.msg_flags);
        assert_eq!(left, (0, 0, libc::MSG_CMSG_CLOEXEC));
        assert_eq!([&first[..], &second[..]].concat(), CIPHER.as_flattened());
    }
}

served! {
    fn a_send_that_waits_sets_the_iv_once() {
        let (fd, other) = (cbc(), cbc());
        let zeros = [0; 4096];
        while send(fd.as_raw_fd(), &zeros, MORE | MsgFlags::MSG_DONTWAIT).is_ok() {}
        let mut got = [[0; 4096]; 3];
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| encrypt(&fd, &zeros, MORE));
            std::thread::sleep(std::time::Duration::from_millis(300));
            assert!(!sender.is_finished());
            assert_eq!(read(&fd, &mut got[0]), Ok(4096));
            assert_eq!(sender.join().unwrap(), Ok(4096));
        });
        assert_eq!(read(&fd, &mut got[1]), Ok(4096));
        assert_eq!(read(&fd, &mut got[2]), Ok(4096));
        let mut expected = [[0; 4096]; 3];
        encrypt(&other, &[0; 3 * 4096], MORE).unwrap();
        assert_eq!(read(&other, expected.as_flattened_mut()), Ok(3 * 4096));
        assert!(got == expected);
    }
}

served! {
    fn a_digest_that_is_cut_off_says_so() {
        let fd = sha256();
        write(&fd, b"abc").unwrap();
        let mut digest = [0; 20];
        let mut pieces = [IoSliceMut::new(&mut digest)];
        let message = recvmsg::<()>(fd.as_raw_fd(), &mut pieces, None, MsgFlags::empty()).unwrap();
        assert_eq!((message.bytes, message.flags), (20, MsgFlags::MSG_TRUNC));
        assert_eq!(hex(&digest), ABC[..40]);
    }
}

served! {
    fn nothing_is_sent_and_received() {
        let fd = sha256();
        // A write of no bytes ends a message; a vector without bytes does nothing.
        send(fd.as_raw_fd(), b"abc", MORE).unwrap();
        assert_eq!(writev(&fd, &[IoSlice::new(&[])]), Ok(0));
        assert_eq!(read(&fd, &mut []), Ok(0));
        assert_eq!(write(&fd, &[]), Ok(0));
        assert_eq!(digest(&fd), ABC);
    }
}

served! {
    fn several_messages_in_one_call() {
        let fd = sha256();
        let pieces = [[IoSlice::new(b"a")], [IoSlice::new(b"bc")]];
        let mut headers = MultiHeaders::<()>::preallocate(2, None);
        let sent = sendmmsg(fd.as_raw_fd(), &mut headers, &pieces, [None, None], [], MORE);
        assert_eq!(sent.unwrap().map(|message| message.bytes).collect::<Vec<_>>(), [1, 2]);
        send(fd.as_raw_fd(), &[], MsgFlags::empty()).unwrap();
        let mut digests = [[0; 32]; 2];
        let [first, second] = &mut digests;
        let mut pieces = [[IoSliceMut::new(first)], [IoSliceMut::new(second)]];
        let received = recvmmsg(fd.as_raw_fd(), &mut headers, &mut pieces, MsgFlags::empty(), None);
        assert_eq!(received.unwrap().map(|message| message.bytes).collect::<Vec<_>>(), [32, 32]);
        // The second digest is that of an empty message (FIPS 180-4's algorithm on no bits).
        assert_eq!(hex(&digests[0]), ABC);
        assert_eq!(hex(&digests[1]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}

served! {
    fn a_message_that_is_sent_in_part_is_the_last() {
        let fd = cbc();
        let text = vec![0; 1 << 20];
        let pieces = [[IoSlice::new(&text[..1000])], [IoSlice::new(&text)], [IoSlice::new(&[])]];
        let mut headers = MultiHeaders::<()>::preallocate(3, None);
        let sent = sendmmsg(fd.as_raw_fd(), &mut headers, &pieces, [None; 3], [], MORE | MsgFlags::MSG_DONTWAIT);
        // The default of `net.core.wmem_default`, which the queue takes in all.
        assert_eq!(sent.unwrap().map(|message| message.bytes).collect::<Vec<_>>(), [1000, 212_992 - 1000]);
    }
}

served! {
    fn what_ended_a_call_with_several_messages_is_told_by_the_next() {
        // The key of `poly1305` comes with each message.
        let fd = operation(&parent("hash", "poly1305", &[]));
        let receive = |room: &mut [[u8; 16]; 2]| {
            let mut headers = MultiHeaders::<()>::preallocate(2, None);
            let [first, second] = room;
            let mut pieces = [[IoSliceMut::new(first)], [IoSliceMut::new(second)]];
            let received = recvmmsg(fd.as_raw_fd(), &mut headers, &mut pieces, MsgFlags::empty(), None);
            received.map(|messages| messages.count())
        };
        let (mut room, mut again) = ([[0; 16]; 2], [[0; 16]; 2]);
        send(fd.as_raw_fd(), &[7; 50], MsgFlags::empty()).unwrap();
        assert_eq!(receive(&mut room), Ok(1), "the message that is not there has no key");
        send(fd.as_raw_fd(), &[7; 50], MsgFlags::empty()).unwrap();
        assert_eq!(receive(&mut again), Err(Errno::ENOKEY));
        assert_eq!(receive(&mut again), Ok(1));
        assert_eq!(again[0], room[0]);
        assert_eq!(getsockopt(&fd, SocketError), Ok(libc::ENOKEY));
        assert_eq!(getsockopt(&fd, SocketError), Ok(0));
    }
}

served! {
    fn what_no_message_can_be() {
        let fd = cbc();
        // SAFETY: a `msghdr` of zeros is a valid value: an empty header.
        let header = || unsafe { std::mem::zeroed::<libc::msghdr>() };
        let sent = |header: &libc::msghdr| {
            // SAFETY: the header is a local variable, and is refused before its pointers are followed.
            common::checked(unsafe { libc::sendmsg(fd.as_raw_fd(), header, 0) } as i64)
        };
        let piece = libc::iovec { iov_base: ptr::null_mut(), iov_len: 1 };
        let mut vector = header();
        vector.msg_iov = (&raw const piece).cast_mut();
        vector.msg_iovlen = 1025;
        assert_eq!(sent(&vector), Err(Errno::EMSGSIZE));
        vector.msg_iovlen = 1;
        assert_eq!(sent(&vector), Err(Errno::EFAULT));
        let wild = libc::iovec { iov_base: ptr::without_provenance_mut(8), iov_len: 1 };
        vector.msg_iov = (&raw const wild).cast_mut();
        assert_eq!(sent(&vector), Err(Errno::EFAULT));
        let piece = libc::iovec { iov_base: ptr::null_mut(), iov_len: usize::MAX };
        vector.msg_iov = (&raw const piece).cast_mut();
        assert_eq!(sent(&vector), Err(Errno::EINVAL));
        let mut control = header();
        control.msg_control = (&raw mut control).cast();
        control.msg_controllen = 1 << 20;
        assert_eq!(sent(&control), Err(Errno::ENOBUFS));
        // SAFETY: the count is refused before the null pointer is followed.
        assert_eq!(common::checked(unsafe { libc::writev(fd.as_raw_fd(), ptr::null(), -1) } as i64), Err(Errno::EINVAL));
        assert_encrypts(&fd);
    }
}

served! {
    fn no_address_has_such_a_length() {
        let fd = cbc();
        let mut address = [0_u8; 256];
        let sent = |len: u32| {
            let (text, to) = (PLAIN[0].as_ptr().cast(), address.as_ptr().cast());
            // SAFETY: text and address are as long as is said, or the length is refused.
            common::checked(unsafe { libc::sendto(fd.as_raw_fd(), text, 16, libc::MSG_MORE, to, len) } as i64)
        };
        for len in [129, u32::MAX] {
            assert_eq!(sent(len), Err(Errno::EINVAL), "{len}");
        }
        let mut room = [0_u8; 16];
        let mut piece = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: 16 };
        // SAFETY: a `msghdr` of zeros is a valid value: an empty header.
        let mut header = unsafe { std::mem::zeroed::<libc::msghdr>() };
        (header.msg_iov, header.msg_iovlen) = (&raw mut piece, 1);
        (header.msg_name, header.msg_namelen) = (address.as_mut_ptr().cast(), u32::MAX);
        // SAFETY: the header names memory of this function, and its length is refused.
        unsafe {
            assert_eq!(common::checked(libc::sendmsg(fd.as_raw_fd(), &raw const header, 0) as i64), Err(Errno::EINVAL));
            assert_eq!(common::checked(libc::recvmsg(fd.as_raw_fd(), &raw mut header, 0) as i64), Err(Errno::EINVAL));
        }
        // None of them has begun a message, or ended one.
        assert_encrypts(&fd);
        // An address of a message that is too long is cut.
        header.msg_namelen = 256;
        // SAFETY: as above.
        assert_eq!(common::checked(unsafe { libc::sendmsg(fd.as_raw_fd(), &raw const header, 0) } as i64), Ok(16));
    }
}

served! {
    fn errno_is_left_alone_by_success() {
        let fd = cbc();
        assert_encrypts(&fd);
        Errno::set_raw(77);
        assert_encrypts(&fd);
        assert_eq!(Errno::last_raw(), 77);
    }
}

served! {
    fn flags_of_a_single_call() {
        let fd = cbc();
        let call = |number, address: usize, count: usize, flags: libc::c_int| {
            let piece = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: count };
            // SAFETY: the vector describes memory of this function that nothing else uses.
            let done = unsafe { libc::syscall(number, fd.as_raw_fd(), &raw const piece, 1, -1_i64, -1_i64, flags) };
            Errno::result(done)
        };
        encrypt(&fd, &[], MORE).unwrap();
        let (text, mut out) = (PLAIN[0], [0_u8; 16]);
        let from = text.as_ptr().expose_provenance();
        let into = out.as_mut_ptr().expose_provenance();
        for unsupported in [libc::RWF_NOWAIT, 1 << 30] {
            assert_eq!(call(libc::SYS_pwritev2, from, 16, unsupported), Err(Errno::EOPNOTSUPP));
            assert_eq!(call(libc::SYS_preadv2, into, 16, unsupported), Err(Errno::EOPNOTSUPP));
            assert_eq!(call(libc::SYS_preadv2, into, 0, unsupported), Ok(0));
        }
        assert_eq!(call(libc::SYS_pwritev2, from, 16, libc::RWF_APPEND), Ok(16));
        assert_eq!(call(libc::SYS_preadv2, into, 16, 0), Ok(16));
        assert_eq!(out, CIPHER[0]);

        let piece = libc::iovec { iov_base: out.as_mut_ptr().cast(), iov_len: 16 };
        // SAFETY: as above.
        unsafe {
            assert_eq!(Errno::result(libc::pwritev2(fd.as_raw_fd(), &raw const piece, 1, -1, 0)), Ok(16));
            assert_eq!(Errno::result(libc::preadv2(fd.as_raw_fd(), &raw const piece, 1, 0, 0)), Err(Errno::ESPIPE));
            assert_eq!(Errno::result(libc::preadv2(fd.as_raw_fd(), &raw const piece, 1, -1, 0)), Ok(16));
        }
        assert_ne!(out, CIPHER[0]);
    }
}

served! {
    fn a_timeout_of_recvmmsg_tells_what_is_left() {
        let fd = cbc();
        encrypt(&fd, &PLAIN[0], MORE).unwrap();
        let mut out = [0_u8; 16];
        let mut piece = libc::iovec { iov_base: out.as_mut_ptr().cast(), iov_len: 16 };
        // SAFETY: zeros are a valid value of the structure.
        let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
        message.msg_hdr.msg_iov = &raw mut piece;
        message.msg_hdr.msg_iovlen = 1;
        let mut timeout = libc::timespec { tv_sec: 100, tv_nsec: 0 };
        // SAFETY: the header describes memory of this function that nothing else uses.
        let done = unsafe { libc::recvmmsg(fd.as_raw_fd(), &raw mut message, 1, 0, &raw mut timeout) };
        assert_eq!((done, out), (1, CIPHER[0]));
        assert!((90..100).contains(&timeout.tv_sec), "{}", timeout.tv_sec);
    }
}

served! {
    fn only_netlink_has_timeouts() {
        let timeout = nix::sys::time::TimeVal::new(0, 60_000);
        let netlink = nix::sys::socket::socket(
            nix::sys::socket::AddressFamily::Netlink,
            nix::sys::socket::SockType::Raw,
            nix::sys::socket::SockFlag::empty(),
            nix::sys::socket::SockProtocol::NetlinkCrypto,
        );
        let netlink = netlink.unwrap();
        let option = nix::sys::socket::sockopt::ReceiveTimeout;
        nix::sys::socket::setsockopt(&netlink, option, &timeout).unwrap();
        // The socket behind the descriptor becomes another one when it is polled.
        let mut fds = [nix::poll::PollFd::new(std::os::fd::AsFd::as_fd(&netlink), nix::poll::PollFlags::POLLIN)];
        assert_eq!(nix::poll::poll(&mut fds, 1_u16), Ok(0));
        assert_eq!(getsockopt(&netlink, option), Ok(timeout));
        let (got, took) = common::timed(|| recv(netlink.as_raw_fd(), &mut [0; 16], MsgFlags::empty()));
        assert_eq!(got, Err(Errno::EAGAIN));
        assert!((60..10_000).contains(&took.as_millis()), "{took:?}");

        // AF_ALG ignores it.
        let fd = cbc();
        encrypt(&fd, &[], MORE).unwrap();
        nix::sys::socket::setsockopt(&fd, option, &timeout).unwrap();
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| recv(fd.as_raw_fd(), &mut [0; 16], MsgFlags::empty()));
            std::thread::sleep(std::time::Duration::from_millis(200));
            assert!(!reader.is_finished());
            send(fd.as_raw_fd(), &PLAIN[0], MORE).unwrap();
            assert_eq!(reader.join().unwrap(), Ok(16));
        });
    }
}

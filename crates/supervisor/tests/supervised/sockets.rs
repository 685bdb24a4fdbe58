//! Sockets of hashes and ciphers.

use crate::{client::*, supervised};
use std::os::fd::{AsRawFd, OwnedFd};

supervised! {
    fn a_digest_in_parts() {
        let socket = hash("sha256");
        assert_eq!(send(&socket, b"a", libc::MSG_MORE).expect("sent"), 1);
        assert_eq!(write(socket.as_raw_fd(), b"bc").expect("written"), 2);
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn a_long_message_is_worth_one_digest() {
        // FIPS 180-4's example of a long message: a million times "a".
        const MILLION: [u8; 4] = [0xcd, 0xc7, 0x6e, 0x5c];
        let socket = hash("sha256");
        assert_eq!(send(&socket, &vec![b'a'; 1_000_000], 0).expect("sent"), 1_000_000);
        assert_eq!(digest(&socket)[..4], MILLION);
        // Longer than the supervisor processes at once.
        let long = vec![b'a'; 3 << 20];
        send(&socket, &long, 0).expect("sent");
        let whole = digest(&socket);
        for part in long.chunks(1000) {
            send(&socket, part, libc::MSG_MORE).expect("sent");
        }
        assert_eq!(digest(&socket), whole);
    }
}

supervised! {
    fn an_accepted_copy_goes_its_own_way() {
        let socket = hash("sha256");
        send(&socket, b"ab", libc::MSG_MORE).expect("sent");
        let copy = accept(&socket, 0).expect("a copy");
        send(&socket, b"x", libc::MSG_MORE).expect("sent");
        send(&copy, b"c", libc::MSG_MORE).expect("sent");
        assert_eq!(digest(&copy), ABC);
        assert_ne!(digest(&socket), ABC);
    }
}

supervised! {
    fn a_cipher_and_its_iv() {
        let socket = cbc(0);
        assert_eq!(send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent"), 16);
        let mut out = [0; 16];
        assert_eq!(recv(&socket, &mut out, 0).expect("received"), 16);
        assert_eq!(out, SECRET);
        send(&socket, &TEXT_2, 0).expect("sent");
        recv(&socket, &mut out, 0).expect("received");
        assert_eq!(out, SECRET_2);
        // Behind the text, the buffer stays as it was: the supervisor's has bytes of other programs there.
        let (socket, mut room) = (cbc(0), [0x5a; 64]);
        send_with(&socket, &TEXT, &mut encrypt(), 0).expect("sent");
        assert_eq!(recv(&socket, &mut room, 0).expect("received"), 16);
        assert_eq!((room[..16].to_vec(), room[16..].to_vec()), (SECRET.to_vec(), vec![0x5a; 48]));
    }
}

supervised! {
    fn vectors_are_gathered_and_scattered() {
        let socket = cbc(0);
        let text = [TEXT, TEXT_2].concat();
        let mut pieces: Vec<_> = text.chunks(5).map(piece).collect();
        let mut control = encrypt();
        let message = header(&mut pieces, &mut control);
        // SAFETY: the header describes buffers that live as long as the call.
        assert_eq!(check(unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, 0) }).expect("sent"), 32);
        let mut out = [0u8; 32];
        let mut into: Vec<_> = out.chunks_mut(7).map(place).collect();
        let mut message = header(&mut into, &mut []);
        message.msg_controllen = 0;
        message.msg_flags = -1;
        // SAFETY: the header describes buffers that live as long as the call.
        assert_eq!(check(unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) }).expect("received"), 32);
        assert_eq!((message.msg_flags, message.msg_controllen), (0, 0));
        assert_eq!(out[..], [SECRET, SECRET_2].concat()[..]);
    }
}

supervised! {
    fn many_messages_at_once() {
        let socket = hash("sha256");
        let texts = [b"a", b"b", b"c"];
        let mut pieces = texts.map(|text| [piece(text)]);
        let mut messages = pieces.each_mut().map(|pieces| libc::mmsghdr { msg_hdr: header(pieces, &mut []), msg_len: 9 });
        // SAFETY: the headers describe buffers that live as long as the call.
        let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), 3, libc::MSG_MORE) };
        assert_eq!(sent, 3);
        assert_eq!(messages.map(|message| message.msg_len), [1, 1, 1]);
        let mut digest = [0; 32];
        let mut pieces = [place(&mut digest)];
        let mut message = libc::mmsghdr { msg_hdr: header(&mut pieces, &mut []), msg_len: 0 };
        // SAFETY: as above.
        let received = unsafe { libc::recvmmsg(socket.as_raw_fd(), &raw mut message, 1, 0, std::ptr::null_mut()) };
        assert_eq!((received, message.msg_len), (1, 32));
        assert_eq!(digest, ABC);
    }
}

supervised! {
    fn a_message_that_is_sent_in_part_counts_and_is_the_last() {
        let text = vec![0; 1 << 20];
        let flags = libc::MSG_MORE | libc::MSG_DONTWAIT;
        for whole in 0..3 {
            let socket = cbc(0);
            let mut pieces = [[piece(&text[..1000])]; 5];
            pieces[whole] = [piece(&text)];
            let mut messages =
                pieces.each_mut().map(|pieces| libc::mmsghdr { msg_hdr: header(pieces, &mut []), msg_len: 77 });
            // SAFETY: the headers describe buffers that live as long as the call.
            let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), 5, flags) };
            assert_eq!(sent, whole as i32 + 1);
            let mut expected = [77; 5];
            expected[..whole].fill(1000);
            // The default of `net.core.wmem_default`, which the queue takes in all.
            expected[whole] = 212_992 - 1000 * whole as u32;
            assert_eq!(messages.map(|message| message.msg_len), expected);
        }
    }
}

supervised! {
    fn a_message_whose_end_cannot_be_read_is_the_last() {
        let socket = hash("sha256");
        let mut pieces = [[piece(b"a"), piece(b"")], [piece(b"b"), piece(b"")], [piece(b"c"), piece(b"")]];
        pieces[1][1] = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 1 };
        let mut messages = pieces.each_mut().map(|pieces| libc::mmsghdr { msg_hdr: header(pieces, &mut []), msg_len: 7 });
        // SAFETY: the headers describe buffers that live as long as the call, except for one at an address that is never mapped.
        let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), 3, libc::MSG_MORE) };
        assert_eq!((sent, messages.map(|message| message.msg_len)), (2, [1, 1, 7]));
    }
}

supervised! {
    fn what_ended_a_call_with_several_messages_is_told_by_the_next() {
        // The key of `poly1305` comes with each message.
        let socket = hash("poly1305");
        let (mut first, mut second) = ([0; 16], [0; 16]);
        let mut receive = || {
            let mut pieces = [[place(&mut first)], [place(&mut second)]];
            let mut messages =
                pieces.each_mut().map(|pieces| libc::mmsghdr { msg_hdr: header(pieces, &mut []), msg_len: 0 });
            let (fd, none) = (socket.as_raw_fd(), std::ptr::null_mut());
            // SAFETY: the headers describe buffers that live as long as the call.
            let received = unsafe { libc::recvmmsg(fd, messages.as_mut_ptr(), 2, 0, none) };
            if received < 0 { Err(std::io::Error::last_os_error().raw_os_error()) } else { Ok(received) }
        };
        let send = || {
            // SAFETY: the text has the length that is passed.
            let sent = unsafe { libc::send(socket.as_raw_fd(), [7u8; 50].as_ptr().cast(), 50, 0) };
            assert_eq!(sent, 50);
        };
        let error = || {
            let (mut error, mut len) = (-1i32, 4);
            let (at, len) = ((&raw mut error).cast(), &raw mut len);
            // SAFETY: the pointers are to a number and to its length.
            let got = unsafe { libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_ERROR, at, len) };
            assert_eq!(got, 0);
            error
        };
        send();
        assert_eq!(receive(), Ok(1), "the message that is not there has no key");
        send();
        assert_eq!(receive(), Err(Some(libc::ENOKEY)));
        assert_eq!(receive(), Ok(1));
        assert_eq!((error(), error()), (libc::ENOKEY, 0));
    }
}

supervised! {
    fn flags_of_a_single_call() {
        let socket = cbc(0);
        send_with(&socket, &[], &mut encrypt(), libc::MSG_MORE).expect("sent");
        let call = |number, piece: libc::iovec, flags: i32| {
            let (fd, piece) = (socket.as_raw_fd(), &raw const piece);
            // SAFETY: the vector describes memory of this function that nothing else uses.
            check(unsafe { libc::syscall(number, fd, piece, 1, -1i64, -1i64, flags) } as isize)
        };
        let mut out = [0; 16];
        for unsupported in [libc::RWF_NOWAIT, 1 << 30] {
            assert_eq!(errno(call(libc::SYS_pwritev2, piece(&TEXT), unsupported)), libc::EOPNOTSUPP);
            assert_eq!(errno(call(libc::SYS_preadv2, place(&mut out), unsupported)), libc::EOPNOTSUPP);
            assert_eq!(call(libc::SYS_preadv2, place(&mut []), unsupported).expect("nothing"), 0);
        }
        assert_eq!(call(libc::SYS_pwritev2, piece(&TEXT), libc::RWF_APPEND).expect("sent"), 16);
        assert_eq!(call(libc::SYS_preadv2, place(&mut out), 0).expect("received"), 16);
        assert_eq!(out, SECRET);
    }
}

supervised! {
    fn a_timeout_of_recvmmsg() {
        let socket = cbc(0);
        send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
        let mut out = [[0; 16]; 2];
        let mut pieces = out.each_mut().map(|out| [place(out)]);
        let mut messages = pieces.each_mut().map(|pieces| libc::mmsghdr { msg_hdr: header(pieces, &mut []), msg_len: 0 });
        let mut receive = |sec, nsec| {
            let mut timeout = libc::timespec { tv_sec: sec, tv_nsec: nsec };
            // SAFETY: the headers describe buffers that live as long as the call.
            let done = unsafe { libc::recvmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), 2, 0, &raw mut timeout) };
            check(done as isize).map(|done| (done, timeout.tv_sec, timeout.tv_nsec))
        };
        assert_eq!(errno(receive(0, 1_000_000_000)), libc::EINVAL);
        assert_eq!(errno(receive(-1, 0)), libc::EINVAL);
        // After the first message, the time is over. The kernel looks at the time after each message.
        assert_eq!(receive(0, 1).expect("received"), (1, 0, 0));
        send(&socket, &TEXT_2, libc::MSG_MORE).expect("sent");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(50));
                send(&socket, &TEXT, libc::MSG_MORE).expect("sent");
            });
            let (done, seconds, _) = receive(1000, 0).expect("received");
            assert!(done == 2 && (900..1000).contains(&seconds), "{done} {seconds}");
        });
    }
}

supervised! {
    fn a_gap_between_two_requests_stays_as_it_was() {
        let want = {
            let (cipher, mut text) = (cbc(0), [0; 64]);
            send_with(&cipher, &[0x55; 64], &mut encrypt(), 0).expect("sent");
            assert_eq!(recv(&cipher, &mut text, 0).expect("received"), 64);
            text
        };
        // With the smallest buffer, a request ends with a piece. The bytes of the piece after its last whole block are
        // not written.
        let cipher = cbc(0);
        set_option(&cipher, libc::SOL_SOCKET, libc::SO_RCVBUF, &1i32.to_ne_bytes()).expect("an option");
        send_with(&cipher, &[0x55; 64], &mut encrypt(), 0).expect("sent");
        let (mut first, mut second) = ([0xaa; 20], [0xaa; 44]);
        let pieces = [place(&mut first), place(&mut second)];
        // SAFETY: the pieces describe buffers that live as long as the call.
        let received = unsafe { libc::readv(cipher.as_raw_fd(), pieces.as_ptr(), 2) };
        assert_eq!(received, 48);
        assert_eq!((&first[..16], &first[16..]), (&want[..16], &[0xaa; 4][..]));
        assert_eq!((&second[..32], &second[32..]), (&want[16..48], &[0xaa; 12][..]));
    }
}

supervised! {
    fn a_gap_in_memory_that_cannot_be_read_shows_nothing_of_the_supervisors() {
        let cipher = cbc(0);
        set_option(&cipher, libc::SOL_SOCKET, libc::SO_RCVBUF, &1i32.to_ne_bytes()).expect("an option");
        send_with(&cipher, &[0x55; 64], &mut encrypt(), 0).expect("sent");
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, at an address that the kernel chooses.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_WRITE, flags, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        let piece = |at: usize, len| libc::iovec { iov_base: page.wrapping_byte_add(at), iov_len: len };
        // SAFETY: the pieces are in the mapping.
        let received = unsafe { libc::readv(cipher.as_raw_fd(), [piece(0, 20), piece(2048, 44)].as_ptr(), 2) };
        assert_eq!(received, 48);
        // SAFETY: the mapping is a page, which nobody else uses, and can be read from then on.
        let bytes = unsafe {
            assert_eq!(libc::mprotect(page, 4096, libc::PROT_READ), 0);
            std::slice::from_raw_parts(page.cast::<u8>(), 4096)
        };
        assert_ne!(bytes[..16], [0; 16]);
        assert_eq!(bytes[16..20], [0; 4]);
    }
}

supervised! {
    fn errors_are_the_kernels() {
        assert_eq!(errno(bound("hash", "nonesuch")), libc::ENOENT);
        assert_eq!(errno(bound("nonesuch", "sha256")), libc::ENOENT);
        assert_eq!(errno(socket(libc::AF_ALG, libc::SOCK_STREAM, 0)), libc::ESOCKTNOSUPPORT);
        assert_eq!(errno(socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 1)), libc::EPROTONOSUPPORT);
        let cipher = bound("skcipher", "cbc(aes)").expect("a cipher");
        assert_eq!(errno(set_option(&cipher, libc::SOL_ALG, libc::ALG_SET_KEY, &KEY[1..])), libc::EINVAL);
        let socket = accept(&cipher, 0).expect("a socket");
        assert_eq!(errno(send(&socket, &TEXT, 0)), libc::ENOKEY);
        assert_eq!(errno(send(&cipher, &TEXT, 0)), libc::EOPNOTSUPP);
        assert_eq!(errno(accept(&socket, 0)), libc::EOPNOTSUPP);
        let mut message = header(&mut [], &mut []);
        message.msg_controllen = 64;
        message.msg_control = std::ptr::null_mut();
        // SAFETY: the header describes no memory: the address of its control messages is null.
        let sent = unsafe { libc::sendmsg(cbc(0).as_raw_fd(), &raw const message, 0) };
        assert_eq!(errno(check(sent)), libc::EFAULT);
        let name = |socket: &OwnedFd| {
            let (mut room, mut len) = ([0u8; 128], 128);
            // SAFETY: the buffer has the length that is passed.
            check(unsafe { libc::getsockname(socket.as_raw_fd(), room.as_mut_ptr().cast(), &raw mut len) } as isize)
        };
        assert_eq!(errno(name(&socket)), libc::EOPNOTSUPP);
        // The peer of an accepted socket has no address, and `accept` fails if it is asked for.
        let (mut room, mut len) = ([0u8; 128], 128);
        // SAFETY: the buffer has the length that is passed.
        let result = unsafe { libc::accept(cipher.as_raw_fd(), room.as_mut_ptr().cast(), &raw mut len) };
        assert_eq!(errno(check(result as isize)), libc::ECONNABORTED);
    }
}

supervised! {
    fn options_tell_what_it_is() {
        let socket = hash("sha256");
        assert_eq!(option(&socket, libc::SO_DOMAIN).expect("a family"), libc::AF_ALG);
        assert_eq!(option(&socket, libc::SO_TYPE).expect("a type"), libc::SOCK_SEQPACKET);
        assert_eq!(option(&socket, libc::SO_PROTOCOL).expect("a protocol"), 0);
        assert_eq!(option(&socket, libc::SO_SNDBUF).expect("a size"), 212_992);
        set_option(&socket, libc::SOL_SOCKET, libc::SO_SNDBUF, &8192u32.to_ne_bytes()).expect("set");
        assert_eq!(option(&socket, libc::SO_SNDBUF).expect("a size"), 16_384);
        // SO_PEERGROUPS and SO_PEERPIDFD: nobody is on the other side (`sk_peer_cred` and `sk_peer_pid` are null).
        for of_peer in [59, 77] {
            assert_eq!(errno(option(&socket, of_peer)), libc::ENODATA);
        }
    }
}

supervised! {
    fn an_empty_read_is_nothing_and_an_empty_write_a_message() {
        let socket = hash("sha256");
        send(&socket, b"abc", libc::MSG_MORE).expect("sent");
        assert_eq!(read(socket.as_raw_fd(), &mut []).expect("nothing"), 0);
        assert_eq!(write(socket.as_raw_fd(), &[]).expect("the end"), 0);
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn a_key_may_change_once_the_others_are_closed() {
        let cipher = bound("skcipher", "cbc(aes)").expect("a cipher");
        let set_key = || set_option(&cipher, libc::SOL_ALG, libc::ALG_SET_KEY, &KEY);
        set_key().expect("set");
        // To wipe the text that nobody has received takes a while.
        let text = vec![0; 64 << 10];
        for (left, rounds) in [(0, 200), (text.len(), 5000)] {
            for _ in 0..rounds {
                let socket = accept(&cipher, 0).expect("a socket");
                send(&socket, &text[..left], libc::MSG_MORE).expect("sent");
                assert_eq!(errno(set_key()), libc::EBUSY);
                drop(socket);
                set_key().expect("set");
            }
        }
    }
}

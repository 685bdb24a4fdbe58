//! `splice`, `vmsplice` and `sendfile`.

mod common;

use common::{ABC, CIPHER, MILLION, PLAIN, cbc, digest, encrypt, sha256};
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, OFlag, SpliceFFlags, fcntl, splice, vmsplice},
    sys::{
        sendfile::sendfile,
        socket::{MsgFlags, send, setsockopt, sockopt::SndBuf},
    },
    unistd::{pipe, read, write},
};
use std::{
    io::{IoSlice, Write},
    iter,
    os::fd::AsRawFd,
    ptr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

const NONE: SpliceFFlags = SpliceFFlags::empty();

served! {
    fn a_digest_through_a_pipe() {
        let (reader, writer) = pipe().unwrap();
        let hash = sha256();
        write(&writer, b"abc").unwrap();
        // The call asks for more than the pipe has.
        assert_eq!(splice(&reader, None, &hash, None, 100, NONE), Ok(3));
        assert_eq!(digest(&hash), ABC);

        assert_eq!(vmsplice(&writer, &[IoSlice::new(b"ab")], NONE), Ok(2));
        assert_eq!(splice(&reader, None, &hash, None, 2, SpliceFFlags::SPLICE_F_MORE), Ok(2));
        assert_eq!(vmsplice(&writer, &[IoSlice::new(b"c")], SpliceFFlags::SPLICE_F_GIFT), Ok(1));
        assert_eq!(splice(&reader, None, &hash, None, 1, NONE), Ok(1));
        assert_eq!(digest(&hash), ABC);

        // A pipe of packets is moved like any other.
        // SAFETY: the call takes no pointers.
        assert_eq!(unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_DIRECT) }, 0);
        for letter in [b"a", b"b", b"c"] {
            write(&writer, letter).unwrap();
        }
        assert_eq!(splice(&reader, None, &hash, None, 100, NONE), Ok(3));
        assert_eq!(digest(&hash), ABC);
        // Unlike `read`, it leaves the rest of a packet.
        write(&writer, b"abc").unwrap();
        assert_eq!(splice(&reader, None, &hash, None, 2, SpliceFFlags::SPLICE_F_MORE), Ok(2));
        assert_eq!(splice(&reader, None, &hash, None, 2, NONE), Ok(1));
        assert_eq!(digest(&hash), ABC);
        // What has been moved is no longer in the pipe.
        assert_eq!(splice(&reader, None, &hash, None, 100, SpliceFFlags::SPLICE_F_NONBLOCK), Err(Errno::EAGAIN));
    }
}

served! {
    /// More than is sent at a time, and more than a cipher has room for.
    fn a_large_pipe_is_moved_by_one_call() {
        let (reader, writer) = pipe().unwrap();
        fcntl(&writer, FcntlArg::F_SETPIPE_SZ(1 << 20)).unwrap();
        assert_eq!(write(&writer, &[b'a'; 1_000_000]), Ok(1_000_000));
        let hash = sha256();
        assert_eq!(splice(&reader, None, &hash, None, 1_000_000, NONE), Ok(1_000_000));
        assert_eq!(digest(&hash), MILLION);

        // Of the first piece only a part is accepted, and the rest belongs to it.
        let fd = cbc();
        setsockopt(&fd, SndBuf, &4096).unwrap();
        assert_eq!(write(&writer, &[b'a'; 1_000_000]), Ok(1_000_000));
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut left = 1_000_000;
                while left > 0 {
                    left -= read(&fd, &mut [0; 4096]).unwrap();
                }
            });
            assert_eq!(splice(&reader, None, &fd, None, 1_000_000, NONE), Ok(1_000_000));
        });
    }
}

served! {
    fn a_million_bytes_through_a_pipe() {
        let (reader, writer) = pipe().unwrap();
        let hash = sha256();
        thread::scope(|scope| {
            scope.spawn(|| {
                let text = vec![b'a'; 1_000_000];
                let mut rest = &text[..];
                while !rest.is_empty() {
                    rest = &rest[write(&writer, rest).unwrap()..];
                }
            });
            let mut left = 1_000_000;
            while left > 0 {
                left -= splice(&reader, None, &hash, None, left, SpliceFFlags::SPLICE_F_MORE).unwrap();
            }
        });
        send(hash.as_raw_fd(), &[], MsgFlags::empty()).unwrap();
        assert_eq!(digest(&hash), MILLION);
    }
}

served! {
    /// None misses the end, and no byte goes to both.
    fn two_threads_take_from_a_pipe() {
        for _ in 0..1000 {
            let (reader, writer) = pipe().unwrap();
            let is_closed = AtomicBool::new(false);
            let take = || {
                let hash = sha256();
                let next = || splice(&reader, None, &hash, None, 100, SpliceFFlags::SPLICE_F_MORE).unwrap();
                let taken: usize = iter::from_fn(|| Some(next())).take_while(|&taken| taken > 0).sum();
                assert!(is_closed.load(Ordering::SeqCst));
                taken
            };
            thread::scope(|scope| {
                let takers = [scope.spawn(take), scope.spawn(take)];
                (0..20).for_each(|_| assert_eq!(write(&writer, &[0; 150]), Ok(150)));
                is_closed.store(true, Ordering::SeqCst);
                drop(writer);
                assert_eq!(takers.map(|taker| taker.join().unwrap()).iter().sum::<usize>(), 20 * 150);
            });
        }
    }
}

served! {
    fn a_cipher_between_two_pipes() {
        let (in_reader, in_writer) = pipe().unwrap();
        let (out_reader, out_writer) = pipe().unwrap();
        let fd = cbc();
        encrypt(&fd, &[], common::MORE).unwrap();
        write(&in_writer, PLAIN.as_flattened()).unwrap();
        assert_eq!(splice(&in_reader, None, &fd, None, 64, NONE), Ok(64));
        assert_eq!(splice(&fd, None, &out_writer, None, 64, NONE), Ok(64));
        let mut text = [0; 64];
        assert_eq!(read(&out_reader, &mut text), Ok(64));
        assert_eq!(text, CIPHER.as_flattened());
    }
}

served! {
    fn splice_refuses_what_the_kernel_refuses() {
        let (reader, writer) = pipe().unwrap();
        let fd = cbc();
        let file = tempfile::tempfile().unwrap();
        assert_eq!(splice(&file, None, &fd, None, 1, NONE), Err(Errno::EINVAL));
        assert_eq!(splice(&reader, Some(&mut 0), &fd, None, 1, NONE), Err(Errno::ESPIPE));
        assert_eq!(splice(&reader, None, &fd, Some(&mut 0), 1, NONE), Err(Errno::EINVAL));
        assert_eq!(splice(&reader, None, &fd, None, 1, SpliceFFlags::SPLICE_F_NONBLOCK), Err(Errno::EAGAIN));
        assert_eq!(splice(&reader, None, &fd, None, 0, NONE), Ok(0));
        // Data that the socket refuses stays in the pipe.
        encrypt(&fd, &PLAIN[0], MsgFlags::empty()).unwrap();
        write(&writer, b"stays").unwrap();
        assert_eq!(splice(&reader, None, &fd, None, 5, NONE), Err(Errno::EINVAL));
        let mut text = [0; 8];
        assert_eq!(read(&reader, &mut text), Ok(5));
        assert_eq!(&text[..5], b"stays");
        // Each end has one direction. What was received for the wrong end is not lost.
        assert_eq!(splice(&fd, None, &reader, None, 16, NONE), Err(Errno::EBADF));
        assert_eq!(splice(&writer, None, &fd, None, 1, NONE), Err(Errno::EBADF));
        let (number, none) = (fd.as_raw_fd(), ptr::null_mut());
        // SAFETY: the pointers to positions are null.
        let calls = unsafe {
            [
                libc::splice(-1, none, number, none, 1, 0),
                libc::splice(number, none, -1, none, 1, 0),
                libc::sendfile(number, -1, none, 1),
            ]
        };
        for returned in calls {
            assert_eq!(common::checked(returned as i64), Err(Errno::EBADF));
        }
        let mut text = [0; 16];
        assert_eq!(read(&fd, &mut text), Ok(16));
        assert_eq!(text, CIPHER[0]);
        drop(writer);
        assert_eq!(splice(&reader, None, &fd, None, 1, NONE), Ok(0));
    }
}

served! {
    fn what_finds_no_room_stays_in_the_pipe() {
        let (reader, writer) = pipe().unwrap();
        let fd = cbc();
        fcntl(&fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        encrypt(&fd, &[], common::MORE).unwrap();
        let text: Vec<u8> = (0..60_000_u32).map(|at| (at / 3) as u8).collect();
        let mut sent = Vec::new();
        let more = SpliceFFlags::SPLICE_F_MORE;
        let errno = loop {
            write(&writer, &text).unwrap();
            let mut left = text.len();
            let error = loop {
                match splice(&reader, None, &fd, None, left, more) {
                    Ok(moved) => {
                        sent.extend_from_slice(&text[text.len() - left..][..moved]);
                        left -= moved;
                    }
                    Err(errno) => break Some(errno),
                }
                if left == 0 {
                    break None;
                }
            };
            if let Some(errno) = error {
                // The rest is still in the pipe.
                let mut rest = vec![0; text.len()];
                assert_eq!(read(&reader, &mut rest), Ok(left));
                assert_eq!(rest[..left], text[text.len() - left..]);
                break errno;
            }
        };
        assert_eq!(errno, Errno::EAGAIN);
        // The ciphertext must be that of the data that was accepted. It is compared with that of the same text in small
        // messages.
        let whole = sent.len() / 16 * 16;
        let mut got = vec![0; whole];
        assert_eq!(read(&fd, &mut got), Ok(whole));
        let other = cbc();
        let mut expected = vec![0; whole];
        encrypt(&other, &[], common::MORE).unwrap();
        for (from, to) in sent[..whole].chunks(4096).zip(expected.chunks_mut(4096)) {
            send(other.as_raw_fd(), from, common::MORE).unwrap();
            assert_eq!(read(&other, to), Ok(to.len()));
        }
        assert!(got == expected);
    }
}

served! {
    fn a_file_is_sent() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![b'a'; 1_000_000]).unwrap();
        file.write_all(b"and more").unwrap();
        let hash = sha256();
        let mut offset = 0;
        assert_eq!(sendfile(&hash, &file, Some(&mut offset), 1_000_000), Ok(1_000_000));
        assert_eq!(offset, 1_000_000);
        assert_eq!(digest(&hash), MILLION);

        // A file that is shorter than the call asks for leaves the message open.
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"xab").unwrap();
        nix::unistd::lseek(&file, 1, nix::unistd::Whence::SeekSet).unwrap();
        assert_eq!(sendfile(&hash, &file, None, 10), Ok(2));
        assert_eq!(nix::unistd::lseek(&file, 0, nix::unistd::Whence::SeekCur), Ok(3));
        send(hash.as_raw_fd(), b"c", MsgFlags::empty()).unwrap();
        assert_eq!(digest(&hash), ABC);

        let (reader, _writer) = pipe().unwrap();
        assert_eq!(sendfile(&hash, &reader, None, 1), Err(Errno::EINVAL));
    }
}

served! {
    fn nothing_is_lost_for_which_a_pipe_has_no_room() {
        // Each byte takes a page of the pipe, so that one page is left.
        let (reader, writer) = pipe().unwrap();
        // SAFETY: the call takes no pointers. With this flag, each write is a packet with pages of its own.
        assert_eq!(unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_DIRECT | libc::O_NONBLOCK) }, 0);
        for _ in 0..15 {
            write(&writer, b"x").unwrap();
        }
        let fd = cbc();
        encrypt(&fd, &[0; 20_000], MsgFlags::empty()).unwrap();
        assert_eq!(splice(&fd, None, &writer, None, 20_000, NONE), Ok(4096));
        let mut text = vec![0; 8192];
        for _ in 0..15 {
            assert_eq!(read(&reader, &mut text), Ok(1));
        }
        assert_eq!(read(&reader, &mut text), Ok(4096));
        // The rest is still there, and follows.
        let mut rest = vec![0; 20_000];
        assert_eq!(read(&fd, &mut rest), Ok(20_000 - 4096));
        let whole = cbc();
        encrypt(&whole, &[0; 20_000], MsgFlags::empty()).unwrap();
        let mut all = vec![0; 20_000];
        assert_eq!(read(&whole, &mut all), Ok(20_000));
        assert!(text[..4096] == all[..4096] && rest[..20_000 - 4096] == all[4096..]);
    }
}

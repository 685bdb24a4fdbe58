//! `splice` and `sendfile`.

use crate::{client::*, supervised};
use std::{
    io::{Result, Seek, SeekFrom, Write},
    os::fd::{AsRawFd, OwnedFd},
    ptr,
    sync::mpsc,
    thread,
    time::Duration,
};

fn splice(from: &OwnedFd, to: &OwnedFd, len: usize, flags: u32) -> Result<usize> {
    // SAFETY: the pointers to positions are null.
    check(unsafe { libc::splice(from.as_raw_fd(), ptr::null_mut(), to.as_raw_fd(), ptr::null_mut(), len, flags) })
}

supervised! {
    fn from_a_pipe() {
        let (out, into) = pipe();
        let socket = hash("sha256");
        write(into.as_raw_fd(), b"abc").expect("written");
        assert_eq!(splice(&out, &socket, 2, libc::SPLICE_F_MORE).expect("moved"), 2);
        assert_eq!(splice(&out, &socket, 100, 0).expect("moved"), 1);
        assert_eq!(digest(&socket), ABC);
        // Unlike `read`, it leaves the rest of a packet.
        // SAFETY: the call takes no pointers.
        assert_eq!(unsafe { libc::fcntl(into.as_raw_fd(), libc::F_SETFL, libc::O_DIRECT) }, 0);
        write(into.as_raw_fd(), b"abc").expect("written");
        assert_eq!(splice(&out, &socket, 2, libc::SPLICE_F_MORE).expect("moved"), 2);
        assert_eq!(splice(&out, &socket, 2, 0).expect("moved"), 1);
        assert_eq!(digest(&socket), ABC);
        assert_eq!(errno(splice(&out, &socket, 1, libc::SPLICE_F_NONBLOCK)), libc::EAGAIN);
        assert_eq!(errno(splice(&out, &socket, 1, 16 | libc::SPLICE_F_NONBLOCK)), libc::EINVAL);
        drop(into);
        assert_eq!(splice(&out, &socket, 1, 0).expect("the end"), 0);
    }
}

supervised! {
    fn a_call_that_has_ended_keeps_no_thread() {
        // As many threads as may wait for the pipes of a program.
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let ((out, into), socket) = (pipe(), hash("sha256"));
                    for _ in 0..500 {
                        write(into.as_raw_fd(), b"abc").expect("written");
                        assert_eq!(splice(&out, &socket, 3, 0).expect("moved"), 3);
                    }
                });
            }
        });
    }
}

supervised! {
    fn a_program_has_only_so_many_calls_that_wait_for_pipes() {
        let (done, ended) = mpsc::channel();
        let writers: Vec<_> = (0..9)
            .map(|_| {
                let ((out, into), done) = (pipe(), done.clone());
                thread::spawn(move || done.send(splice(&out, &hash("sha256"), 1, 0).map_err(|error| error.raw_os_error())));
                into
            })
            .collect();
        // Eight wait, until their pipes have no writers any more.
        assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(Err(Some(libc::EAGAIN))));
        drop(writers);
        assert_eq!(ended.iter().take(8).filter(|end| *end == Ok(0)).count(), 8);
    }
}

supervised! {
    fn pages_of_memory_through_a_pipe() {
        let (out, into) = pipe();
        let socket = cbc(0);
        send_with(&socket, &[], &mut encrypt(), libc::MSG_MORE).expect("sent");
        let text = [TEXT, TEXT_2].concat();
        let piece = piece(&text);
        // SAFETY: the pointer is to one piece, and the count is 1.
        assert_eq!(unsafe { libc::vmsplice(into.as_raw_fd(), &raw const piece, 1, 0) }, 32);
        assert_eq!(splice(&out, &socket, 32, 0).expect("moved"), 32);
        let mut secret = [0; 32];
        assert_eq!(recv(&socket, &mut secret, 0).expect("received"), 32);
        assert_eq!(secret[..], [SECRET, SECRET_2].concat());
    }
}

supervised! {
    fn into_a_pipe() {
        let (out, into) = pipe();
        let socket = cbc(0);
        send_with(&socket, &TEXT, &mut encrypt(), 0).expect("sent");
        assert_eq!(splice(&socket, &into, 4096, 0).expect("moved"), 16);
        let mut secret = [0; 32];
        assert_eq!(read(out.as_raw_fd(), &mut secret).expect("read"), 16);
        assert_eq!(secret[..16], SECRET);
    }
}

fn sendfile(to: &OwnedFd, from: &OwnedFd, position: *mut i64, len: usize) -> Result<usize> {
    // SAFETY: the pointer is null or to a position.
    check(unsafe { libc::sendfile(to.as_raw_fd(), from.as_raw_fd(), position, len) })
}

supervised! {
    fn sendfile_into_a_pipe() {
        let (out, into) = pipe();
        let socket = cbc(0);
        send_with(&socket, &TEXT, &mut encrypt(), 0).expect("sent");
        assert_eq!(sendfile(&into, &socket, ptr::null_mut(), 0).expect("nothing"), 0);
        let mut position = 0;
        assert_eq!(errno(sendfile(&into, &socket, &raw mut position, 16)), libc::ESPIPE);
        let file = OwnedFd::from(tempfile());
        assert_eq!(errno(sendfile(&file, &socket, ptr::null_mut(), 16)), libc::EINVAL);
        assert_eq!(errno(sendfile(&out, &socket, ptr::null_mut(), 16)), libc::EBADF);
        assert_eq!(sendfile(&into, &socket, ptr::null_mut(), 4096).expect("moved"), 16);
        let mut secret = [0; 32];
        assert_eq!(read(out.as_raw_fd(), &mut secret).expect("read"), 16);
        assert_eq!(secret[..16], SECRET);
    }
}

supervised! {
    fn what_finds_no_room_in_the_pipe_is_not_lost() {
        let (out, into) = pipe();
        let socket = cbc(0);
        // What follows waits for text.
        send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
        recv(&socket, &mut [0; 16], 0).expect("received");
        thread::scope(|scope| {
            let mover = scope.spawn(|| splice(&socket, &into, 16, 0));
            thread::sleep(Duration::from_millis(50));
            assert_eq!(write(into.as_raw_fd(), &[0; 65_536]).expect("written"), 65_536);
            send(&socket, &TEXT_2, 0).expect("sent");
            thread::sleep(Duration::from_millis(50));
            let mut rest = 65_536;
            while rest > 0 {
                rest -= read(out.as_raw_fd(), &mut vec![0; rest]).expect("read");
            }
            assert_eq!(mover.join().expect("a thread").expect("moved"), 16);
        });
        let mut secret = [0; 32];
        assert_eq!(read(out.as_raw_fd(), &mut secret).expect("read"), 16);
        assert_eq!(secret[..16], SECRET_2);
    }
}

supervised! {
    fn a_pipe_that_fills_later() {
        let (out, into) = pipe();
        let socket = hash("sha256");
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(30));
                write(into.as_raw_fd(), b"abc").expect("written");
            });
            assert_eq!(splice(&out, &socket, 3, 0).expect("moved"), 3);
        });
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn what_finds_no_room_stays_in_the_pipe() {
        let (out, into) = pipe();
        let socket = cbc(libc::SOCK_NONBLOCK);
        send_with(&socket, &[], &mut encrypt(), libc::MSG_MORE).expect("sent");
        while send(&socket, &[0; 4096], libc::MSG_MORE).is_ok() {}
        write(into.as_raw_fd(), &TEXT).expect("written");
        assert_eq!(errno(splice(&out, &socket, 16, 0)), libc::EAGAIN);
        let mut text = [0; 16];
        assert_eq!(read(out.as_raw_fd(), &mut text).expect("read"), 16);
        assert_eq!(text, TEXT);
    }
}

supervised! {
    fn neither_end_is_a_pipe() {
        let socket = hash("sha256");
        let file = OwnedFd::from(std::fs::File::open("/proc/self/exe").expect("a file"));
        assert_eq!(errno(splice(&file, &socket, 1, 0)), libc::EINVAL);
        assert_eq!(errno(splice(&socket, &hash("sha256"), 1, 0)), libc::EINVAL);
        let (out, _into) = pipe();
        assert_eq!(errno(splice(&out, &socket, 1, 0x100)), libc::EINVAL);
        let mut at = 0;
        // SAFETY: the pointer is to a position, and the other is null.
        let result = unsafe { libc::splice(out.as_raw_fd(), &raw mut at, socket.as_raw_fd(), ptr::null_mut(), 1, 0) };
        assert_eq!(errno(check(result)), libc::ESPIPE);
    }
}

supervised! {
    fn from_a_file() {
        let mut file = tempfile();
        file.write_all(b"xxabc").expect("written");
        let source = OwnedFd::from(file.try_clone().expect("a duplicate"));
        let sendfile = |socket: &OwnedFd, position: *mut i64, len| sendfile(socket, &source, position, len);
        let socket = hash("sha256");
        let mut position = 2;
        assert_eq!(sendfile(&socket, &raw mut position, 3).expect("sent"), 3);
        assert_eq!(position, 5);
        assert_eq!(digest(&socket), ABC);
        (&file).seek(SeekFrom::Start(2)).expect("moved");
        assert_eq!(sendfile(&socket, ptr::null_mut(), 3).expect("sent"), 3);
        assert_eq!((&file).stream_position().expect("a position"), 5);
        assert_eq!(digest(&socket), ABC);
        assert_eq!(sendfile(&socket, ptr::null_mut(), 3).expect("the end"), 0);
        let (out, _into) = pipe();
        assert_eq!(errno(self::sendfile(&socket, &out, ptr::null_mut(), 1)), libc::EINVAL);
    }
}

supervised! {
    fn what_proc_shows_the_supervisor_is_refused() {
        // It says to the process itself, and to whoever may trace it, where its code and its stack are.
        let file = std::fs::File::open(format!("/proc/{}/stat", std::os::unix::process::parent_id())).expect("a file");
        let socket = hash("sha256");
        // SAFETY: the pointer to a position is null.
        let result = unsafe { libc::sendfile(socket.as_raw_fd(), file.as_raw_fd(), ptr::null_mut(), 4096) };
        assert_eq!(errno(check(result)), libc::EINVAL);
    }
}

supervised! {
    fn what_the_kernel_makes_is_refused() {
        // Files of sysfs, of a file system of the kernel's settings, and a device.
        for path in ["/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/profiling", "/proc/version", "/dev/zero"] {
            let Ok(file) = std::fs::File::open(path) else { continue };
            let socket = hash("sha256");
            // SAFETY: the pointer to a position is null.
            let result = unsafe { libc::sendfile(socket.as_raw_fd(), file.as_raw_fd(), ptr::null_mut(), 4096) };
            assert_eq!(errno(check(result)), libc::EINVAL, "{path}");
        }
        assert!(std::path::Path::new("/sys/kernel").exists());
    }
}

supervised! {
    fn a_full_pipe_that_does_not_wait() {
        let (out, into) = pipe();
        // SAFETY: the call takes no pointers.
        assert_eq!(unsafe { libc::fcntl(into.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) }, 0);
        while write(into.as_raw_fd(), &[0; 4096]).is_ok() {}
        let socket = cbc(0);
        send_with(&socket, &TEXT, &mut encrypt(), 0).expect("sent");
        assert_eq!(errno(splice(&socket, &into, 16, 0)), libc::EAGAIN);
        assert_eq!(read(out.as_raw_fd(), &mut [0; 65_536]).expect("read"), 65_536);
        assert_eq!(splice(&socket, &into, 16, 0).expect("moved"), 16);
        let mut text = [0; 16];
        assert_eq!(read(out.as_raw_fd(), &mut text).expect("read"), 16);
        assert_eq!(text, SECRET);
    }
}

fn tempfile() -> std::fs::File {
    let path = std::env::temp_dir().join(format!("algkit-supervised-{}", std::process::id()));
    let file = std::fs::OpenOptions::new().read(true).write(true).create_new(true).open(&path).expect("a file");
    std::fs::remove_file(path).expect("removed");
    file
}

supervised! {
    /// A call that waits for room leaves the pipe to others.
    fn what_another_takes_from_a_pipe_is_sent_once() {
        let ((out, into), full, hash) = (pipe(), cbc(0), hash("sha256"));
        while send(&full, &[0; 4096], libc::MSG_MORE | libc::MSG_DONTWAIT).is_ok() {}
        write(into.as_raw_fd(), b"abc").expect("written");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| splice(&out, &full, 16, libc::SPLICE_F_MORE));
            thread::sleep(Duration::from_millis(100));
            assert_eq!(splice(&out, &hash, 16, 0).expect("moved"), 3);
            assert_eq!(recv(&full, &mut [0; 8192], 0).expect("received"), 8192);
            thread::sleep(Duration::from_millis(100));
            assert!(!waiting.is_finished());
            write(into.as_raw_fd(), b"more").expect("written");
            assert_eq!(waiting.join().expect("a thread").expect("moved"), 4);
        });
    }
}

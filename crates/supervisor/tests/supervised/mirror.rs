//! The readiness that `poll`, `select` and `epoll` report.

use crate::{client::*, supervised};
use std::{
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    thread,
    time::Duration,
};

const IN: i16 = libc::POLLIN;
const OUT: i16 = libc::POLLOUT;

supervised! {
    fn poll_follows_a_cipher() {
        let socket = cbc(0);
        let fd = socket.as_raw_fd();
        assert_eq!(poll(fd, 0), IN | OUT);
        send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
        assert_eq!(poll(fd, 0), IN | OUT);
        let mut out = [0; 16];
        recv(&socket, &mut out, 0).expect("received");
        // More text is expected, and there is nothing to receive.
        assert_eq!(poll(fd, 0), OUT);
        assert_eq!(errno(recv(&socket, &mut out, libc::MSG_DONTWAIT)), libc::EAGAIN);
        send(&socket, &TEXT, 0).expect("sent");
        assert_eq!(poll(fd, 0), IN | OUT);
        recv(&socket, &mut out, 0).expect("received");
        assert_eq!(poll(fd, 0), IN | OUT);
    }
}

supervised! {
    fn a_full_queue_is_not_writable() {
        let socket = cbc(libc::SOCK_NONBLOCK);
        send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
        let chunk = [0; 65536];
        let mut sent = 16;
        let error = loop {
            match send(&socket, &chunk, libc::MSG_MORE) {
                Ok(n) => sent += n,
                Err(error) => break error,
            }
        };
        assert_eq!(error.raw_os_error(), Some(libc::EAGAIN));
        assert!((150_000..=220_000).contains(&sent), "{sent} bytes");
        assert_eq!(poll(socket.as_raw_fd(), 0), IN);
        let mut out = vec![0; sent];
        let mut received = 0;
        while received < 100_000 {
            received += recv(&socket, &mut out, 0).expect("received");
        }
        assert_eq!(out[..16], SECRET);
        assert_ne!(poll(socket.as_raw_fd(), 0) & OUT, 0);
    }
}

supervised! {
    fn select_knows_the_number() {
        let socket = cbc(0);
        // SAFETY: zeros are a valid value: the empty set.
        let mut set: libc::fd_set = unsafe { std::mem::zeroed() };
        // SAFETY: the number is below FD_SETSIZE, as the next assertion says.
        unsafe { libc::FD_SET(socket.as_raw_fd(), &raw mut set) };
        assert!(socket.as_raw_fd() < libc::FD_SETSIZE as i32);
        let mut now = libc::timeval { tv_sec: 0, tv_usec: 0 };
        let null = std::ptr::null_mut();
        // SAFETY: the pointers are null or to local variables.
        let ready = unsafe { libc::select(socket.as_raw_fd() + 1, &raw mut set, null, null, &raw mut now) };
        assert_eq!(ready, 1);
    }
}

supervised! {
    fn epoll_wakes_for_what_another_thread_does() {
        let socket = cbc(0);
        let mut out = [0; 16];
        send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
        recv(&socket, &mut out, 0).expect("received");
        // SAFETY: the call takes no pointers, and nothing else owns the new descriptor.
        let epoll = unsafe { OwnedFd::from_raw_fd(libc::epoll_create1(0)) };
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 5 };
        // SAFETY: the pointer is to one event, and the count is 1.
        let wait = |event: &mut libc::epoll_event, timeout| unsafe { libc::epoll_wait(epoll.as_raw_fd(), event, 1, timeout) };
        // SAFETY: the pointer is to one event, and the count is 1.
        let added = unsafe { libc::epoll_ctl(epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, socket.as_raw_fd(), &raw mut event) };
        assert_eq!(added, 0);
        assert_eq!(wait(&mut event, 0), 0);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(30));
                send(&socket, &TEXT_2, 0).expect("sent");
            });
            assert_eq!(wait(&mut event, 10_000), 1);
        });
        assert_eq!({ event.u64 }, 5);
        recv(&socket, &mut out, 0).expect("received");
        assert_eq!(out, SECRET_2);
    }
}

supervised! {
    fn what_passes_is_an_event() {
        let socket = cbc(libc::SOCK_NONBLOCK);
        // SAFETY: the call takes no pointers, and nothing else owns the new descriptor.
        let epoll = unsafe { OwnedFd::from_raw_fd(libc::epoll_create1(0)) };
        let both = (libc::EPOLLIN | libc::EPOLLOUT) as u32;
        let mut event = libc::epoll_event { events: both | libc::EPOLLET as u32, u64: 5 };
        // SAFETY: the pointer is to one event.
        let added = unsafe { libc::epoll_ctl(epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, socket.as_raw_fd(), &raw mut event) };
        assert_eq!(added, 0);
        let events = |timeout| {
            let mut event = libc::epoll_event { events: 0, u64: 0 };
            // SAFETY: the pointer is to one event, and the count is 1.
            let count = unsafe { libc::epoll_wait(epoll.as_raw_fd(), &raw mut event, 1, timeout) };
            (count == 1).then_some(event.events)
        };
        assert_eq!(events(0), Some(both));
        // A socket that has been sent nothing is ready, and receiving fails all the same.
        let mut out = [0; 16];
        assert_eq!(errno(recv(&socket, &mut out, 0)), libc::EAGAIN);
        assert_eq!(events(0), None);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(30));
                send_with(&socket, &TEXT, &mut encrypt(), 0).expect("sent");
            });
            assert_eq!(events(10_000), Some(both));
        });
        assert_eq!(recv(&socket, &mut out, 0).expect("received"), 16);
        assert_eq!(out, SECRET);
        assert_eq!(events(0), Some(both));
        assert_eq!(events(0), None);
        // By a pipe, too.
        let (pipe_out, into) = pipe();
        write(into.as_raw_fd(), &TEXT).expect("written");
        // SAFETY: the pointers to positions are null.
        let moved = unsafe { libc::splice(pipe_out.as_raw_fd(), std::ptr::null_mut(), socket.as_raw_fd(), std::ptr::null_mut(), 16, 0) };
        assert_eq!(moved, 16);
        assert_eq!(events(0), Some(both));
    }
}

supervised! {
    fn a_digest_has_no_events() {
        let socket = hash("sha256");
        assert_eq!(poll(socket.as_raw_fd(), 0), 0);
        send(&socket, b"abc", 0).expect("sent");
        assert_eq!(poll(socket.as_raw_fd(), 0), 0);
    }
}

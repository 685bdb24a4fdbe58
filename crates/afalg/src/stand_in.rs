//! The sockets that stand for a file in a client, where a front end makes them show the file's readiness.
//!
//! They are a pair. The client has one end, and the front end the other. Nobody else can send to either, because neither has a
//! name. What is readable is an empty datagram from the front end, so whoever reads it where nobody looks gets no text. A socket is writable while what it has sent takes no more than a
//! quarter of its send buffer. So the client's end has sent one datagram that stays where it is, and the size of its buffer
//! decides. After that datagram the end is shut down for writing. What a client sends where nobody looks fails with `EPIPE`: it
//! could contain descriptors, and whoever closes the last one of a file waits as long as the client likes (`SO_LINGER`).

use crate::{Errno, Readiness};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, Shutdown, SocketFlags, SocketType, recv, send, shutdown, socketpair, sockopt,
};
use std::os::fd::{AsFd, OwnedFd};

/// The datagram that the client's end has sent.
const WEIGHT: [u8; 1024] = [0; 1024];

/// The size of the send buffer of an end that is writable, and of one that is not. The kernel takes twice these, and at least
/// 4 KiB and two of its structures, of which the datagram with one such structure takes more than a quarter.
const WRITABLE: usize = 16 << 10;
const NOT_WRITABLE: usize = 0;

/// Whether `ioctl` `request` sets or gets the receiver of SIGIO. Linux implements these for every socket (asm-generic/sockios.h): `FIOSETOWN`,
/// `SIOCSPGRP`, `FIOGETOWN`, `SIOCGPGRP`.
pub fn is_about_receiver(request: u32) -> bool {
    (0x8901..=0x8904).contains(&request)
}

/// Whether Linux implements `ioctl` `request` for every socket, before it asks the kind: the size and the block size of a file, the receiver of SIGIO,
/// times of arrival, and some that concern network interfaces (`sock_ioctl`). The socket that stands for a file gives the right answers.
pub fn is_every_sockets(request: u32) -> bool {
    is_about_receiver(request)
        || matches!(
            request,
            0x5460 | 2 | 0x8906 | 0x8907 | 0x8010_8906 | 0x8010_8907 | 0x8912 | 0x8940 | 0x8941 | 0x894c
                | 0x8982 | 0x8983 | 0x89a0..=0x89a3 | 0x89f0..=0x89ff
        )
}

/// Whether a socket of AF_UNIX implements `ioctl` `request` itself, and a netlink socket does not: `FIONREAD`, `TIOCOUTQ`, `SIOCATMARK`,
/// `SIOCUNIXFILE`.
pub fn is_not_netlinks(request: u32) -> bool {
    matches!(request, 0x541b | 0x5411 | 0x8905 | 0x89e0)
}

/// The readiness that the client's end shows.
#[derive(Clone, Copy, Default, Debug)]
pub struct Shown(Readiness);

/// The front end's end and the client's, which is ready for nothing yet. Calls on neither wait.
pub fn pair() -> Result<(OwnedFd, OwnedFd), Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    sockopt::set_socket_send_buffer_size(&theirs, NOT_WRITABLE)?;
    send(&theirs, &WEIGHT, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?;
    shutdown(&theirs, Shutdown::Write)?;
    Ok((ours, theirs))
}

impl Shown {
    /// Whether there is nothing to change.
    #[inline]
    pub fn is(&self, readiness: Readiness) -> bool {
        self.0 == readiness
    }

    /// Makes the client's end show `now`. `theirs` is that end. It is needed for everything except becoming readable.
    pub fn show<Fd: AsFd>(
        &mut self,
        now: Readiness,
        ours: impl AsFd,
        theirs: impl FnOnce() -> Result<Fd, Errno>,
    ) -> Result<(), Errno> {
        let Self(shown) = self;
        if now.readable && !shown.readable {
            send(&ours, &[], SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?;
            shown.readable = true;
        }
        if now == *shown {
            return Ok(());
        }
        let theirs = match theirs() {
            Ok(theirs) => theirs,
            Err(error) => {
                // Nobody may wait for ever. Without its datagram, the end is writable whatever its buffer is.
                if now.writable && !shown.writable {
                    recv(&ours, &mut [0u8; 1], RecvFlags::DONTWAIT)?;
                    shown.writable = true;
                }
                return Err(error);
            }
        };
        if !now.readable && shown.readable {
            recv(&theirs, &mut [0u8; 1], RecvFlags::DONTWAIT)?;
            shown.readable = false;
        }
        if now.writable != shown.writable {
            sockopt::set_socket_send_buffer_size(&theirs, if now.writable { WRITABLE } else { NOT_WRITABLE })?;
            shown.writable = now.writable;
        }
        Ok(())
    }

    /// Wakes whoever waits for events and not for states (`EPOLLET`). As in the kernel, what passes through a file is an event
    /// even if the file was ready for it before.
    pub fn repeat(&self, ours: impl AsFd, theirs: impl AsFd) -> Result<(), Errno> {
        let Self(shown) = self;
        if shown.readable {
            // In this order, there is always a datagram to be read.
            send(&ours, &[], SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?;
            recv(&theirs, &mut [0u8; 1], RecvFlags::DONTWAIT)?;
        }
        if shown.writable {
            sockopt::set_socket_send_buffer_size(&theirs, WRITABLE)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{
        PollFd, PollFlags, Timespec,
        epoll::{self, CreateFlags, Event, EventData, EventFlags},
        poll,
    };

    const NOTHING: Readiness = Readiness { readable: false, writable: false };

    fn polled(fd: &OwnedFd) -> PollFlags {
        let mut fds = [PollFd::new(fd, PollFlags::IN | PollFlags::OUT | PollFlags::RDHUP)];
        poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap();
        fds[0].revents()
    }

    #[test]
    fn it_is_ready_for_what_it_shows() {
        let (ours, theirs) = pair().unwrap();
        let mut shown = Shown::default();
        assert_eq!(polled(&theirs), PollFlags::empty());
        let states =
            [(true, true), (false, true), (true, false), (false, false), (false, true), (false, false), (true, true)];
        for (readable, writable) in states.repeat(3) {
            shown.show(Readiness { readable, writable }, &ours, || Ok(&theirs)).unwrap();
            let flag = |set: bool, flag| if set { flag } else { PollFlags::empty() };
            assert_eq!(polled(&theirs), flag(readable, PollFlags::IN) | flag(writable, PollFlags::OUT));
            assert_eq!(send(&theirs, b"x", SendFlags::NOSIGNAL), Err(Errno::PIPE));
        }
    }

    #[test]
    fn who_reads_where_nobody_looks_gets_no_text() {
        let (ours, theirs) = pair().unwrap();
        Shown::default().show(Readiness { readable: true, writable: true }, &ours, || Ok(&theirs)).unwrap();
        assert_eq!(recv(&theirs, &mut [0u8; 16], RecvFlags::DONTWAIT).unwrap().0, 0);
    }

    #[test]
    fn each_repetition_is_an_event() {
        let (ours, theirs) = pair().unwrap();
        let mut shown = Shown::default();
        let epoll = epoll::create(CreateFlags::CLOEXEC).unwrap();
        let events = || {
            let mut found = Vec::with_capacity(1);
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut found), Some(&now)).unwrap();
            found.first().map(|event: &Event| event.flags)
        };
        let both = EventFlags::IN | EventFlags::OUT;
        epoll::add(&epoll, &theirs, EventData::new_u64(0), both | EventFlags::ET).unwrap();
        assert_eq!(events(), None);
        for (readable, writable) in [(true, true), (true, false), (false, true)] {
            let flag = |set: bool, flag| if set { flag } else { EventFlags::empty() };
            let told = flag(readable, EventFlags::IN) | flag(writable, EventFlags::OUT);
            shown.show(Readiness { readable, writable }, &ours, || Ok(&theirs)).unwrap();
            events();
            for _ in 0..20 {
                assert_eq!(events(), None);
                shown.repeat(&ours, &theirs).unwrap();
                assert_eq!(events(), Some(told));
            }
        }
        shown.show(NOTHING, &ours, || Ok(&theirs)).unwrap();
        events();
        shown.repeat(&ours, &theirs).unwrap();
        assert_eq!((events(), polled(&theirs)), (None, PollFlags::empty()));
    }

    #[test]
    fn it_becomes_ready_without_the_clients_end() {
        let (ours, theirs) = pair().unwrap();
        let mut shown = Shown::default();
        let none = || Err::<OwnedFd, _>(Errno::PERM);
        assert_eq!(shown.show(Readiness { readable: true, writable: true }, &ours, none), Err(Errno::PERM));
        assert_eq!(polled(&theirs), PollFlags::IN | PollFlags::OUT);
        // It stays writable then, which may happen with any socket.
        shown.show(NOTHING, &ours, || Ok(&theirs)).unwrap();
        assert_eq!(polled(&theirs), PollFlags::OUT);
    }
}

//! NETLINK_CRYPTO: access to the registry over netlink (`linux/cryptouser.h`).
//!
//! Every client may query. Clients that the front end declares privileged may also add and remove template
//! instances, and change priorities. A name that has not been used yet is looked up and built. The kernel finds
//! only drivers that a module or an earlier user has registered.

mod abi;
mod builder;
mod port;
mod queue;
mod report;
mod request;
#[cfg(test)]
mod tests;

use crate::{
    Destination, Errno, Message, Readiness, Received,
    abi::{NETLINK_CRYPTO, SOCK_MAX},
    catalogue,
    level::Buffers,
};
pub use abi::ADDRESS_LEN;
use abi::Header;
use port::Port;
use queue::Queue;
use request::Outcome;

/// The longest message that a client may send, in bytes: the default send buffer minus some overhead.
const MAX_MESSAGE: usize = 212_992 - 32;

/// The maximum size in bytes of a dump's datagram until the client has shown a larger buffer. It fits into a page.
const FIRST_DUMP: usize = 3776;

/// The maximum size in bytes of a dump's datagram.
const MAX_DUMP: usize = 32_768;

/// `struct sockaddr_nl` of the other side: the kernel, port 0.
pub const KERNEL: [u8; ADDRESS_LEN] = address(0);

/// A `NETLINK_CRYPTO` socket.
#[derive(Default, Debug)]
pub struct Socket {
    /// `SOCK_RAW` or `SOCK_DGRAM`, which are the same.
    kind: i32,
    /// They limit nothing here.
    buffers: Buffers,
    port: Option<Port>,
    queue: Queue,
    dump: Option<Dump>,
    /// The error for the next `recv`.
    pub(crate) error: Option<Errno>,
    /// The size in bytes of the largest buffer that the client has received into.
    largest_buffer: usize,
    options: Options,
    is_privileged: bool,
}

/// A dump that has not been fully queued.
#[derive(Debug)]
struct Dump {
    entries: Vec<catalogue::WeakEntry>,
    /// The number of entries reported so far.
    reported: usize,
    seq: u32,
}

/// The options enabled by `setsockopt`.
#[derive(Default, Debug)]
struct Options {
    cap_ack: bool,
    no_enobufs: bool,
}

impl Socket {
    /// `socket(AF_NETLINK, SOCK_RAW, NETLINK_CRYPTO)`.
    pub fn new() -> Self {
        Self { kind: libc::SOCK_RAW, ..Self::default() }
    }

    /// `socket(AF_NETLINK, kind, NETLINK_CRYPTO)`; `kind` without `SOCK_NONBLOCK` and `SOCK_CLOEXEC`.
    pub fn of_kind(kind: i32) -> Result<Self, Errno> {
        match kind {
            libc::SOCK_RAW | libc::SOCK_DGRAM => Ok(Self { kind, ..Self::default() }),
            0..SOCK_MAX => Err(Errno::SOCKTNOSUPPORT),
            _ => Err(Errno::INVAL),
        }
    }

    /// Sets whether the sender of the following messages may change the registry (`CAP_NET_ADMIN`).
    pub fn set_privileged(&mut self, is_privileged: bool) {
        self.is_privileged = is_privileged;
    }

    /// `bind`, with the bytes of a `sockaddr_nl`.
    pub fn bind(&mut self, address: &[u8]) -> Result<(), Errno> {
        let (port, groups) = parse_address(address)?;
        if groups != 0 {
            return Err(Errno::PERM);
        }
        match &self.port {
            Some(bound) if bound.number() == port => {}
            Some(_) => return Err(Errno::INVAL),
            None => self.port = Some(if port == 0 { Port::any() } else { Port::claim(port)? }),
        }
        Ok(())
    }

    /// `connect`, or the address of `sendto`: only the kernel (port 0) is a valid peer.
    pub fn connect(&mut self, address: &[u8]) -> Result<(), Errno> {
        let (port, groups) = parse_address(address)?;
        if port != 0 || groups != 0 {
            return Err(Errno::PERM);
        }
        self.port_number();
        Ok(())
    }

    /// `getsockname`: encodes a `sockaddr_nl`.
    pub fn name(&self) -> [u8; ADDRESS_LEN] {
        address(self.port.as_ref().map_or(0, Port::number))
    }

    /// `setsockopt`.
    pub fn set_option(&mut self, level: i32, name: i32, value: &[u8]) -> Result<(), Errno> {
        if level == libc::SOL_SOCKET {
            return self.buffers.set(name, value);
        }
        if level != abi::SOL_NETLINK {
            return Err(Errno::NOPROTOOPT);
        }
        let number = abi::u32_at(value, 0);
        let on = || number.map(|n| n != 0).ok_or(Errno::INVAL);
        match name {
            abi::NETLINK_CAP_ACK => self.options.cap_ack = on()?,
            abi::NETLINK_NO_ENOBUFS => self.options.no_enobufs = on()?,
            // The kernel's replies to this protocol do not depend on these options.
            abi::NETLINK_PKTINFO
            | abi::NETLINK_BROADCAST_ERROR
            | abi::NETLINK_EXT_ACK
            | abi::NETLINK_GET_STRICT_CHK => drop(on()?),
            abi::NETLINK_ADD_MEMBERSHIP | abi::NETLINK_DROP_MEMBERSHIP | abi::NETLINK_LISTEN_ALL_NSID => {
                return Err(Errno::PERM);
            }
            _ => return Err(Errno::NOPROTOOPT),
        }
        Ok(())
    }

    /// `getsockopt`, of the options whose value is a number.
    pub fn option(&self, level: i32, name: i32) -> Result<i32, Errno> {
        if level != libc::SOL_SOCKET {
            return Err(Errno::NOPROTOOPT);
        }
        self.buffers.get((libc::AF_NETLINK, self.kind, NETLINK_CRYPTO), name)
    }

    /// `sendmsg`.
    #[inline(never)]
    pub fn send(&mut self, message: &Message<'_>) -> Result<usize, Errno> {
        if message.flags & libc::MSG_OOB != 0 {
            return Err(Errno::OPNOTSUPP);
        }
        let len = message.data.iter().try_fold(0usize, |len, part| len.checked_add(part.len()));
        match len {
            _ if message.fault => return Err(Errno::FAULT),
            Some(0) => return Err(Errno::NODATA),
            Some(1..=MAX_MESSAGE) => {}
            _ => return Err(Errno::MSGSIZE),
        }
        let data = message.data.iter().flat_map(|part| part.iter().copied()).collect::<Vec<u8>>();
        self.port_number();
        for (header, request) in request::messages(&data) {
            self.serve(header, request);
        }
        Ok(data.len())
    }

    /// `recvmsg`. The sender's address is that of the kernel, port 0.
    #[inline(never)]
    pub fn recv<'a, 'b: 'a>(&mut self, into: impl Into<Destination<'a, 'b>>, flags: i32) -> Result<Received, Errno> {
        let Destination { pieces: into, unwritable } = into.into();
        if flags & libc::MSG_OOB != 0 {
            return Err(Errno::OPNOTSUPP);
        }
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let datagram = self.queue.front().ok_or(Errno::AGAIN)?;
        let room = into.iter().fold(0usize, |room, part| room.saturating_add(part.len()));
        self.largest_buffer = self.largest_buffer.max(room.saturating_add(unwritable));
        let (len, copied) = (datagram.len(), datagram.len().min(room));
        if copied < len && unwritable > 0 {
            return Err(Errno::FAULT);
        }
        let mut left = &datagram[..copied];
        for part in into {
            let (now, later) = left.split_at(left.len().min(part.len()));
            part[..now.len()].copy_from_slice(now);
            left = later;
        }
        if flags & libc::MSG_PEEK == 0 {
            self.queue.pop();
        }
        self.continue_dump();
        let whole = flags & libc::MSG_TRUNC != 0;
        let flags = if copied < len { libc::MSG_TRUNC } else { 0 };
        Ok(Received { len: if whole { len } else { copied }, flags, end: copied })
    }

    /// The memory of the queued datagrams in bytes, as the kernel counts it.
    pub(crate) fn held(&self) -> usize {
        self.queue.used()
    }

    /// The readiness that `poll` reports.
    pub fn readiness(&self) -> Readiness {
        Readiness { readable: !self.queue.is_empty() || self.error.is_some(), writable: true }
    }

    /// The port number, reserved now if the socket has none yet.
    fn port_number(&mut self) -> u32 {
        self.port.get_or_insert_with(Port::any).number()
    }

    /// Processes one message. The reply is a report, the first part of a dump, an acknowledgement, or nothing.
    fn serve(&mut self, header: Header, request: &[u8]) {
        let port = self.port_number();
        let is_request = header.flags & abi::NLM_F_REQUEST != 0 && header.kind >= abi::NLMSG_MIN_TYPE;
        let error = match is_request.then(|| request::decide(header, request, self.is_privileged)) {
            None | Some(Ok(Outcome::Changed)) => 0,
            Some(Ok(Outcome::Dump)) if self.dump.is_some() => request::errno(Errno::BUSY),
            Some(Ok(Outcome::Dump)) => {
                let entries = catalogue::entries().iter().map(catalogue::Entry::downgrade).collect();
                self.dump = Some(Dump { entries, reported: 0, seq: header.seq });
                self.continue_dump();
                return; // the end of the dump is its acknowledgement
            }
            Some(Ok(Outcome::Report(entry))) => {
                let mut datagram = Vec::with_capacity(report::MAX_LEN);
                report::append(&mut datagram, &entry, port, header.seq, 0, entry.reference_count() + 1);
                if self.queue(datagram) { 0 } else { request::errno(Errno::AGAIN) }
            }
            Some(Err(error)) => error,
        };
        if error != 0 || header.flags & abi::NLM_F_ACK != 0 {
            self.queue(builder::acknowledge(request, header, port, error, self.options.cap_ack));
        }
    }

    /// Queues a datagram; returns whether there was room.
    fn queue(&mut self, datagram: Vec<u8>) -> bool {
        match self.queue.push(datagram) {
            Ok(()) => true,
            Err(overrun) => {
                if overrun.first && !self.options.no_enobufs {
                    self.error = Some(Errno::NOBUFS);
                }
                false
            }
        }
    }

    /// Queues the next datagram of a dump, or its end, if there is room. A datagram fits into a page, or into the
    /// largest buffer that the client has shown.
    fn continue_dump(&mut self) {
        let port = self.port_number();
        let Some(dump) = self.dump.as_mut().filter(|_| self.queue.is_half_free()) else { return };
        let limit = self.largest_buffer.clamp(FIRST_DUMP, MAX_DUMP);
        let mut datagram = Vec::with_capacity(limit);
        while datagram.len() + report::MAX_LEN <= limit
            && let Some(entry) = dump.entries.get(dump.reported)
        {
            dump.reported += 1;
            if let Some(entry) = entry.upgrade() {
                report::append(&mut datagram, &entry, port, dump.seq, abi::NLM_F_MULTI, entry.reference_count());
            }
        }
        if datagram.is_empty() {
            datagram = builder::done(port, dump.seq);
            self.dump = None;
        }
        self.queue.push_anyway(datagram);
    }
}

/// A `struct sockaddr_nl`.
const fn address(port: u32) -> [u8; ADDRESS_LEN] {
    let ([f, g], [a, b, c, d]) = (abi::AF_NETLINK.to_ne_bytes(), port.to_ne_bytes());
    [f, g, 0, 0, a, b, c, d, 0, 0, 0, 0]
}

/// The port and the groups in a `sockaddr_nl`.
fn parse_address(address: &[u8]) -> Result<(u32, u32), Errno> {
    abi::u16_at(address, 0).filter(|&family| family == abi::AF_NETLINK).ok_or(Errno::INVAL)?;
    let port = abi::u32_at(address, 4).ok_or(Errno::INVAL)?;
    let groups = abi::u32_at(address, 8).ok_or(Errno::INVAL)?;
    Ok((port, groups))
}

//! NETLINK_CRYPTO: the registry, asked over netlink (`linux/cryptouser.h`).
//!
//! Clients may ask. Those with privileges, as far as a front end says so, may also add and remove instances of templates, and change
//! priorities.
//! A name that nobody used yet is looked up; the kernel finds only what a module or an earlier user has
//! put in its list.

mod abi;
mod builder;
mod port;
mod queue;
mod report;
mod request;
#[cfg(test)]
mod tests;

use crate::{Destination, Errno, Message, Readiness, Received, catalogue};
use abi::Header;
use port::Port;
use queue::Queue;
use request::Outcome;

/// The longest message a client may send: the default send buffer less some overhead.
const MAX_MESSAGE: usize = 212_992 - 32;

/// Bytes of a datagram of a dump before the client has shown a larger buffer; it fits into a page.
const FIRST_DUMP: usize = 3776;

/// Bytes of a datagram of a dump at most.
const MAX_DUMP: usize = 32_768;

/// A socket of `NETLINK_CRYPTO`.
#[derive(Default, Debug)]
pub struct Socket {
    port: Option<Port>,
    queue: Queue,
    dump: Option<Dump>,
    /// To be returned by the next `recv`.
    pub(crate) error: Option<Errno>,
    /// The largest buffer that the client has received into.
    largest_buffer: usize,
    options: Options,
    is_privileged: bool,
}

/// A dump that has not come to its end.
#[derive(Debug)]
struct Dump {
    entries: Vec<catalogue::WeakEntry>,
    /// How many of them were reported.
    reported: usize,
    seq: u32,
}

/// What `setsockopt` has switched on.
#[derive(Default, Debug)]
struct Options {
    cap_ack: bool,
    no_enobufs: bool,
}

impl Socket {
    /// `socket(AF_NETLINK, SOCK_RAW or SOCK_DGRAM, NETLINK_CRYPTO)`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether who sends from now on may change something (`CAP_NET_ADMIN`).
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

    /// `connect`, or the address in `sendto`: only the kernel, port 0, can be talked to.
    pub fn connect(&mut self, address: &[u8]) -> Result<(), Errno> {
        let (port, groups) = parse_address(address)?;
        if port != 0 || groups != 0 {
            return Err(Errno::PERM);
        }
        self.port_number();
        Ok(())
    }

    /// `getsockname`: the bytes of a `sockaddr_nl`.
    pub fn name(&self) -> [u8; abi::ADDRESS_LEN] {
        let mut name = [0; abi::ADDRESS_LEN];
        name[..2].copy_from_slice(&abi::AF_NETLINK.to_ne_bytes());
        let port = self.port.as_ref().map_or(0, Port::number);
        name[4..8].copy_from_slice(&port.to_ne_bytes());
        name
    }

    /// `setsockopt` at the level `SOL_NETLINK`; other levels have no options here.
    pub fn set_option(&mut self, level: i32, name: i32, value: &[u8]) -> Result<(), Errno> {
        if level != abi::SOL_NETLINK {
            return Err(Errno::NOPROTOOPT);
        }
        let number = abi::u32_at(value, 0);
        let on = || number.map(|n| n != 0).ok_or(Errno::INVAL);
        match name {
            abi::NETLINK_CAP_ACK => self.options.cap_ack = on()?,
            abi::NETLINK_NO_ENOBUFS => self.options.no_enobufs = on()?,
            // The kernel's answers carry no information that these would add.
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

    /// `recvmsg`; the sender's address is that of the kernel, port 0.
    #[inline(never)]
    pub fn recv<'a, 'b: 'a>(&mut self, into: impl Into<Destination<'a, 'b>>, flags: i32) -> Result<Received, Errno> {
        let Destination { pieces: into, lost } = into.into();
        if flags & libc::MSG_OOB != 0 {
            return Err(Errno::OPNOTSUPP);
        }
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let datagram = self.queue.front().ok_or(Errno::AGAIN)?;
        let room = into.iter().fold(0usize, |room, part| room.saturating_add(part.len()));
        self.largest_buffer = self.largest_buffer.max(room.saturating_add(lost));
        let (len, copied) = (datagram.len(), datagram.len().min(room));
        if copied < len && lost > 0 {
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

    /// Bytes of datagrams that wait, as the kernel counts them.
    pub(crate) fn held(&self) -> usize {
        self.queue.used()
    }

    /// What `poll` would say.
    pub fn readiness(&self) -> Readiness {
        Readiness { readable: !self.queue.is_empty() || self.error.is_some(), writable: true }
    }

    /// The port, chosen now if it was not before.
    fn port_number(&mut self) -> u32 {
        self.port.get_or_insert_with(Port::any).number()
    }

    /// Serves one message: a report, the first part of a dump, an acknowledgement, or silence.
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
                return; // the end of the dump is the acknowledgement
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

    /// Queues a datagram; whether there was room.
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

    /// Queues the next part of a dump, one datagram, or its end, once there is room. A part fits into a page, or into the
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

/// Port and groups of a `sockaddr_nl`.
fn parse_address(address: &[u8]) -> Result<(u32, u32), Errno> {
    abi::u16_at(address, 0).filter(|&family| family == abi::AF_NETLINK).ok_or(Errno::INVAL)?;
    let port = abi::u32_at(address, 4).ok_or(Errno::INVAL)?;
    let groups = abi::u32_at(address, 8).ok_or(Errno::INVAL)?;
    Ok((port, groups))
}

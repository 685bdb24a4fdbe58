//! Making sockets, and all calls on sockets except sending and receiving.

use crate::{
    entry::Entry,
    interpose::interpose,
    iov,
    kernel::kernel,
    keyring::ProcessKeys,
    message::write_address,
    options::{NETLINK_CRYPTO, Options},
    reserve, table,
};
use algkit_afalg::{Errno, File, abi::MAX_ADDRESS, alg, netlink};
use libc::{
    AF_ALG, AF_NETLINK, SOCK_CLOEXEC, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_RAW, SOL_SOCKET, SYS_getsockopt, SYS_setsockopt,
    c_int, c_long, c_void, sockaddr, socklen_t,
};
use rustix::{
    net::SocketFlags,
    thread::{CapabilitySet, capabilities},
};
use std::ptr;

interpose! {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int
    where Some(family) = Family::of(domain, protocol) => family.socket(kind, protocol)

    fn socketpair(domain: c_int, kind: c_int, protocol: c_int, pair: *mut c_int) -> c_int
    where AF_ALG = domain => {
        socket_flags(kind & !0xf)?;
        alg::Socket::new(kind & 0xf, protocol).and(Err(Errno::OPNOTSUPP))
    }

    fn bind(fd: c_int, address: *const sockaddr, len: socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => bind_to(entry, fd, bytes(address.cast(), len)?)

    fn connect(fd: c_int, address: *const sockaddr, len: socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => connect_to(entry, fd, bytes(address.cast(), len)?)

    fn listen(fd: c_int, backlog: c_int) -> c_int
    where Some(entry) = table::entry(fd) => entry.check_socket().and(Err(Errno::OPNOTSUPP))

    fn shutdown(fd: c_int, how: c_int) -> c_int
    where Some(entry) = table::entry(fd) => entry.check_socket().and(Err(Errno::OPNOTSUPP))

    fn accept(fd: c_int, address: *mut sockaddr, len: *mut socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => accept_from(entry, fd, address, 0)

    fn accept4(fd: c_int, address: *mut sockaddr, len: *mut socklen_t, flags: c_int) -> c_int
    where Some(entry) = table::entry(fd) => accept_from(entry, fd, address, flags)

    fn getsockname(fd: c_int, address: *mut sockaddr, len: *mut socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => name(entry, fd, netlink::Socket::name, address, len)

    fn getpeername(fd: c_int, address: *mut sockaddr, len: *mut socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => name(entry, fd, |_| KERNEL, address, len)

    fn setsockopt(fd: c_int, level: c_int, name: c_int, value: *const c_void, len: socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => set_option(entry, fd, level, name, value, len)

    fn getsockopt(fd: c_int, level: c_int, name: c_int, value: *mut c_void, len: *mut socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => get_option(entry, fd, level, name, value, len)
}

/// The address of a netlink socket's peer, `struct sockaddr_nl`: the kernel, port 0.
const KERNEL: [u8; 12] = {
    let [first, second] = (AF_NETLINK as u16).to_ne_bytes();
    [first, second, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
};

/// A family of sockets that is served.
#[derive(Clone, Copy)]
enum Family {
    Alg,
    NetlinkCrypto,
}

impl Family {
    fn of(domain: c_int, protocol: c_int) -> Option<Self> {
        match (domain, protocol) {
            (AF_ALG, _) => Some(Self::Alg),
            (AF_NETLINK, NETLINK_CRYPTO) => Some(Self::NetlinkCrypto),
            _ => None,
        }
    }

    fn socket(self, kind: c_int, protocol: c_int) -> Result<c_int, Errno> {
        let flags = socket_flags(kind & !0xf)?;
        let kind = kind & 0xf;
        let file = match (self, kind) {
            (Self::Alg, _) => File::Alg(alg::Socket::new(kind, protocol)?),
            (Self::NetlinkCrypto, SOCK_RAW | SOCK_DGRAM) => {
                let mut socket = netlink::Socket::new();
                socket.set_privileged(may_administer());
                File::Netlink(socket)
            }
            (Self::NetlinkCrypto, _) => return Err(Errno::SOCKTNOSUPPORT),
        };
        table::install(file, Options::new(kind), flags)
    }
}

/// Whether this thread has `CAP_NET_ADMIN`. It then may change the registry, which is this process's own.
fn may_administer() -> bool {
    let sets = (!reserve::is_filtered()).then(|| capabilities(None).ok()).flatten();
    sets.is_some_and(|sets| sets.effective.contains(CapabilitySet::NET_ADMIN))
}

/// Whether sockets of this family and protocol are served.
pub fn serves(domain: c_int, protocol: c_int) -> bool {
    Family::of(domain, protocol).is_some()
}

fn socket_flags(flags: c_int) -> Result<SocketFlags, Errno> {
    if flags & !(SOCK_NONBLOCK | SOCK_CLOEXEC) != 0 {
        return Err(Errno::INVAL);
    }
    Ok(SocketFlags::from_bits_retain(flags as u32))
}

unsafe fn bytes<'a>(address: *const c_void, len: socklen_t) -> Result<&'a [u8], Errno> {
    let len = usize::try_from(len as c_int).map_err(|_| Errno::INVAL)?;
    // SAFETY: `len` bytes are readable at `address`, as the C function demands of the caller.
    unsafe { iov::bytes(address, len) }
}

fn bind_to(entry: &'static Entry, fd: c_int, address: &[u8]) -> Result<c_int, Errno> {
    entry.check_socket()?;
    if address.len() > MAX_ADDRESS {
        return Err(Errno::INVAL);
    }
    let mut entered = entry.enter(fd)?;
    let result = match entered.file()? {
        File::Alg(socket) => socket.bind(address),
        File::Netlink(socket) => socket.bind(address),
        File::Device(_) => Err(Errno::NOTSOCK),
    };
    entered.leave();
    result.map(|()| 0)
}

/// A netlink socket may be connected only to the kernel.
fn connect_to(entry: &'static Entry, fd: c_int, address: &[u8]) -> Result<c_int, Errno> {
    match entry.enter(fd)?.file()? {
        File::Alg(_) => Err(Errno::OPNOTSUPP),
        File::Netlink(socket) => socket.connect(address).map(|()| 0),
        File::Device(_) => Err(Errno::NOTSOCK),
    }
}

fn accept_from(entry: &'static Entry, fd: c_int, address: *mut sockaddr, flags: c_int) -> Result<c_int, Errno> {
    let flags = socket_flags(flags)?;
    let mut entered = entry.enter(fd)?;
    let result = match entered.file()? {
        File::Alg(socket) => socket.accept(),
        File::Netlink(_) => Err(Errno::OPNOTSUPP),
        File::Device(_) => Err(Errno::NOTSOCK),
    };
    // The kernel finds out only after accepting that such sockets have no address.
    let result = result.and_then(|socket| if address.is_null() { Ok(socket) } else { Err(Errno::CONNABORTED) });
    entered.leave();
    table::install(File::Alg(result?), Options::default(), flags)
}

unsafe fn name(
    entry: &'static Entry,
    fd: c_int,
    of: impl FnOnce(&netlink::Socket) -> [u8; 12],
    address: *mut sockaddr,
    len: *mut socklen_t,
) -> Result<c_int, Errno> {
    let name = match entry.enter(fd)?.file()? {
        File::Alg(_) => return Err(Errno::OPNOTSUPP),
        File::Netlink(socket) => of(socket),
        File::Device(_) => return Err(Errno::NOTSOCK),
    };
    // SAFETY: the pointer is null or points to a length, as the C function demands of the caller.
    let len = unsafe { len.as_mut() }.ok_or(Errno::FAULT)?;
    if (*len as c_int) < 0 {
        return Err(Errno::INVAL);
    }
    if address.is_null() {
        return Err(Errno::FAULT);
    }
    // SAFETY: as many bytes are writable at `address` as the caller's length says.
    *len = unsafe { write_address(&name, address, *len) };
    Ok(0)
}

unsafe fn set_option(
    entry: &'static Entry,
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    len: socklen_t,
) -> Result<c_int, Errno> {
    entry.check_socket()?;
    let is_tag_size = level == libc::SOL_ALG && name == libc::ALG_SET_AEAD_AUTHSIZE;
    let zeros;
    let bytes = if is_tag_size {
        // The length is the value, and the pointer is not read.
        zeros = vec![0; usize::try_from(len as c_int).map_err(|_| Errno::INVAL)?.min(1 << 16)];
        &zeros[..]
    } else {
        // SAFETY: `len` bytes are readable there, as `setsockopt` demands of the caller.
        unsafe { bytes(value, len)? }
    };
    let mut entered = entry.enter(fd)?;
    if level == SOL_SOCKET {
        if let Some(result) = entered.state().options.set(name, bytes) {
            if let File::Alg(socket) = entered.file()? {
                socket.set_option(level, name, bytes)?;
            }
            entered.leave();
            return result.map(|()| 0);
        }
        entered.state().unshare()?;
        drop(entered);
        let value = value.expose_provenance() as c_long;
        return kernel(SYS_setsockopt, [fd.into(), level.into(), name.into(), value, len.into()]).map(|_| 0);
    }
    let result = match entered.file()? {
        File::Alg(socket) => socket.set_option_with(level, name, bytes, &ProcessKeys),
        File::Netlink(socket) => socket.set_option(level, name, bytes),
        File::Device(_) => Err(Errno::NOTSOCK),
    };
    entered.leave();
    result.map(|()| 0)
}

unsafe fn get_option(
    entry: &'static Entry,
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *mut c_void,
    len: *mut socklen_t,
) -> Result<c_int, Errno> {
    let mut entered = entry.enter(fd)?;
    let options = entered.state().options;
    let tells_error = level == SOL_SOCKET && name == libc::SO_ERROR;
    let answer = match entered.file()? {
        File::Device(_) => return Err(Errno::NOTSOCK),
        file if tells_error => Some(file.take_error().map_or(0, Errno::raw_os_error)),
        file if level == SOL_SOCKET => options.get(file, name),
        File::Alg(_) => return Err(Errno::OPNOTSUPP),
        File::Netlink(_) => return Err(Errno::NOPROTOOPT),
    };
    drop(entered);
    let Some(answer) = answer else {
        let [value, len] = [value.expose_provenance() as c_long, len.expose_provenance() as c_long];
        return kernel(SYS_getsockopt, [fd.into(), level.into(), name.into(), value, len]).map(|_| 0);
    };
    // SAFETY: the pointer is null or points to a length, as `getsockopt` demands of the caller.
    let len = unsafe { len.as_mut() }.ok_or(Errno::FAULT)?;
    let room = usize::try_from(*len as c_int).map_err(|_| Errno::INVAL)?;
    let answer = answer.to_ne_bytes();
    let written = room.min(answer.len());
    if written > 0 && value.is_null() {
        return Err(Errno::FAULT);
    }
    // SAFETY: no more is written than the caller's length allows.
    unsafe { ptr::copy_nonoverlapping(answer.as_ptr(), value.cast(), written) };
    *len = written as socklen_t;
    Ok(0)
}

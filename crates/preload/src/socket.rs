//! Making sockets, and all calls on sockets except sending and receiving.

use crate::{
    entry::Entry, interpose::interpose, iov, kernel::kernel, keyring::ProcessKeys, lock::Inside, memory::OwnMemory,
    reserve, table,
};
use algkit_afalg::{
    Errno, File,
    abi::serves,
    alg,
    level::{is_got_here, is_set_here},
    netlink,
    socket::{option_value, put_address, put_option},
};
use libc::{
    AF_ALG, SOCK_CLOEXEC, SOCK_NONBLOCK, SYS_getsockopt, SYS_setsockopt, c_int, c_long, c_void, sockaddr, socklen_t,
};
use rustix::{
    net::SocketFlags,
    thread::{CapabilitySet, capabilities},
};

interpose! {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int
    where true = serves(domain, protocol) => make(domain, kind, protocol)

    fn socketpair(domain: c_int, kind: c_int, protocol: c_int, pair: *mut c_int) -> c_int
    where AF_ALG = domain => {
        socket_flags(kind & !0xf)?;
        alg::Socket::new(kind & 0xf, protocol).and(Err(Errno::OPNOTSUPP))
    }

    fn bind(fd: c_int, address: *const sockaddr, len: socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => {
        let address = self::address(address, len)?;
        with(entry, fd, |file| file.bind(address)).map(|()| 0)
    }

    fn connect(fd: c_int, address: *const sockaddr, len: socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => {
        let address = self::address(address, len)?;
        with(entry, fd, |file| file.connect(address)).map(|()| 0)
    }

    fn listen(fd: c_int, backlog: c_int) -> c_int
    where Some(entry) = table::entry(fd) => entry.check_socket().and(Err(Errno::OPNOTSUPP))

    fn shutdown(fd: c_int, how: c_int) -> c_int
    where Some(entry) = table::entry(fd) => entry.check_socket().and(Err(Errno::OPNOTSUPP))

    fn accept(fd: c_int, address: *mut sockaddr, len: *mut socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => accept_from(entry, fd, address, 0)

    fn accept4(fd: c_int, address: *mut sockaddr, len: *mut socklen_t, flags: c_int) -> c_int
    where Some(entry) = table::entry(fd) => accept_from(entry, fd, address, flags)

    fn getsockname(fd: c_int, address: *mut sockaddr, len: *mut socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => put(&with(entry, fd, |file| file.name())?, address, len)

    fn getpeername(fd: c_int, address: *mut sockaddr, len: *mut socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => {
        // The peer of a netlink socket is the kernel. `name` returns the errors of other files.
        with(entry, fd, |file| file.name())?;
        put(&netlink::KERNEL, address, len)
    }

    fn setsockopt(fd: c_int, level: c_int, name: c_int, value: *const c_void, len: socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => set_option(entry, fd, (level, name), value, len)

    fn getsockopt(fd: c_int, level: c_int, name: c_int, value: *mut c_void, len: *mut socklen_t) -> c_int
    where Some(entry) = table::entry(fd) => get_option(entry, fd, (level, name), value, len)
}

/// Gives the program a descriptor for a new socket. `kind` may contain `SOCK_NONBLOCK` and `SOCK_CLOEXEC`.
fn make(domain: c_int, kind: c_int, protocol: c_int) -> Result<c_int, Errno> {
    let flags = socket_flags(kind & !0xf)?;
    // Memory is allocated. A handler that interrupts a request may have interrupted the allocator.
    let inside = Inside::begin()?;
    let mut file = File::socket(domain, kind & 0xf, protocol).ok_or(Errno::AFNOSUPPORT)??;
    drop(inside);
    if let File::Netlink(socket) = &mut file {
        socket.set_privileged(may_administer());
    }
    table::install(file, flags)
}

/// Whether this thread has `CAP_NET_ADMIN`. It then may change the registry, which is this process's own.
fn may_administer() -> bool {
    let sets = (!reserve::is_filtered()).then(|| capabilities(None).ok()).flatten();
    sets.is_some_and(|sets| sets.effective.contains(CapabilitySet::NET_ADMIN))
}

fn socket_flags(flags: c_int) -> Result<SocketFlags, Errno> {
    if flags & !(SOCK_NONBLOCK | SOCK_CLOEXEC) != 0 {
        return Err(Errno::INVAL);
    }
    Ok(SocketFlags::from_bits_retain(flags as u32))
}

/// The bytes of the socket address that the caller of a C function passes.
unsafe fn address<'a>(address: *const sockaddr, len: socklen_t) -> Result<&'a [u8], Errno> {
    let len = usize::try_from(len as c_int).map_err(|_| Errno::INVAL)?;
    // SAFETY: `len` bytes are readable at `address`, as the C function demands of the caller.
    unsafe { iov::bytes(address.cast(), len) }
}

/// Applies `act` to the file behind the descriptor. The lock of the file is held no longer than that takes.
fn with<T>(entry: &'static Entry, fd: c_int, act: impl FnOnce(&mut File) -> Result<T, Errno>) -> Result<T, Errno> {
    let mut entered = entry.enter(fd)?;
    let result = act(entered.file()?);
    entered.leave();
    result
}

fn accept_from(entry: &'static Entry, fd: c_int, address: *mut sockaddr, flags: c_int) -> Result<c_int, Errno> {
    let flags = socket_flags(flags)?;
    let accepted = with(entry, fd, |file| file.accept(!address.is_null()))?;
    table::install(accepted, flags)
}

/// Writes an address to `address`, cut to the length at `len`, and its full length to `len`.
fn put(name: &[u8], address: *mut sockaddr, len: *mut socklen_t) -> Result<c_int, Errno> {
    let [address, len] = [address.cast::<c_void>(), len.cast()].map(|pointer| pointer.expose_provenance() as u64);
    put_address(&mut OwnMemory, address, len, name).map(|()| 0)
}

fn set_option(
    entry: &'static Entry,
    fd: c_int,
    (level, name): (c_int, c_int),
    value: *const c_void,
    len: socklen_t,
) -> Result<c_int, Errno> {
    entry.check_socket()?;
    if !is_set_here(level, name) {
        entry.enter(fd)?.state().unshare()?;
        let value = value.expose_provenance() as c_long;
        return kernel(SYS_setsockopt, [fd.into(), level.into(), name.into(), value, len.into()]).map(|_| 0);
    }
    let value = option_value(&OwnMemory, (level, name), value.expose_provenance() as u64, len as c_int)?;
    with(entry, fd, |file| file.set_option(level, name, &value, &ProcessKeys)).map(|()| 0)
}

fn get_option(
    entry: &'static Entry,
    fd: c_int,
    (level, name): (c_int, c_int),
    value: *mut c_void,
    len: *mut socklen_t,
) -> Result<c_int, Errno> {
    entry.check_socket()?;
    let [value, len] = [value, len.cast()].map(|pointer| pointer.expose_provenance());
    if !is_got_here(level, name) {
        let [value, len] = [value as c_long, len as c_long];
        return kernel(SYS_getsockopt, [fd.into(), level.into(), name.into(), value, len]).map(|_| 0);
    }
    let option = with(entry, fd, |file| file.option(level, name))?;
    put_option(&mut OwnMemory, value as u64, len as u64, &option).map(|()| 0)
}

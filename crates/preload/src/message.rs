//! `send`, `recv` and their relatives.

use crate::{
    clock::duration,
    entry::Entry,
    errno::length,
    interpose::interpose,
    iov::{self, Several},
    memory::{self, OwnMemory},
    table, transfer,
};
use algkit_afalg::{
    Errno, File, Received,
    abi::{MAX_ADDRESS, MAX_CONTROL, MAX_PIECES},
    check_flags, netlink,
    socket::put_address,
};
use libc::{
    MSG_CMSG_CLOEXEC, MSG_DONTWAIT, MSG_WAITFORONE, c_int, c_uint, c_void, iovec, mmsghdr, msghdr, off64_t, size_t,
    sockaddr, socklen_t, ssize_t, timespec,
};
use std::{ptr, time::Instant};

interpose! {
    fn sendmsg(fd: c_int, message: *const msghdr, flags: c_int) -> ssize_t
    where Some(entry) = table::entry(fd) => send_message(entry, fd, message, flags).map(|(sent, _)| length(sent))

    fn sendto(
        fd: c_int, data: *const c_void, len: size_t, flags: c_int, address: *const sockaddr, address_len: socklen_t,
    ) -> ssize_t
    where Some(entry) = table::entry(fd) => {
        entry.check_socket()?;
        if !address.is_null() && name_len(address_len)? > MAX_ADDRESS {
            return Err(Errno::INVAL);
        }
        check_destination(entry, fd, address.cast(), address_len as size_t)?;
        send_one(entry, fd, data, len, flags)
    }

    fn send(fd: c_int, data: *const c_void, len: size_t, flags: c_int) -> ssize_t
    where Some(entry) = table::entry(fd) => send_one(entry, fd, data, len, flags)

    fn sendmmsg(fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int
    where Some(entry) = table::entry(fd) => send_messages(entry, fd, messages, count, flags)

    fn write(fd: c_int, data: *const c_void, len: size_t) -> ssize_t
    where Some(entry) = table::entry(fd) => {
        transfer::send(entry, fd, &iov::source(data, len)?.message(&[], 0)).map(length)
    }

    fn writev(fd: c_int, vector: *const iovec, count: c_int) -> ssize_t
    where Some(entry) = table::entry(fd) => write_pieces(entry, fd, vector, count, 0)

    /// A socket has no position: with any other offset than -1, the kernel returns the right error.
    fn pwritev2(fd: c_int, vector: *const iovec, count: c_int, offset: off64_t, flags: c_int) -> ssize_t
    where (-1, Some(entry)) = (offset, table::entry(fd)) => write_pieces(entry, fd, vector, count, flags)

    /// The same as `pwritev2`.
    fn pwritev64v2(fd: c_int, vector: *const iovec, count: c_int, offset: off64_t, flags: c_int) -> ssize_t
    where (-1, Some(entry)) = (offset, table::entry(fd)) => write_pieces(entry, fd, vector, count, flags)

    fn recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> ssize_t
    where Some(entry) = table::entry(fd) => receive_message(entry, fd, message, flags).map(length)

    fn recvfrom(
        fd: c_int, into: *mut c_void, len: size_t, flags: c_int, address: *mut sockaddr, address_len: *mut socklen_t,
    ) -> ssize_t
    where Some(entry) = table::entry(fd) => receive_from(entry, fd, into, len, flags, address, address_len)

    fn __recvfrom_chk(
        fd: c_int, into: *mut c_void, len: size_t, room: size_t, flags: c_int, address: *mut sockaddr,
        address_len: *mut socklen_t,
    ) -> ssize_t
    where (true, Some(entry)) = (len <= room, table::entry(fd)) => {
        receive_from(entry, fd, into, len, flags, address, address_len)
    }

    fn recv(fd: c_int, into: *mut c_void, len: size_t, flags: c_int) -> ssize_t
    where Some(entry) = table::entry(fd) => {
        receive_from(entry, fd, into, len, flags, ptr::null_mut(), ptr::null_mut())
    }

    fn __recv_chk(fd: c_int, into: *mut c_void, len: size_t, room: size_t, flags: c_int) -> ssize_t
    where (true, Some(entry)) = (len <= room, table::entry(fd)) => {
        receive_from(entry, fd, into, len, flags, ptr::null_mut(), ptr::null_mut())
    }

    fn recvmmsg(fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int, timeout: *mut timespec) -> c_int
    where Some(entry) = table::entry(fd) => receive_messages(entry, fd, messages, count, flags, timeout)

    fn read(fd: c_int, into: *mut c_void, len: size_t) -> ssize_t
    where Some(entry) = table::entry(fd) => read_one(entry, fd, into, len)

    fn __read_chk(fd: c_int, into: *mut c_void, len: size_t, room: size_t) -> ssize_t
    where (true, Some(entry)) = (len <= room, table::entry(fd)) => read_one(entry, fd, into, len)

    fn readv(fd: c_int, vector: *const iovec, count: c_int) -> ssize_t
    where Some(entry) = table::entry(fd) => read_pieces(entry, fd, vector, count, 0)

    /// See `pwritev2`.
    fn preadv2(fd: c_int, vector: *const iovec, count: c_int, offset: off64_t, flags: c_int) -> ssize_t
    where (-1, Some(entry)) = (offset, table::entry(fd)) => read_pieces(entry, fd, vector, count, flags)

    /// The same as `preadv2`.
    fn preadv64v2(fd: c_int, vector: *const iovec, count: c_int, offset: off64_t, flags: c_int) -> ssize_t
    where (-1, Some(entry)) = (offset, table::entry(fd)) => read_pieces(entry, fd, vector, count, flags)
}

unsafe fn write_pieces(
    entry: &'static Entry,
    fd: c_int,
    vector: *const iovec,
    count: c_int,
    flags: c_int,
) -> Result<ssize_t, Errno> {
    let mut all = Several::new();
    // SAFETY: the vector describes memory that is readable, as `writev` demands of the caller.
    let data = unsafe { iov::sources(&mut all, vector, pieces(count)?, Errno::INVAL)? };
    if data.is_empty() {
        return Ok(0);
    }
    check_flags(flags)?;
    transfer::send(entry, fd, &data.message(&[], 0)).map(length)
}

unsafe fn read_pieces(
    entry: &'static Entry,
    fd: c_int,
    vector: *const iovec,
    count: c_int,
    flags: c_int,
) -> Result<ssize_t, Errno> {
    let mut all = Several::new();
    // SAFETY: the vector describes memory that is writable, as `readv` demands of the caller.
    let mut into = unsafe { iov::destinations(&mut all, vector, pieces(count)?, Errno::INVAL)? };
    if into.is_empty() {
        return Ok(0);
    }
    check_flags(flags)?;
    transfer::recv(entry, fd, into.room(), 0).map(|received| length(received.len))
}

fn pieces(count: c_int) -> Result<usize, Errno> {
    usize::try_from(count).map_err(|_| Errno::INVAL)
}

/// Returns the number of bytes that were sent, and whether they are the whole message.
unsafe fn send_message(
    entry: &'static Entry,
    fd: c_int,
    message: *const msghdr,
    flags: c_int,
) -> Result<(usize, bool), Errno> {
    entry.check_socket()?;
    // SAFETY: the pointer is to a header, as `sendmsg` demands of the caller.
    let message = unsafe { memory::at(message)? };
    if message.msg_controllen > MAX_CONTROL {
        return Err(Errno::NOBUFS);
    }
    // SAFETY: the header describes memory that is readable, as `sendmsg` demands of the caller.
    let control = unsafe { iov::bytes(message.msg_control, message.msg_controllen)? };
    let mut all = Several::new();
    // SAFETY: the vector describes memory that is readable, as `sendmsg` demands of the caller.
    let data = unsafe { iov::sources(&mut all, message.msg_iov, message.msg_iovlen, Errno::MSGSIZE)? };
    check_name(message)?;
    // SAFETY: the header describes an address that is readable, as `sendmsg` demands of the caller.
    unsafe { check_destination(entry, fd, message.msg_name, message.msg_namelen as size_t)? };
    let message = data.message(control, flags);
    transfer::send(entry, fd, &message).map(|sent| (sent, !message.fault && sent == iov::total(message.data)))
}

/// The length of an address, which the kernel takes as an `int`.
fn name_len(len: socklen_t) -> Result<usize, Errno> {
    usize::try_from(len as c_int).map_err(|_| Errno::INVAL)
}

/// Checks the length of the address in a header. One that is too long is cut.
fn check_name(message: &msghdr) -> Result<(), Errno> {
    if message.msg_name.is_null() { Ok(()) } else { name_len(message.msg_namelen).map(drop) }
}

/// Checks the destination of a message. AF_ALG ignores it; that of a netlink socket must be the kernel.
///
/// # Safety
/// `address` must be null or point to `len` readable bytes.
#[inline]
unsafe fn check_destination(
    entry: &'static Entry,
    fd: c_int,
    address: *const c_void,
    len: size_t,
) -> Result<(), Errno> {
    if address.is_null() || len == 0 {
        return Ok(());
    }
    // SAFETY: the precondition is the same.
    unsafe { check_address(entry, fd, address, len) }
}

#[cold]
unsafe fn check_address(entry: &'static Entry, fd: c_int, address: *const c_void, len: size_t) -> Result<(), Errno> {
    // SAFETY: `len` bytes are readable there (precondition).
    let address = unsafe { iov::bytes(address, len.min(MAX_ADDRESS))? };
    match entry.enter(fd)?.file()? {
        File::Netlink(socket) => socket.connect(address),
        File::Alg(_) | File::Device(_) => Ok(()),
    }
}

unsafe fn send_one(
    entry: &'static Entry,
    fd: c_int,
    data: *const c_void,
    len: size_t,
    flags: c_int,
) -> Result<ssize_t, Errno> {
    entry.check_socket()?;
    // SAFETY: `len` bytes are readable at `data`, as `send` demands of the caller.
    let data = unsafe { iov::source(data, len)? };
    transfer::send(entry, fd, &data.message(&[], flags)).map(length)
}

unsafe fn send_messages(
    entry: &'static Entry,
    fd: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
) -> Result<c_int, Errno> {
    let mut done = 0;
    for at in 0..(count as usize).min(MAX_PIECES) {
        // SAFETY: `at` is less than `count`, and the caller's array has `count` members.
        let message = unsafe { memory::at_mut(messages.wrapping_add(at))? };
        // SAFETY: each member is a header, as `sendmmsg` demands of the caller.
        let (sent, is_whole) = match unsafe { send_message(entry, fd, &raw const message.msg_hdr, flags) } {
            Ok(sent) => sent,
            Err(errno) if done == 0 => return Err(errno),
            Err(_) => break,
        };
        message.msg_len = sent as c_uint;
        done += 1;
        // As in the kernel, a message of which only a part was sent is the last.
        if !is_whole {
            break;
        }
    }
    Ok(done)
}

unsafe fn receive_message(
    entry: &'static Entry,
    fd: c_int,
    message: *mut msghdr,
    flags: c_int,
) -> Result<usize, Errno> {
    entry.check_socket()?;
    // SAFETY: the pointer is to a header, as `recvmsg` demands of the caller.
    let message = unsafe { memory::at_mut(message)? };
    check_name(message)?;
    let mut all = Several::new();
    // SAFETY: the vector describes memory that is writable, as `recvmsg` demands of the caller.
    let mut into = unsafe { iov::destinations(&mut all, message.msg_iov, message.msg_iovlen, Errno::MSGSIZE)? };
    let received = transfer::recv(entry, fd, into.room(), flags)?;
    put_sender(entry, message.msg_name, &raw mut message.msg_namelen)?;
    message.msg_controllen = 0;
    message.msg_flags = received.flags | flags & MSG_CMSG_CLOEXEC;
    Ok(received.len)
}

unsafe fn receive_from(
    entry: &'static Entry,
    fd: c_int,
    into: *mut c_void,
    len: size_t,
    flags: c_int,
    address: *mut sockaddr,
    address_len: *mut socklen_t,
) -> Result<ssize_t, Errno> {
    entry.check_socket()?;
    // SAFETY: `len` bytes are writable there, as `recvfrom` demands of the caller.
    let mut into = unsafe { iov::destination(into, len)? };
    let Received { len, .. } = transfer::recv(entry, fd, into.room(), flags)?;
    put_sender(entry, address.cast(), address_len)?;
    Ok(length(len))
}

unsafe fn receive_messages(
    entry: &'static Entry,
    fd: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    mut flags: c_int,
    timeout_at: *mut timespec,
) -> Result<c_int, Errno> {
    // SAFETY: the pointer is null or points to a time span, as `recvmmsg` demands of the caller.
    let timeout = unsafe { memory::maybe(timeout_at)? }.map(duration).transpose()?;
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    if let Some(error) = entry.enter(fd)?.file()?.take_error() {
        return Err(error);
    }
    let mut done = 0;
    for at in 0..(count as usize).min(MAX_PIECES) {
        // SAFETY: `at` is less than `count`, and the caller's array has `count` members.
        let message = unsafe { memory::at_mut(messages.wrapping_add(at))? };
        // SAFETY: each member is a header, as `recvmmsg` demands of the caller.
        match unsafe { receive_message(entry, fd, &raw mut message.msg_hdr, flags & !MSG_WAITFORONE) } {
            Ok(received) => message.msg_len = received as c_uint,
            Err(errno) if done == 0 => return Err(errno),
            Err(errno) => {
                // The next call reports the error.
                if !matches!(errno, Errno::AGAIN | Errno::INTR) {
                    entry.enter(fd)?.file()?.keep_error(errno);
                }
                break;
            }
        }
        done += 1;
        if flags & MSG_WAITFORONE != 0 {
            flags |= MSG_DONTWAIT;
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
    }
    if let (1.., Some(deadline)) = (done, deadline) {
        let left = deadline.saturating_duration_since(Instant::now());
        // SAFETY: as above; a deadline comes from a time span.
        let timeout = unsafe { memory::at_mut(timeout_at)? };
        *timeout = timespec { tv_sec: left.as_secs() as libc::time_t, tv_nsec: left.subsec_nanos().into() };
    }
    Ok(done)
}

unsafe fn read_one(entry: &'static Entry, fd: c_int, into: *mut c_void, len: size_t) -> Result<ssize_t, Errno> {
    if len == 0 {
        return Ok(0);
    }
    // SAFETY: `len` bytes are writable there, as `read` demands of the caller.
    let mut into = unsafe { iov::destination(into, len)? };
    transfer::recv(entry, fd, into.room(), 0).map(|received| length(received.len))
}

/// Writes the sender's address to `to`, cut to the length at `len`, and the full length to `len`. Nothing if `to` is null.
fn put_sender(entry: &Entry, to: *mut c_void, len: *mut socklen_t) -> Result<(), Errno> {
    if to.is_null() {
        return Ok(());
    }
    let sender = if entry.has_sender() { &netlink::KERNEL[..] } else { &[] };
    put_address(&mut OwnMemory, to.expose_provenance() as u64, len.expose_provenance() as u64, sender)
}

//! The system calls of a client, by functions of the C library.

use libc::{c_int, c_void};
use std::{
    io::{Error, Result},
    mem::{size_of, zeroed},
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
    ptr,
};

/// The error number of a call that must have failed.
pub fn errno<T: std::fmt::Debug>(result: Result<T>) -> c_int {
    result.expect_err("an error").raw_os_error().expect("a number")
}

/// The result of a call, or its error.
pub fn check(result: isize) -> Result<usize> {
    usize::try_from(result).map_err(|_| Error::last_os_error())
}

fn own(fd: c_int) -> Result<OwnedFd> {
    check(fd as isize)?;
    // SAFETY: the call that made the descriptor has just returned it, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// `socket`.
pub fn socket(family: c_int, kind: c_int, protocol: c_int) -> Result<OwnedFd> {
    // SAFETY: the call takes no pointers.
    own(unsafe { libc::socket(family, kind, protocol) })
}

/// An AF_ALG socket that is bound to an algorithm.
pub fn bound(kind: &str, name: &str) -> Result<OwnedFd> {
    let socket = socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)?;
    // SAFETY: zeros are a valid value of this structure.
    let mut address: libc::sockaddr_alg = unsafe { zeroed() };
    address.salg_family = libc::AF_ALG as u16;
    address.salg_type[..kind.len()].copy_from_slice(kind.as_bytes());
    address.salg_name[..name.len()].copy_from_slice(name.as_bytes());
    let (address, len): (*const libc::sockaddr_alg, _) = (&raw const address, size_of::<libc::sockaddr_alg>() as u32);
    // SAFETY: the address has the length that is passed.
    check(unsafe { libc::bind(socket.as_raw_fd(), address.cast(), len) } as isize)?;
    Ok(socket)
}

/// `setsockopt`.
pub fn set_option(socket: &OwnedFd, level: c_int, name: c_int, value: &[u8]) -> Result<()> {
    // SAFETY: pointer and length are those of `value`.
    let result =
        unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, value.as_ptr().cast(), value.len() as u32) };
    check(result as isize).map(drop)
}

/// `getsockopt` of an `int`.
pub fn option(socket: &OwnedFd, name: c_int) -> Result<c_int> {
    let (mut value, mut len) = (0, 4);
    // SAFETY: the call writes an `int` and its length to local variables.
    let result =
        unsafe { libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, name, (&raw mut value).cast(), &raw mut len) };
    check(result as isize)?;
    assert_eq!(len, 4);
    Ok(value)
}

/// `accept4`.
pub fn accept(socket: &OwnedFd, flags: c_int) -> Result<OwnedFd> {
    // SAFETY: both pointers are null, so no address is written.
    own(unsafe { libc::accept4(socket.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), flags) })
}

/// A socket that computes digests.
pub fn hash(name: &str) -> OwnedFd {
    accept(&bound("hash", name).expect("a hash"), 0).expect("a socket")
}

/// A socket that encrypts with AES-CBC, with the key of SP 800-38A, F.2.1.
pub fn cbc(flags: c_int) -> OwnedFd {
    let cipher = bound("skcipher", "cbc(aes)").expect("a cipher");
    set_option(&cipher, libc::SOL_ALG, libc::ALG_SET_KEY, &KEY).expect("a key");
    accept(&cipher, flags).expect("a socket")
}

/// Key, IV, plaintext and ciphertext of SP 800-38A, F.2.1: CBC-AES128.Encrypt.
pub const KEY: [u8; 16] = 0x2b7e1516_28aed2a6_abf71588_09cf4f3c_u128.to_be_bytes();
pub const IV: [u8; 16] = 0x00010203_04050607_08090a0b_0c0d0e0f_u128.to_be_bytes();
pub const TEXT: [u8; 16] = 0x6bc1bee2_2e409f96_e93d7e11_7393172a_u128.to_be_bytes();
pub const SECRET: [u8; 16] = 0x7649abac_8119b246_cee98e9b_12e9197d_u128.to_be_bytes();
pub const TEXT_2: [u8; 16] = 0xae2d8a57_1e03ac9c_9eb76fac_45af8e51_u128.to_be_bytes();
pub const SECRET_2: [u8; 16] = 0x5086cb9b_507219ee_95db113a_917678b2_u128.to_be_bytes();

/// The SHA-256 of "abc", FIPS 180-4's example.
pub const ABC: [u8; 32] = [
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61,
    0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
];

/// The control messages for encryption with [`IV`].
pub fn encrypt() -> Vec<u8> {
    let mut control = Vec::new();
    let mut push = |kind: c_int, data: &[u8]| {
        control.extend((16 + data.len()).to_ne_bytes());
        control.extend(libc::SOL_ALG.to_ne_bytes());
        control.extend(kind.to_ne_bytes());
        control.extend(data);
        control.resize(control.len().next_multiple_of(8), 0);
    };
    push(libc::ALG_SET_OP, &libc::ALG_OP_ENCRYPT.to_ne_bytes());
    push(libc::ALG_SET_IV, &[&16u32.to_ne_bytes()[..], &IV].concat());
    control
}

/// A `struct msghdr`.
pub fn header(pieces: &mut [libc::iovec], control: &mut [u8]) -> libc::msghdr {
    // SAFETY: zeros are a valid value of this structure.
    let mut header: libc::msghdr = unsafe { zeroed() };
    header.msg_iov = pieces.as_mut_ptr();
    header.msg_iovlen = pieces.len() as _;
    header.msg_control = control.as_mut_ptr().cast();
    header.msg_controllen = control.len() as _;
    header
}

/// A `struct iovec` for data to be sent.
pub fn piece(bytes: &[u8]) -> libc::iovec {
    libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}

/// A `struct iovec` for data to be received.
pub fn place(bytes: &mut [u8]) -> libc::iovec {
    libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() }
}

/// `sendmsg`.
pub fn send_with(socket: &OwnedFd, data: &[u8], control: &mut [u8], flags: c_int) -> Result<usize> {
    let mut pieces = [piece(data)];
    let header = header(&mut pieces, control);
    // SAFETY: the header describes buffers that live as long as the call.
    check(unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const header, flags) })
}

/// `send`.
pub fn send(socket: &OwnedFd, data: &[u8], flags: c_int) -> Result<usize> {
    // SAFETY: pointer and length are those of `data`.
    check(unsafe { libc::send(socket.as_raw_fd(), data.as_ptr().cast(), data.len(), flags) })
}

/// `recv`.
pub fn recv(socket: &OwnedFd, into: &mut [u8], flags: c_int) -> Result<usize> {
    // SAFETY: pointer and length are those of `into`.
    check(unsafe { libc::recv(socket.as_raw_fd(), into.as_mut_ptr().cast(), into.len(), flags) })
}

/// The system call `write` on a descriptor's number.
pub fn write(fd: RawFd, data: &[u8]) -> Result<usize> {
    // SAFETY: pointer and length are those of `data`.
    check(unsafe { libc::write(fd, data.as_ptr().cast(), data.len()) })
}

/// The system call `read` on a descriptor's number.
pub fn read(fd: RawFd, into: &mut [u8]) -> Result<usize> {
    // SAFETY: pointer and length are those of `into`.
    check(unsafe { libc::read(fd, into.as_mut_ptr().cast::<c_void>(), into.len()) })
}

/// The digest of the data that a socket has been sent.
pub fn digest(socket: &OwnedFd) -> [u8; 32] {
    let mut digest = [0; 32];
    assert_eq!(recv(socket, &mut digest, 0).expect("a digest"), 32);
    digest
}

/// The events of `poll`, which waits for at most `timeout` milliseconds.
pub fn poll(fd: RawFd, timeout: c_int) -> i16 {
    let mut entry = libc::pollfd { fd, events: libc::POLLIN | libc::POLLOUT, revents: 0 };
    // SAFETY: the pointer is to one entry, and the count is 1.
    check(unsafe { libc::poll(&raw mut entry, 1, timeout) } as isize).expect("poll");
    entry.revents
}

/// A pipe: the end for reading, then the end for writing.
pub fn pipe() -> (OwnedFd, OwnedFd) {
    let mut fds = [0; 2];
    // SAFETY: the call writes two numbers, for which `fds` has room.
    check(unsafe { libc::pipe2(fds.as_mut_ptr(), 0) } as isize).expect("a pipe");
    (own(fds[0]).expect("one end"), own(fds[1]).expect("the other"))
}

/// Runs `child` in a process of its own, and returns its exit status.
pub fn fork(child: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the child makes only system calls and exits.
    match unsafe { libc::fork() } {
        0 => {
            let code = child();
            // SAFETY: the call ends the process and does nothing else.
            unsafe { libc::_exit(code) }
        }
        pid => {
            let mut status = 0;
            // SAFETY: the call writes the status to a local variable.
            assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
            if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 128 + libc::WTERMSIG(status) }
        }
    }
}

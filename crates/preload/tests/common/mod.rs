//! A client of AF_ALG, and a way to run a test in a process that has the library in front of its libc.

#![allow(dead_code, reason = "each test uses what it needs")]

use nix::{
    errno::Errno,
    sys::{
        socket::{
            AddressFamily, AlgAddr, ControlMessage, MsgFlags, SockFlag, SockType, accept, bind, sendmsg, setsockopt,
            socket, sockopt::AlgSetKey,
        },
        wait::{WaitStatus, waitpid},
    },
    unistd::{self, ForkResult, Pid, fork},
};
use std::{
    env,
    io::IoSlice,
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

/// The variable of a process that runs a test's body.
pub const SERVED: &str = "ALGKIT_TEST_SERVED";

/// The library, which is built beside the tests.
pub fn library() -> PathBuf {
    let library = env::current_exe().unwrap().with_file_name("libalgkit_preload.so");
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

/// Runs `body` in a process of its own, with the library. `test` is the name of the calling test.
pub fn served(test: &str, body: impl FnOnce()) {
    if env::var_os(SERVED).is_some() {
        // A test that hangs fails.
        unistd::alarm::set(60);
        return body();
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env("LD_PRELOAD", library())
        .env(SERVED, "1")
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{}: {said}", output.status);
}

/// A test that runs in a process with the library.
#[macro_export]
macro_rules! served {
    ($(#[$attribute:meta])* fn $name:ident() $body:block) => {
        $(#[$attribute])*
        #[test]
        fn $name() {
            $crate::common::served(stringify!($name), || $body);
        }
    };
}

/// Runs `body` in a child made by `fork`.
pub fn in_child(body: impl FnOnce()) -> Pid {
    // SAFETY: the child may use the C library because it handles its own locks; that this library does too is what is
    // tested.
    match unsafe { fork() }.unwrap() {
        ForkResult::Parent { child } => child,
        ForkResult::Child => {
            // A child that hangs fails, and so does its parent.
            unistd::alarm::set(60);
            let failed = catch_unwind(AssertUnwindSafe(body)).is_err();
            // SAFETY: the call ends the process and does nothing else.
            unsafe { libc::_exit(i32::from(failed)) }
        }
    }
}

/// Waits for a child and asserts that it has not failed.
pub fn assert_succeeds(child: Pid) {
    assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 0)));
}

/// NIST SP 800-38A, F.2.1 (CBC-AES128.Encrypt): key, IV, plaintext, ciphertext.
pub const KEY: [u8; 16] = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
pub const IV: [u8; 16] = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
pub const PLAIN: [[u8; 16]; 4] = [
    0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes(),
    0xae2d8a571e03ac9c9eb76fac45af8e51_u128.to_be_bytes(),
    0x30c81c46a35ce411e5fbc1191a0a52ef_u128.to_be_bytes(),
    0xf69f2445df4f9b17ad2b417be66c3710_u128.to_be_bytes(),
];
pub const CIPHER: [[u8; 16]; 4] = [
    0x7649abac8119b246cee98e9b12e9197d_u128.to_be_bytes(),
    0x5086cb9b507219ee95db113a917678b2_u128.to_be_bytes(),
    0x73bed6b8e3c1743b7116e69e22229516_u128.to_be_bytes(),
    0x3ff1caa1681fac09120eca307586e1a7_u128.to_be_bytes(),
];

/// SHA-256 of `abc` (FIPS 180-4).
pub const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// SHA-256 of a million letters `a` (FIPS 180-4).
pub const MILLION: &str = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A socket for the transform `name`, with `key` unless that is empty.
pub fn parent(kind: &str, name: &str, key: &[u8]) -> OwnedFd {
    let parent = socket(AddressFamily::Alg, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None).unwrap();
    bind(parent.as_raw_fd(), &AlgAddr::new(kind, name)).unwrap();
    if !key.is_empty() {
        setsockopt(&parent, AlgSetKey::<&[u8]>::default(), &key).unwrap();
    }
    parent
}

/// A socket for operations of the transform.
pub fn operation(parent: &OwnedFd) -> OwnedFd {
    own(accept(parent.as_raw_fd()).unwrap())
}

pub fn own(fd: RawFd) -> OwnedFd {
    // SAFETY: the caller got the descriptor from a function that makes one, and nothing else owns it.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

pub fn cbc() -> OwnedFd {
    operation(&parent("skcipher", "cbc(aes)", &KEY))
}

pub fn sha256() -> OwnedFd {
    operation(&parent("hash", "sha256", &[]))
}

/// Sends text to be encrypted, with operation and IV, as the beginning of a message.
pub fn encrypt(fd: &OwnedFd, text: &[u8], flags: MsgFlags) -> nix::Result<usize> {
    start(fd, libc::ALG_OP_ENCRYPT, text, flags)
}

/// The same as [`encrypt`], for either operation.
pub fn start(fd: &OwnedFd, operation: libc::c_int, text: &[u8], flags: MsgFlags) -> nix::Result<usize> {
    start_with(fd, operation, &IV, text, flags)
}

/// The same as [`start`], with another IV.
pub fn start_with(fd: &OwnedFd, operation: libc::c_int, iv: &[u8], text: &[u8], flags: MsgFlags) -> nix::Result<usize> {
    let control = [ControlMessage::AlgSetOp(&operation), ControlMessage::AlgSetIv(iv)];
    sendmsg::<()>(fd.as_raw_fd(), &[IoSlice::new(text)], &control, flags, None)
}

/// Asserts that the socket works as one of `cbc(aes)`.
pub fn assert_encrypts(fd: &OwnedFd) {
    assert_eq!(encrypt(fd, &PLAIN[0], MsgFlags::empty()), Ok(16));
    let mut text = [0; 16];
    assert_eq!(unistd::read(fd, &mut text), Ok(16));
    assert_eq!(text, CIPHER[0]);
}

/// The digest of what has been sent.
pub fn digest(fd: &OwnedFd) -> String {
    let mut digest = [0; 32];
    assert_eq!(unistd::read(fd, &mut digest), Ok(32));
    hex(&digest)
}

/// The result of `body`, and the time that it took.
pub fn timed<T>(body: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = body();
    (result, start.elapsed())
}

/// The result of a C function: an error from `errno` if it returned -1.
pub fn checked(returned: impl Into<i64>) -> nix::Result<i64> {
    match returned.into() {
        -1 => Err(Errno::last()),
        value => Ok(value),
    }
}

/// `MSG_MORE` in nix's type, which lacks it.
pub const MORE: MsgFlags = MsgFlags::from_bits_retain(libc::MSG_MORE);

//! `/proc/crypto`, `/dev/crypto`, NETLINK_CRYPTO and keyrings: programs reach them.

mod common;

use common::{CIPHER, IV, KEY, PLAIN, checked, own, parent};
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, FdFlag, OFlag, fcntl, open},
    sys::{
        socket::{MsgFlags, send},
        stat::{Mode, SFlag, fstat, lstat, stat},
    },
    unistd::{AccessFlags, access, read, write},
};
use std::{
    ffi::{CStr, c_char},
    fs,
    os::fd::AsRawFd,
    process::Command,
    ptr,
};

const PROC: &CStr = c"/proc/crypto";
const DEV: &CStr = c"/dev/crypto";

served! {
    fn proc_crypto_is_a_file_to_read() {
        let text = fs::read_to_string("/proc/crypto").unwrap();
        assert!(text.contains("\nname         : cbc(aes)\n"), "{text}");
        let cat = Command::new("cat").arg("/proc/crypto").output().unwrap();
        assert_eq!(String::from_utf8(cat.stdout).unwrap(), text);

        assert_eq!(open(PROC, OFlag::O_WRONLY, Mode::empty()).err(), Some(Errno::EACCES));
        assert_eq!(open(PROC, OFlag::O_RDONLY | OFlag::O_DIRECTORY, Mode::empty()).err(), Some(Errno::ENOTDIR));
        let file = open(PROC, OFlag::O_RDONLY | OFlag::O_CLOEXEC, Mode::empty()).unwrap();
        assert_eq!(fcntl(&file, FcntlArg::F_GETFD), Ok(FdFlag::FD_CLOEXEC.bits()));
        assert_eq!(write(&file, b"a"), Err(Errno::EBADF));
        let found = stat(PROC).unwrap();
        assert_eq!((SFlag::from_bits_truncate(found.st_mode) & SFlag::S_IFMT, found.st_mode & 0o777), (SFlag::S_IFREG, 0o444));
        assert_eq!(access(PROC, AccessFlags::R_OK), Ok(()));
        assert_eq!(access(PROC, AccessFlags::W_OK), Err(Errno::EACCES));
    }
}

served! {
    fn proc_crypto_can_be_copied() {
        // `cp` refuses a file that is not the one that its name has described.
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy");
        let cp = Command::new("cp").arg("/proc/crypto").arg(&copy).output().unwrap();
        assert!(cp.status.success() && cp.stderr.is_empty(), "{}", String::from_utf8_lossy(&cp.stderr));
        assert_eq!(fs::read_to_string(&copy).unwrap(), fs::read_to_string("/proc/crypto").unwrap());

        // Other files without a name are described as they are.
        let other = fs::File::open(&copy).unwrap();
        fs::remove_file(&copy).unwrap();
        assert!(fstat(&other).unwrap().st_size > 10_000);
    }
}

served! {
    fn nothing_is_made_where_a_served_file_is() {
        // By a system call that only the kernel answers.
        // SAFETY: the path is a C string.
        let is_there = || unsafe { libc::syscall(libc::SYS_faccessat, libc::AT_FDCWD, DEV.as_ptr(), libc::F_OK) } == 0;
        let before = is_there();
        drop(open(DEV, OFlag::O_RDWR | OFlag::O_CREAT, Mode::S_IRUSR).unwrap());
        assert_eq!(open(DEV, OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL, Mode::S_IRUSR).err(), Some(Errno::EEXIST));
        // SAFETY: the paths are C strings; nothing else owns the descriptors and the stream.
        unsafe {
            own(libc::creat(DEV.as_ptr(), 0o600));
            own(libc::syscall(libc::SYS_openat, libc::AT_FDCWD, DEV.as_ptr(), libc::O_RDWR | libc::O_CREAT, 0o600) as i32);
            let stream = libc::fopen(DEV.as_ptr(), c"w+".as_ptr());
            assert!(!stream.is_null() && libc::fclose(stream) == 0);
            // A path that cannot be read is refused by the kernel.
            assert_eq!(libc::open(ptr::without_provenance(8), libc::O_CREAT, 0o600), -1);
        }
        assert_eq!(Errno::last(), Errno::EFAULT);
        assert_eq!(is_there(), before);
    }
}

served! {
    fn a_limit_on_the_length_of_files_ends_nobody() {
        let limit = libc::rlimit { rlim_cur: 1000, rlim_max: 1000 };
        // SAFETY: the pointer is to a local variable.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) }, 0);
        let refused = std::fs::File::open("/proc/crypto").expect_err("an error");
        assert_eq!(refused.raw_os_error(), Some(libc::EFBIG));
    }
}

served! {
    fn proc_crypto_is_a_stream_to_read() {
        // SAFETY: path and mode are C strings, the buffer has 64 bytes, and the stream is closed once.
        let line = unsafe {
            let stream = libc::fopen(PROC.as_ptr(), c"re".as_ptr());
            assert!(!stream.is_null());
            let mut line = [0 as c_char; 64];
            assert!(!libc::fgets(line.as_mut_ptr(), 64, stream).is_null());
            assert_eq!(libc::fclose(stream), 0);
            assert!(libc::fopen(PROC.as_ptr(), c"w".as_ptr()).is_null());
            CStr::from_ptr(line.as_ptr()).to_owned()
        };
        assert_eq!(Errno::last(), Errno::EACCES);
        assert!(line.to_bytes().starts_with(b"name         : "), "{line:?}");
    }
}

/// `struct session_op` (`crypto/cryptodev.h`).
#[repr(C)]
struct Session {
    cipher: u32,
    mac: u32,
    key_len: u32,
    key: *const u8,
    mac_key_len: u32,
    mac_key: *const u8,
    session: u32,
}

/// `struct crypt_op`.
#[repr(C)]
struct Crypt {
    session: u32,
    operation: u16,
    flags: u16,
    len: u32,
    from: *const u8,
    to: *mut u8,
    mac: *mut u8,
    iv: *const u8,
}

const CRYPTO_AES_CBC: u32 = 11;
const COP_ENCRYPT: u16 = 0;

nix::ioctl_readwrite!(
    /// `CRIOGET`.
    clone_device, b'c', 101, u32
);
nix::ioctl_readwrite!(
    /// `CIOCGSESSION`.
    open_session, b'c', 102, Session
);
nix::ioctl_readwrite!(
    /// `CIOCCRYPT`.
    crypt, b'c', 104, Crypt
);

fn assert_device_encrypts(device: &impl AsRawFd) {
    let mut session = Session {
        cipher: CRYPTO_AES_CBC,
        mac: 0,
        key_len: 16,
        key: KEY.as_ptr(),
        mac_key_len: 0,
        mac_key: ptr::null(),
        session: 0,
    };
    // SAFETY: the structure names a key of the length that it says.
    unsafe { open_session(device.as_raw_fd(), &raw mut session) }.unwrap();
    let mut text = [0; 64];
    let mut request = Crypt {
        session: session.session,
        operation: COP_ENCRYPT,
        flags: 0,
        len: 64,
        from: PLAIN.as_ptr().cast(),
        to: text.as_mut_ptr(),
        mac: ptr::null_mut(),
        iv: IV.as_ptr(),
    };
    // SAFETY: the structure names buffers of the lengths that it says.
    unsafe { crypt(device.as_raw_fd(), &raw mut request) }.unwrap();
    assert_eq!(text, CIPHER.as_flattened());
}

served! {
    fn dev_crypto_is_a_device() {
        let device = open(DEV, OFlag::O_RDWR, Mode::empty()).unwrap();
        assert_device_encrypts(&device);
        for found in [fstat(&device).unwrap(), stat(DEV).unwrap(), lstat(DEV).unwrap()] {
            assert_eq!(SFlag::from_bits_truncate(found.st_mode) & SFlag::S_IFMT, SFlag::S_IFCHR);
        }
        assert_eq!(read(&device, &mut [0; 1]), Err(Errno::EINVAL));
        assert_eq!(send(device.as_raw_fd(), b"a", MsgFlags::empty()), Err(Errno::ENOTSOCK));

        let mut clone = 0;
        // SAFETY: the pointer is to a local variable.
        unsafe { clone_device(device.as_raw_fd(), &raw mut clone) }.unwrap();
        drop(device);
        assert_device_encrypts(&own(clone as i32));
        assert_eq!(access(DEV, AccessFlags::R_OK | AccessFlags::W_OK), Ok(()));
    }
}

served! {
    fn a_streams_descriptor_is_forgotten_when_it_is_closed() {
        // SAFETY: path and mode are C strings, and the stream is closed once.
        let number = unsafe {
            let stream = libc::fopen(DEV.as_ptr(), c"r+".as_ptr());
            let number = libc::fileno(stream);
            assert_device_encrypts(&number);
            assert_eq!(libc::fclose(stream), 0);
            number
        };
        let file = fs::File::open("/dev/null").unwrap();
        assert_eq!(file.as_raw_fd(), number);
        assert_eq!(read(&file, &mut [0; 1]), Ok(0));
    }
}

served! {
    fn netlink_answers_for_an_algorithm() {
        const NETLINK_CRYPTO: i32 = 21;
        const CRYPTO_MSG_GETALG: u16 = 0x13;
        const NLM_F_REQUEST: u16 = 1;
        // SAFETY: the call takes no pointers.
        let socket = unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW | libc::SOCK_CLOEXEC, NETLINK_CRYPTO) };
        let socket = own(checked(socket).unwrap() as i32);
        let mut name = [0_u8; 12];
        let mut len = 12;
        // SAFETY: the pointers are to local variables, and `len` is the length of `name`.
        let named = unsafe { libc::getsockname(socket.as_raw_fd(), name.as_mut_ptr().cast(), &raw mut len) };
        assert_eq!((named, len, name[..2].to_vec()), (0, 12, 16_u16.to_ne_bytes().to_vec()));

        // struct nlmsghdr, then struct crypto_user_alg, whose first 64 bytes are the name.
        let mut request = [0_u8; 16 + 208];
        request[..4].copy_from_slice(&224_u32.to_ne_bytes());
        request[4..6].copy_from_slice(&CRYPTO_MSG_GETALG.to_ne_bytes());
        request[6..8].copy_from_slice(&NLM_F_REQUEST.to_ne_bytes());
        request[8..12].copy_from_slice(&7_u32.to_ne_bytes());
        request[16..22].copy_from_slice(b"sha256");
        assert_eq!(send(socket.as_raw_fd(), &request, MsgFlags::empty()), Ok(224));
        let mut answer = [0_u8; 4096];
        let mut from = [0xff_u8; 12];
        let mut len = 12;
        let (into, from_address) = (answer.as_mut_ptr().cast(), from.as_mut_ptr().cast());
        // SAFETY: the pointers are to local variables with the lengths that are passed.
        let got = unsafe { libc::recvfrom(socket.as_raw_fd(), into, 4096, 0, from_address, &raw mut len) };
        assert!(got >= 224, "{got}");
        assert_eq!(answer[8..12], 7_u32.to_ne_bytes());
        assert_eq!(answer[16..23], *b"sha256\0");
        // The answer comes from the kernel, which has port 0.
        assert_eq!((len, &from[..2], &from[4..]), (12, &16_u16.to_ne_bytes()[..], &[0; 8][..]));
        assert_eq!(
            nix::sys::socket::recv(socket.as_raw_fd(), &mut answer, MsgFlags::MSG_DONTWAIT),
            Err(Errno::EAGAIN)
        );

        // The only peer is the kernel.
        let send_to = |address: &[u8; 12]| {
            let (request, address) = (request.as_ptr().cast(), address.as_ptr().cast());
            // SAFETY: request and address have the lengths that are passed.
            checked(unsafe { libc::sendto(socket.as_raw_fd(), request, 224, 0, address, 12) } as i64)
        };
        assert_eq!(send_to(&from), Ok(224));
        let mut somebody = from;
        somebody[4] = 5;
        assert_eq!(send_to(&somebody), Err(Errno::EPERM));
    }
}

served! {
    fn a_key_is_taken_from_a_keyring() {
        const KEY_SPEC_PROCESS_KEYRING: i32 = -2;
        const ALG_SET_KEY_BY_KEY_SERIAL: i32 = 7;
        let (kind, description) = (c"user".as_ptr(), c"algkit:test".as_ptr());
        // SAFETY: the first two arguments are C strings, and the key has the length that is passed.
        let serial = unsafe {
            libc::syscall(libc::SYS_add_key, kind, description, KEY.as_ptr(), KEY.len(), KEY_SPEC_PROCESS_KEYRING)
        };
        let serial = checked(serial).unwrap() as i32;
        let named = parent("skcipher", "cbc(aes)", &[]);
        let place = (&raw const serial).cast();
        // SAFETY: the pointer is to a number of four bytes.
        let set = unsafe { libc::setsockopt(named.as_raw_fd(), libc::SOL_ALG, ALG_SET_KEY_BY_KEY_SERIAL, place, 4) };
        assert_eq!(checked(set), Ok(0));
        common::assert_encrypts(&common::operation(&named));
    }
}

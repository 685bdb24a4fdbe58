//! Files that are opened by name, and netlink sockets.

use crate::{client::*, supervised};
use std::{
    ffi::CString,
    fs,
    io::{Read, Seek, SeekFrom},
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
};

fn open(folder: i32, name: &str, flags: i32) -> std::io::Result<fs::File> {
    let name = CString::new(name).expect("no zero");
    // SAFETY: the name is a C string.
    let fd = check(unsafe { libc::openat(folder, name.as_ptr(), flags) } as isize)?;
    // SAFETY: the call has just made the descriptor, so nothing else owns it.
    Ok(unsafe { fs::File::from_raw_fd(fd as i32) })
}

supervised! {
    fn proc_crypto_is_ours() {
        let text = fs::read_to_string("/proc/crypto").expect("a text");
        let modules: Vec<_> = text.lines().filter(|line| line.starts_with("module ")).collect();
        assert!(modules.len() > 100, "{} entries", modules.len());
        assert!(modules.iter().all(|line| line.ends_with(": algkit")), "{modules:?}");
        assert!(text.contains("name         : cbc(aes)\n"));
        // Other tests change the registry meanwhile, so this text may be another one.
        assert!(fs::read_to_string("//proc/./crypto").expect("a text").contains("module       : algkit\n"));
    }
}

supervised! {
    fn proc_crypto_by_other_ways() {
        let is_ours = |file: std::io::Result<fs::File>| {
            let (mut file, mut text) = (file.expect("a file"), String::new());
            file.read_to_string(&mut text).expect("a text");
            file.seek(SeekFrom::Start(0)).expect("the start");
            text.contains("module       : algkit")
        };
        let proc = fs::File::open("/proc").expect("a folder");
        assert!(is_ours(open(proc.as_raw_fd(), "crypto", libc::O_RDONLY)));
        std::env::set_current_dir("/proc").expect("a folder");
        assert!(is_ours(open(libc::AT_FDCWD, "crypto", libc::O_RDONLY | libc::O_CLOEXEC)));
        // A `struct open_how`: flags, mode, resolve.
        let how = [libc::O_RDONLY as u64, 0, 0];
        let name = c"/proc/crypto";
        // SAFETY: the name is a C string, and the structure has the length that is passed.
        let fd = unsafe { libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, name.as_ptr(), how.as_ptr(), 24) };
        // SAFETY: the descriptor is new, so nothing else owns it.
        assert!(is_ours(check(fd as isize).map(|fd| unsafe { fs::File::from_raw_fd(fd as i32) })));
    }
}

/// A `struct open_how`, with one word more than the kernel knows.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct How {
    flags: u64,
    mode: u64,
    resolve: u64,
    more: u64,
}

supervised! {
    fn openat2_is_as_strict_as_the_kernels() {
        let open2 = |folder: &str, name: &str, how: How, len: usize| {
            let folder = fs::File::open(folder).expect("a folder");
            let name = std::ffi::CString::new(name).expect("a name");
            // SAFETY: name and structure live as long as the call, and the structure has at least `len` bytes where that is valid.
            let fd = check(unsafe { libc::syscall(libc::SYS_openat2, folder.as_raw_fd(), name.as_ptr(), &raw const how, len) } as isize)?;
            // SAFETY: the descriptor is new, so nothing else owns it.
            let mut file = unsafe { fs::File::from_raw_fd(fd as i32) };
            let mut text = String::new();
            std::io::Read::read_to_string(&mut file, &mut text).map(|_| text)
        };
        let ours = |opened: std::io::Result<String>| opened.is_ok_and(|text| text.contains("module       : algkit"));
        let how = How::default();
        assert!(ours(open2("/", "/proc/crypto", how, 24)));
        assert!(ours(open2("/", "/proc/crypto", how, 32)));
        let large_file = if cfg!(target_arch = "x86_64") { 0o100_000 } else { 0o400_000 };
        assert!(ours(open2("/", "/proc/crypto", How { flags: large_file, ..how }, 24)));
        for resolve in [libc::RESOLVE_BENEATH, libc::RESOLVE_IN_ROOT, libc::RESOLVE_NO_XDEV, libc::RESOLVE_NO_SYMLINKS] {
            assert!(ours(open2("/proc", "crypto", How { resolve, ..how }, 24)), "{resolve:#x}");
        }
        assert_eq!(errno(open2("/", "/proc/crypto", How { resolve: libc::RESOLVE_BENEATH, ..how }, 24)), libc::EXDEV);
        for (wrong, len, error) in [
            (how, 16, libc::EINVAL),
            (how, 8192, libc::E2BIG),
            (How { more: 1, ..how }, 32, libc::E2BIG),
            (How { flags: 1 << 40, ..how }, 24, libc::EINVAL),
            // What a descriptor by `O_PATH` refers to cannot be read.
            (How { flags: libc::O_PATH as u64, ..how }, 24, libc::EBADF),
            (How { mode: 0o644, ..how }, 24, libc::EINVAL),
            (How { resolve: 1 << 20, ..how }, 24, libc::EINVAL),
            (How { resolve: libc::RESOLVE_BENEATH | libc::RESOLVE_IN_ROOT, ..how }, 24, libc::EINVAL),
        ] {
            assert_eq!(errno(open2("/proc", "crypto", wrong, len)), error, "{:#x} {:#x}", wrong.flags, wrong.resolve);
        }
    }
}

supervised! {
    fn proc_crypto_cannot_be_changed() {
        assert_eq!(errno(open(libc::AT_FDCWD, "/proc/crypto", libc::O_WRONLY)), libc::EACCES);
        assert_eq!(errno(open(libc::AT_FDCWD, "/proc/crypto", libc::O_RDWR)), libc::EACCES);
        let file = open(libc::AT_FDCWD, "/proc/crypto", libc::O_RDONLY).expect("a file");
        assert_eq!(errno(write(file.as_raw_fd(), b"x")), libc::EBADF);
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        let again = fs::OpenOptions::new().write(true).open(path);
        if let Ok(again) = again {
            assert_eq!(errno(write(again.as_raw_fd(), b"x")), libc::EPERM);
        }
    }
}

supervised! {
    fn nothing_is_made_where_a_served_file_is() {
        let is_there = || fs::symlink_metadata("/dev/crypto").is_ok();
        let before = is_there();
        for flags in [libc::O_RDWR | libc::O_CREAT, libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC] {
            drop(open(libc::AT_FDCWD, "/dev/crypto", flags).expect("a device"));
        }
        // SAFETY: the name is a C string.
        let made = check(unsafe { libc::creat(c"/dev/crypto".as_ptr(), 0o600) } as isize).expect("a device");
        // SAFETY: the call has just made the descriptor, so nothing else owns it.
        drop(unsafe { OwnedFd::from_raw_fd(made as i32) });
        for name in ["/dev/crypto", "/proc/crypto"] {
            assert_eq!(errno(open(libc::AT_FDCWD, name, libc::O_RDONLY | libc::O_CREAT | libc::O_EXCL)), libc::EEXIST);
            assert_eq!(errno(open(libc::AT_FDCWD, name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)), libc::EEXIST);
        }
        assert_eq!(is_there(), before);
    }
}

supervised! {
    fn files_are_made_by_the_kernel() {
        let path = std::env::temp_dir().join(format!("crypto-made-{}", std::process::id()));
        fs::write(&path, "made").expect("a file");
        assert_eq!(fs::read_to_string(&path).expect("a text"), "made");
        fs::remove_file(&path).expect("a file");
    }
}

supervised! {
    fn other_files_are_the_kernels() {
        let path = std::env::temp_dir().join(format!("crypto-{}", std::process::id())).join("crypto");
        let folder = path.parent().expect("a folder");
        fs::create_dir(folder).expect("a folder");
        fs::write(&path, "mine").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("read"), "mine");
        std::env::set_current_dir(folder).expect("a folder");
        assert_eq!(fs::read_to_string("crypto").expect("read"), "mine");
        fs::remove_dir_all(folder).expect("removed");
        assert_eq!(errno(fs::read_to_string(&path)), libc::ENOENT);
        let long = format!("/{}", "x".repeat(5000));
        assert_eq!(errno(fs::read_to_string(long)), libc::ENAMETOOLONG);
        // SAFETY: the kernel checks the address and refuses it.
        let result = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, 8, libc::O_RDONLY) };
        assert_eq!(errno(check(result as isize)), libc::EFAULT);
    }
}

/// `_IOWR('c', number, size)`.
const fn request(number: u64, size: usize) -> libc::c_ulong {
    3 << 30 | (size as u64) << 16 | 0x6300 | number
}

/// `struct session_op`, the argument of `CIOCGSESSION`.
#[repr(C)]
#[derive(Default)]
struct Session {
    cipher: u32,
    mac: u32,
    key_len: u32,
    key: u64,
    mac_key_len: u32,
    mac_key: u64,
    session: u32,
}

/// `struct crypt_op`.
#[repr(C)]
#[derive(Default)]
struct Crypt {
    session: u32,
    operation: u16,
    flags: u16,
    len: u32,
    source: u64,
    destination: u64,
    mac: u64,
    iv: u64,
}

const CIOCGSESSION: libc::c_ulong = request(102, size_of::<Session>());
const CIOCCRYPT: libc::c_ulong = request(104, size_of::<Crypt>());
const CRIOGET: libc::c_ulong = request(101, 4);
const CRYPTO_AES_CBC: u32 = 11;

supervised! {
    fn dev_crypto_encrypts() {
        let device = open(libc::AT_FDCWD, "/dev/crypto", libc::O_RDWR | libc::O_CLOEXEC).expect("a device");
        let ioctl = |fd: i32, request: libc::c_ulong, argument: *mut libc::c_void| {
            // SAFETY: the argument points to what the request needs, or is invalid and is checked.
            check(unsafe { libc::ioctl(fd, request, argument) } as isize)
        };
        let mut clone = -1;
        ioctl(device.as_raw_fd(), CRIOGET, (&raw mut clone).cast()).expect("a clone");
        let clone = {
            // SAFETY: the descriptor is new, so nothing else owns it.
            unsafe { fs::File::from_raw_fd(clone) }
        };
        // It is a duplicate, as that of cryptodev-linux. So it has the same flags.
        // SAFETY: the calls take no pointers.
        unsafe {
            assert_eq!(libc::fcntl(device.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK), 0);
            assert_ne!(libc::fcntl(clone.as_raw_fd(), libc::F_GETFL) & libc::O_NONBLOCK, 0);
        }
        // SAFETY: the call takes no pointers.
        let most = unsafe { libc::dup(device.as_raw_fd()) };
        // SAFETY: the descriptor is new, so nothing else owns it.
        drop(unsafe { fs::File::from_raw_fd(most) });
        assert_eq!(errno(ioctl(device.as_raw_fd(), CRIOGET, std::ptr::null_mut())), libc::EFAULT);
        // SAFETY: as above.
        let again = unsafe { fs::File::from_raw_fd(libc::dup(device.as_raw_fd())) };
        assert_eq!(again.as_raw_fd(), most, "the call that failed has left no duplicate");
        for device in [&device, &clone] {
            let fd = device.as_raw_fd();
            let mut session =
                Session { cipher: CRYPTO_AES_CBC, key_len: 16, key: KEY.as_ptr() as u64, ..Session::default() };
            ioctl(fd, CIOCGSESSION, (&raw mut session).cast()).expect("a session");
            let mut out = [0; 16];
            let mut crypt = Crypt {
                session: session.session,
                len: 16,
                source: TEXT.as_ptr() as u64,
                destination: out.as_mut_ptr() as u64,
                iv: IV.as_ptr() as u64,
                ..Crypt::default()
            };
            ioctl(fd, CIOCCRYPT, (&raw mut crypt).cast()).expect("encrypted");
            assert_eq!(out, SECRET);
            crypt.source = 8;
            assert_eq!(errno(ioctl(fd, CIOCCRYPT, (&raw mut crypt).cast())), libc::EFAULT);
            assert_eq!(errno(ioctl(fd, CIOCCRYPT, std::ptr::null_mut())), libc::EFAULT);
            assert_eq!(errno(write(fd, b"x")), libc::EINVAL);
            // SAFETY: the call takes no pointers.
            assert_eq!(errno(check(unsafe { libc::listen(fd, 1) } as isize)), libc::ENOTSOCK);
            // A request that the kernel implements for every file works here too.
            let mut on = 1;
            ioctl(fd, libc::FIONBIO, (&raw mut on).cast()).expect("set");
        }
        assert_eq!(errno(ioctl(hash("sha256").as_raw_fd(), CIOCGSESSION, std::ptr::null_mut())), libc::EOPNOTSUPP);
    }
}

supervised! {
    options { memory_of_program = 1 << 20 };
    fn dev_crypto_has_only_so_many_sessions() {
        const CIOCFSESSION: libc::c_ulong = 1 << 30 | 4 << 16 | 0x6300 | 103;
        let device = open(libc::AT_FDCWD, "/dev/crypto", libc::O_RDWR | libc::O_CLOEXEC).expect("a device");
        let ioctl = |request: libc::c_ulong, argument: *mut libc::c_void| {
            // SAFETY: the argument points to what the request needs.
            check(unsafe { libc::ioctl(device.as_raw_fd(), request, argument) } as isize)
        };
        let begin = || {
            let mut session =
                Session { cipher: CRYPTO_AES_CBC, key_len: 16, key: KEY.as_ptr() as u64, ..Session::default() };
            ioctl(CIOCGSESSION, (&raw mut session).cast()).map(|_| session.session)
        };
        let mut begun = Vec::new();
        let error = loop {
            match begin() {
                Ok(session) => begun.push(session),
                Err(error) => break error,
            }
        };
        assert_eq!(error.raw_os_error(), Some(libc::ENOMEM));
        assert!((128..=256).contains(&begun.len()), "{} sessions in a megabyte", begun.len());
        for mut session in begun.drain(..2) {
            ioctl(CIOCFSESSION, (&raw mut session).cast()).expect("ended");
        }
        begin().expect("a session again");
    }
}

supervised! {
    options { memory_of_program = 16 << 20 };
    fn sessions_take_no_more_memory_than_they_are_counted_for() {
        const BLOWFISH_CBC: u32 = 3;
        const SHA512_HMAC: u32 = 20;
        // The supervisor's memory in KiB.
        let memory = || {
            let status = fs::read_to_string(format!("/proc/{}/status", std::os::unix::process::parent_id())).expect("a text");
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
            line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
        };
        let before = memory();
        let mut devices = Vec::new();
        let error = loop {
            let device = open(libc::AT_FDCWD, "/dev/crypto", libc::O_RDWR | libc::O_CLOEXEC).expect("a device");
            let begin = || {
                let key = KEY.as_ptr() as u64;
                let (cipher, mac) = (BLOWFISH_CBC, SHA512_HMAC);
                let mut session = Session { cipher, mac, key_len: 16, key, mac_key_len: 16, mac_key: key, session: 0 };
                // SAFETY: the argument points to what the request needs.
                check(unsafe { libc::ioctl(device.as_raw_fd(), CIOCGSESSION, &raw mut session) } as isize)
            };
            // A device has at most 4096 sessions.
            let error = (0..4096).find_map(|_| begin().err());
            devices.push(device);
            if let Some(error) = error {
                break error;
            }
            assert!(devices.len() < 64, "no limit");
        };
        assert_eq!(error.raw_os_error(), Some(libc::ENOMEM));
        let taken = memory() - before;
        assert!((8 << 10..24 << 10).contains(&taken), "{taken} KiB");
    }
}

/// A request for an algorithm: `struct nlmsghdr`, then `struct crypto_user_alg` with its name.
fn get_algorithm(name: &str) -> Vec<u8> {
    const CRYPTO_MSG_GETALG: u16 = 0x13;
    const USER_ALG_LEN: usize = 64 * 3 + 16;
    let mut request = Vec::new();
    request.extend((16 + USER_ALG_LEN as u32).to_ne_bytes());
    request.extend(CRYPTO_MSG_GETALG.to_ne_bytes());
    request.extend((libc::NLM_F_REQUEST as u16).to_ne_bytes());
    request.extend(7u32.to_ne_bytes());
    request.extend(0u32.to_ne_bytes());
    request.extend(name.as_bytes());
    request.resize(16 + USER_ALG_LEN, 0);
    request
}

supervised! {
    fn netlink_tells_of_an_algorithm() {
        let socket = socket(libc::AF_NETLINK, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 21).expect("a socket");
        assert_eq!(option(&socket, libc::SO_TYPE).expect("a type"), libc::SOCK_RAW);
        assert_eq!(option(&socket, libc::SO_DOMAIN).expect("a family"), libc::AF_NETLINK);
        assert_eq!(poll(socket.as_raw_fd(), 0), libc::POLLOUT);
        let mut room = [0; 4096];
        assert_eq!(errno(recv(&socket, &mut room, libc::MSG_DONTWAIT)), libc::EAGAIN);

        // SAFETY: zeros are a valid value of this structure.
        let mut kernel: libc::sockaddr_nl = unsafe { std::mem::zeroed() };
        kernel.nl_family = libc::AF_NETLINK as u16;
        let request = get_algorithm("sha256");
        let to = |address: &libc::sockaddr_nl| {
            // SAFETY: request and address have the lengths that are passed.
            check(unsafe {
                let address: *const libc::sockaddr_nl = address;
                libc::sendto(socket.as_raw_fd(), request.as_ptr().cast(), request.len(), 0, address.cast(), 12)
            })
        };
        let mut somebody = kernel;
        somebody.nl_pid = 77;
        assert_eq!(errno(to(&somebody)), libc::EPERM);
        assert_eq!(to(&kernel).expect("sent"), request.len());
        recv(&socket, &mut room, 0).expect("an answer");
        // Of an address, the kernel reads no more than the longest one has.
        let mut longest = [0u8; 128];
        longest[0] = libc::AF_NETLINK as u8;
        let mut pieces = [piece(&request)];
        let mut message = header(&mut pieces, &mut []);
        (message.msg_name, message.msg_namelen) = (longest.as_mut_ptr().cast(), i32::MAX as u32);
        // SAFETY: the header describes buffers that live as long as the call, and the kernel's longest address.
        let sent = check(unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, 0) });
        assert_eq!(sent.expect("sent"), request.len());
        assert_eq!(poll(socket.as_raw_fd(), 0), libc::POLLIN | libc::POLLOUT);
        let (mut from, mut len) = (somebody, 64);
        // SAFETY: the buffer has the length that is passed.
        let n = check(unsafe {
            let from: *mut libc::sockaddr_nl = &raw mut from;
            libc::recvfrom(socket.as_raw_fd(), room.as_mut_ptr().cast(), room.len(), 0, from.cast(), &raw mut len)
        })
        .expect("an answer");
        assert_eq!((from.nl_pid, from.nl_family, len), (0, libc::AF_NETLINK as u16, 12));
        assert!(room[16..n].starts_with(b"sha256\0"));
        assert_eq!(poll(socket.as_raw_fd(), 0), libc::POLLOUT);
    }
}

supervised! {
    fn netlink_does_not_count_who_has_just_left() {
        let socket = socket(libc::AF_NETLINK, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 21).expect("a socket");
        let request = get_algorithm("md5");
        let users = || {
            send(&socket, &request, 0).expect("sent");
            let mut answer = [0; 4096];
            recv(&socket, &mut answer, 0).expect("an answer");
            // The third number after the three names.
            let count: [u8; 4] = answer[16 + 3 * 64 + 8..][..4].try_into().expect("four bytes");
            u32::from_ne_bytes(count)
        };
        let before = users();
        for _ in 0..300 {
            drop(hash("md5"));
            assert_eq!(users(), before);
        }
    }
}

supervised! {
    fn netlink_of_other_protocols_is_the_kernels() {
        let socket: OwnedFd = socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE).expect("a socket");
        assert!(socket.as_raw_fd() < 256);
    }
}

supervised! {
    fn who_may_not_administer_changes_no_registry() {
        let answer = || {
            let socket = socket(libc::AF_NETLINK, libc::SOCK_RAW, 21).expect("a socket");
            // `struct nlmsghdr`: CRYPTO_MSG_DELRNG, with NLM_F_REQUEST and NLM_F_ACK.
            let request = [&16u32.to_ne_bytes()[..], &0x14u16.to_ne_bytes(), &5u16.to_ne_bytes(), &[0; 8]].concat();
            send(&socket, &request, 0).expect("sent");
            let mut reply = [0; 36];
            recv(&socket, &mut reply, 0).expect("an acknowledgement");
            i32::from_ne_bytes(std::array::from_fn(|i| reply[16 + i]))
        };
        // In a user namespace of its own, a program has every capability.
        let of_child = fork(|| {
            // SAFETY: the call takes no pointers.
            let made = unsafe { libc::unshare(libc::CLONE_NEWUSER) };
            i32::from(made != 0 || answer() != -libc::EPERM)
        });
        assert_eq!(of_child, 0);
        // The version of `struct __user_cap_header_struct`, and this thread; no capability in any set.
        let (header, none) = ([0x2008_0522u32, 0], [0u32; 6]);
        // SAFETY: the structures are as long as this version has them.
        let dropped = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) };
        assert_eq!((dropped, answer()), (0, -libc::EPERM));
    }
}

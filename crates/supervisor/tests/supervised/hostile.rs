//! Misbehaving clients get errors, and others are served.

use crate::{client::*, supervised};
use algkit_supervisor::Options;
use std::{
    io::Write as _,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Command, Stdio},
    ptr,
    sync::mpsc,
    thread,
    time::Duration,
};

const NOWHERE: *mut libc::c_void = 8 as *mut libc::c_void;

supervised! {
    fn bad_addresses() {
        let socket = cbc(0);
        let fd = socket.as_raw_fd();
        let call = |nr: libc::c_long, arguments: [usize; 5]| {
            let [a, b, c, d, e] = arguments;
            // SAFETY: the kernel and the supervisor check the addresses; that they do is what is tested.
            check(unsafe { libc::syscall(nr, fd, a, b, c, d, e) } as isize)
        };
        for bad in [8, usize::MAX, usize::MAX - 7, 1 << 47, (1 << 47) - 4] {
            for nr in [libc::SYS_write, libc::SYS_sendto, libc::SYS_sendmsg, libc::SYS_recvmsg, libc::SYS_bind] {
                assert_eq!(errno(call(nr, [bad, 16, 0, 0, 0])), libc::EFAULT, "call {nr} of {bad:#x}");
            }
            assert_eq!(errno(call(libc::SYS_writev, [bad, 1, 0, 0, 0])), libc::EFAULT);
            assert_eq!(errno(call(libc::SYS_setsockopt, [279, 1, bad, 16, 0])), libc::EFAULT);
            assert_eq!(errno(call(libc::SYS_getsockopt, [1, 3, bad, bad, 0])), libc::EFAULT);
            assert_eq!(errno(call(libc::SYS_sendmmsg, [bad, 2, 0, 0, 0])), libc::EFAULT);
            assert_eq!(errno(call(libc::SYS_recvmmsg, [bad, 2, 0, 0, 0])), libc::EFAULT);
        }
        // The socket still works, also after a message of which a part could not be read.
        send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
        assert_eq!(errno(call(libc::SYS_read, [8, 16, 0, 0, 0])), libc::EFAULT);
        send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
        let mut out = [0; 16];
        assert_eq!(recv(&socket, &mut out, 0).expect("received"), 16);
        assert_eq!(out, SECRET);
    }
}

supervised! {
    fn structures_at_the_ends_of_pages() {
        const PAGE: usize = 4096;
        // Two pages, and behind them one that cannot be accessed.
        // SAFETY: the memory is new.
        let memory = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let at = libc::mmap(ptr::null_mut(), 3 * PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(at, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(at.byte_add(2 * PAGE), PAGE, libc::PROT_NONE), 0);
            at
        };
        // No file of the kernel has this name.
        let name = c"/dev/crypto".to_bytes_with_nul();
        for end in [PAGE + 4, 2 * PAGE] {
            // SAFETY: the name lies within the two pages.
            let opened = unsafe {
                let at = memory.byte_add(end - name.len()).cast::<libc::c_char>();
                at.copy_from_nonoverlapping(name.as_ptr().cast(), name.len());
                check(libc::open(at, libc::O_RDWR | libc::O_CLOEXEC) as isize).expect("a device")
            };
            // SAFETY: the descriptor is new, so nothing else owns it.
            drop(unsafe { OwnedFd::from_raw_fd(opened as i32) });
        }
        let socket = hash("sha256");
        let mut pieces = [piece(b"abc")];
        // SAFETY: the header lies in the second page, and describes what lives as long as the call.
        let sent = unsafe {
            let message = memory.byte_add(2 * PAGE - size_of::<libc::msghdr>()).cast::<libc::msghdr>();
            message.write(header(&mut pieces, &mut []));
            check(libc::sendmsg(socket.as_raw_fd(), message, 0))
        };
        assert_eq!(sent.expect("sent"), 3);
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn bad_lengths() {
        let socket = cbc(0);
        let mut pieces = vec![piece(&TEXT); 1025];
        let mut message = header(&mut pieces, &mut []);
        let send = |message: &libc::msghdr| {
            // SAFETY: the kernel and the supervisor check the lengths; that they do is what is tested.
            check(unsafe { libc::sendmsg(socket.as_raw_fd(), message, libc::MSG_MORE) })
        };
        assert_eq!(errno(send(&message)), libc::EMSGSIZE);
        // SAFETY: as above.
        let written = check(unsafe { libc::writev(socket.as_raw_fd(), pieces.as_ptr(), 1025) });
        assert_eq!(errno(written), libc::EINVAL);
        message.msg_iovlen = 1;
        message.msg_controllen = 1 << 31;
        message.msg_control = NOWHERE;
        assert_eq!(errno(send(&message)), libc::ENOBUFS);
        message.msg_controllen = 64;
        assert_eq!(errno(send(&message)), libc::EFAULT);
        message.msg_controllen = 0;
        let mut huge = [libc::iovec { iov_base: NOWHERE, iov_len: usize::MAX }];
        message.msg_iov = huge.as_mut_ptr();
        assert_eq!(errno(send(&message)), libc::EINVAL);
        // A text that is longer than any queue, and of which only the front can be read.
        let text = vec![0u8; 1 << 20];
        // SAFETY: as above.
        let sent = check(unsafe { libc::send(socket.as_raw_fd(), text.as_ptr().cast(), 1 << 40, libc::MSG_DONTWAIT) });
        assert!(sent.is_err() || sent.is_ok_and(|n| n <= 1 << 20));
        assert_eq!(errno(set_option(&socket, libc::SOL_ALG, libc::ALG_SET_KEY, &[0; 100_000])), libc::EOPNOTSUPP);
        let parent = bound("skcipher", "cbc(aes)").expect("a cipher");
        assert_eq!(errno(set_option(&parent, libc::SOL_ALG, libc::ALG_SET_KEY, &vec![0; 1 << 20])), libc::ENOMEM);
    }
}

supervised! {
    fn garbage() {
        // Pseudorandom numbers by a linear congruential generator.
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        let sockets = [cbc(libc::SOCK_NONBLOCK), hash("sha256"), bound("aead", "gcm(aes)").expect("an AEAD")];
        // A page, and behind it one that cannot be accessed.
        // SAFETY: the memory is new.
        let memory = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let at = libc::mmap(ptr::null_mut(), 8192, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(at, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(at.byte_add(4096), 4096, libc::PROT_NONE), 0);
            at as u64
        };
        let calls = [
            libc::SYS_sendmsg, libc::SYS_recvmsg, libc::SYS_sendto, libc::SYS_recvfrom, libc::SYS_setsockopt,
            libc::SYS_getsockopt, libc::SYS_bind, libc::SYS_connect, libc::SYS_ioctl, libc::SYS_writev, libc::SYS_readv,
            libc::SYS_sendmmsg, libc::SYS_recvmmsg, libc::SYS_accept, libc::SYS_getsockname, libc::SYS_listen,
            libc::SYS_shutdown, libc::SYS_getpeername, libc::SYS_pwritev2, libc::SYS_preadv2,
        ];
        let mut opened = 0;
        for _ in 0..20_000 {
            let mut word = || match random() % 5 {
                0 => random() % 300,
                1 => random() << 31 ^ random(),
                2 => 0,
                3 => memory + random() % 4096,
                _ => random() % 24,
            };
            let [a, b, c, d, e] = std::array::from_fn(|_| word());
            let fd = sockets[random() as usize % 3].as_raw_fd();
            let nr = calls[random() as usize % calls.len()];
            // SAFETY: of the addresses, only that page is memory of this process.
            let result = unsafe { libc::syscall(nr, fd, a, b, c, d, e | u64::from(libc::MSG_DONTWAIT as u32)) };
            if nr == libc::SYS_accept && result >= 0 {
                opened += 1;
                // SAFETY: the descriptor is new, so nothing else owns it.
                drop(unsafe { OwnedFd::from_raw_fd(result as i32) });
            }
        }
        assert!(opened > 0);
        let socket = hash("sha256");
        send(&socket, b"abc", 0).expect("sent");
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn killed_while_a_call_waits() {
        let socket = cbc(0);
        send_with(&socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
        recv(&socket, &mut [0; 16], 0).expect("received");
        for _ in 0..20 {
            // SAFETY: the child makes only system calls and exits.
            let pid = unsafe { libc::fork() };
            if pid == 0 {
                let _ = recv(&socket, &mut [0; 16], 0);
                // SAFETY: the call ends the process and does nothing else.
                unsafe { libc::_exit(0) };
            }
            thread::sleep(Duration::from_millis(2));
            let mut status = 0;
            // SAFETY: the child has not been waited for, so its number is still its own.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                assert_eq!(libc::waitpid(pid, &raw mut status, 0), pid);
            }
            assert!(libc::WIFSIGNALED(status));
        }
        send(&socket, &TEXT_2, 0).expect("sent");
        let mut out = [0; 16];
        assert_eq!(recv(&socket, &mut out, 0).expect("received"), 16);
        assert_eq!(out, SECRET_2);
    }
}

/// Runs test `name` of this program as an ordinary user if this process is root's, which may access every process.
/// Returns whether it did.
fn as_ordinary_user(name: &str) -> bool {
    const NOBODY: u32 = 65_534;
    // SAFETY: the call takes no pointers.
    if unsafe { libc::geteuid() } != 0 {
        return false;
    }
    let program = std::env::temp_dir().join(format!("algkit-supervised-{}-{}", std::process::id(), name.len()));
    // The file is copied by another process. A child that another thread starts would inherit a descriptor for writing,
    // and the program could not be executed.
    let copied = Command::new("cp").arg(std::env::current_exe().expect("a path")).arg(&program).status();
    assert!(copied.expect("coreutils").success());
    let mut command = Command::new(&program);
    let status = command.args(["--exact", name, "--quiet"]).current_dir("/").uid(NOBODY).gid(NOBODY).status();
    std::fs::remove_file(program).expect("removed");
    assert!(status.expect("it runs").success());
    true
}

#[test]
fn the_supervisor_is_opaque() {
    const NAME: &str = "hostile::the_supervisor_is_opaque";
    if crate::is_inside() {
        let mut room = [0u8; 1];
        let (here, there) = (place(&mut room), place(&mut [0u8; 1]));
        // SAFETY: the local buffer has room for a byte, and the remote address belongs to another process.
        let result = unsafe { libc::process_vm_readv(libc::getppid(), &raw const here, 1, &raw const there, 1, 0) };
        assert_eq!(errno(check(result)), libc::EPERM);
    } else if !as_ordinary_user(NAME) {
        let status = crate::start(NAME, &Options::default());
        assert!(status.success(), "{status}");
    }
}

#[test]
fn a_program_that_cannot_be_read_is_refused() {
    const NAME: &str = "hostile::a_program_that_cannot_be_read_is_refused";
    if crate::is_inside() {
        // SAFETY: the call takes no pointers.
        assert_eq!(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) }, 0);
        assert_eq!(errno(socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)), libc::EACCES);
        std::fs::File::open("/dev/null").expect("the kernel opens it");
    } else if !as_ordinary_user(NAME) {
        let status = crate::start(NAME, &Options::default());
        assert!(status.success(), "{status}");
    }
}

/// A program that tries to take its parent over: it exits with 0 if that fails.
const TAKEOVER: &str = include_str!("takeover.c");

#[test]
fn a_program_cannot_take_its_supervisor_over_while_it_starts() {
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    assert!(matches!(scope.trim(), "" | "0"), "Yama forbids it by itself, and nothing is tested");
    if as_ordinary_user("hostile::a_program_cannot_take_its_supervisor_over_while_it_starts") {
        return;
    }
    let program = Scratch::program("takeover", TAKEOVER);
    for run in 0..20 {
        let status = crate::alone(Command::new(&program.0), &Options::default()).expect("it runs");
        assert!(status.success(), "run {run}: {status}");
    }
}

/// A file that is removed when this is dropped.
struct Scratch(std::path::PathBuf);

impl Scratch {
    /// A static program, which executes its first instruction sooner than one with libraries to load. The C compiler
    /// that linked this program compiles it.
    fn program(name: &str, source: &str) -> Self {
        let program = std::env::temp_dir().join(format!("algkit-{name}-{}", std::process::id()));
        let mut command = Command::new("cc");
        command.args(["-O2", "-static", "-x", "c", "-o"]).arg(&program).arg("-").stdin(Stdio::piped());
        let mut compiler = command.spawn().expect("a C compiler");
        compiler.stdin.take().expect("a pipe").write_all(source.as_bytes()).expect("written");
        assert!(compiler.wait().expect("it ends").success());
        Self(program)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

supervised! {
    fn keys_of_the_supervisors_keyrings_are_out_of_reach() {
        const KEY_SPEC_SESSION_KEYRING: i32 = -3;
        // SAFETY: the arguments are two C strings, a key with its length, and a number.
        let serial = unsafe {
            libc::syscall(libc::SYS_add_key, c"user".as_ptr(), c"algkit-test".as_ptr(), KEY.as_ptr(), 16, KEY_SPEC_SESSION_KEYRING)
        };
        let serial = check(serial as isize).expect("a kernel with keyrings") as i32;
        let hash = bound("hash", "ghash").expect("a keyed hash");
        let by_serial = set_option(&hash, libc::SOL_ALG, 7, &serial.to_ne_bytes());
        assert_eq!(errno(by_serial), libc::ENOPROTOOPT);
        let socket = accept(&hash, 0).expect("a socket");
        assert_eq!(errno(send(&socket, &TEXT, 0)), libc::ENOKEY);
    }
}

/// The control message that sends a descriptor.
fn rights(fd: &OwnedFd) -> Vec<u8> {
    let mut control = Vec::new();
    control.extend(20usize.to_ne_bytes());
    control.extend(libc::SOL_SOCKET.to_ne_bytes());
    control.extend(libc::SCM_RIGHTS.to_ne_bytes());
    control.extend(fd.as_raw_fd().to_ne_bytes());
    control.resize(24, 0);
    control
}

/// A duplicate of a served descriptor that the filter does not know. One that arrives over another socket has a number
/// outside of the ranges. Its other end is the supervisor's.
fn unknown_duplicate(socket: &OwnedFd) -> OwnedFd {
    let (here, there) = std::os::unix::net::UnixStream::pair().expect("a pair");
    let mut control = rights(socket);
    send_with(&OwnedFd::from(here), b"x", &mut control, 0).expect("sent");
    let mut room = [0u8; 1];
    let mut pieces = [place(&mut room)];
    let mut message = header(&mut pieces, &mut control);
    // SAFETY: the header describes buffers that live as long as the call.
    check(unsafe { libc::recvmsg(there.as_raw_fd(), &raw mut message, 0) }).expect("received");
    assert_eq!(room, *b"x");
    let number = i32::from_ne_bytes(control[16..20].try_into().expect("four bytes"));
    assert!(number < 256, "{number}");
    // SAFETY: the descriptor is new, so nothing else owns it.
    unsafe { OwnedFd::from_raw_fd(number) }
}

supervised! {
    fn a_file_that_takes_long_to_close_holds_up_nobody() {
        // The last descriptor of a connection that waits an hour for its peer, sent to the supervisor's end.
        let peer = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut stream = std::net::TcpStream::connect(peer.local_addr().expect("an address")).expect("connected");
        let _unread = peer.accept().expect("a connection");
        stream.set_nonblocking(true).expect("set");
        while stream.write(&[0; 65_536]).is_ok() {}
        let linger = libc::linger { l_onoff: 1, l_linger: 3600 };
        let (at, len): (*const libc::linger, _) = (&raw const linger, size_of::<libc::linger>() as u32);
        // SAFETY: the value has the length that is passed.
        let set = unsafe { libc::setsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_LINGER, at.cast(), len) };
        assert_eq!(set, 0);
        let stream = OwnedFd::from(stream);
        let socket = hash("sha256");
        let copy = unknown_duplicate(&socket);
        assert_eq!(errno(send_with(&copy, b"x", &mut rights(&stream), libc::MSG_DONTWAIT)), libc::EPIPE);
        // The sender's own descriptor is closed by a thread, which may wait, too.
        thread::spawn(move || drop(stream));
        thread::sleep(Duration::from_millis(100));
        drop((copy, socket));
        let (done, end) = mpsc::channel();
        thread::spawn(move || {
            let socket = hash("sha256");
            send(&socket, b"abc", 0).expect("sent");
            let _ = done.send(digest(&socket) == ABC);
        });
        assert_eq!(end.recv_timeout(Duration::from_secs(20)), Ok(true));
        // Ends the process without waiting for the thread above.
        // SAFETY: the call ends the process and does nothing else.
        unsafe { libc::_exit(0) };
    }
}

supervised! {
    fn a_number_of_the_ranges_makes_a_duplicate_served() {
        let copy = unknown_duplicate(&hash("sha256"));
        assert_eq!(errno(send(&copy, b"abc", 0)), libc::EPIPE);
        // SAFETY: the call takes no pointer.
        let number = check(unsafe { libc::fcntl(copy.as_raw_fd(), libc::F_DUPFD, 768) } as isize).expect("duplicated");
        // SAFETY: the descriptor is new, so nothing else owns it.
        let served = unsafe { OwnedFd::from_raw_fd(number as i32) };
        send(&served, b"abc", 0).expect("sent");
        assert_eq!(digest(&served), ABC);
    }
}

supervised! {
    fn a_socket_written_to_behind_the_filters_back() {
        let socket = cbc(0);
        let copy = unknown_duplicate(&socket);
        for _ in 0..100 {
            assert_eq!(errno(send(&copy, b"x", libc::MSG_DONTWAIT)), libc::EPIPE);
        }
        assert_eq!(poll(copy.as_raw_fd(), 0), libc::POLLIN | libc::POLLOUT);
        send_with(&socket, &TEXT, &mut encrypt(), 0).expect("sent");
        let mut out = [0; 16];
        assert_eq!(recv(&socket, &mut out, 0).expect("received"), 16);
        assert_eq!(out, SECRET);
    }
}

/// The length of the longest algorithm name in an address: the 128 bytes of a `sockaddr_storage`, less the 24 of a
/// `sockaddr_alg` before the name, less the NUL.
const MAX_NAME: usize = 128 - 24 - 1;

/// Binds an AF_ALG socket to `kind` and `name`. The name may be longer than the 64 bytes in a `sockaddr_alg`.
fn bind_to(kind: &str, name: &str) -> std::io::Result<usize> {
    let socket = socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)?;
    let mut address = vec![0; 24 + name.len() + 1];
    address[..2].copy_from_slice(&(libc::AF_ALG as u16).to_ne_bytes());
    address[2..2 + kind.len()].copy_from_slice(kind.as_bytes());
    address[24..24 + name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: the address has the length that is passed.
    check(unsafe { libc::bind(socket.as_raw_fd(), address.as_ptr().cast(), address.len() as u32) } as isize)
}

supervised! {
    fn names_in_names_in_names() {
        // Each template is nested as deeply as an address has room for. The parser must not overflow the small stacks of the
        // supervisor's threads, and all names but the five that exist are unknown.
        let mut exist = Vec::new();
        let templates = ["cts", "ecb", "cbc", "hmac", "cryptd", "essiv", "authenc", "rfc3686", "rfc4106", "ccm", "gcm", "seqiv"];
        for template in templates {
            for inside in ["aes", "sha256", "sha256,cbc(aes)"] {
                let mut name = inside.to_owned();
                while name.len() + template.len() + 2 < MAX_NAME {
                    name = format!("{template}({name})");
                    for kind in ["skcipher", "aead", "hash"] {
                        match bind_to(kind, &name) {
                            Ok(_) => exist.push(format!("{kind} {name}")),
                            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::ENOENT), "{kind} {name}"),
                        }
                    }
                }
            }
        }
        let expected =
            ["skcipher ecb(aes)", "skcipher cbc(aes)", "hash hmac(sha256)", "aead ccm(aes)", "aead gcm(aes)"];
        assert_eq!(exist, expected);
        let hash = hash("sha256");
        send(&hash, b"abc", 0).expect("sent");
        assert_eq!(digest(&hash), ABC);
    }
}

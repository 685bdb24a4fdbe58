//! Programs that confine themselves with seccomp.

mod common;

use common::{CIPHER, PLAIN, assert_encrypts, assert_succeeds, cbc, checked, hex, in_child, own, sha256};
use nix::sys::socket::{MsgFlags, send};
use std::os::fd::{AsRawFd, RawFd};

/// The system calls that OpenSSH 9.2 allows its unprivileged process (`sandbox-seccomp-filter.c`), without those that
/// depend on arguments. Any other kills the process.
const ALLOWED: [libc::c_long; 25] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_read,
    libc::SYS_rt_sigprocmask,
    libc::SYS_write,
];

/// The system call by which the standard library checks a descriptor before it closes it, if it is compiled with debug
/// assertions. This program makes it, not the preload library.
const OF_DEBUG_ASSERTIONS: &[libc::c_long] = if cfg!(debug_assertions) { &[libc::SYS_fcntl] } else { &[] };

/// Installs a filter that kills this process for a system call that is not in `allowed`.
fn confine(allowed: &[libc::c_long]) {
    let statement = |code: u32, jt: usize, k: u32| libc::sock_filter { code: code as u16, jt: jt as u8, jf: 0, k };
    let (load, equal) = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K);
    let mut filter = vec![statement(load, 0, 0)];
    for (at, &number) in allowed.iter().enumerate() {
        filter.push(statement(equal, allowed.len() - at, number as u32));
    }
    filter.push(statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_KILL_PROCESS));
    filter.push(statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW));
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: `program` describes `filter`, and both are local variables.
    unsafe {
        checked(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)).unwrap();
        checked(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)).unwrap();
    }
}

/// Lowers the limit of descriptors to 1, so that no new one can be made.
fn limit_files() {
    let limit = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
    // SAFETY: the pointer is to a local variable.
    checked(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }).unwrap();
}

/// Reads by a request to the asynchronous interface, as OpenSSL's engine makes it.
fn read_asynchronously(fd: RawFd, event: RawFd) -> [u8; 16] {
    let (mut context, mut text, mut done, mut count) = (0_u64, [0_u8; 16], [0_u64; 4], 0_u64);
    let mut iocb = [0_u64; 8];
    iocb[2] = (fd as u64) << 32; // IOCB_CMD_PREAD is 0
    iocb[3] = text.as_mut_ptr().expose_provenance() as u64;
    iocb[4] = 16;
    iocb[7] = 1 | (event as u64) << 32; // IOCB_FLAG_RESFD
    let list = [iocb.as_mut_ptr()];
    // SAFETY: request, list, buffer and events are local variables of the sizes that the calls expect.
    unsafe {
        checked(libc::syscall(libc::SYS_io_setup, 1, &raw mut context)).unwrap();
        assert_eq!(checked(libc::syscall(libc::SYS_io_submit, context, 1, list.as_ptr())), Ok(1));
        assert_eq!(libc::read(event, (&raw mut count).cast(), 8), 8);
        assert_eq!(
            (count, checked(libc::syscall(libc::SYS_io_getevents, context, 1, 1, done.as_mut_ptr(), 0))),
            (1, Ok(1))
        );
        assert_eq!(done[2], 16);
        checked(libc::syscall(libc::SYS_io_destroy, context)).unwrap();
    }
    text
}

/// What OpenSSL's engine does for a connection: a transform, a socket, an eventfd, and a request.
fn work_as_the_engine() {
    let operation = cbc();
    let copy = own(nix::unistd::dup(&operation).map(std::os::fd::IntoRawFd::into_raw_fd).unwrap());
    drop(operation);
    assert_encrypts(&copy);
    // SAFETY: the call takes no pointers.
    let event = own(checked(unsafe { libc::syscall(libc::SYS_eventfd2, 0, 0) }).unwrap() as RawFd);
    common::encrypt(&copy, &PLAIN[0], MsgFlags::empty()).unwrap();
    assert_eq!(read_asynchronously(copy.as_raw_fd(), event.as_raw_fd()), CIPHER[0]);
    // Nobody reads this number, and the next user of the eventfd must not see it.
    assert_eq!(nix::unistd::write(&event, &7_u64.to_ne_bytes()), Ok(8));
}

served! {
    fn a_program_confined_as_openssh_is() {
        assert_succeeds(in_child(|| {
            drop(sha256());
            limit_files();
            // The descriptors of the reserve do not belong to the program, so they stay open.
            // SAFETY: this process needs no descriptor from 3 on.
            unsafe { libc::close_range(3, u32::MAX, 0) };
            confine(&[&ALLOWED[..], OF_DEBUG_ASSERTIONS].concat());
            for _ in 0..100 {
                work_as_the_engine();
            }
            let hash = sha256();
            send(hash.as_raw_fd(), b"abc", MsgFlags::empty()).unwrap();
            let mut poll = libc::pollfd { fd: hash.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: the pointer is to one `pollfd`, and the count is 1. A hash is never ready.
            assert_eq!(unsafe { libc::poll(&raw mut poll, 1, 5) }, 0);
            assert_eq!(common::digest(&hash), common::ABC);
            let all: Vec<_> = std::iter::repeat_with(|| nix::unistd::dup(&hash)).take_while(Result::is_ok).collect();
            assert!(all.len() > 20, "{}", all.len());
            assert_eq!(nix::unistd::dup(&hash).err(), Some(nix::errno::Errno::EMFILE));
            drop(all);
            work_as_the_engine();
        }));
    }
}

served! {
    fn a_program_that_may_only_read_and_write() {
        let (reader, writer) = nix::unistd::pipe().unwrap();
        let child = in_child(|| {
            let (operation, hash, mut out) = (cbc(), sha256(), [0_u8; 48]);
            let request = |out: &mut [u8]| {
                common::encrypt(&operation, &PLAIN[0], MsgFlags::empty()).unwrap();
                assert_eq!(nix::unistd::read(&operation, &mut out[..16]), Ok(16));
                assert_eq!(nix::unistd::write(&hash, b"abc"), Ok(3));
                assert_eq!(nix::unistd::read(&hash, &mut out[16..]), Ok(32));
            };
            request(&mut out);
            // SAFETY: the call takes no pointers.
            checked(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_STRICT) }).unwrap();
            for _ in 0..1000 {
                out.fill(0);
                request(&mut out);
            }
            assert_eq!(nix::unistd::write(&writer, &out), Ok(48));
            // SAFETY: the call ends the only thread of the process. (`_exit` makes another system call, which is not
            // allowed.)
            unsafe { libc::syscall(libc::SYS_exit, 0) };
        });
        let mut out = [0; 48];
        assert_eq!(nix::unistd::read(&reader, &mut out), Ok(48));
        assert_eq!((&out[..16], hex(&out[16..])), (&CIPHER[0][..], common::ABC.to_owned()));
        assert_succeeds(child);
    }
}

served! {
    fn who_has_nothing_to_do_with_af_alg_keeps_nothing() {
        assert_succeeds(in_child(|| {
            limit_files();
            // SAFETY: the call takes no pointers.
            assert_eq!(unsafe { libc::fcntl(901, libc::F_GETFD) }, -1);
        }));
    }
}

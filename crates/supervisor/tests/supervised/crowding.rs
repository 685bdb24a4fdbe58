//! Programs that keep the supervisor or its threads busy. Other programs must be served meanwhile.

use crate::{client::*, supervised};
use std::{
    fs::File,
    io::Error,
    mem::{size_of, zeroed},
    os::fd::{AsRawFd, OwnedFd},
    ptr,
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// The timeout of these tests. A program that is not held up takes milliseconds.
const LONG: Duration = Duration::from_secs(20);

/// Zeroed memory that a child shares with its parent.
fn shared<T>() -> &'static T {
    // SAFETY: the memory is new, large enough and never unmapped. Callers use types for which zeros are a valid value.
    unsafe {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let at = libc::mmap(ptr::null_mut(), size_of::<T>(), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        assert_ne!(at, libc::MAP_FAILED);
        &*at.cast()
    }
}

/// Counters by which a hostile child and its parent communicate.
#[derive(Default)]
struct Told {
    ready: AtomicU32,
    done: AtomicU32,
}

/// A child process, which is killed when this is dropped.
struct Child(libc::pid_t);

impl Child {
    fn start(child: impl FnOnce()) -> Self {
        // SAFETY: the child does only what is allowed after `fork`, and ends.
        match unsafe { libc::fork() } {
            0 => {
                child();
                // SAFETY: the call ends the process and does nothing else.
                unsafe { libc::_exit(0) }
            }
            pid => Self(pid),
        }
    }

    /// Waits until the child has counted to `count`, and a moment longer, until it has begun with what comes next.
    fn is_ready(&self, told: &Told, count: u32) {
        while told.ready.load(Ordering::SeqCst) < count {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(100));
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let mut status = 0;
        // SAFETY: the child has not been waited for, so its number is still its own.
        unsafe {
            libc::kill(self.0, libc::SIGKILL);
            libc::waitpid(self.0, &raw mut status, 0);
        }
    }
}

/// A child that does `work`, which says whether all was as expected, and what to keep as long as the child lives.
fn holding<K>(work: impl FnOnce() -> (bool, K)) -> Child {
    let told: &Told = shared();
    let child = Child::start(|| {
        let (as_expected, _kept) = work();
        told.done.store(as_expected.into(), Ordering::SeqCst);
        told.ready.store(1, Ordering::SeqCst);
        thread::sleep(10 * LONG);
    });
    child.is_ready(told, 1);
    assert_eq!(told.done.load(Ordering::SeqCst), 1);
    child
}

/// Whether opening files and computing digests succeeds in time.
fn is_served() -> bool {
    let (done, end) = mpsc::channel();
    thread::spawn(move || {
        for _ in 0..20 {
            File::open("/dev/null").expect("opened");
            let socket = hash("sha256");
            send(&socket, b"abc", 0).expect("sent");
            assert_eq!(digest(&socket), ABC);
        }
        let _ = done.send(());
    });
    end.recv_timeout(LONG).is_ok()
}

supervised! {
    fn one_long_call_holds_up_nobody() {
        let told: &Told = shared();
        let child = Child::start(|| {
            // Whirlpool takes many seconds for a gigabyte.
            let socket = hash("wp512");
            thread::scope(|scope| {
                scope.spawn(|| {
                    let text = vec![0; 1 << 20];
                    let mut pieces = [piece(&text)];
                    // SAFETY: zeros are a valid value of this structure.
                    let mut messages: Vec<libc::mmsghdr> = (0..1024).map(|_| unsafe { zeroed() }).collect();
                    messages.iter_mut().for_each(|message| message.msg_hdr = header(&mut pieces, &mut []));
                    told.ready.fetch_add(1, Ordering::SeqCst);
                    // SAFETY: the messages describe buffers that live as long as the call.
                    unsafe { libc::sendmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), 1024, libc::MSG_MORE as _) };
                    told.done.store(1, Ordering::SeqCst);
                });
                // And a call that must wait for that one.
                thread::sleep(Duration::from_millis(30));
                told.ready.fetch_add(1, Ordering::SeqCst);
                let _ = option(&socket, libc::SO_ERROR);
            });
        });
        child.is_ready(told, 2);
        assert!(is_served());
        assert_eq!(told.done.load(Ordering::SeqCst), 0, "served, but after the other");
    }
}

/// The address of a page whose first reader waits in the kernel for ever.
fn bottomless() -> u64 {
    const UFFDIO_API: libc::c_ulong = 0xc018_aa3f;
    const UFFDIO_REGISTER: libc::c_ulong = 0xc020_aa00;
    // SAFETY: the memory is new, and the structures have the layout of userfaultfd(2).
    unsafe {
        let fd = libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC) as i32;
        assert!(fd >= 0, "userfaultfd, for root or with vm.unprivileged_userfaultfd=1: {}", Error::last_os_error());
        let mut api = [0xaa_u64, 0, 0];
        assert_eq!(libc::ioctl(fd, UFFDIO_API, api.as_mut_ptr()), 0);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let at = libc::mmap(ptr::null_mut(), 4096, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) as u64;
        // Mode 1: reports accesses to missing pages.
        let mut register = [at, 4096, 1, 0];
        assert_eq!(libc::ioctl(fd, UFFDIO_REGISTER, register.as_mut_ptr()), 0);
        at
    }
}

/// Sends 16 bytes at `address`.
fn send_from(socket: &OwnedFd, address: u64) -> std::io::Result<usize> {
    // SAFETY: the address is passed to the kernel and to the supervisor only, which check it.
    check(unsafe { libc::syscall(libc::SYS_sendto, socket.as_raw_fd(), address, 16, libc::MSG_MORE, 0, 0) } as isize)
}

/// A child that has `count` calls wait for a page, and then does `then`.
fn stuck(told: &'static Told, count: u32, then: impl FnOnce(&OwnedFd) + Send) -> Child {
    let child = Child::start(|| {
        let page = bottomless();
        let socket = hash("sha256");
        // Each call has a socket of its own, so that it does not wait for a file's lock.
        let sockets: Vec<_> = (0..count).map(|_| hash("sha256")).collect();
        thread::scope(|scope| {
            for socket in &sockets {
                scope.spawn(move || {
                    told.ready.fetch_add(1, Ordering::SeqCst);
                    let _ = send_from(socket, page);
                });
            }
            while told.ready.load(Ordering::SeqCst) < count {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(100));
            then(&socket);
            thread::sleep(10 * LONG);
        });
    });
    child.is_ready(told, count);
    child
}

supervised! {
    fn a_page_that_never_comes_holds_up_nobody() {
        let told = shared();
        let child = stuck(told, 1, |_| {});
        assert!(is_served());
        drop(child);
    }
}

supervised! {
    fn a_name_that_never_comes_holds_up_nobody() {
        let told: &Told = shared();
        let child = Child::start(|| {
            let page = bottomless();
            told.ready.store(1, Ordering::SeqCst);
            // SAFETY: the address is passed to the kernel and to the supervisor only, which check it.
            unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, page, libc::O_RDONLY) };
        });
        child.is_ready(told, 1);
        assert!(is_served());
    }
}

supervised! {
    options { threads_of_program = 3 };
    fn a_program_has_only_so_many_threads() {
        let told: &Told = shared();
        let child = stuck(told, 5, |socket| {
            // No thread is left for this program: the kernel opens files, and calls on sockets fail.
            let opened = File::open("/dev/null").is_ok();
            let refused = send(socket, b"abc", 0).is_err_and(|error| error.raw_os_error() == Some(libc::ENOBUFS));
            told.done.store(if opened && refused { 1 } else { 2 }, Ordering::SeqCst);
        });
        assert!(is_served());
        let start = std::time::Instant::now();
        while told.done.load(Ordering::SeqCst) == 0 && start.elapsed() < LONG {
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(told.done.load(Ordering::SeqCst), 1);
        drop(child);
        assert!(is_served());
    }
}

supervised! {
    options { threads = 3, threads_of_program = 3 };
    fn without_a_thread_the_kernel_opens_and_the_rest_fails() {
        let socket = hash("sha256");
        let told = shared();
        let child = stuck(told, 3, |_| {});
        File::open("/dev/null").expect("opened");
        assert_eq!(errno(send(&socket, b"abc", 0)), libc::ENOBUFS);
        assert_eq!(errno(crate::client::socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)), libc::ENOBUFS);
        drop(child);
        // The threads become free when the program has ended.
        let start = std::time::Instant::now();
        while send(&socket, b"abc", 0).is_err() {
            assert!(start.elapsed() < LONG, "no thread came back");
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    options { files_of_program = 12 };
    fn a_program_has_only_so_many_files() {
        let _child = holding(|| {
            let mut open = Vec::new();
            let error = loop {
                match socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0) {
                    Ok(socket) => open.push(socket),
                    Err(error) => break error,
                }
            };
            // The program's children count as the program.
            let of_child = fork(|| errno(socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)));
            let as_expected = open.len() == 12 && error.raw_os_error() == Some(libc::EMFILE) && of_child == libc::EMFILE;
            (as_expected, open)
        });
        assert!(is_served());
    }
}

supervised! {
    options { memory_of_program = 1 << 20 };
    fn a_program_has_only_so_much_memory() {
        let _child = holding(|| {
            let text = vec![0; 160_000];
            let open: Vec<_> = (0..20).map(|_| cbc(libc::SOCK_NONBLOCK)).collect();
            let sent = open.iter().map(|socket| send_with(socket, &text, &mut encrypt(), libc::MSG_MORE));
            let results: Vec<_> = sent.map(|sent| sent.map_err(|error| error.raw_os_error())).collect();
            let taken = results.iter().take_while(|result| result.is_ok()).count();
            let refused = results[taken..].iter().all(|result| *result == Err(Some(libc::ENOBUFS)));
            // Receiving makes room.
            let received = recv(&open[0], &mut vec![0; 160_000], 0).is_ok();
            let again = send_with(&open[0], &text, &mut encrypt(), libc::MSG_MORE).is_ok();
            // A buffer for such a text has 256 KiB and a page.
            (taken == 4 && refused && received && again, open)
        });
        assert!(is_served());
    }
}

supervised! {
    options { memory = 1 << 20 };
    fn all_programs_have_only_so_much_memory() {
        let text = vec![0; 160_000];
        let child = holding(|| {
            let open: Vec<_> = (0..20).map(|_| cbc(libc::SOCK_NONBLOCK)).collect();
            let sent = open.iter().filter(|socket| send_with(socket, &text, &mut encrypt(), libc::MSG_MORE).is_ok());
            // A buffer for such a text has 256 KiB and a page.
            (sent.count() == 4, open)
        });
        // For another program, too, there is nothing left.
        let socket = cbc(0);
        assert_eq!(errno(send_with(&socket, &TEXT, &mut encrypt(), 0)), libc::ENOBUFS);
        assert_eq!(errno(File::open("/proc/crypto")), libc::ENOMEM);
        drop(child);
        let end = Instant::now() + LONG;
        while send_with(&socket, &TEXT, &mut encrypt(), 0).is_err() {
            assert!(Instant::now() < end, "what the other program kept counts for ever");
            thread::sleep(Duration::from_millis(1));
        }
        let mut out = [0; 16];
        recv(&socket, &mut out, 0).expect("received");
        assert_eq!(out, SECRET);
    }
}

supervised! {
    options { memory_of_program = 2 << 20 };
    fn a_program_has_only_so_many_listings() {
        let _child = holding(|| {
            let list = || File::open("/proc/crypto");
            let len = list().and_then(|file| file.metadata()).expect("a listing").len();
            let mut open = Vec::new();
            let error = loop {
                match list() {
                    Ok(file) => open.push(file),
                    Err(error) => break error,
                }
            };
            let as_told = open.len() as u64 == (2 << 20) / len && error.raw_os_error() == Some(libc::ENOMEM);
            // A duplicate keeps the text, a mapping too, and closing the last one makes room.
            let last = open.pop().expect("a listing");
            let copy = last.try_clone().expect("a duplicate");
            drop(last);
            let kept = list().is_err();
            // SAFETY: a new mapping of the file, which nothing refers to.
            let map = unsafe { libc::mmap(ptr::null_mut(), 4096, libc::PROT_READ, libc::MAP_SHARED, copy.as_raw_fd(), 0) };
            drop(copy);
            let mapped = map != libc::MAP_FAILED && list().is_err();
            // SAFETY: the mapping is the one made above.
            unsafe { libc::munmap(map, 4096) };
            let again = list().is_ok();
            (as_told && kept && mapped && again, open)
        });
        assert!(is_served());
    }
}

supervised! {
    fn a_program_has_only_so_many_calls_that_wait() {
        let told: &Told = shared();
        let child = Child::start(|| {
            // After this exchange, no socket has anything to receive until it is sent more. So all that receive wait.
            let sockets: Vec<_> = (0..4).map(|_| cbc(0)).collect();
            for socket in &sockets {
                send_with(socket, &TEXT, &mut encrypt(), libc::MSG_MORE).expect("sent");
                recv(socket, &mut [0; 16], 0).expect("received");
            }
            thread::scope(|scope| {
                let sockets = &sockets;
                let waits = move |n: usize| {
                    let ended = recv(&sockets[n % 4], &mut [0; 16], 0);
                    let refused = ended.is_err_and(|error| error.raw_os_error() == Some(libc::ENOBUFS));
                    told.done.fetch_add(u32::from(refused), Ordering::SeqCst);
                    told.ready.fetch_add(1, Ordering::SeqCst);
                };
                for n in 0..300 {
                    let spawned = thread::Builder::new().stack_size(128 << 10).spawn_scoped(scope, move || waits(n));
                    drop(spawned.expect("a thread"));
                }
            });
        });
        child.is_ready(told, 300 - 256);
        assert_eq!(told.done.load(Ordering::SeqCst), 300 - 256);
        assert!(is_served());
    }
}

/// Serves FUSE requests for one file, but never answers when a descriptor of it is closed (`FUSE_FLUSH`).
fn never_closes(fuse: &OwnedFd) {
    const OPEN: u32 = 14;
    const FLUSH: u32 = 25;
    const INIT: u32 = 26;
    let mut room = vec![0u8; 1 << 18];
    while let Ok(1..) = read(fuse.as_raw_fd(), &mut room) {
        // `struct fuse_in_header`: the length, the operation, a number that the answer repeats.
        let operation = u32::from_ne_bytes(room[4..8].try_into().expect("four bytes"));
        let mut answer = match operation {
            FLUSH => continue,
            OPEN => vec![0; 16 + 16],
            INIT => {
                let mut answer = vec![0; 16 + 64];
                // Version 7.31, and writes of up to 4096 bytes.
                answer[16..24].copy_from_slice(&[7u32, 31].map(u32::to_ne_bytes).concat());
                answer[36..40].copy_from_slice(&4096u32.to_ne_bytes());
                answer
            }
            _ => [&[0; 4][..], &(-libc::ENOSYS).to_ne_bytes(), &[0; 8]].concat(),
        };
        let len = answer.len() as u32;
        answer[..4].copy_from_slice(&len.to_ne_bytes());
        answer[8..16].copy_from_slice(&room[8..16]);
        write(fuse.as_raw_fd(), &answer).expect("answered");
    }
}

/// A file whose `close` never returns, and the process that serves it.
fn bottomless_file() -> (File, Child) {
    let place = std::env::temp_dir().join(format!("algkit-fuse-{}", std::process::id()));
    std::fs::write(&place, "").expect("a file");
    let path = std::ffi::CString::new(place.to_str().expect("a name")).expect("a path");
    let fuse = OwnedFd::from(File::options().read(true).write(true).open("/dev/fuse").expect("/dev/fuse"));
    let options = format!("fd={},rootmode=100000,user_id=0,group_id=0\0", fuse.as_raw_fd());
    // SAFETY: all pointers are to C strings, or null. The mounts concern this process only, which has one thread.
    unsafe {
        assert_eq!(libc::unshare(libc::CLONE_NEWNS), 0, "root: {}", Error::last_os_error());
        let private = libc::MS_REC | libc::MS_PRIVATE;
        assert_eq!(libc::mount(ptr::null(), c"/".as_ptr(), ptr::null(), private, ptr::null()), 0);
        let mounted = libc::mount(c"test".as_ptr(), path.as_ptr(), c"fuse".as_ptr(), 0, options.as_ptr().cast());
        assert_eq!(mounted, 0, "{}", Error::last_os_error());
    }
    let server = Child::start(|| never_closes(&fuse));
    drop(fuse);
    let file = File::open(&place).expect("opened");
    (file, server)
}

supervised! {
    options { threads_of_program = 1 };
    fn an_exec_that_never_ends_holds_up_nobody() {
        let told: &Told = shared();
        let child = Child::start(|| {
            // SAFETY: the call takes no pointers.
            unsafe { libc::setpgid(0, 0) };
            let socket = hash("sha256");
            // Takes the one thread that the program may have. The next call waits for it, and is refused after a second.
            let _stuck = Child::start(|| _ = send_from(&socket, bottomless()));
            let _file = bottomless_file();
            thread::sleep(Duration::from_millis(100));
            thread::spawn(|| {
                thread::sleep(Duration::from_millis(300));
                told.ready.store(1, Ordering::SeqCst);
                // The process closes the file and keeps its descriptors locked until then.
                // SAFETY: the arguments are C strings, in lists that end with null.
                unsafe { libc::execv(c"/bin/true".as_ptr(), [c"true".as_ptr(), ptr::null()].as_ptr()) };
            });
            let _ = send(&socket, b"abc", 0);
        });
        child.is_ready(told, 1);
        thread::sleep(Duration::from_secs(2));
        // Whoever refused the call has to take the lead from a thread that is stuck now.
        let other = stuck(shared(), 1, |_| {});
        let served = is_served();
        drop(other);
        // SAFETY: the call takes no pointers. The group is that of the child, which has not been waited for.
        unsafe { libc::kill(-child.0, libc::SIGKILL) };
        assert!(served);
    }
}

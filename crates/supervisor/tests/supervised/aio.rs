//! Asynchronous I/O by the numbers of its system calls, as libkcapi and OpenSSL use it.

use crate::{client::*, supervised};
use libc::{SYS_io_destroy, SYS_io_getevents, SYS_io_setup, SYS_io_submit, c_long};
use std::{
    io::{Result, Write},
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    ptr,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// `struct iocb`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Iocb {
    data: u64,
    key: u32,
    rw_flags: u32,
    opcode: u16,
    priority: i16,
    fd: u32,
    buffer: u64,
    len: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_fd: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Event {
    data: u64,
    iocb: u64,
    result: i64,
    result_2: i64,
}

const READ: u16 = 0;
const WRITE: u16 = 1;

struct Context(u64);

impl Context {
    fn new() -> Self {
        let mut context = 0u64;
        // SAFETY: the call writes a word to a local variable.
        check(unsafe { libc::syscall(SYS_io_setup, 8, &raw mut context) } as isize).expect("a context");
        Self(context)
    }

    fn submit(&self, requests: &mut [&mut Iocb]) -> Result<usize> {
        let pointers: Vec<*mut Iocb> = requests.iter_mut().map(|request| &raw mut **request).collect();
        // SAFETY: the array has as many pointers as its length says.
        let result = unsafe { libc::syscall(SYS_io_submit, self.0, pointers.len() as c_long, pointers.as_ptr()) };
        check(result as isize)
    }

    fn events(&self, least: usize, timeout: Option<Duration>) -> Vec<Event> {
        events(self.0, least, timeout).expect("events")
    }
}

/// The events of the context at an address.
fn events(context: u64, least: usize, timeout: Option<Duration>) -> Result<Vec<Event>> {
    let mut events = [Event::default(); 8];
    let timeout =
        timeout.map(|time| libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() });
    let timeout = timeout.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: `events` has room for eight events.
    let result = unsafe { libc::syscall(SYS_io_getevents, context, least, 8, events.as_mut_ptr(), timeout) };
    Ok(events[..check(result as isize)?].to_vec())
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the call takes no pointers.
        assert_eq!(unsafe { libc::syscall(SYS_io_destroy, self.0) }, 0);
    }
}

fn request(data: u64, opcode: u16, fd: &OwnedFd, buffer: *const u8, len: usize) -> Iocb {
    let (fd, buffer) = (fd.as_raw_fd() as u32, buffer as u64);
    Iocb { data, opcode, fd, buffer, len: len as u64, key: 7, ..Iocb::default() }
}

fn reads(data: u64, fd: &OwnedFd, into: &mut [u8]) -> Iocb {
    request(data, READ, fd, into.as_mut_ptr(), into.len())
}

fn writes(data: u64, fd: &OwnedFd, from: &[u8]) -> Iocb {
    request(data, WRITE, fd, from.as_ptr(), from.len())
}

supervised! {
    fn a_request_tells_its_event_and_eventfd() {
        let (context, socket) = (Context::new(), cbc(0));
        send_with(&socket, &TEXT, &mut encrypt(), 0).expect("sent");
        // SAFETY: the call takes no pointers, and nothing else owns the new descriptor.
        let bell = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, 0)) };
        let mut secret = [0u8; 16];
        let mut read = reads(0x1234, &socket, &mut secret);
        (read.flags, read.event_fd) = (1, bell.as_raw_fd() as u32);
        assert_eq!(context.submit(&mut [&mut read]).expect("submitted"), 1);
        let mut count = [0; 8];
        assert_eq!(crate::client::read(bell.as_raw_fd(), &mut count).expect("rung"), 8);
        assert_eq!(u64::from_ne_bytes(count), 1);
        let event = Event { data: 0x1234, iocb: &raw const read as u64, result: 16, result_2: 0 };
        assert_eq!(context.events(1, None), [event]);
        assert_eq!(secret, SECRET);
        assert_eq!(read.key, 0);
        assert_eq!(context.events(0, Some(Duration::ZERO)), []);
        assert_eq!(context.events(1, Some(Duration::from_millis(20))), []);
    }
}

supervised! {
    fn a_request_may_wait_until_a_socket_is_ready() {
        const POLL: u16 = 5;
        let (context, socket) = (Context::new(), cbc(0));
        // More text is expected, and there is nothing to receive.
        send_with(&socket, &[], &mut encrypt(), libc::MSG_MORE).expect("sent");
        let mut poll = request(3, POLL, &socket, ptr::without_provenance(libc::POLLIN as usize), 0);
        assert_eq!(context.submit(&mut [&mut poll]).expect("submitted"), 1);
        assert_eq!(context.events(1, Some(Duration::from_millis(20))), []);
        send(&socket, &TEXT, 0).expect("sent");
        // The kernel may tell of more than was asked for.
        let found = context.events(1, Some(Duration::from_secs(10)));
        let [Event { data: 3, result, .. }] = found[..] else { panic!("{found:?}") };
        assert_ne!(result & i64::from(libc::POLLIN), 0, "{result:#x}");
    }
}

supervised! {
    fn full_eventfds_keep_no_threads() {
        // More programs than it takes to use up all threads for calls that wait, which then would fail.
        for _ in 0..5 {
            let code = fork(|| {
                let (context, socket) = (Context::new(), hash("sha256"));
                // SAFETY: the call takes no pointers, and nothing else owns the new descriptor.
                let bell = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, 0)) };
                crate::client::write(bell.as_raw_fd(), &(u64::MAX - 1).to_ne_bytes()).expect("filled");
                for n in 0..8 {
                    let mut write = writes(n, &socket, b"abc");
                    (write.flags, write.event_fd) = (1, bell.as_raw_fd() as u32);
                    assert_eq!(context.submit(&mut [&mut write]).expect("submitted"), 1);
                    assert_eq!(context.events(1, None).len(), 1);
                }
                0
            });
            assert_eq!(code, 0);
        }
        let (out, into) = pipe();
        let socket = hash("sha256");
        crate::client::write(into.as_raw_fd(), b"abc").expect("written");
        // SAFETY: the pointers to positions are null.
        let moved = unsafe { libc::splice(out.as_raw_fd(), ptr::null_mut(), socket.as_raw_fd(), ptr::null_mut(), 3, 0) };
        assert_eq!(check(moved).expect("moved"), 3);
        assert_eq!(digest(&socket), ABC);
    }
}

supervised! {
    fn several_requests_in_a_call() {
        let (context, socket) = (Context::new(), hash("sha256"));
        let mut digest = [0u8; 32];
        let mut requests = [writes(1, &socket, b"abc"), reads(2, &socket, &mut digest)];
        let [first, second] = &mut requests;
        assert_eq!(context.submit(&mut [first, second]).expect("submitted"), 2);
        let events = context.events(2, None);
        assert_eq!(events.iter().map(|event| (event.data, event.result)).collect::<Vec<_>>(), [(1, 3), (2, 32)]);
        assert_eq!(digest, ABC);
    }
}

supervised! {
    fn what_fails_says_so_in_its_event() {
        let (context, socket) = (Context::new(), cbc(libc::SOCK_NONBLOCK));
        let mut buffer = [0u8; 16];
        let mut none = reads(1, &socket, &mut buffer);
        assert_eq!(context.submit(&mut [&mut none]).expect("submitted"), 1);
        assert_eq!(context.events(1, None)[0].result, -i64::from(libc::EAGAIN));
        let mut at = Iocb { offset: 8, ..reads(1, &socket, &mut buffer) };
        assert_eq!(context.submit(&mut [&mut at]).expect("submitted"), 1);
        assert_eq!(context.events(1, None)[0].result, -i64::from(libc::ESPIPE));
        let mut bad = Iocb { reserved: 1, ..reads(1, &socket, &mut buffer) };
        assert_eq!(errno(context.submit(&mut [&mut bad])), libc::EINVAL);
        let nowhere = Context(4096);
        assert_eq!(errno(nowhere.submit(&mut [&mut none])), libc::EINVAL);
        std::mem::forget(nowhere);
    }
}

supervised! {
    fn one_thread_waits_for_what_another_submits() {
        let (context, socket) = (Context::new(), hash("sha256"));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| context.events(1, None));
            thread::sleep(Duration::from_millis(30));
            let mut write = writes(9, &socket, b"abc");
            assert_eq!(context.submit(&mut [&mut write]).expect("submitted"), 1);
            assert_eq!(waiting.join().expect("a thread")[0].data, 9);
        });
    }
}

supervised! {
    fn requests_for_files_are_the_kernels() {
        let path = std::env::temp_dir().join(format!("algkit-aio-{}", std::process::id()));
        std::fs::File::create(&path).expect("a file").write_all(b"hello").expect("written");
        let file = OwnedFd::from(std::fs::File::open(&path).expect("a file"));
        std::fs::remove_file(path).expect("removed");
        let context = Context::new();
        let mut room = [0u8; 16];
        for _ in 0..2 {
            let mut read = reads(3, &file, &mut room);
            assert_eq!(context.submit(&mut [&mut read]).expect("submitted"), 1);
            let event = Event { data: 3, iocb: &raw const read as u64, result: 5, result_2: 0 };
            assert_eq!(context.events(1, None), [event]);
            assert_eq!(room[..5], *b"hello");
            // The next turn is the same while something is served.
            std::mem::forget(hash("sha256"));
        }
        let (socket, mut read) = (hash("sha256"), reads(3, &file, &mut room));
        assert_eq!(errno(context.submit(&mut [&mut read, &mut writes(4, &socket, b"abc")])), libc::EINVAL);
    }
}

supervised! {
    /// As for `read`: the kernel must not find another file's number, and wait at the socket that stands for it.
    fn a_number_that_is_used_again_keeps_no_request_waiting() {
        let hash = bound("hash", "sha256").expect("a hash");
        let number = accept(&hash, 0).expect("a socket").as_raw_fd();
        let is_over = AtomicBool::new(false);
        let (done, end) = mpsc::channel();
        thread::scope(|scope| {
            let is_over = &is_over;
            scope.spawn(move || {
                let (context, mut digest) = (Context::new(), [0; 32]);
                while !is_over.load(Ordering::Relaxed) {
                    let buffer = digest.as_mut_ptr() as u64;
                    let mut read = Iocb { opcode: READ, fd: number as u32, buffer, len: 32, ..Iocb::default() };
                    match context.submit(&mut [&mut read]) {
                        Ok(count) => assert_eq!((count, context.events(1, None).len()), (1, 1)),
                        refused => assert_eq!(errno(refused), libc::EBADF),
                    }
                }
                done.send(()).expect("a receiver");
            });
            for _ in 0..2000 {
                accept(&hash, 0).expect("a socket");
            }
            is_over.store(true, Ordering::Relaxed);
            if end.recv_timeout(Duration::from_secs(20)).is_err() {
                // The thread that waits cannot be waited for.
                std::process::exit(1);
            }
        });
    }
}

/// The digest of "abc" by asynchronous requests on `socket`.
fn digest_by_aio(socket: &OwnedFd) -> [u8; 32] {
    let (context, mut digest) = (Context::new(), [0; 32]);
    let mut requests = [writes(1, socket, b"abc"), reads(2, socket, &mut digest)];
    let [write, read] = &mut requests;
    assert_eq!(context.submit(&mut [write, read]).expect("submitted"), 2);
    let results: Vec<_> = context.events(2, None).iter().map(|event| (event.data, event.result)).collect();
    assert_eq!(results, [(1, 3), (2, 32)]);
    digest
}

supervised! {
    fn a_hash_by_asynchronous_requests() {
        assert_eq!(digest_by_aio(&hash("sha256")), ABC);
    }
}

supervised! {
    fn an_eventfd_that_turns_into_something_else_is_not_written_to() {
        // While requests name `either` as their eventfd, a thread makes it an eventfd and a file in turns. Nothing may be
        // written to the file.
        let socket = hash("sha256");
        let file = std::env::temp_dir().join(format!("algkit-eventfd-{}", std::process::id()));
        let plain = std::fs::File::create(&file).expect("a file");
        // SAFETY: these calls take no pointers, and nothing else owns the new descriptors.
        let (event, either) = unsafe { (libc::eventfd(0, libc::EFD_NONBLOCK), libc::dup(0)) };
        let is_over = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    for fd in [event, plain.as_raw_fd()] {
                        // SAFETY: the call takes no pointers.
                        unsafe { libc::dup2(fd, either) };
                    }
                }
            });
            let context = Context::new();
            for _ in 0..3000 {
                let mut write = writes(0, &socket, b"abc");
                (write.flags, write.event_fd) = (1, either as u32);
                if context.submit(&mut [&mut write]).is_ok() {
                    context.events(1, None);
                }
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let len = plain.metadata().expect("a file").len();
        std::fs::remove_file(file).expect("removed");
        assert_eq!(len, 0);
    }
}

supervised! {
    fn a_program_has_only_so_many_contexts() {
        let socket = hash("sha256");
        let submits = |context: &Context| context.submit(&mut [&mut writes(0, &socket, b"abc")]);
        // The contexts are not destroyed one by one, because their end with the process takes less time.
        let contexts = || std::mem::ManuallyDrop::new((0..65).map(|_| Context::new()).collect::<Vec<_>>());
        // A child of the first process is a program of its own, with a limit of its own.
        let of_child = fork(|| {
            let contexts = contexts();
            let taken = contexts.iter().filter(|context| submits(context).is_ok()).count();
            i32::from(taken != 64 || errno(submits(&contexts[64])) != libc::EAGAIN)
        });
        assert_eq!(of_child, 0);
        assert_eq!(contexts().iter().map(submits).take_while(Result::is_ok).count(), 64);
    }
}

supervised! {
    fn calls_for_events_end_when_the_kernel_ends_them() {
        let (other, context, socket) = (Context::new(), Context::new(), hash("sha256"));
        // Who asks for none or more does not wait: neither at a context that has to do with served files, nor at another.
        let mut write = writes(1, &socket, b"abc");
        assert_eq!(context.submit(&mut [&mut write]).expect("submitted"), 1);
        assert_eq!(context.events(1, None).len(), 1);
        assert_eq!(context.events(0, None), []);
        assert_eq!(other.events(0, None), []);
        assert_eq!(errno(events(context.0, 9, Some(Duration::ZERO))), libc::EINVAL, "more than there is room for");
        // What is no eventfd is not signalled.
        let mut signals = write;
        (signals.flags, signals.event_fd) = (1, socket.as_raw_fd() as u32);
        assert_eq!(errno(context.submit(&mut [&mut signals])), libc::EINVAL);
        // An event that cannot be written stays.
        assert_eq!(context.submit(&mut [&mut write]).expect("submitted"), 1);
        // SAFETY: that nothing can be written to this address is what is tested.
        let nowhere = unsafe { libc::syscall(SYS_io_getevents, context.0, 1, 8, 8, ptr::null::<libc::timespec>()) };
        assert_eq!(errno(check(nowhere as isize)), libc::EFAULT);
        assert_eq!(context.events(1, Some(Duration::ZERO)).len(), 1);
        // Who waits for a context that is destroyed meanwhile, or before, is refused.
        let address = context.0;
        let waits = thread::spawn(move || events(address, 1, None));
        thread::sleep(Duration::from_millis(100));
        drop(context);
        for refused in [waits.join().expect("the thread ends"), events(address, 1, None)] {
            assert_eq!(refused.expect_err("nothing is there").raw_os_error(), Some(libc::EINVAL));
        }
    }
}

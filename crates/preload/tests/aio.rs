//! Asynchronous I/O by the numbers of its system calls, as libkcapi and OpenSSL ask for it.

mod common;

use common::{CIPHER, PLAIN, assert_encrypts, cbc, checked, encrypt, timed};
use nix::{
    errno::Errno,
    sys::{
        eventfd::{EfdFlags, EventFd},
        socket::MsgFlags,
    },
};
use std::{
    fs::File,
    io::Write,
    mem::ManuallyDrop,
    os::fd::{AsRawFd, OwnedFd, RawFd},
    ptr, thread,
    time::Duration,
};

/// `struct iocb` (`linux/aio_abi.h`), on a little-endian CPU.
#[repr(C)]
#[derive(Clone, Copy)]
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
    result_fd: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Event {
    data: u64,
    iocb: u64,
    result: i64,
    result2: i64,
}

const PREAD: u16 = 0;
const PREADV: u16 = 7;

struct Context(u64);

impl Context {
    fn new() -> Self {
        let mut context = 0_u64;
        // SAFETY: the pointer is to a local variable, which takes the context's number.
        checked(unsafe { libc::syscall(libc::SYS_io_setup, 16, &raw mut context) }).unwrap();
        Self(context)
    }

    fn submit(&self, iocbs: &[&Iocb]) -> nix::Result<i64> {
        // SAFETY: the array has as many pointers as its length says. The requests name memory that lives until their
        // events have been fetched.
        checked(unsafe { libc::syscall(libc::SYS_io_submit, self.0, iocbs.len(), iocbs.as_ptr()) })
    }

    fn events(&self, min: i64, wait: Option<Duration>) -> nix::Result<Vec<Event>> {
        let wait =
            wait.map(|wait| libc::timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() });
        let wait = wait.as_ref().map_or(ptr::null(), ptr::from_ref);
        let mut events = [Event::default(); 8];
        // SAFETY: `events` has room for eight events, and the time span is null or a local variable.
        let got = unsafe { libc::syscall(libc::SYS_io_getevents, self.0, min, 8, events.as_mut_ptr(), wait) };
        checked(got).map(|got| events[..got as usize].to_vec())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the call takes no pointers.
        checked(unsafe { libc::syscall(libc::SYS_io_destroy, self.0) }).unwrap();
    }
}

fn pread(fd: RawFd, into: &mut [u8]) -> Iocb {
    Iocb {
        data: 42,
        key: 99,
        rw_flags: 0,
        opcode: PREAD,
        priority: 0,
        fd: fd as u32,
        buffer: into.as_mut_ptr().expose_provenance() as u64,
        len: into.len() as u64,
        offset: 0,
        reserved: 0,
        flags: 0,
        result_fd: 0,
    }
}

fn with_text() -> OwnedFd {
    let fd = cbc();
    encrypt(&fd, PLAIN.as_flattened(), MsgFlags::empty()).unwrap();
    fd
}

served! {
    fn a_request_may_wait_until_a_socket_is_ready() {
        const POLL: u16 = 5;
        let (context, fd) = (Context::new(), cbc());
        // More text is expected, and there is nothing to receive.
        encrypt(&fd, &[], common::MORE).unwrap();
        let mut poll = pread(fd.as_raw_fd(), &mut []);
        (poll.opcode, poll.buffer) = (POLL, libc::POLLIN as u64);
        assert_eq!(context.submit(&[&poll]), Ok(1));
        assert_eq!(context.events(1, Some(Duration::from_millis(20))), Ok(vec![]));
        assert_eq!(nix::sys::socket::send(fd.as_raw_fd(), &PLAIN[0], MsgFlags::empty()), Ok(16));
        let found = context.events(1, Some(Duration::from_secs(10))).unwrap();
        // The kernel may tell of more than was asked for.
        let [Event { data: 42, result, .. }] = found[..] else { panic!("{found:?}") };
        assert_ne!(result & i64::from(libc::POLLIN), 0, "{result:#x}");
    }
}

served! {
    fn a_read_is_told_to_an_eventfd() {
        let context = Context::new();
        let fd = with_text();
        let told = EventFd::from_flags(EfdFlags::EFD_CLOEXEC).unwrap();
        let mut text = [0; 64];
        let mut iocb = pread(fd.as_raw_fd(), &mut text);
        (iocb.flags, iocb.result_fd) = (1, told.as_raw_fd() as u32);
        assert_eq!(context.submit(&[&iocb]), Ok(1));
        assert_eq!(told.read(), Ok(1));
        let event = Event { data: 42, iocb: (&raw const iocb).addr() as u64, result: 64, result2: 0 };
        assert_eq!(context.events(1, None), Ok(vec![event]));
        assert_eq!(context.events(0, None), Ok(vec![]));
        assert_eq!(text, CIPHER.as_flattened());
    }
}

served! {
    fn vectors_and_errors() {
        let context = Context::new();
        let fd = with_text();
        let (mut first, mut second) = ([0_u8; 16], [0_u8; 48]);
        let vector = [(&mut first[..]), (&mut second[..])]
            .map(|piece| libc::iovec { iov_base: piece.as_mut_ptr().cast(), iov_len: piece.len() });
        let mut iocb = pread(fd.as_raw_fd(), &mut []);
        (iocb.opcode, iocb.buffer, iocb.len) = (PREADV, (&raw const vector).expose_provenance() as u64, 2);
        assert_eq!(context.submit(&[&iocb]), Ok(1));
        assert_eq!(context.events(1, None).unwrap()[0].result, 64);
        assert_eq!([&first[..], &second[..]].concat(), CIPHER.as_flattened());

        let mut text = [0; 16];
        let mut iocb = pread(fd.as_raw_fd(), &mut text);
        iocb.offset = 1;
        assert_eq!(context.submit(&[&iocb]), Ok(1));
        assert_eq!(context.events(1, None).unwrap()[0].result, -i64::from(libc::ESPIPE));
        iocb.opcode = 2;
        assert_eq!(context.submit(&[&iocb]), Err(Errno::EINVAL));
        (iocb.opcode, iocb.flags) = (PREAD, 1);
        for number in [9999, u32::MAX] {
            iocb.result_fd = number;
            assert_eq!(context.submit(&[&iocb]), Err(Errno::EBADF));
        }
        iocb.result_fd = fd.as_raw_fd() as u32;
        assert_eq!(context.submit(&[&iocb]), Err(Errno::EINVAL), "that is no eventfd");
        assert_eq!(Context(1 << 40).submit_and_forget(&iocb), Err(Errno::EINVAL));
        assert_eq!(context.events(2, Some(Duration::ZERO)), Ok(vec![]));
    }
}

impl Context {
    /// Submits to a context that does not exist, and does not destroy it.
    fn submit_and_forget(self, iocb: &Iocb) -> nix::Result<i64> {
        let result = self.submit(&[iocb]);
        std::mem::forget(self);
        result
    }
}

served! {
    fn foreign_requests_go_to_the_kernel() {
        let context = Context::new();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"from a file").unwrap();
        let (mut from_file, mut from_cipher) = ([0; 11], [0; 64]);
        let fd = with_text();
        let foreign = pread(file.as_raw_fd(), &mut from_file);
        let ours = pread(fd.as_raw_fd(), &mut from_cipher);
        assert_eq!(context.submit(&[&foreign, &ours, &foreign]), Ok(3));
        let mut results = Vec::new();
        while results.len() < 3 {
            results.extend(context.events(1, None).unwrap().iter().map(|event| event.result));
        }
        results.sort_unstable();
        assert_eq!(results, [11, 11, 64]);
        assert_eq!(&from_file, b"from a file");
        assert_eq!(from_cipher, CIPHER.as_flattened());

        // A context that never gets a request for a served descriptor belongs to the kernel alone.
        let context = Context::new();
        assert_eq!(context.submit(&[&foreign]), Ok(1));
        assert_eq!(context.events(1, None).unwrap()[0].result, 11);
        let bad = pread(File::open("/").unwrap().as_raw_fd() + 100, &mut from_file);
        assert_eq!(context.submit(&[&bad]), Err(Errno::EBADF));
    }
}

served! {
    fn events_are_waited_for() {
        let context = Context::new();
        let fd = with_text();
        let mut text = [0; 64];
        let iocb = pread(fd.as_raw_fd(), &mut text);
        assert_eq!(context.submit(&[&iocb]), Ok(1));
        let (events, took) = timed(|| context.events(2, Some(Duration::from_millis(60))).unwrap());
        assert_eq!(events.len(), 1);
        assert!(took >= Duration::from_millis(60), "{took:?}");

        encrypt(&fd, PLAIN.as_flattened(), MsgFlags::empty()).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                assert_eq!(context.submit(&[&iocb]), Ok(1));
            });
            let (events, took) = timed(|| context.events(1, Some(Duration::from_secs(20))).unwrap());
            assert_eq!(events.len(), 1);
            assert!(took < Duration::from_secs(10), "{took:?}");
        });
        assert_encrypts(&fd);
    }
}

served! {
    fn who_waits_learns_that_the_context_is_gone() {
        let context = ManuallyDrop::new(Context::new());
        let (fd, mut text) = (with_text(), [0; 64]);
        assert_eq!(context.submit(&[&pread(fd.as_raw_fd(), &mut text)]), Ok(1));
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                // SAFETY: the call takes no pointers.
                assert_eq!(unsafe { libc::syscall(libc::SYS_io_destroy, context.0) }, 0);
            });
            let (events, took) = timed(|| context.events(2, Some(Duration::from_secs(20))));
            assert_eq!(events, Err(Errno::EINVAL));
            assert!(took < Duration::from_secs(10), "{took:?}");
        });
    }
}

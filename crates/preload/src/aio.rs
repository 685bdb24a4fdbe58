//! Asynchronous I/O (`io_submit`), as programs ask for it through libaio or by the number of the system call.
//!
//! Contexts are the kernel's, and requests for descriptors that are not served go there. A request for a served
//! descriptor is carried out when it is submitted, and its event waits here.

use crate::{
    clock::duration,
    descriptor::borrow,
    entry::Entry,
    errno::negated,
    interpose::real,
    iov::{self, Destinations, Several},
    kernel::kernel,
    lock::{Found, Inside, Lock},
    memory, poll, reserve, table, transfer,
};
use algkit_afalg::{
    Errno,
    aio::{Event, IOCB_LEN, Iocb, KEY_OFFSET, Operation, descriptor, is_poll},
};
use libc::{c_int, c_long, c_void, sigset_t, timespec};
use rustix::thread::futex;
use std::{
    collections::{BTreeMap, VecDeque},
    io::IoSliceMut,
    os::fd::RawFd,
    ptr,
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// The contexts with requests for served descriptors, by the kernel's number of each.
pub type Contexts = BTreeMap<u64, Context>;

/// A context that has had a request for a served descriptor.
#[derive(Default)]
pub struct Context {
    events: VecDeque<Event>,
    /// The number of requests that the kernel has and whose events have not been fetched.
    foreign: usize,
}

static CONTEXTS: Lock<Contexts> = Lock::new(Contexts::new());

/// Incremented with every event. Threads that wait for events wait on it.
static EVENTS: AtomicU32 = AtomicU32::new(0);

/// The largest number of events that may wait in a context.
const MOST_EVENTS: usize = 65536;

/// The interval at which the kernel's events are polled, while a thread waits for both kinds of events.
const SLICE: Duration = Duration::from_millis(5);

/// Whether any context has had a request for a served descriptor.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// Calls `body` with the contexts. [`Errno::BUSY`] in a signal handler that interrupts another request of its thread.
fn with<T>(body: impl FnOnce(&mut Contexts) -> T) -> Result<T, Errno> {
    let _inside = Inside::begin()?;
    Ok(body(&mut CONTEXTS.lock()))
}

/// Locks the contexts before a `fork`.
pub fn hold(found: Found) {
    CONTEXTS.hold(found);
}

/// Unlocks the contexts after a `fork`.
pub fn let_go() {
    CONTEXTS.let_go();
}

type Iocbs = *const *mut u8;

/// Defines a function of libaio, which returns the negative error number, where the system call sets `errno`.
macro_rules! libaio {
    ($(
        fn $name:ident($($arg:ident: $type:ty),*)
        if $condition:expr => $body:expr
    )*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) -> c_int {
            #[allow(unused_unsafe)]
            // SAFETY: the caller passes what libaio's function documents, which is what the condition needs.
            if unsafe { $condition } {
                // SAFETY: the same holds for the body.
                return negated(|| unsafe { $body });
            }
            match real!(fn $name($($type),*) -> c_int) {
                // SAFETY: the arguments go unchanged to the function that they are meant for.
                Some(real) => unsafe { real($($arg),*) },
                None => negated(|| Err(Errno::NOSYS)),
            }
        }
    )*};
}

libaio! {
    fn io_setup(count: c_int, context: *mut u64)
    if reserve::is_filtered() => set_up(count.into(), context)

    fn io_submit(context: u64, count: c_long, iocbs: Iocbs)
    if concerns(count, iocbs) => submit(context, count, iocbs)

    fn io_getevents(context: u64, min: c_long, count: c_long, events: *mut c_void, timeout: *mut timespec)
    if is_known(context) => get_events(context, min, count, events, timeout)

    fn io_pgetevents(
        context: u64, min: c_long, count: c_long, events: *mut c_void, timeout: *mut timespec, mask: *mut sigset_t
    )
    if is_known(context) => masked(mask, || get_events(context, min, count, events, timeout))

    fn io_destroy(context: u64)
    if is_known(context) => destroy(context)
}

/// Whether the context has had requests for served descriptors.
pub fn is_known(context: u64) -> bool {
    IS_USED.load(Ordering::Relaxed) && with(|contexts| contexts.contains_key(&context)).unwrap_or(true)
}

/// Whether one of the requests is for a served descriptor.
///
/// # Safety
/// `iocbs` must be null or point to `count` pointers to requests, unless the kernel cannot read there.
pub unsafe fn concerns(count: c_long, iocbs: Iocbs) -> bool {
    let len = usize::try_from(count).unwrap_or(0).saturating_mul(size_of::<*mut u8>());
    if !table::is_used() || !memory::is_readable(iocbs.cast(), len) {
        return false;
    }
    // SAFETY: the kernel could read `count` pointers there.
    let requests = unsafe { array(count, iocbs) };
    requests.iter().any(|&iocb| {
        // SAFETY: the kernel could read the request.
        memory::is_readable(iocb, IOCB_LEN)
            && table::entry(descriptor(unsafe { &*iocb.cast::<[u8; IOCB_LEN]>() })).is_some()
    })
}

unsafe fn array<'a>(count: c_long, iocbs: Iocbs) -> &'a [*mut u8] {
    match usize::try_from(count) {
        // SAFETY: `iocbs` is not null, so it points to `count` pointers (precondition).
        Ok(count) if count > 0 && !iocbs.is_null() => unsafe { std::slice::from_raw_parts(iocbs, count) },
        _ => &[],
    }
}

/// `io_submit`.
///
/// # Safety
/// The same as for [`concerns`]. The buffers that the requests name must be valid for their operations.
pub unsafe fn submit(context: u64, count: c_long, iocbs: Iocbs) -> Result<c_int, Errno> {
    if !is_own(context) {
        // A submission of no requests tells whether the context exists.
        kernel(libc::SYS_io_submit, [context as c_long, 0, iocbs.addr() as c_long, 0, 0])?;
    }
    let mut done = 0;
    // SAFETY: `iocbs` points to `count` pointers (precondition).
    for iocb in unsafe { array(count, iocbs) } {
        // SAFETY: the pointer is null or points to a request with valid buffers (precondition).
        match unsafe { submit_one(context, iocb) } {
            Err(errno) if done == 0 => return Err(errno),
            Err(_) => break,
            Ok(()) => done += 1,
        }
    }
    Ok(done)
}

unsafe fn submit_one(context: u64, iocb: &*mut u8) -> Result<(), Errno> {
    // SAFETY: the pointer is null or points to a request (precondition).
    let bytes = unsafe { memory::at_mut(iocb.cast::<[u8; IOCB_LEN]>())? };
    let served = table::entry(descriptor(bytes));
    if served.is_some() && is_poll(bytes) {
        poll::arm(descriptor(bytes), false)?;
    }
    let Some(entry) = served.filter(|_| !is_poll(bytes)) else {
        if is_own(context) {
            return Err(Errno::INVAL);
        }
        kernel(libc::SYS_io_submit, [context as c_long, 1, ptr::from_ref(iocb).addr() as c_long, 0, 0])?;
        IS_USED.store(true, Ordering::Relaxed);
        return with(|contexts| contexts.entry(context).or_default().foreign += 1);
    };
    IS_USED.store(true, Ordering::Relaxed);
    if with(|contexts| contexts.entry(context).or_default().events.len())? >= MOST_EVENTS {
        return Err(Errno::AGAIN);
    }
    let request = Iocb::parse(bytes)?;
    if let Some(event_fd) = request.event_fd.filter(|&fd| !reserve::has(fd)) {
        let kind = rustix::fs::fstat(borrow(event_fd)?)?.st_mode & libc::S_IFMT;
        // The file type of an eventfd is 0.
        if kind != 0 {
            return Err(Errno::INVAL);
        }
    }
    bytes[KEY_OFFSET..KEY_OFFSET + 4].fill(0);
    // SAFETY: the buffers of the request are valid for its operation (precondition).
    let result = unsafe { perform(entry, &request)? };
    let event = Event { data: request.data, iocb: iocb.addr() as u64, result };
    with(|contexts| contexts.entry(context).or_default().events.push_back(event))?;
    EVENTS.fetch_add(1, Ordering::Relaxed);
    let _ = futex::wake(&EVENTS, futex::Flags::PRIVATE, i32::MAX as u32);
    if let Some(event_fd) = request.event_fd {
        let _ = rustix::io::write(borrow(event_fd)?, &1_u64.to_ne_bytes());
    }
    Ok(())
}

/// Carries out a request. The inner result goes into the event, and the outer one is that of `io_submit`.
unsafe fn perform(entry: &'static Entry, request: &Iocb) -> Result<Result<usize, Errno>, Errno> {
    // A socket has no position, so the offset must be 0.
    if request.offset != 0 {
        return Ok(Err(Errno::SPIPE));
    }
    let fd = request.fd;
    let address = ptr::with_exposed_provenance_mut::<c_void>(request.address as usize);
    // SAFETY: for each operation, address and length name a buffer, or a vector of buffers, that is valid for it
    // (precondition).
    Ok(unsafe {
        match request.operation {
            Operation::Read => receive(entry, fd, &mut iov::destination(address, request.len)?),
            Operation::ReadVector => {
                let mut all = Several::new();
                receive(entry, fd, &mut iov::destinations(&mut all, address.cast(), request.len, Errno::INVAL)?)
            }
            Operation::Write => {
                let data = iov::source(address, request.len)?;
                transfer::send(entry, fd, &data.message(&[], 0))
            }
            Operation::WriteVector => {
                let mut all = Several::new();
                let data = iov::sources(&mut all, address.cast(), request.len, Errno::INVAL)?;
                transfer::send(entry, fd, &data.message(&[], 0))
            }
        }
    })
}

fn receive<'b>(
    entry: &'static Entry,
    fd: RawFd,
    into: &mut Destinations<impl AsMut<[IoSliceMut<'b>]>>,
) -> Result<usize, Errno> {
    match into.is_empty() {
        true => Ok(0),
        false => transfer::recv(entry, fd, into.room(), 0).map(|received| received.len),
    }
}

/// `io_getevents`, for a context with requests for served descriptors.
///
/// # Safety
/// `events` must have room for `count` events of 32 bytes. `timeout` must be null or point to a time span.
pub unsafe fn get_events(
    context: u64,
    min: c_long,
    count: c_long,
    events: *mut c_void,
    timeout: *const timespec,
) -> Result<c_int, Errno> {
    let (min, room) = match (usize::try_from(min), usize::try_from(count)) {
        (Ok(min), Ok(room)) if min <= room => (min, room),
        _ => return Err(Errno::INVAL),
    };
    // SAFETY: `timeout` is null or points to a time span (precondition).
    let timeout = unsafe { memory::maybe(timeout)? }.map(duration).transpose()?;
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    let mut got = 0;
    loop {
        let seen = EVENTS.load(Ordering::Acquire);
        let foreign = with(|contexts| {
            let context = contexts.get_mut(&context).ok_or(Errno::INVAL)?;
            while got < room {
                let Some(event) = context.events.pop_front() else { break };
                // SAFETY: `got` is less than `count`, and there is room for `count` events (precondition).
                unsafe { events.cast::<[u8; 32]>().add(got).write_unaligned(event.to_bytes()) };
                got += 1;
            }
            Ok(context.foreign)
        })??;
        let fetch = |got: usize, min: c_long, wait: Duration| {
            // SAFETY: `got` is at most `count`, so the place is within the room or at its end.
            let place = unsafe { events.byte_add(got * 32) };
            kernel_events(context, min, room - got, place, wait)
        };
        if foreign > 0 && got < room {
            got += fetch(got, 0, Duration::ZERO)?;
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if got >= min || left == Some(Duration::ZERO) {
            return Ok(got as c_int);
        }
        let waited = if foreign > 0 {
            fetch(got, 1, left.map_or(SLICE, |left| left.min(SLICE))).map(|more| got += more)
        } else {
            let left =
                left.map(|left| futex::Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() });
            futex::wait(&EVENTS, futex::Flags::PRIVATE, seen, left.as_ref())
        };
        match waited {
            Err(Errno::INTR) if got == 0 => return Err(Errno::INTR),
            Err(Errno::INTR) => return Ok(got as c_int),
            _ => {}
        }
    }
}

/// Fetches events of requests that went to the kernel.
fn kernel_events(context: u64, min: c_long, room: usize, to: *mut c_void, wait: Duration) -> Result<usize, Errno> {
    let wait = timespec { tv_sec: wait.as_secs() as libc::time_t, tv_nsec: wait.subsec_nanos().into() };
    let wait = ptr::from_ref(&wait).addr() as c_long;
    let got = kernel(libc::SYS_io_getevents, [context as c_long, min, room as c_long, to.addr() as c_long, wait])?;
    let got = usize::try_from(got).unwrap_or(0);
    with(|contexts| {
        if let Some(context) = contexts.get_mut(&context) {
            context.foreign = context.foreign.saturating_sub(got);
        }
    })?;
    Ok(got)
}

/// `io_setup` in a process whose filter may not allow the kernel's.
pub fn set_up(count: c_long, context: *mut u64) -> Result<c_int, Errno> {
    static NEXT: AtomicU64 = AtomicU64::new(OWN);
    if count <= 0 {
        return Err(Errno::INVAL);
    }
    // SAFETY: the pointer is null or the caller's place for a context number.
    let context = unsafe { memory::at_mut(context)? };
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    IS_USED.store(true, Ordering::Relaxed);
    with(|contexts| contexts.insert(number, Context::default()))?;
    *context = number;
    Ok(0)
}

/// The first number of contexts of our own. The kernel's numbers are addresses in user space, which are lower.
const OWN: u64 = 1 << 63;

fn is_own(context: u64) -> bool {
    context >= OWN
}

/// `io_destroy`.
pub fn destroy(context: u64) -> Result<c_int, Errno> {
    with(|contexts| contexts.remove(&context))?;
    EVENTS.fetch_add(1, Ordering::Relaxed);
    let _ = futex::wake(&EVENTS, futex::Flags::PRIVATE, i32::MAX as u32);
    if is_own(context) {
        return Ok(0);
    }
    kernel(libc::SYS_io_destroy, [context as c_long, 0, 0, 0, 0]).map(|_| 0)
}

/// Runs `body` with the signal mask `mask`, and then restores the old mask. A null pointer changes nothing.
///
/// # Safety
/// `mask` must be null or point to a set of signals.
pub unsafe fn masked<T>(mask: *const sigset_t, body: impl FnOnce() -> T) -> T {
    if mask.is_null() {
        return body();
    }
    // SAFETY: a `sigset_t` of zeros is a valid value.
    let mut old = unsafe { std::mem::zeroed() };
    // SAFETY: `mask` points to a set of signals (precondition), and `old` is a local variable.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, &raw mut old) };
    let result = body();
    // SAFETY: `old` is the set that the first call has filled.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const old, ptr::null_mut()) };
    result
}

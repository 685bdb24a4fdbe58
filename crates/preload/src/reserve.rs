//! Descriptors for a program that will not be able to make any.
//!
//! A program may confine itself with seccomp: OpenSSH's unprivileged process lowers its limit of descriptors, and then
//! installs a filter that kills it for `dup`. If such a program has asked for AF_ALG before, a reserve of descriptors
//! is made as long as that is allowed ([`confine`](crate::confine)). Afterwards `socket`, `accept`, `dup` and `eventfd`
//! take descriptors from the reserve, and `close` returns them. Once there is a filter, this library makes only system
//! calls that OpenSSH's filter allows: `read`, `write`, `close`, `poll`, `futex`, `clock_gettime`, `getrandom` and
//! those of the allocator.
//!
//! The library's [own descriptors](Own) are here, too: they have high numbers, and the program cannot close them.

use crate::{interpose::real, kernel::kernel, slots::Slots, template};
use algkit_afalg::Errno;
use libc::{EFD_CLOEXEC, SYS_eventfd2, c_int, c_uint, nfds_t, pollfd};
use rustix::{io::fcntl_dupfd_cloexec, net::SocketFlags};
use std::{
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd},
    sync::atomic::{AtomicBool, AtomicI32, Ordering},
};

/// The numbers of sockets and of eventfds in the reserve. A connection of OpenSSH takes four sockets and two eventfds.
const SOCKETS: usize = 32;
const EVENTS: usize = 8;

/// The lowest number of a descriptor in the reserve: above the numbers that programs expect, and below the usual limit.
const LOWEST: RawFd = 901;

/// A descriptor in the reserve.
struct Slot {
    /// The descriptor's number, or -1.
    fd: AtomicI32,
    is_taken: AtomicBool,
}

/// The sockets, then the eventfds, then the descriptors that the library writes to.
static SLOTS: [Slot; SOCKETS + EVENTS + 2] =
    [const { Slot { fd: AtomicI32::new(-1), is_taken: AtomicBool::new(false) } }; SOCKETS + EVENTS + 2];
/// Whether there is any descriptor in the reserve.
static IS_USED: AtomicBool = AtomicBool::new(false);
static IS_FILLED: AtomicBool = AtomicBool::new(false);
static IS_FILTERED: AtomicBool = AtomicBool::new(false);

/// Whether system calls may be forbidden, because the program has installed a filter.
#[inline]
pub fn is_filtered() -> bool {
    IS_FILTERED.load(Ordering::Relaxed)
}

/// Called after the program has installed a filter: system calls may be forbidden from now on.
pub fn filtered() {
    IS_FILTERED.store(IS_FILLED.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Makes the reserve, once.
pub fn fill() {
    if is_filtered() || IS_FILLED.swap(true, Ordering::Relaxed) {
        return;
    }
    let socket = template::lone(SocketFlags::CLOEXEC);
    IS_USED.store(true, Ordering::Relaxed);
    for (at, slot) in SLOTS.iter().enumerate().take(SOCKETS + EVENTS) {
        let made = match &socket {
            Ok(socket) if at < SOCKETS => high(socket),
            _ => event().and_then(|event| high(&event)),
        };
        // A descriptor that cannot be made will be missing later.
        slot.fd.store(made.map_or(-1, IntoRawFd::into_raw_fd), Ordering::Relaxed);
        slot.is_taken.store(false, Ordering::Relaxed);
    }
}

/// The destinations that the library writes to.
#[derive(Clone, Copy)]
pub enum Kept {
    /// Standard error, as it was when the library was loaded.
    Log,
    /// The file for statistics.
    Stats,
}

/// Keeps a descriptor for the library itself. The program does not know of it, and cannot close it.
pub fn keep(what: Kept, fd: Option<OwnedFd>) {
    let Some(fd) = fd.and_then(|fd| high(&fd).ok()) else { return };
    SLOTS[SOCKETS + EVENTS + what as usize].fd.store(fd.into_raw_fd(), Ordering::Relaxed);
    IS_USED.store(true, Ordering::Relaxed);
}

/// A descriptor that is kept for the library itself.
pub fn kept(what: Kept) -> Option<RawFd> {
    Some(SLOTS[SOCKETS + EVENTS + what as usize].fd.load(Ordering::Relaxed)).filter(|&fd| fd >= 0)
}

fn event() -> Result<OwnedFd, Errno> {
    let fd = kernel(SYS_eventfd2, [0, EFD_CLOEXEC.into(), 0, 0, 0])?;
    // SAFETY: the kernel has just made the descriptor, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// A duplicate with a high number, if the limit allows one.
fn high(fd: impl AsFd) -> Result<OwnedFd, Errno> {
    fcntl_dupfd_cloexec(&fd, LOWEST).or_else(|_| fcntl_dupfd_cloexec(&fd, 3))
}

fn take(slots: &'static [Slot]) -> Option<RawFd> {
    let free = |slot: &&Slot| slot.fd.load(Ordering::Relaxed) >= 0 && !slot.is_taken.swap(true, Ordering::Relaxed);
    slots.iter().find(free).map(|slot| slot.fd.load(Ordering::Relaxed))
}

/// Takes a socket from the reserve; [`Errno::MFILE`] if none is left.
pub fn take_socket() -> Result<RawFd, Errno> {
    take(&SLOTS[..SOCKETS]).ok_or(Errno::MFILE)
}

fn find(fd: RawFd) -> Option<&'static Slot> {
    let is_this = |slot: &&Slot| slot.fd.load(Ordering::Relaxed) == fd;
    (IS_USED.load(Ordering::Relaxed) && fd >= 0).then(|| SLOTS.iter().find(is_this)).flatten()
}

/// Whether the descriptor belongs to the reserve of the program, taken or not.
#[inline]
pub fn has(fd: RawFd) -> bool {
    find(fd).is_some()
}

/// Returns a descriptor to the reserve, instead of closing it. [`Errno::BADF`] if the program does not have it.
pub fn give_back(fd: RawFd) -> Result<c_int, Errno> {
    let slot = find(fd).filter(|slot| slot.is_taken.load(Ordering::Relaxed)).ok_or(Errno::BADF)?;
    // An eventfd must be empty before it is taken again.
    let mut poll = pollfd { fd, events: libc::POLLIN, revents: 0 };
    let is_event = SLOTS[SOCKETS..].iter().any(|event| std::ptr::eq(event, slot));
    if is_event
        && let Some(real) = real!(fn poll(*mut pollfd, nfds_t, c_int) -> c_int)
        // SAFETY: the pointer is to one `pollfd`, and the count is 1.
        && unsafe { real(&raw mut poll, 1, 0) } == 1
    {
        let mut count = [0; 8];
        // SAFETY: a descriptor of the reserve stays open.
        let _ = rustix::io::read(unsafe { BorrowedFd::borrow_raw(fd) }, &mut count);
    }
    slot.is_taken.store(false, Ordering::Relaxed);
    Ok(0)
}

/// The numbers of the library's own descriptors.
static OWN: Slots<()> = Slots::new();

/// A descriptor that the library keeps for itself as long as this lives. The program does not know of it, and cannot close it.
pub struct Own(OwnedFd);

impl Own {
    /// Keeps a descriptor, under a high number if there is a free one.
    pub fn keep(fd: OwnedFd) -> Self {
        Self::under_its_number(high(&fd).unwrap_or(fd))
    }

    fn under_its_number(fd: OwnedFd) -> Self {
        OWN.set(fd.as_raw_fd(), &());
        Self(fd)
    }

    /// The same descriptor under another number than `fd`, where the program is about to put a file; `None` if no number is free.
    pub fn away_from(self, fd: RawFd) -> Option<Self> {
        if self.0.as_raw_fd() == fd { high(&self.0).ok().map(Self::under_its_number) } else { Some(self) }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        OWN.clear(self.0.as_raw_fd());
    }
}

impl AsFd for Own {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Whether this is a descriptor that the library keeps for itself.
#[inline]
pub fn is_own(fd: RawFd) -> bool {
    OWN.get(fd).is_some()
}

/// Closes the descriptors from `first` to `last` by calling `close` with ranges. Those of the reserve stay open, and
/// those of them that were taken are returned.
pub fn close_around(
    first: c_uint,
    last: c_uint,
    mut close: impl FnMut(c_uint, c_uint) -> Result<c_int, Errno>,
) -> Result<c_int, Errno> {
    let mut from = first;
    while let Some(kept) = next(from, last) {
        if kept > from {
            close(from, kept - 1)?;
        }
        let _ = give_back(kept as RawFd);
        from = kept + 1;
    }
    if from <= last { close(from, last) } else { Ok(0) }
}

/// The lowest number from `first` to `last` that is in the reserve or the library's own.
fn next(first: c_uint, last: c_uint) -> Option<c_uint> {
    let own = OWN.numbers(first, last).next().map(|number| number as c_uint);
    if !IS_USED.load(Ordering::Relaxed) {
        return own;
    }
    let numbers = SLOTS.iter().filter_map(|slot| c_uint::try_from(slot.fd.load(Ordering::Relaxed)).ok());
    numbers.filter(|number| (first..=last).contains(number)).chain(own).min()
}

/// Whether a descriptor from `first` to `last` belongs to the reserve, or is the library's own.
pub fn is_among(first: c_uint, last: c_uint) -> bool {
    next(first, last).is_some()
}

/// Whether `eventfd` with these flags takes from the reserve.
pub fn gives_event(flags: c_int) -> bool {
    is_filtered() && flags & !EFD_CLOEXEC == 0
}

/// Takes an eventfd from the reserve and sets its counter to `count`.
pub fn take_event(count: c_uint) -> Result<c_int, Errno> {
    let fd = take(&SLOTS[SOCKETS..SOCKETS + EVENTS]).ok_or(Errno::MFILE)?;
    if count > 0 {
        // SAFETY: a descriptor of the reserve stays open.
        rustix::io::write(unsafe { BorrowedFd::borrow_raw(fd) }, &u64::from(count).to_ne_bytes())?;
    }
    Ok(fd)
}

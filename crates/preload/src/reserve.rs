//! Descriptors for a program that will be able to make none.
//!
//! A program that confines itself with seccomp, as OpenSSH's process in front of the authentication does, lowers its limit of
//! descriptors and then installs a filter that kills it for `dup`. If it has asked for AF_ALG before, descriptors are made as
//! long as that is allowed ([`confine`](crate::confine)), and `socket`, `accept`, `dup` and `eventfd` take from them. `close` gives back. Once there is a filter,
//! this library makes no system calls but those that OpenSSH's allows: `read`, `write`, `close`, `poll`, `futex`,
//! `clock_gettime`, `getrandom` and the allocator's.

use crate::{interpose::real, kernel::kernel};
use algkit_afalg::Errno;
use libc::{EFD_CLOEXEC, SYS_eventfd2, c_int, c_uint, nfds_t, pollfd};
use rustix::{
    io::fcntl_dupfd_cloexec,
    net::{AddressFamily, SocketFlags, SocketType, socket_with},
};
use std::{
    os::fd::{AsFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd},
    sync::atomic::{AtomicBool, AtomicI32, Ordering},
};

/// Sockets that are kept, and eventfds. A connection of OpenSSH takes four sockets and two eventfds.
const SOCKETS: usize = 32;
const EVENTS: usize = 8;

/// Above the numbers that programs count on, and below the usual limit.
const LOWEST: RawFd = 901;

/// A descriptor that is kept.
struct Slot {
    /// Its number, or -1.
    fd: AtomicI32,
    is_taken: AtomicBool,
}

/// The sockets, then the eventfds, then what the library writes to.
static SLOTS: [Slot; SOCKETS + EVENTS + 2] =
    [const { Slot { fd: AtomicI32::new(-1), is_taken: AtomicBool::new(false) } }; SOCKETS + EVENTS + 2];
/// Whether anything is kept.
static IS_USED: AtomicBool = AtomicBool::new(false);
static IS_FILLED: AtomicBool = AtomicBool::new(false);
static IS_FILTERED: AtomicBool = AtomicBool::new(false);

/// Whether system calls may be forbidden: the program has installed a filter.
#[inline]
pub fn is_filtered() -> bool {
    IS_FILTERED.load(Ordering::Relaxed)
}

/// From now on system calls may be forbidden.
pub fn filtered() {
    IS_FILTERED.store(IS_FILLED.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Makes what is kept, once.
pub fn fill() {
    if is_filtered() || IS_FILLED.swap(true, Ordering::Relaxed) {
        return;
    }
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None);
    IS_USED.store(true, Ordering::Relaxed);
    for (at, slot) in SLOTS.iter().enumerate().take(SOCKETS + EVENTS) {
        let made = match &socket {
            Ok(socket) if at < SOCKETS => high(socket),
            _ => event().and_then(|event| high(&event)),
        };
        // What cannot be made is missing later.
        slot.fd.store(made.map_or(-1, IntoRawFd::into_raw_fd), Ordering::Relaxed);
        slot.is_taken.store(false, Ordering::Relaxed);
    }
}

/// What the library writes to.
#[derive(Clone, Copy)]
pub enum Kept {
    /// Standard error, as it was at the start.
    Log,
    /// The file of what was done.
    Stats,
}

/// Keeps a descriptor for the library itself. The program does not know of it, and does not close it.
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
    // SAFETY: the kernel has made it.
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

/// A socket to stand for something, of the kind that a template is.
pub fn take_socket() -> Result<RawFd, Errno> {
    take(&SLOTS[..SOCKETS]).ok_or(Errno::MFILE)
}

fn find(fd: RawFd) -> Option<&'static Slot> {
    let is_this = |slot: &&Slot| slot.fd.load(Ordering::Relaxed) == fd;
    (IS_USED.load(Ordering::Relaxed) && fd >= 0).then(|| SLOTS.iter().find(is_this)).flatten()
}

/// Whether the descriptor is one of those that are kept, in use or not.
#[inline]
pub fn has(fd: RawFd) -> bool {
    find(fd).is_some()
}

/// Closes a descriptor that is kept: it is free to be taken again. [`Errno::BADF`] if it was free, of which the program
/// does not know.
pub fn give_back(fd: RawFd) -> Result<c_int, Errno> {
    let slot = find(fd).filter(|slot| slot.is_taken.load(Ordering::Relaxed)).ok_or(Errno::BADF)?;
    // An eventfd of which nobody has read is none to give to somebody else.
    let mut poll = pollfd { fd, events: libc::POLLIN, revents: 0 };
    let is_event = SLOTS[SOCKETS..].iter().any(|event| std::ptr::eq(event, slot));
    if is_event
        && let Some(real) = real!(fn poll(*mut pollfd, nfds_t, c_int) -> c_int)
        // SAFETY: one descriptor.
        && unsafe { real(&raw mut poll, 1, 0) } == 1
    {
        let mut count = [0; 8];
        // SAFETY: the descriptor is open as long as it is kept.
        let _ = rustix::io::read(unsafe { BorrowedFd::borrow_raw(fd) }, &mut count);
    }
    slot.is_taken.store(false, Ordering::Relaxed);
    Ok(0)
}

/// Closes the descriptors from `first` to `last`, but for those that are kept; of them, those in use are given back. `close` closes
/// a range.
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

/// The lowest of the numbers that are kept, from `first` to `last`.
fn next(first: c_uint, last: c_uint) -> Option<c_uint> {
    if !IS_USED.load(Ordering::Relaxed) {
        return None;
    }
    let numbers = SLOTS.iter().filter_map(|slot| c_uint::try_from(slot.fd.load(Ordering::Relaxed)).ok());
    numbers.filter(|number| (first..=last).contains(number)).min()
}

/// Whether a range has one of those that are kept.
pub fn is_among(first: c_uint, last: c_uint) -> bool {
    next(first, last).is_some()
}

/// Whether an eventfd of these flags is taken from those that are kept.
pub fn gives_event(flags: c_int) -> bool {
    is_filtered() && flags & !EFD_CLOEXEC == 0
}

/// An eventfd from those that are kept.
pub fn take_event(count: c_uint) -> Result<c_int, Errno> {
    let fd = take(&SLOTS[SOCKETS..SOCKETS + EVENTS]).ok_or(Errno::MFILE)?;
    if count > 0 {
        // SAFETY: open as long as it is kept.
        rustix::io::write(unsafe { BorrowedFd::borrow_raw(fd) }, &u64::from(count).to_ne_bytes())?;
    }
    Ok(fd)
}

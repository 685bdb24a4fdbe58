//! `poll` and `epoll` on sets of which some descriptors are served.

use crate::{clock::duration, interpose::interpose, kernel::kernel, lock::Inside, memory, reserve, table};
use algkit_afalg::{Errno, Readiness};
use libc::{
    EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLLET, POLLIN, POLLOUT, POLLRDNORM, POLLWRBAND, POLLWRNORM, SYS_epoll_ctl,
    SYS_ppoll, c_int, c_long, c_short, epoll_event, nfds_t, pollfd, sigset_t, size_t, timespec,
};
use std::{
    ptr, slice,
    time::{Duration, Instant},
};

interpose! {
    fn poll(fds: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int
    where Some(fds) = served(fds, count) => wait(fds, milliseconds(timeout), ptr::null())

    fn __poll_chk(fds: *mut pollfd, count: nfds_t, timeout: c_int, room: size_t) -> c_int
    where (true, Some(fds)) = (fits(count, room), served(fds, count)) => {
        wait(fds, milliseconds(timeout), ptr::null())
    }

    fn ppoll(fds: *mut pollfd, count: nfds_t, timeout: *const timespec, mask: *const sigset_t) -> c_int
    where Some(fds) = served(fds, count) => wait(fds, timeout.as_ref().map(duration).transpose()?, mask)

    fn __ppoll_chk(
        fds: *mut pollfd, count: nfds_t, timeout: *const timespec, mask: *const sigset_t, room: size_t,
    ) -> c_int
    where (true, Some(fds)) = (fits(count, room), served(fds, count)) => {
        wait(fds, timeout.as_ref().map(duration).transpose()?, mask)
    }

    fn epoll_ctl(epoll: c_int, operation: c_int, fd: c_int, event: *mut epoll_event) -> c_int
    where (EPOLL_CTL_ADD | EPOLL_CTL_MOD, Some(_)) = (operation, table::entry(fd)) => {
        // An address that cannot be read is the kernel's to refuse.
        let flags = if memory::is_readable(event.cast(), size_of::<epoll_event>()) { (*event).events } else { 0 };
        arm(fd, flags & EPOLLET as u32 != 0)?;
        kernel(SYS_epoll_ctl, [epoll.into(), operation.into(), fd.into(), event.expose_provenance() as c_long, 0]).map(|_| 0)
    }
}

/// The interval at which a file is looked at if its descriptor cannot be made to show its readiness.
const SLICE: Duration = Duration::from_millis(2);

const READABLE: c_short = POLLIN | POLLRDNORM;
const WRITABLE: c_short = POLLOUT | POLLWRNORM | POLLWRBAND;

fn fits(count: nfds_t, room: size_t) -> bool {
    usize::try_from(count).is_ok_and(|count| count <= room / size_of::<pollfd>())
}

fn milliseconds(timeout: c_int) -> Option<Duration> {
    u64::try_from(timeout).ok().map(Duration::from_millis)
}

/// The set, if one of its descriptors is served.
unsafe fn served<'a>(fds: *mut pollfd, count: nfds_t) -> Option<&'a mut [pollfd]> {
    let count = usize::try_from(count).ok().filter(|&count| count > 0 && count <= c_int::MAX as usize)?;
    if !table::is_used() || !memory::is_readable(fds.cast(), count * size_of::<pollfd>()) {
        return None;
    }
    // SAFETY: the kernel could read the caller's array, which has `count` members.
    let fds = unsafe { slice::from_raw_parts_mut(fds, count) };
    fds.iter().any(|poll| table::entry(poll.fd).is_some()).then_some(fds)
}

/// Whether a descriptor of the set is served.
///
/// # Safety
/// `fds` must be null or point to `count` members.
pub unsafe fn serves(fds: *mut pollfd, count: c_long) -> bool {
    // SAFETY: the precondition is the same.
    unsafe { served(fds, count as nfds_t) }.is_some()
}

/// `ppoll`.
///
/// # Safety
/// `mask` must be null or point to a set of signals.
pub unsafe fn wait(fds: &mut [pollfd], timeout: Option<Duration>, mask: *const sigset_t) -> Result<c_int, Errno> {
    // Memory is allocated. A handler that interrupts a request may have interrupted the allocator.
    Inside::check()?;
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        // Served descriptors are answered first. If one of them is ready, the others are polled without waiting.
        let answered = answer(fds);
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let waits = answered == 0 && left != Some(Duration::ZERO);
        let (mut others, mut all_show) = (fds.to_vec(), true);
        for poll in &mut others {
            if table::entry(poll.fd).is_some() {
                poll.revents = 0;
                let shows = if waits { shows(poll.fd)? } else { true };
                all_show &= shows;
                if !waits || !shows {
                    poll.fd = -1;
                }
            }
        }
        // A file whose descriptor cannot be made to show its readiness is looked at again and again.
        let slice = left.filter(|&left| all_show || left < SLICE).or((!all_show).then_some(SLICE));
        // SAFETY: `mask` is null or points to a set of signals (precondition).
        let ready = unsafe { real_poll(&mut others, if waits { slice } else { Some(Duration::ZERO) }, mask)? };
        let mut woken = false;
        for (poll, other) in fds.iter_mut().zip(&others) {
            match table::entry(poll.fd) {
                Some(_) => woken |= other.revents != 0,
                None => poll.revents = other.revents,
            }
        }
        if woken {
            answer(fds);
        }
        let count = fds.iter().filter(|poll| poll.revents != 0).count();
        if count > 0 || (ready == 0 && (slice == left || !waits)) {
            return Ok(count as c_int);
        }
    }
}

/// Fills in the events of served descriptors; returns how many have any.
fn answer(fds: &mut [pollfd]) -> usize {
    let mut answered = 0;
    for poll in fds {
        let Some(entered) = table::entry(poll.fd).and_then(|entry| entry.enter(poll.fd).ok()) else { continue };
        let Readiness { readable, writable } = entered.readiness();
        let mut events = 0;
        if readable {
            events |= READABLE;
        }
        if writable {
            events |= WRITABLE;
        }
        poll.revents = events & poll.events;
        answered += usize::from(poll.revents != 0);
    }
    answered
}

/// Makes the descriptor show the readiness of its file. Returns false if the program may not make the descriptors for that, or has
/// no number left for them.
fn shows(fd: c_int) -> Result<bool, Errno> {
    match arm(fd, false) {
        // The program has closed it meanwhile.
        Ok(()) | Err(Errno::BADF) => Ok(true),
        Err(Errno::PERM | Errno::MFILE | Errno::NFILE) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Makes the descriptor show the readiness of its file; if `repeats`, also what passes though it was ready before.
pub fn arm(fd: c_int, repeats: bool) -> Result<(), Errno> {
    if reserve::is_filtered() {
        return Err(Errno::PERM);
    }
    let mut entered = table::entry(fd).ok_or(Errno::BADF)?.enter(fd)?;
    entered.state().arm()?;
    entered.state().mirror.repeats |= repeats;
    Ok(())
}

unsafe fn real_poll(fds: &mut [pollfd], timeout: Option<Duration>, mask: *const sigset_t) -> Result<c_int, Errno> {
    /// The length of the kernel's set of signals in bytes.
    const SET: c_long = 8;
    let timeout =
        timeout.map(|time| timespec { tv_sec: time.as_secs() as libc::time_t, tv_nsec: time.subsec_nanos().into() });
    let timeout = timeout.as_ref().map_or(ptr::null(), ptr::from_ref).expose_provenance() as c_long;
    let (set, count) = (fds.as_mut_ptr().expose_provenance() as c_long, fds.len() as c_long);
    kernel(SYS_ppoll, [set, count, timeout, mask.expose_provenance() as c_long, SET]).map(|ready| ready as c_int)
}

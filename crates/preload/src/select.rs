//! `select` on sets of which some descriptors are served, by means of `poll`.

use crate::{clock::duration, interpose::interpose, lock::Inside, memory, poll, table};
use algkit_afalg::Errno;
use libc::{
    POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT, POLLPRI, POLLRDBAND, POLLRDNORM, POLLWRBAND, POLLWRNORM, c_int,
    c_short, fd_set, pollfd, sigset_t, timespec, timeval,
};
use std::{
    ptr, slice,
    time::{Duration, Instant},
};

interpose! {
    fn select(
        count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set, timeout: *mut timeval,
    ) -> c_int
    where Some(sets) = Sets::served(count, [read, write, except]) => {
        let start = Instant::now();
        let limit = timeout.as_ref().map(span).transpose()?;
        let selected = sets.wait(limit, ptr::null());
        if let (Some(time), Some(limit)) = (timeout.as_mut(), limit) {
            let left = limit.saturating_sub(start.elapsed());
            time.tv_sec = left.as_secs() as libc::time_t;
            time.tv_usec = left.subsec_micros().into();
        }
        selected
    }

    fn pselect(
        count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set, timeout: *const timespec,
        mask: *const sigset_t,
    ) -> c_int
    where Some(sets) = Sets::served(count, [read, write, except]) => {
        sets.wait(timeout.as_ref().map(duration).transpose()?, mask)
    }
}

/// The events that each of the three sets asks for, and those that put a descriptor into the result.
const ASKED: [c_short; 3] = [POLLIN | POLLRDNORM | POLLRDBAND, POLLOUT | POLLWRNORM | POLLWRBAND, POLLPRI];
const ANSWERS: [c_short; 3] =
    [POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR, POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR, POLLPRI];

const BITS: usize = u64::BITS as usize;

/// The sets for reading, writing and exceptions, as words of bits.
struct Sets<'a> {
    /// The number of descriptors; bits after it are ignored.
    count: usize,
    sets: [Option<&'a mut [u64]>; 3],
}

/// Whether a descriptor of a set is served.
///
/// # Safety
/// Each set must be null or have at least `count` bits.
pub unsafe fn serves(count: c_int, sets: [*mut fd_set; 3]) -> bool {
    // SAFETY: the precondition is the same.
    unsafe { Sets::served(count, sets) }.is_some()
}

fn span(time: &timeval) -> Result<Duration, Errno> {
    let microseconds = time.tv_usec;
    duration(&timespec {
        tv_sec: time.tv_sec.saturating_add(microseconds / 1_000_000),
        tv_nsec: microseconds % 1_000_000 * 1000,
    })
}

impl<'a> Sets<'a> {
    /// The sets, if a served descriptor is in one of them.
    ///
    /// # Safety
    /// Each set must be null or have at least `count` bits.
    unsafe fn served(count: c_int, sets: [*mut fd_set; 3]) -> Option<Self> {
        // A set of libc has 1024 bits; programs may allocate larger ones.
        let count = usize::try_from(count).ok().filter(|&count| count <= 1 << 20)?;
        let words = count.div_ceil(BITS);
        let is_there = |set: &*mut fd_set| set.is_null() || memory::is_readable(set.cast(), words * size_of::<u64>());
        if !table::is_used() || !sets.iter().all(is_there) {
            return None;
        }
        // SAFETY: each set is null or has at least `count` bits (precondition), in whole words.
        let sets = sets.map(|set| (!set.is_null()).then(|| unsafe { slice::from_raw_parts_mut(set.cast(), words) }));
        let sets = Self { count, sets };
        let is_served = sets.members().any(|(fd, _)| table::entry(fd).is_some());
        is_served.then_some(sets)
    }

    /// Each descriptor in a set, and the events that are asked for.
    fn members(&self) -> impl Iterator<Item = (c_int, c_short)> {
        (0..self.count).filter_map(|fd| {
            let asked = self.sets.iter().zip(ASKED).filter(|(set, _)| has(set.as_deref(), fd));
            let events = asked.fold(0, |events, (_, asked)| events | asked);
            (events != 0).then_some((fd as c_int, events))
        })
    }

    unsafe fn wait(self, timeout: Option<Duration>, mask: *const sigset_t) -> Result<c_int, Errno> {
        // As in `poll::wait`.
        Inside::check()?;
        let mut fds: Vec<_> = self.members().map(|(fd, events)| pollfd { fd, events, revents: 0 }).collect();
        // SAFETY: the mask is null or points to a set of signals, as `pselect` demands of the caller.
        unsafe { poll::wait(&mut fds, timeout, mask)? };
        if fds.iter().any(|poll| poll.revents & POLLNVAL != 0) {
            return Err(Errno::BADF);
        }
        let mut selected = 0;
        for (set, (asked, answers)) in self.sets.into_iter().zip(ASKED.into_iter().zip(ANSWERS)) {
            let Some(set) = set else { continue };
            set.fill(0);
            for poll in fds.iter().filter(|poll| poll.events & asked != 0 && poll.revents & answers != 0) {
                set[poll.fd as usize / BITS] |= 1 << (poll.fd as usize % BITS);
                selected += 1;
            }
        }
        Ok(selected)
    }
}

fn has(set: Option<&[u64]>, fd: usize) -> bool {
    set.and_then(|set| set.get(fd / BITS)).is_some_and(|word| word & (1 << (fd % BITS)) != 0)
}

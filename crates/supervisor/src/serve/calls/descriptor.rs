//! Calls on descriptors of any kind: opening, duplicating, `ioctl`.

use crate::serve::{
    calls::{Reply, open::named},
    served::Served,
    server::Server,
    target::Target,
};
use algkit_afalg::{
    Errno, File, Place,
    cryptodev::{Answer, CIOCGSESSION, Device},
    stand_in::is_not_netlinks,
};
use rustix::fs::OFlags;
use std::{
    os::fd::AsFd,
    sync::{Arc, atomic::Ordering},
};

/// The `ioctl`s that the kernel implements for every file.
const GENERIC: [u32; 5] = [
    libc::FIONBIO as u32,
    libc::FIOASYNC as u32,
    libc::FIOCLEX as u32,
    libc::FIONCLEX as u32,
    0x5460, // FIOQSIZE
];

/// Whether `ioctl` `request` is implemented for every file.
pub fn is_generic(request: u32) -> bool {
    GENERIC.contains(&request)
}

/// `open`, `openat`, `openat2`, `creat`.
pub fn open(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let Some((file, flags)) = named(target) else { return Ok(Reply::Proceed) };
    target.check()?;
    file.check(flags.bits() as i32)?;
    let close_on_exec = flags.contains(OFlags::CLOEXEC);
    match file {
        Place::ProcCrypto => {
            target.answer_with(server.list(target)?, None, close_on_exec)?;
        }
        Place::DevCrypto => {
            let file = File::Device(Device::new());
            let nonblocking = flags.contains(OFlags::NONBLOCK);
            server.serve(target, file, nonblocking, |fd, at| target.answer_with(fd, Some(at), close_on_exec))?;
        }
    }
    Ok(Reply::Taken)
}

/// `dup`, `dup2`, `dup3`, and the `fcntl`s that duplicate. The duplicate must have a number in the ranges too, because
/// the filter would not trap calls on another number. So `dup2` and `dup3` to another number fail, and the file that
/// has the number stays open.
pub fn duplicate(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let [fd, second, third] = [0, 1, 2].map(|n| target.request.int(n));
    let (at, close_on_exec) = match target.request.nr {
        libc::SYS_dup => (None, false),
        libc::SYS_fcntl if u32::try_from(third).map_or(true, |least| least >= server.ranges.end()) => {
            return Err(Errno::INVAL);
        }
        libc::SYS_fcntl => (None, second == libc::F_DUPFD_CLOEXEC),
        // Equal numbers are an error for `dup3`; for `dup2` they are allowed and nothing happens.
        libc::SYS_dup3 if fd == second || third & !libc::O_CLOEXEC != 0 => return Err(Errno::INVAL),
        libc::SYS_dup3 => (Some(second), third & libc::O_CLOEXEC != 0),
        _ if fd == second => return Ok(Reply::Value(fd.into())),
        _ => (Some(second), false),
    };
    if at.is_some_and(|at| !server.ranges.contains(at)) {
        return Err(Errno::BADF);
    }
    let copy = target.fetch(fd)?;
    let give = |at| target.answer_with(copy, Some(at), close_on_exec);
    match at {
        Some(at) => give(at as u32)?,
        // `fcntl` may ask for a number that is not below a given one.
        None => {
            let least = if target.request.nr == libc::SYS_fcntl { third as u32 } else { 0 };
            server.number(target, least, give)?;
        }
    }
    Ok(Reply::Taken)
}

/// `epoll_ctl`. The kernel carries it out, but only here is it known whether the program waits for events and not for states.
pub fn watch(server: &Server, target: &Target<'_>) -> Reply {
    // The flags are the first field of `struct epoll_event`.
    if let Ok(flags) = target.array(target.request.args[3])
        && u32::from_ne_bytes(flags) & libc::EPOLLET as u32 != 0
        && let Ok(Some(served)) = server.find(target, target.request.int(2))
    {
        served.repeats.store(true, Ordering::Relaxed);
    }
    Reply::Proceed
}

/// `ioctl`.
pub fn ioctl(server: &Server, target: &Target<'_>, served: Arc<Served>) -> Result<Reply, Errno> {
    let [_, request, argument, ..] = target.request.args;
    target.check()?;
    let mut state = served.lock();
    let device = match &mut state.file {
        File::Device(device) => device,
        // A netlink socket has no `ioctl`s of its own, and an AF_ALG socket does not support them.
        File::Netlink(_) if is_not_netlinks(request as u32) => return Err(Errno::NOTTY),
        File::Netlink(_) => return Ok(Reply::Proceed),
        File::Alg(_) => return Err(Errno::OPNOTSUPP),
    };
    if request as u32 == CIOCGSESSION && server.keeps_too_much(&served, target.request, "a session") {
        return Err(Errno::NOMEM);
    }
    let answer = device.ioctl(request as u32, argument, &mut { *target });
    served.show(&mut state, target, target.request.int(0), None);
    drop(state);
    if let Answer::Duplicate(at) = answer? {
        let copy = target.fetch(target.request.int(0))?;
        server.number(target, 0, |number| {
            // If the address is invalid, there is no duplicate.
            target.put(at, number)?;
            target.give(copy.as_fd(), Some(number), false)
        })?;
    }
    Ok(Reply::Value(0))
}

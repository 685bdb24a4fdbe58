//! `io_submit`, `io_getevents`, `io_pgetevents`, `io_cancel`, `io_destroy`.

use crate::serve::{
    aio::{ContextId, Waiting},
    bpf::SYS_IO_PGETEVENTS,
    calls::Reply,
    clock::duration,
    server::{Advance, Server},
    target::Target,
    transfer::{Completion, Transfer},
};
use algkit_afalg::{
    Errno,
    abi::MAX_PIECES,
    aio::{IOCB_LEN, Iocb, KEY_OFFSET, descriptor, is_poll},
};
use std::{
    os::fd::{AsRawFd, OwnedFd},
    time::{Duration, Instant},
};

/// Carries out one of these calls.
pub fn handle(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let context = target.request.args[0];
    match target.request.nr {
        libc::SYS_io_submit => submit(server, target),
        libc::SYS_io_getevents | SYS_IO_PGETEVENTS => get_events(server, target),
        // A request on a served descriptor is complete when it has been submitted. The kernel does not know it and
        // returns EINVAL.
        libc::SYS_io_cancel => Ok(Reply::Proceed),
        _ => {
            if let Ok(id) = ContextId::of(target, context)
                && target.valid()
            {
                // The kernel ends the calls that wait for a context that is destroyed.
                let waiting = server.contexts().destroy(id);
                for waiting in waiting {
                    server.target(waiting.request).proceed();
                }
            }
            Ok(Reply::Proceed)
        }
    }
}

/// Carries out the requests before the first one that is not for a served descriptor, or is left to the kernel; the client then submits the
/// others again. If the first request is such a one, the call fails, because the kernel cannot be given a part of a
/// call.
fn submit(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let [context, count, array, ..] = target.request.args;
    let count = usize::try_from(count as i64).map_or(0, |n| n.min(MAX_PIECES));
    let Ok(pointers) = target.bytes(array, 8 * count) else { return Ok(Reply::Proceed) };
    let addresses: Vec<u64> =
        pointers.chunks_exact(8).filter_map(|b| b.first_chunk()).map(|b| u64::from_ne_bytes(*b)).collect();
    let mut requests = Vec::new();
    for &address in &addresses {
        let Ok(iocb) = target.array::<IOCB_LEN>(address) else { break };
        let served = if is_poll(&iocb) { Ok(None) } else { server.find(target, descriptor(&iocb)) };
        requests.push((address, iocb, served));
    }
    // A number without a descriptor is not left to the kernel either, if it is the first.
    let is_first_served = requests.first().is_some_and(|(.., served)| !matches!(served, Ok(None)));
    if !is_first_served && !requests.iter().any(|(.., served)| matches!(served, Ok(Some(_)))) {
        return Ok(Reply::Proceed);
    }
    let id = ContextId::of(target, context)?;
    let mut done = 0;
    for (address, iocb, served) in requests {
        let served = match served {
            Ok(Some(served)) => served,
            _ if done > 0 => break,
            Err(error) if id.exists(target) => return Err(error),
            // The kernel refuses what is no context.
            Err(_) => return Ok(Reply::Proceed),
            Ok(None) => {
                return match target.link(format_args!("fd/{}", descriptor(&iocb))) {
                    Err(Errno::NOENT) => Err(Errno::BADF),
                    _ => Err(Errno::INVAL),
                };
            }
        };
        let prepare = || {
            let iocb = Iocb::parse(&iocb)?;
            let is_known = server.contexts().has_room(id)?;
            if !is_known {
                let program = server.programs.of(target.request.tid);
                let full = server.contexts().is_full(program);
                if full {
                    // Looking into /proc may take long, so nothing is locked meanwhile.
                    let ids = server.contexts().ids();
                    ids.into_iter().filter(|id| !id.is_alive()).for_each(|id| server.contexts().remove(id));
                }
                server.contexts().add(id, program)?;
                id.take_over(target).inspect_err(|_| server.contexts().remove(id))?;
            }
            let event_fd = iocb.event_fd.map(|fd| event_fd(server, target, fd)).transpose()?;
            target.put(address.wrapping_add(KEY_OFFSET as u64), 0)?;
            let completion = Completion { id, data: iocb.data, iocb: address, event_fd };
            Transfer::of_iocb(target, &iocb, completion)
        };
        match prepare() {
            Err(error) if done == 0 => return Err(error),
            Err(_) => break,
            Ok(transfer) => match server.submit(target, &served, transfer, done == 0) {
                Advance::Ended => done += 1,
                Advance::WouldWait => break,
                // The file has the call now, and answers it when the request is complete.
                Advance::Waits => return Ok(Reply::Taken),
            },
        }
    }
    Ok(Reply::Value(done))
}

/// The eventfd behind the target's descriptor.
fn event_fd(server: &Server, target: &Target<'_>, fd: i32) -> Result<OwnedFd, Errno> {
    server.signaller.prepare()?;
    // The copy is checked, and not the target's descriptor, because the target may have given that number to another
    // file since.
    let copy = target.fetch(fd)?;
    let link = rustix::fs::readlink(format!("/proc/self/fd/{}", copy.as_raw_fd()), Vec::new())?;
    if link.as_bytes() == b"anon_inode:[eventfd]" { Ok(copy) } else { Err(Errno::INVAL) }
}

fn get_events(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let [context, least, most, to, timeout, _] = target.request.args;
    if !server.has_files() {
        return Ok(Reply::Proceed);
    }
    let id = ContextId::of(target, context)?;
    // Another thread may be about to submit a request that this call waits for. Only with a timeout of zero does that
    // not matter.
    let timeout = match timeout {
        0 => None,
        at => Some(duration(target.array(at)?)?),
    };
    let (Ok(least), Ok(most)) = (usize::try_from(least as i64), usize::try_from(most as i64)) else {
        return Err(Errno::INVAL);
    };
    if least > most {
        return Err(Errno::INVAL);
    }
    // Nor does it matter for a call that takes what there is.
    if !server.contexts().knows(id) && (timeout == Some(Duration::ZERO) || least == 0) {
        return Ok(Reply::Proceed);
    }
    // The kernel refuses what is no context.
    if !id.exists(target) {
        return Ok(Reply::Proceed);
    }
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    // If only the kernel has events, it carries out the call.
    if id.has_events(target) && !server.contexts().has_events(id) {
        return Ok(Reply::Proceed);
    }
    let due = {
        let program = server.programs.of(target.request.tid);
        let mut contexts = server.contexts();
        contexts.wait(Waiting::new(target.request, program, id, (least, most), to, deadline))?;
        contexts.due(Some(id))
    };
    server.ring();
    due.into_iter().for_each(|(waiting, events)| server.deliver(waiting, events));
    Ok(Reply::Taken)
}

//! The calls that the filter traps, and the functions that carry them out.

mod descriptor;
mod open;
mod option;
mod socket;
mod splice;
mod submit;

use crate::serve::{bpf::SYS_IO_PGETEVENTS, request::Request, served::Served, server::Server, target::Target};
use algkit_afalg::{
    Errno,
    level::{is_got_here, is_set_here},
    stand_in::is_every_sockets,
};
use std::{os::fd::OwnedFd, sync::Arc};

/// The way in which a call ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// The call returns this value.
    Value(i64),
    /// The kernel carries out the call.
    Proceed,
    /// The call has been answered, or another thread will answer it.
    Taken,
}

/// Carries out the call of `request`, or begins with it.
pub fn handle(server: &Server, request: Request) {
    let target = server.target(request);
    settle(&target, dispatch(server, &target));
}

fn settle(target: &Target<'_>, reply: Result<Reply, Errno>) {
    match reply {
        Ok(Reply::Value(value)) => _ = target.answer(Ok(value)),
        Ok(Reply::Proceed) => target.proceed(),
        Ok(Reply::Taken) => {}
        Err(error) => _ = target.answer(Err(error)),
    }
}

/// Whether the result of the call depends on whether other sockets are still open.
pub fn asks_who_is_there(nr: libc::c_long) -> bool {
    matches!(nr, libc::SYS_setsockopt | libc::SYS_bind)
}

/// Whether the kernel carries out the call, on the socket that stands for the file.
fn is_the_kernels(served: &Served, nr: libc::c_long, args: &[u64; 6]) -> bool {
    match nr {
        libc::SYS_ioctl => {
            descriptor::is_generic(args[1] as u32) || (served.is_socket && is_every_sockets(args[1] as u32))
        }
        // A socket has no position, so the kernel returns the right error.
        libc::SYS_preadv2 | libc::SYS_pwritev2 => args[3] != u64::MAX,
        libc::SYS_setsockopt => served.is_socket && !is_set_here(args[1] as i32, args[2] as i32),
        libc::SYS_getsockopt => served.is_socket && !is_got_here(args[1] as i32, args[2] as i32),
        _ => false,
    }
}

/// The descriptors among the arguments of a call. `None` for a call that takes no served descriptor, or takes it in
/// memory.
pub fn descriptors(request: &Request) -> Option<Vec<i32>> {
    match request.nr {
        libc::SYS_sendfile => Some(vec![request.int(0), request.int(1)]),
        libc::SYS_splice => Some(vec![request.int(0), request.int(2)]),
        // The kernel carries it out.
        libc::SYS_epoll_ctl => Some(Vec::new()),
        libc::SYS_socket
        | libc::SYS_socketpair
        | libc::SYS_io_submit
        | libc::SYS_io_getevents
        | SYS_IO_PGETEVENTS
        | libc::SYS_io_cancel
        | libc::SYS_io_destroy => None,
        nr if is_open(nr) => None,
        _ => Some(vec![request.int(0)]),
    }
}

/// Whether the call opens a file by its name.
pub fn is_open(nr: libc::c_long) -> bool {
    #[cfg(target_arch = "x86_64")]
    if matches!(nr, libc::SYS_open | libc::SYS_creat) {
        return true;
    }
    matches!(nr, libc::SYS_openat | libc::SYS_openat2)
}

fn dispatch(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    if !target.request.is_native {
        return socket::elsewhere(server, target);
    }
    match target.request.nr {
        nr if is_open(nr) => return descriptor::open(server, target),
        libc::SYS_socket => return socket::socket(server, target),
        libc::SYS_io_submit
        | libc::SYS_io_getevents
        | SYS_IO_PGETEVENTS
        | libc::SYS_io_cancel
        | libc::SYS_io_destroy => return submit::handle(server, target),
        libc::SYS_splice => return splice::splice(server, target),
        libc::SYS_sendfile => return splice::sendfile(server, target),
        libc::SYS_epoll_ctl => return Ok(descriptor::watch(server, target)),
        libc::SYS_socketpair => return Err(Errno::OPNOTSUPP),
        _ => {}
    }
    let fd = target.request.int(0);
    // The target may have opened a descriptor of its own with a number in the ranges.
    let Some((served, theirs)) = server.find_with_end(target, fd)? else { return Ok(Reply::Proceed) };
    if is_the_kernels(&served, target.request.nr, &target.request.args) {
        return Ok(Reply::Proceed);
    }
    if !is_transfer(target.request.nr) && served.try_lock().is_none() {
        // Another thread works on the file. This thread waits for it, but not as the leader.
        drop(theirs);
        let request = target.request;
        server.employ(request, move |server| {
            let target = server.target(request);
            settle(&target, on_file(server, &target, served, None));
        });
        return Ok(Reply::Taken);
    }
    on_file(server, target, served, theirs)
}

/// Whether the call sends or receives. Such a call may have to wait, and finds out by itself whether another thread
/// works on the file.
fn is_transfer(nr: libc::c_long) -> bool {
    matches!(
        nr,
        libc::SYS_sendto
            | libc::SYS_sendmsg
            | libc::SYS_sendmmsg
            | libc::SYS_recvfrom
            | libc::SYS_recvmsg
            | libc::SYS_recvmmsg
    ) || is_plain(nr)
}

/// Whether the call is one for files of any kind.
fn is_plain(nr: libc::c_long) -> bool {
    matches!(
        nr,
        libc::SYS_read | libc::SYS_readv | libc::SYS_preadv2 | libc::SYS_write | libc::SYS_writev | libc::SYS_pwritev2
    )
}

/// Carries out a call on a served descriptor.
fn on_file(server: &Server, target: &Target<'_>, served: Arc<Served>, theirs: Option<OwnedFd>) -> Result<Reply, Errno> {
    if is_transfer(target.request.nr) && (served.is_socket || is_plain(target.request.nr)) {
        return server.transfer(target, served, theirs).map(|()| Reply::Taken);
    }
    // No copy of the target's end may exist when the call is answered.
    drop(theirs);
    match target.request.nr {
        libc::SYS_fcntl | libc::SYS_dup | libc::SYS_dup3 => descriptor::duplicate(server, target),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_dup2 => descriptor::duplicate(server, target),
        libc::SYS_ioctl => descriptor::ioctl(server, target, served),
        // All other calls are for sockets only.
        _ if !served.is_socket => Err(Errno::NOTSOCK),
        libc::SYS_bind => socket::bind(target, &served),
        libc::SYS_connect => socket::connect(target, &served),
        libc::SYS_accept => socket::accept(server, target, &served, 0),
        libc::SYS_accept4 => socket::accept(server, target, &served, target.request.int(3)),
        libc::SYS_getsockname | libc::SYS_getpeername => socket::name(target, &served),
        libc::SYS_setsockopt => option::set(target, &served),
        libc::SYS_getsockopt => option::get(target, &served),
        _ => Err(Errno::OPNOTSUPP),
    }
}

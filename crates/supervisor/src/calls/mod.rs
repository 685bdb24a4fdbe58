//! The calls that stop, and what is done about each.

mod descriptor;
mod open;
mod option;
mod socket;
mod splice;
mod submit;
pub mod transfer;

use crate::{
    bpf::SYS_IO_PGETEVENTS,
    served::Served,
    server::Server,
    target::{Request, Target},
};
use algkit_afalg::Errno;

/// How a call ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// With this result.
    Value(i64),
    /// The kernel does it.
    Proceed,
    /// It has been answered, or somebody else will.
    Taken,
}

/// Does, or begins, what `request` asks for.
pub fn handle(server: &Server, request: Request) {
    let target = server.target(request);
    match dispatch(server, &target) {
        Ok(Reply::Value(value)) => _ = target.answer(Ok(value)),
        Ok(Reply::Proceed) => target.proceed(),
        Ok(Reply::Taken) => {}
        Err(error) => _ = target.answer(Err(error)),
    }
}

/// Whether the outcome depends on whether other sockets are still open.
pub fn asks_who_is_there(nr: libc::c_long) -> bool {
    matches!(nr, libc::SYS_setsockopt | libc::SYS_bind)
}

/// Whether the kernel does the call, to the socket that stands for the file.
fn is_the_kernels(served: &Served, nr: libc::c_long, args: &[u64; 6]) -> bool {
    match nr {
        libc::SYS_ioctl => descriptor::is_generic(args[1] as u32),
        // A socket knows no positions.
        libc::SYS_preadv2 | libc::SYS_pwritev2 => args[3] != u64::MAX,
        libc::SYS_setsockopt => served.kind.is_some() && option::is_kept(args, &option::SET_HERE),
        libc::SYS_getsockopt => served.kind.is_some() && option::is_kept(args, &option::GOT_HERE),
        _ => false,
    }
}

fn dispatch(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    match target.request.nr {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => return descriptor::open(server, target),
        libc::SYS_openat | libc::SYS_openat2 => return descriptor::open(server, target),
        libc::SYS_socket => return socket::socket(server, target),
        libc::SYS_io_submit
        | libc::SYS_io_getevents
        | SYS_IO_PGETEVENTS
        | libc::SYS_io_cancel
        | libc::SYS_io_destroy => return submit::handle(server, target),
        libc::SYS_splice => return splice::splice(server, target),
        libc::SYS_socketpair => return Err(Errno::OPNOTSUPP),
        _ => {}
    }
    let fd = target.request.int(0);
    // A descriptor of the target's own may have a number in the range, too.
    let Some(served) = server.find(target, fd) else { return Ok(Reply::Proceed) };
    if is_the_kernels(&served, target.request.nr, &target.request.args) {
        return Ok(Reply::Proceed);
    }
    match target.request.nr {
        libc::SYS_fcntl | libc::SYS_dup | libc::SYS_dup3 => descriptor::duplicate(server, target),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_dup2 => descriptor::duplicate(server, target),
        libc::SYS_ioctl => descriptor::ioctl(server, target, served),
        libc::SYS_read
        | libc::SYS_readv
        | libc::SYS_preadv2
        | libc::SYS_write
        | libc::SYS_writev
        | libc::SYS_pwritev2 => server.transfer(target, served),
        libc::SYS_sendfile => splice::sendfile(server, target, served),
        // The rest is for sockets only.
        _ if served.kind.is_none() => Err(Errno::NOTSOCK),
        libc::SYS_sendto
        | libc::SYS_sendmsg
        | libc::SYS_sendmmsg
        | libc::SYS_recvfrom
        | libc::SYS_recvmsg
        | libc::SYS_recvmmsg => server.transfer(target, served),
        libc::SYS_bind => socket::bind(target, &served),
        libc::SYS_connect => socket::connect(target, &served),
        libc::SYS_accept => socket::accept(server, target, &served, 0),
        libc::SYS_accept4 => socket::accept(server, target, &served, target.request.int(3)),
        libc::SYS_getsockname => socket::name(target, &served),
        libc::SYS_setsockopt => option::set(target, &served),
        libc::SYS_getsockopt => option::get(target, &served),
        _ => Err(Errno::OPNOTSUPP),
    }
}

//! Sockets: how they are made and named.

use crate::serve::{
    calls::Reply,
    served::{Kind, Served},
    server::Server,
    target::Target,
};
use algkit_afalg::{Errno, File, abi::MAX_ADDRESS, alg, netlink};

const FLAGS: i32 = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;

/// `socket`.
pub fn socket(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let [family, kind, protocol] = [0, 1, 2].map(|n| target.request.int(n));
    let (kind, flags) = (kind & !FLAGS, kind & FLAGS);
    let file = match (family, kind) {
        (libc::AF_ALG, _) => File::Alg(alg::Socket::new(kind, protocol)?),
        (_, libc::SOCK_RAW | libc::SOCK_DGRAM) => File::Netlink(netlink::Socket::new()),
        // The kernel knows which error it is.
        _ => return Ok(Reply::Proceed),
    };
    serve(server, target, file, Kind { family, kind, protocol }, flags)
}

fn serve(server: &Server, target: &Target<'_>, file: File, kind: Kind, flags: i32) -> Result<Reply, Errno> {
    let (nonblocking, close_on_exec) = (flags & libc::SOCK_NONBLOCK != 0, flags & libc::SOCK_CLOEXEC != 0);
    server.serve(target, file, Some(kind), nonblocking, |fd, at| target.answer_with(fd, Some(at), close_on_exec))?;
    Ok(Reply::Taken)
}

/// `accept` and `accept4`.
pub fn accept(server: &Server, target: &Target<'_>, served: &Served, flags: i32) -> Result<Reply, Errno> {
    if flags & !FLAGS != 0 {
        return Err(Errno::INVAL);
    }
    let (file, kind) = match (&mut served.lock().file, served.kind) {
        (File::Alg(socket), Some(kind)) => (File::Alg(socket.accept()?), kind),
        _ => return Err(Errno::OPNOTSUPP),
    };
    // The new socket has no address to report.
    if target.request.args[1] != 0 {
        return Err(Errno::CONNABORTED);
    }
    serve(server, target, file, kind, flags)
}

fn address(target: &Target<'_>) -> Result<Vec<u8>, Errno> {
    let len = usize::try_from(target.request.int(2)).ok().filter(|&n| n <= MAX_ADDRESS).ok_or(Errno::INVAL)?;
    let address = target.bytes(target.request.args[1], len)?;
    target.check()?;
    Ok(address)
}

/// `bind`.
pub fn bind(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let address = address(target)?;
    match &mut served.lock().file {
        File::Alg(socket) => socket.bind(&address)?,
        File::Netlink(socket) => socket.bind(&address)?,
        File::Device(_) => return Err(Errno::NOTSOCK),
    }
    Ok(Reply::Value(0))
}

/// `connect`.
pub fn connect(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let address = address(target)?;
    match &mut served.lock().file {
        File::Netlink(socket) => socket.connect(&address).map(|()| Reply::Value(0)),
        _ => Err(Errno::OPNOTSUPP),
    }
}

/// `getsockname`.
pub fn name(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let name = match &served.lock().file {
        File::Netlink(socket) => socket.name(),
        _ => return Err(Errno::OPNOTSUPP),
    };
    let [_, address, len_at, ..] = target.request.args;
    let room = usize::try_from(i32::from_ne_bytes(target.array(len_at)?)).map_err(|_| Errno::INVAL)?;
    let n = room.min(name.len());
    target.scatter(&[(address, n)], &name[..n])?;
    target.put(len_at, name.len() as u32)?;
    Ok(Reply::Value(0))
}

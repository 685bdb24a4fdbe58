//! Making sockets, and binding, connecting and naming them.

#[cfg(target_arch = "x86_64")]
use crate::serve::bpf::SOCKETCALL;
use crate::serve::{calls::Reply, served::Served, server::Server, target::Target};
use algkit_afalg::{
    Errno, File,
    abi::{MAX_ADDRESS, serves},
    netlink,
    program::Reach,
    socket::put_address,
};

const FLAGS: i32 = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;

/// `socket`.
pub fn socket(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let [family, kind, protocol] = [0, 1, 2].map(|n| target.request.int(n));
    let Some(file) = File::socket(family, kind & !FLAGS, protocol) else { return Ok(Reply::Proceed) };
    serve(server, target, file?, kind & FLAGS)
}

/// `socket` of a program that is not served, because its calls are those of 32-bit programs or x32. The kernel carries
/// it out, and the user is told.
pub fn elsewhere(server: &Server, target: &Target<'_>) -> Result<Reply, Errno> {
    let [family, _, protocol] = match target.request.nr {
        // i386's `socketcall` has the arguments of `socket` in memory, as 32-bit words.
        #[cfg(target_arch = "x86_64")]
        nr if nr == SOCKETCALL.into() => {
            let words: [u8; 12] = target.array(target.request.args[1]).unwrap_or_default();
            std::array::from_fn(|n| i32::from_ne_bytes(std::array::from_fn(|at| words[4 * n + at])))
        }
        _ => [0, 1, 2].map(|n| target.request.int(n)),
    };
    if serves(family, protocol) {
        server.tell_unserved(target, Reach::Foreign);
    }
    Ok(Reply::Proceed)
}

fn serve(server: &Server, target: &Target<'_>, file: File, flags: i32) -> Result<Reply, Errno> {
    let (nonblocking, close_on_exec) = (flags & libc::SOCK_NONBLOCK != 0, flags & libc::SOCK_CLOEXEC != 0);
    server.serve(target, file, nonblocking, |fd, at| target.answer_with(fd, Some(at), close_on_exec))?;
    Ok(Reply::Taken)
}

/// `accept` and `accept4`.
pub fn accept(server: &Server, target: &Target<'_>, served: &Served, flags: i32) -> Result<Reply, Errno> {
    if flags & !FLAGS != 0 {
        return Err(Errno::INVAL);
    }
    let accepted = served.lock().file.accept(target.request.args[1] != 0)?;
    serve(server, target, accepted, flags)
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
    served.lock().file.bind(&address).map(|()| Reply::Value(0))
}

/// `connect`.
pub fn connect(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let address = address(target)?;
    served.lock().file.connect(&address).map(|()| Reply::Value(0))
}

/// `getsockname` and `getpeername`. The peer of a netlink socket is the kernel.
pub fn name(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let own = served.lock().file.name()?;
    let name = if target.request.nr == libc::SYS_getpeername { netlink::KERNEL } else { own };
    let [_, address, len_at, ..] = target.request.args;
    put_address(&mut { *target }, address, len_at, &name)?;
    Ok(Reply::Value(0))
}

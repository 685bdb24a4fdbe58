//! Options of sockets.

use crate::serve::{calls::Reply, served::Served, target::Target};
use algkit_afalg::{
    Errno, File,
    abi::{ALG_SET_AEAD_AUTHSIZE, SOL_ALG},
};
use std::sync::atomic::Ordering;
use zeroize::Zeroizing;

/// The longest value that is read. Whatever is longer, the kernel refuses for its length.
const MAX_VALUE: usize = 64 << 10;

/// The most that a buffer's size is raised to (`net.core.wmem_max`), before it is doubled.
const MAX_BUFFER: u32 = 212_992;

/// Options of `SOL_SOCKET` that are set here.
pub const SET_HERE: [i32; 4] = [libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_SNDBUFFORCE, libc::SO_RCVBUFFORCE];

/// Options of `SOL_SOCKET` that are answered here.
pub const GOT_HERE: [i32; 8] = [
    libc::SO_DOMAIN,
    libc::SO_TYPE,
    libc::SO_PROTOCOL,
    libc::SO_ERROR,
    libc::SO_ACCEPTCONN,
    libc::SO_SNDBUF,
    libc::SO_RCVBUF,
    libc::SO_PEERCRED,
];

/// Whether an option is kept where the target's own socket is: timeouts, and what changes nothing.
pub fn is_kept(args: &[u64; 6], here: &[i32]) -> bool {
    args[1] as i32 == libc::SOL_SOCKET && !here.contains(&(args[2] as i32))
}

/// `setsockopt`.
pub fn set(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let [level, name] = [1, 2].map(|n| target.request.int(n));
    let len = usize::try_from(target.request.int(4)).map_err(|_| Errno::INVAL)?;
    let mut value = Zeroizing::new(vec![0; len.min(MAX_VALUE)]);
    // Of a tag's length, the kernel looks at the option's length only.
    if (level, name) != (SOL_ALG, ALG_SET_AEAD_AUTHSIZE) {
        target.gather(&[(target.request.args[3], value.len())], &mut value)?;
        target.check()?;
    }
    match (level, name) {
        (libc::SOL_SOCKET, libc::SO_SNDBUF) => set_buffer(served, 0, name, 4608, &value),
        (libc::SOL_SOCKET, libc::SO_RCVBUF) => set_buffer(served, 1, name, 2304, &value),
        (libc::SOL_SOCKET, libc::SO_SNDBUFFORCE | libc::SO_RCVBUFFORCE) => Err(Errno::PERM),
        _ => match &mut served.lock().file {
            File::Alg(socket) => {
                // Without keyrings: the supervisor would read keys with its own rights, which may be more than the target's.
                socket.set_option(level, name, &value)?;
                Ok(Reply::Value(0))
            }
            File::Netlink(socket) => {
                socket.set_option(level, name, &value)?;
                Ok(Reply::Value(0))
            }
            File::Device(_) => Err(Errno::NOTSOCK),
        },
    }
}

fn set_buffer(served: &Served, which: usize, name: i32, least: u32, value: &[u8]) -> Result<Reply, Errno> {
    let wanted = u32::from_ne_bytes(*value.first_chunk().ok_or(Errno::INVAL)?);
    if let File::Alg(socket) = &mut served.lock().file {
        socket.set_option(libc::SOL_SOCKET, name, value)?;
        return Ok(Reply::Value(0));
    }
    served.buffers[which].store((2 * wanted.min(MAX_BUFFER)).max(least), Ordering::Relaxed);
    Ok(Reply::Value(0))
}

/// `getsockopt`.
pub fn get(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let [level, name] = [1, 2].map(|n| target.request.int(n));
    let Some(kind) = served.kind else { return Err(Errno::NOTSOCK) };
    let value = match (level, name) {
        (libc::SOL_SOCKET, libc::SO_DOMAIN) => kind.family as u32,
        (libc::SOL_SOCKET, libc::SO_TYPE) => kind.kind as u32,
        (libc::SOL_SOCKET, libc::SO_PROTOCOL) => kind.protocol as u32,
        (libc::SOL_SOCKET, libc::SO_ERROR) => {
            served.lock().file.take_error().map_or(0, |error| error.raw_os_error() as u32)
        }
        (libc::SOL_SOCKET, libc::SO_ACCEPTCONN) => 0,
        (libc::SOL_SOCKET, libc::SO_SNDBUF | libc::SO_RCVBUF) => match &served.lock().file {
            File::Alg(socket) => socket.option(level, name)? as u32,
            _ => served.buffer(usize::from(name == libc::SO_RCVBUF)),
        },
        (libc::SOL_SOCKET, libc::SO_PEERCRED) => return Err(Errno::OPNOTSUPP),
        _ if kind.family == libc::AF_NETLINK => return Err(Errno::NOPROTOOPT),
        _ => return Err(Errno::OPNOTSUPP),
    };
    let [_, _, _, at, len_at, _] = target.request.args;
    let room = usize::try_from(i32::from_ne_bytes(target.array(len_at)?)).map_err(|_| Errno::INVAL)?;
    let n = room.min(4);
    target.scatter(&[(at, n)], &value.to_ne_bytes()[..n])?;
    target.put(len_at, n as u32)?;
    Ok(Reply::Value(0))
}

//! `ioctl`: `/dev/crypto`, and `FIONBIO`.

use crate::{
    entry::Entry,
    errno,
    interpose::{interpose, real},
    memory::OwnMemory,
    options::Options,
    table,
};
use algkit_afalg::{Errno, File, Memory, cryptodev::Answer};
use libc::{FIOASYNC, FIOCLEX, FIONBIO, FIONCLEX, FIONREAD, Ioctl, TIOCOUTQ, c_int, c_void};
use rustix::net::SocketFlags;

interpose! {
    /// The third argument is optional; where a caller passes none, its register holds anything.
    fn ioctl(fd: c_int, request: Ioctl, argument: *mut c_void) -> c_int
    where Some(entry) = table::entry(fd) => control(entry, fd, request, argument)
}

unsafe fn control(entry: &'static Entry, fd: c_int, request: Ioctl, argument: *mut c_void) -> Result<c_int, Errno> {
    match request {
        FIONBIO => {
            // SAFETY: null, or a number of the caller's.
            let on = *unsafe { argument.cast::<c_int>().as_ref() }.ok_or(Errno::FAULT)? != 0;
            // SAFETY: as above.
            unsafe { pass_on(fd, request, argument)? };
            entry.set_nonblocking(on);
            return Ok(0);
        }
        // SAFETY: the arguments are the caller's.
        FIOCLEX | FIONCLEX | FIOASYNC => return unsafe { pass_on(fd, request, argument) },
        _ => {}
    }
    let mut entered = entry.enter(fd)?;
    let result = match entered.file()? {
        File::Device(device) => device.ioctl(request as u32, argument.addr() as u64, &mut OwnMemory),
        File::Alg(_) => return Err(Errno::OPNOTSUPP),
        File::Netlink(_) if request == FIONREAD || request == TIOCOUTQ => return Err(Errno::NOTTY),
        File::Netlink(_) => {
            drop(entered);
            // SAFETY: the arguments are the caller's.
            return unsafe { pass_on(fd, request, argument) };
        }
    };
    entered.leave();
    match result? {
        Answer::Done => Ok(0),
        Answer::Clone(device, address) => {
            let clone = table::install(File::Device(device), Options::default(), SocketFlags::empty())?;
            OwnMemory.write(address, &clone.to_ne_bytes()).map(|()| 0)
        }
    }
}

unsafe fn pass_on(fd: c_int, request: Ioctl, argument: *mut c_void) -> Result<c_int, Errno> {
    let real = real!(fn ioctl(c_int, Ioctl, *mut c_void) -> c_int).ok_or(Errno::NOSYS)?;
    // SAFETY: the arguments are the caller's.
    match unsafe { real(fd, request, argument) } {
        returned if returned < 0 => Err(errno::last()),
        returned => Ok(returned),
    }
}

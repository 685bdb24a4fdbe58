//! `ioctl` on served descriptors: the requests of `/dev/crypto`, and those that the kernel implements for every file or socket.

use crate::{
    descriptor,
    entry::Entry,
    interpose::interpose,
    kernel::kernel,
    memory::{self, OwnMemory},
    table,
};
use algkit_afalg::{
    Errno, File, Memory,
    cryptodev::Answer,
    stand_in::{is_about_receiver, is_every_sockets, is_not_netlinks},
};
use libc::{FIOASYNC, FIOCLEX, FIONBIO, FIONCLEX, Ioctl, SYS_ioctl, c_int, c_long, c_void};

interpose! {
    /// The third argument is optional. If a caller passes none, its register holds anything.
    fn ioctl(fd: c_int, request: Ioctl, argument: *mut c_void) -> c_int
    where Some(entry) = table::entry(fd) => control(entry, fd, request, argument)
}

unsafe fn control(entry: &'static Entry, fd: c_int, request: Ioctl, argument: *mut c_void) -> Result<c_int, Errno> {
    match request {
        FIONBIO => entry.enter(fd)?.state().unshare()?,
        FIOASYNC => {
            // An address that cannot be read is the kernel's to refuse.
            let readable = memory::is_readable(argument.cast(), size_of::<c_int>());
            // SAFETY: the number has just been seen to be readable.
            descriptor::signal(entry, fd, readable && unsafe { argument.cast::<c_int>().read_unaligned() } != 0)?;
        }
        _ => {}
    }
    match request {
        FIONBIO => {
            // SAFETY: the pointer is null or points to a number, as `FIONBIO` demands of the caller.
            let on = *unsafe { memory::at(argument.cast::<c_int>())? } != 0;
            pass_on(fd, request, argument)?;
            if let Ok(mut entered) = entry.enter(fd) {
                entered.state().is_nonblocking = on;
            }
            return Ok(0);
        }
        FIOCLEX | FIONCLEX | FIOASYNC => return pass_on(fd, request, argument),
        _ => {}
    }
    let mut entered = entry.enter(fd)?;
    let result = match entered.file()? {
        File::Device(device) => device.ioctl(request as u32, argument.addr() as u64, &mut OwnMemory),
        File::Alg(_) | File::Netlink(_) if is_about_receiver(request as u32) => {
            entered.state().unshare()?;
            drop(entered);
            return pass_on(fd, request, argument);
        }
        File::Alg(_) if !is_every_sockets(request as u32) => return Err(Errno::OPNOTSUPP),
        File::Netlink(_) if is_not_netlinks(request as u32) => return Err(Errno::NOTTY),
        File::Alg(_) | File::Netlink(_) => {
            drop(entered);
            return pass_on(fd, request, argument);
        }
    };
    entered.leave();
    match result? {
        Answer::Done => Ok(0),
        Answer::Duplicate(address) => {
            // If the address is invalid, there is no duplicate.
            OwnMemory.write(address, &[0; 4])?;
            OwnMemory.write(address, &descriptor::duplicate(fd)?.to_ne_bytes()).map(|()| 0)
        }
    }
}

fn pass_on(fd: c_int, request: Ioctl, argument: *mut c_void) -> Result<c_int, Errno> {
    let argument = argument.expose_provenance() as c_long;
    kernel(SYS_ioctl, [fd.into(), request as c_long, argument, 0, 0]).map(|returned| returned as c_int)
}

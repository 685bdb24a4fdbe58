//! `ioctl` on served descriptors: the requests of `/dev/crypto`, and `FIONBIO`.

use crate::{
    descriptor,
    entry::Entry,
    interpose::interpose,
    kernel::kernel,
    memory::{self, OwnMemory},
    table,
};
use algkit_afalg::{Errno, File, Memory, cryptodev::Answer};
use libc::{FIOASYNC, FIOCLEX, FIONBIO, FIONCLEX, FIONREAD, Ioctl, SYS_ioctl, TIOCOUTQ, c_int, c_long, c_void};

interpose! {
    /// The third argument is optional. If a caller passes none, its register holds anything.
    fn ioctl(fd: c_int, request: Ioctl, argument: *mut c_void) -> c_int
    where Some(entry) = table::entry(fd) => control(entry, fd, request, argument)
}

unsafe fn control(entry: &'static Entry, fd: c_int, request: Ioctl, argument: *mut c_void) -> Result<c_int, Errno> {
    if let FIONBIO | FIOASYNC = request {
        entry.enter(fd)?.state().unshare()?;
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
        File::Alg(_) => return Err(Errno::OPNOTSUPP),
        File::Netlink(_) if request == FIONREAD || request == TIOCOUTQ => return Err(Errno::NOTTY),
        File::Netlink(_) => {
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

//! Inspects the executable of the program to run.

use algkit_afalg::{
    Errno,
    program::{self, Image, Owner, Reach},
};
use rustix::{
    fs::{Mode, OFlags, fgetxattr, fstat, open},
    process::{getgid, getuid},
};
use std::{
    ffi::OsStr,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::Path,
};

struct File(OwnedFd);

impl Image for File {
    fn open(name: &[u8]) -> Result<Self, Errno> {
        // A FIFO would wait for whoever writes to it.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        open(OsStr::from_bytes(name), flags, Mode::empty()).map(Self)
    }

    fn read(&self, at: u64, into: &mut [u8]) -> usize {
        rustix::io::pread(&self.0, into, at).unwrap_or(0)
    }

    fn gains_privileges(&self) -> bool {
        let Ok(stat) = fstat(&self.0) else { return false };
        let owner = Owner { mode: stat.st_mode, uid: stat.st_uid, gid: stat.st_gid };
        let has_capabilities = fgetxattr(&self.0, "security.capability", &mut [0_u8; 64]).is_ok_and(|len| len > 0);
        owner.gives(getuid().as_raw(), getgid().as_raw(), has_capabilities)
    }
}

/// How the program in this file reaches the kernel.
pub fn reach(path: &Path) -> Result<Reach, Errno> {
    match File::open(path.as_os_str().as_bytes()).and_then(program::reach) {
        // The file may be executed but not read. The loader honours LD_PRELOAD for such programs.
        Err(Errno::ACCESS) => Ok(Reach::Libc),
        reach => reach,
    }
}

//! Locks: those of data, which are on bytes of the file, and cryptsetup's of block devices.

use rustix::fs::{OFlags, major, minor};
use std::{
    fs::{DirBuilder, File, OpenOptions},
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt},
};

/// The folder that cryptsetup is built with (`--with-luks2-lock-path`).
const FOLDER: &str = "/run/cryptsetup";

/// The file whose lock is that of a block device, as udev locks the device itself. None if this is no block device, or for users who cannot make
/// that file: cryptsetup then has no lock either.
pub fn of_device(file: &File) -> Option<File> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.file_type().is_block_device())?;
    let path = format!("{FOLDER}/L_{}:{}", major(metadata.rdev()), minor(metadata.rdev()));
    // If the folder is there, or cannot be made, the file tells.
    let _ = DirBuilder::new().mode(0o700).create(FOLDER);
    let flags = OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags)
        .open(path)
        .ok()
}

/// What a lock of data is on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The bytes of the data. qemu locks some of them, so that a writer and qemu keep each other off.
    Data,
    /// The keys of the data and its place. cryptsetup does not know this lock.
    Keys,
}

/// Who may have a lock beside this one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Others that share it.
    Shared,
    /// Nobody.
    Exclusive,
}

/// Whether the file got the lock. It ends when the file and all of its clones are closed. Some file systems have no locks: then everybody gets them.
///
/// The lock is the open file's. A process would lose one of its own (`F_SETLK`) as soon as it closed any file of the same inode.
#[cfg(target_pointer_width = "64")]
pub fn lock(file: &File, part: Part, how: How) -> bool {
    use nix::{
        errno::Errno,
        fcntl::{FcntlArg::F_OFD_SETLK, fcntl},
        libc,
    };
    /// A byte that no file has.
    const FAR: i64 = 1 << 62;
    let (l_start, l_len) = match part {
        Part::Data => (0, FAR),
        Part::Keys => (FAR, 1),
    };
    let kind = match how {
        How::Shared => libc::F_RDLCK,
        How::Exclusive => libc::F_WRLCK,
    };
    let lock = libc::flock { l_type: kind as i16, l_whence: libc::SEEK_SET as i16, l_start, l_len, l_pid: 0 };
    !matches!(fcntl(file, F_OFD_SETLK(&lock)), Err(Errno::EAGAIN | Errno::EACCES))
}

/// The same where places in files may have 32 bits, and the kernel no such locks. Nothing is locked there but data that is written.
#[cfg(not(target_pointer_width = "64"))]
pub fn lock(file: &File, part: Part, how: How) -> bool {
    use rustix::{
        fs::{FlockOperation, fcntl_lock},
        io::Errno,
    };
    let exclusive = FlockOperation::NonBlockingLockExclusive;
    (part, how) != (Part::Data, How::Exclusive)
        || !matches!(fcntl_lock(file, exclusive), Err(Errno::AGAIN | Errno::ACCESS))
}

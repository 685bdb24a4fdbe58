//! Locks: those of data, which are on bytes of the file, and cryptsetup's of block devices and reencryptions. And loop devices, whose users hold none.

use crate::output::Identity;
use rustix::{
    fs::{FlockOperation, OFlags, flock, major, minor},
    io::Errno,
};
use std::{
    ffi::OsStr,
    fs::{self, DirBuilder, DirEntry, File, OpenOptions},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt},
    },
    path::Path,
};

/// The folder that cryptsetup is built with (`--with-luks2-lock-path`).
const FOLDER: &str = "/run/cryptsetup";

/// The file whose lock is that of a block device, as udev locks the device itself. None if this is no block device, or for users who cannot make
/// that file: cryptsetup then has no lock either.
pub fn of_device(file: &File) -> Option<File> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.file_type().is_block_device())?;
    file_named(&format!("L_{}:{}", major(metadata.rdev()), minor(metadata.rdev())))
}

/// A lock on the file that cryptsetup locks as long as it reencrypts the volume with this UUID. Between two zones it has no lock on the volume itself.
/// None for users who cannot make the file, and an error if another program has the lock.
pub fn of_reencryption(uuid: &str, how: FlockOperation) -> Result<Option<File>, Errno> {
    // A header says what its UUID is, and might name another file.
    if !uuid.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Ok(None);
    }
    let name = format!("LN_LUKS2-reencryption-{uuid}");
    // A file system on which a file has another number each time ends this.
    for _ in 0..100 {
        let Some(file) = file_named(&name) else { break };
        match flock(&file, how) {
            Err(Errno::WOULDBLOCK) => return Err(Errno::WOULDBLOCK),
            Err(_) => return Ok(None),
            Ok(()) => {}
        }
        // Whoever had the lock has removed the file in the meantime, if its name is gone or is another file's.
        if file_named(&name).is_some_and(|named| inode(&named) == inode(&file)) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// The name of a loop device that shows the file, of those in `folder`: /sys/block.
pub fn loop_of(file: &File, folder: &Path) -> Option<String> {
    let identity = Identity::of(&file.metadata().ok()?)?;
    let shows = |device: &DirEntry| {
        let Ok(mut path) = fs::read(device.path().join("loop/backing_file")) else { return false };
        // A line.
        path.pop();
        Identity::at(Path::new(OsStr::from_bytes(&path))) == Some(identity)
    };
    let device = fs::read_dir(folder).ok()?.flatten().find(shows)?;
    Some(device.file_name().to_string_lossy().into_owned())
}

fn inode(file: &File) -> Option<u64> {
    file.metadata().ok().map(|metadata| metadata.ino())
}

/// The file with this name in cryptsetup's folder.
fn file_named(name: &str) -> Option<File> {
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
        .open(format!("{FOLDER}/{name}"))
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
    use rustix::fs::fcntl_lock;

    let exclusive = FlockOperation::NonBlockingLockExclusive;
    (part, how) != (Part::Data, How::Exclusive)
        || !matches!(fcntl_lock(file, exclusive), Err(Errno::AGAIN | Errno::ACCESS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_device_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let [image, other] = ["image", "other"].map(|name| File::create(at(name)).unwrap());
        let block = at("block");
        for (device, shown) in [("vda", None), ("loop0", Some("gone")), ("loop1", Some("image"))] {
            let device = block.join(device);
            fs::create_dir_all(&device).unwrap();
            if let Some(shown) = shown {
                fs::create_dir(device.join("loop")).unwrap();
                fs::write(device.join("loop/backing_file"), format!("{}\n", at(shown).display())).unwrap();
            }
        }
        assert_eq!(loop_of(&image, &block).as_deref(), Some("loop1"));
        assert_eq!(loop_of(&other, &block), None);
        assert_eq!(loop_of(&image, &at("nothing")), None);
    }
}

//! Locks: those of data, which are on bytes of the file, and cryptsetup's of block devices and reencryptions. And loop devices, whose users hold none.

use crate::output::Identity;
use rustix::{
    fs::{FlockOperation, OFlags, flock, major, minor},
    io::Errno,
};
use std::{
    ffi::OsStr,
    fs::{self, DirBuilder, DirEntry, File, Metadata, OpenOptions},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// The folder that cryptsetup is built with (`--with-luks2-lock-path`).
const FOLDER: &str = "/run/cryptsetup";

/// How often a lock is tried, and the time in between: whoever removes a file has its lock alone for a moment.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(1);

/// A lock on a file in cryptsetup's folder. The file is removed with the last lock on it, as cryptsetup does that.
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// The lock with this name. None for users who cannot make that file, and an error if another program has the lock.
    fn named(folder: &Path, name: &str, how: FlockOperation) -> Result<Option<Self>, Errno> {
        // If the folder is there, or cannot be made, the file tells.
        let _ = DirBuilder::new().mode(0o700).create(folder);
        let path = folder.join(name);
        let flags = OFlags::NOFOLLOW.bits() as i32;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
        let mut answer = Ok(None);
        for _ in 0..TRIES {
            let Ok(file) = options.open(&path) else { return Ok(None) };
            answer = match flock(&file, how) {
                Err(Errno::WOULDBLOCK) => Err(Errno::WOULDBLOCK),
                Err(_) => return Ok(None),
                // Whoever had the lock may have removed the file in the meantime. Then nobody else looks at this one any more.
                Ok(()) if is_at(&file, &path) => return Ok(Some(Self { file, path })),
                Ok(()) => Ok(None),
            };
            thread::sleep(PAUSE);
        }
        answer
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if flock(&self.file, FlockOperation::NonBlockingLockExclusive).is_ok() && is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    let identity = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    let there = path.symlink_metadata().map(|there| identity(&there));
    there.is_ok_and(|there| file.metadata().is_ok_and(|metadata| identity(&metadata) == there))
}

/// The lock of a block device, as udev locks the device itself. None if this is no block device.
pub fn of_device(file: &File, how: FlockOperation) -> Result<Option<Lock>, Errno> {
    match file.metadata().ok().filter(|metadata| metadata.file_type().is_block_device()) {
        Some(metadata) => {
            Lock::named(Path::new(FOLDER), &format!("L_{}:{}", major(metadata.rdev()), minor(metadata.rdev())), how)
        }
        None => Ok(None),
    }
}

/// The lock that cryptsetup has as long as it reencrypts the volume with this UUID. Between two zones it has no lock on the volume itself.
pub fn of_reencryption(uuid: &str, how: FlockOperation) -> Result<Option<Lock>, Errno> {
    // A header says what its UUID is, and might name another file.
    if !uuid.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Ok(None);
    }
    Lock::named(Path::new(FOLDER), &format!("LN_LUKS2-reencryption-{uuid}"), how)
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

/// Whether locks are the open file's. A process loses one of its own (`F_SETLK`) as soon as it closes any file of the same inode.
pub const ARE_THE_FILES: bool = cfg!(target_pointer_width = "64");

/// Whether the file got the lock. It ends when the file and all of its clones are closed. Some file systems have no locks: then everybody gets them.
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
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    const ALONE: FlockOperation = FlockOperation::NonBlockingLockExclusive;
    const SHARED: FlockOperation = FlockOperation::NonBlockingLockShared;

    #[test]
    fn the_last_lock_removes_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let lock = |how| Lock::named(folder.path(), "name", how).map(Option::unwrap);
        let [one, other] = [lock(SHARED).unwrap(), lock(SHARED).unwrap()];
        assert_eq!(lock(ALONE).err(), Some(Errno::WOULDBLOCK));
        drop(one);
        assert!(folder.path().join("name").exists());
        assert_eq!(lock(ALONE).err(), Some(Errno::WOULDBLOCK));
        drop(other);
        assert!(!folder.path().join("name").exists());
        assert!(lock(ALONE).is_ok());
    }

    /// Whoever opens the file just before it is removed does not take its lock for that of the next file.
    #[test]
    fn no_two_have_a_lock_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (holders, times) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let Ok(Some(_lock)) = Lock::named(folder.path(), "name", ALONE) else { continue };
                        assert_eq!(holders.fetch_add(1, SeqCst), 0);
                        times.fetch_add(1, SeqCst);
                        thread::yield_now();
                        holders.fetch_sub(1, SeqCst);
                    }
                });
            }
        });
        assert!(times.into_inner() > 500);
    }

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

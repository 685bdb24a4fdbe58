//! A storage as a file, through FUSE: a file system with one file, `volume`, as long as the storage.
//!
//! The kernel asks for at most 1 MiB at a time. Each thread takes a request, does it, and answers it. The kernel caches what is read. It passes on what
//! is written before write(2) returns, so nothing is lost when the server ends. fsync(2) syncs the storage.

use crate::{Error, WriteAt};
use fuser::{
    BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyWrite, Request, Session, SessionUnmounter, TimeOrNow, WriteFlags,
};
use rustix::{
    mount::{UnmountFlags, unmount},
    process::{getegid, geteuid},
};
use std::{
    cell::RefCell,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};
use zeroize::Zeroizing;

/// The name of the file.
pub const NAME: &str = "volume";

const FILE: INodeNo = INodeNo(2);

/// The largest number of bytes that a request reads or writes.
const MAX_REQUEST: u32 = 1 << 20;

/// The number of bytes that are read at a time. They are still in a cache of the CPU when they are decrypted.
const PIECE: usize = 128 << 10;

/// How long the kernel may cache names and attributes, which never change.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// How a storage is mounted.
pub struct Options {
    /// Whether the file can only be read.
    pub read_only: bool,
    /// The number of requests that are done at a time.
    pub threads: usize,
    /// Is called with each error of the storage. Programs get an error number only.
    pub failed: Box<dyn Fn(&Error) + Send + Sync>,
}

/// A mounted file system. The kernel's requests wait until it is served.
pub struct Mounted<S: WriteAt + 'static> {
    session: Session<Disk<S>>,
    folder: PathBuf,
}

/// Ends what [`Mounted::serve`] does.
pub struct Unmounter {
    unmounter: SessionUnmounter,
    folder: PathBuf,
}

impl<S: WriteAt + 'static> Mounted<S> {
    /// Mounts a file system on `folder`. If the process may not mount, `fusermount3` does it. Only the user of the process can use the file.
    pub fn new(storage: S, folder: &Path, options: Options) -> Result<Self, Error> {
        let failed = |source| Error::Storage { what: "FUSE", source };
        let folder = folder.canonicalize().map_err(failed)?;
        let mut config = Config::default();
        config.n_threads = Some(options.threads);
        let read_only = if options.read_only { MountOption::RO } else { MountOption::RW };
        config.mount_options = vec![MountOption::FSName("algkit".to_owned()), read_only, MountOption::NoExec];
        let disk = Disk { size: storage.size()?, storage, options, made: SystemTime::now() };
        let session = Session::new(disk, &folder, &config).map_err(failed)?;
        Ok(Self { session, folder })
    }

    /// A handle with which another thread can unmount the file system.
    pub fn unmounter(&mut self) -> Unmounter {
        Unmounter { unmounter: self.session.unmount_callable(), folder: self.folder.clone() }
    }

    /// Does what the kernel asks for, until the file system is unmounted and nobody has the file open.
    pub fn serve(self) -> io::Result<()> {
        match self.session.run() {
            // The kernel withdrew a request while a thread was taking it, as it does when it unmounts. Most threads are told ENODEV.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => Ok(()),
            ended => ended,
        }
    }
}

impl Unmounter {
    /// Unmounts the file system from the folder. Programs that have the file open can go on using it.
    pub fn unmount(&mut self) {
        // Without the right to unmount, fusermount3 does the same.
        if unmount(&self.folder, UnmountFlags::DETACH).is_err() {
            let _ = self.unmounter.unmount();
        }
    }
}

struct Disk<S> {
    storage: S,
    size: u64,
    options: Options,
    made: SystemTime,
}

thread_local! {
    /// The plaintext of the request that the thread is doing.
    static BUFFER: RefCell<Zeroizing<Vec<u8>>> = RefCell::default();
}

/// Calls `work` with the first `len` bytes of the thread's buffer.
fn with_buffer<T>(len: usize, work: impl FnOnce(&mut [u8]) -> T) -> T {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < len {
            *buffer = Zeroizing::new(vec![0; len]);
        }
        work(&mut buffer[..len])
    })
}

impl<S: WriteAt> Disk<S> {
    fn attributes(&self, number: INodeNo) -> Option<FileAttr> {
        let (kind, perm, size) = match number {
            INodeNo::ROOT => (FileType::Directory, 0o700, 0),
            FILE => (FileType::RegularFile, 0o600, self.size),
            _ => return None,
        };
        Some(FileAttr {
            ino: number,
            size,
            blocks: size.div_ceil(512),
            atime: self.made,
            mtime: self.made,
            ctime: self.made,
            crtime: self.made,
            kind,
            perm: if self.options.read_only { perm & 0o500 } else { perm },
            nlink: 1,
            uid: geteuid().as_raw(),
            gid: getegid().as_raw(),
            rdev: 0,
            blksize: MAX_REQUEST,
            flags: 0,
        })
    }

    /// Reports an error of the storage, and makes it an error number.
    fn failed(&self, error: &Error) -> Errno {
        (self.options.failed)(error);
        let number = match error {
            Error::Read { source, .. } | Error::Write { source, .. } | Error::Storage { source, .. } => {
                source.raw_os_error()
            }
            _ => None,
        };
        number.map_or(Errno::EIO, Errno::from_i32)
    }

    /// How many of the `len` bytes from `offset` on are inside of the file.
    fn within(&self, offset: u64, len: usize) -> usize {
        usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX).min(len)
    }
}

impl<S: WriteAt + 'static> Filesystem for Disk<S> {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // If the kernel refuses these values, it keeps smaller ones of its own.
        let _ = config.set_max_write(MAX_REQUEST);
        let _ = config.set_max_background(64);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.attributes(FILE).filter(|_| parent == INodeNo::ROOT && name == NAME) {
            Some(attributes) => reply.entry(&FOREVER, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(number) {
            Some(attributes) => reply.attr(&FOREVER, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    /// Truncating the file to nothing is ignored, as on a disk, since programs do that before they overwrite a file. Owner, mode and times stay.
    fn setattr(
        &self,
        request: &Request,
        number: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        handle: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        match size {
            Some(size) if size != 0 && size != self.size => reply.error(Errno::EINVAL),
            _ => self.getattr(request, number, handle, reply),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let len = self.within(offset, size.min(MAX_REQUEST) as usize);
        with_buffer(len, |buffer| {
            // An offset is asked for where there is a piece, so that no offset beyond the file's end is computed.
            let mut pieces = buffer.chunks_mut(PIECE).zip((offset..).step_by(PIECE));
            match pieces.try_for_each(|(piece, at)| self.storage.read_at(at, piece)) {
                Ok(()) => reply.data(buffer),
                Err(error) => reply.error(self.failed(&error)),
            }
        });
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let len = self.within(offset, data.len());
        if len == 0 && !data.is_empty() {
            return reply.error(Errno::ENOSPC);
        }
        with_buffer(len, |buffer| {
            buffer.copy_from_slice(&data[..len]);
            match self.storage.write_from(offset, buffer) {
                Ok(()) => reply.written(len as u32),
                Err(error) => reply.error(self.failed(&error)),
            }
        });
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        match self.storage.sync() {
            Ok(()) => reply.ok(),
            Err(error) => reply.error(self.failed(&error)),
        }
    }

    fn readdir(&self, _: &Request, _: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let entries = [
            (INodeNo::ROOT, FileType::Directory, "."),
            (INodeNo::ROOT, FileType::Directory, ".."),
            (FILE, FileType::RegularFile, NAME),
        ];
        for (next, (number, kind, name)) in (1..).zip(entries).skip(offset as usize) {
            if reply.add(number, next, kind, name) {
                break;
            }
        }
        reply.ok();
    }
}

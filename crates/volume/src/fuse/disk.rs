//! The file system with one file: what is answered to each request.

use super::{
    NAME, Options,
    buffer::Buffer,
    wire::{self, Attributes, FOLDER, KEEP_CACHE, Operation, REGULAR, Request, WRITE_HEAD},
};
use crate::{Error, WriteAt};
use rustix::{
    io::Errno,
    process::{getegid, geteuid},
};
use std::{
    borrow::Cow,
    io,
    time::{SystemTime, UNIX_EPOCH},
};

/// The numbers of the folder and of the file.
const ROOT: u64 = 1;
const FILE: u64 = 2;

/// The number of bytes that are read at a time. They are still in a cache of the CPU when they are decrypted.
const PIECE: usize = 128 << 10;

pub(super) struct Disk<S> {
    storage: S,
    size: u64,
    options: Options,
    /// When it was mounted, in seconds and nanoseconds.
    made: (u64, u32),
    /// The largest number of bytes that a request reads or writes.
    max_request: u32,
}

type Answer = Result<Vec<u8>, Errno>;

impl<S: WriteAt> Disk<S> {
    pub fn new(storage: S, options: Options, max_request: u32) -> Result<Self, Error> {
        let made = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let made = (made.as_secs(), made.subsec_nanos());
        Ok(Self { size: storage.size()?, storage, options, made, max_request })
    }

    /// How many requests are done at a time.
    pub fn threads(&self) -> usize {
        self.options.threads
    }

    /// The reply to the message in the first `len` bytes of the buffer, if the kernel waits for one. An error means that it is no message.
    pub fn answer<'b>(&self, buffer: &'b mut Buffer, len: usize) -> io::Result<Option<Cow<'b, [u8]>>> {
        let Some(Request { unique, node, operation }) = Request::parse(buffer.message(len)) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the kernel's message is malformed"));
        };
        let answer = match operation {
            Operation::Unanswered => return Ok(None),
            Operation::Read { offset, size } => match self.read(offset, size, buffer) {
                Ok(len) => return Ok(Some(Cow::Borrowed(buffer.reply(unique, len)))),
                Err(errno) => Err(errno),
            },
            Operation::Write { offset } => self.write(offset, buffer.data(len - WRITE_HEAD)),
            Operation::Lookup(name) => self.lookup(node, name),
            Operation::GetAttr => self.attributes(node).map(|attributes| attributes.answer()),
            Operation::SetAttr { size } => self.set_attributes(node, size),
            Operation::Open => Ok(wire::opened(KEEP_CACHE)),
            Operation::OpenFolder => Ok(wire::opened(0)),
            Operation::ReadFolder { offset, size } => Ok(entries(offset, size)),
            Operation::StatFs => Ok(wire::no_space()),
            Operation::Sync => self.storage.sync().map(|()| Vec::new()).map_err(|error| self.failed(&error)),
            Operation::Close => Ok(Vec::new()),
            Operation::Rename => Err(Errno::PERM),
            // There is a first request, and no second one.
            Operation::Init(_) | Operation::Malformed => Err(Errno::IO),
            Operation::Other => Err(Errno::NOSYS),
        };
        Ok(Some(Cow::Owned(match answer {
            Ok(body) => wire::reply(unique, &body),
            Err(errno) => wire::refusal(unique, errno.raw_os_error()),
        })))
    }

    fn attributes(&self, node: u64) -> Result<Attributes, Errno> {
        let (kind, permissions, size) = match node {
            ROOT => (FOLDER, 0o700, 0),
            FILE => (REGULAR, 0o600, self.size),
            _ => return Err(Errno::NOENT),
        };
        Ok(Attributes {
            node,
            size,
            mode: kind | if self.options.read_only { permissions & 0o500 } else { permissions },
            owner: geteuid().as_raw(),
            group: getegid().as_raw(),
            made: self.made,
            block: self.max_request,
        })
    }

    fn lookup(&self, parent: u64, name: &[u8]) -> Answer {
        let is_there = parent == ROOT && name == NAME.as_bytes();
        if is_there { self.attributes(FILE).map(|attributes| attributes.entry()) } else { Err(Errno::NOENT) }
    }

    /// Truncating the file to nothing is ignored, as on a disk, since programs do that before they overwrite a file. Owner, mode and times stay.
    fn set_attributes(&self, node: u64, size: Option<u64>) -> Answer {
        match size {
            Some(size) if size != 0 && size != self.size => Err(Errno::INVAL),
            _ => self.attributes(node).map(|attributes| attributes.answer()),
        }
    }

    /// Reads into the buffer, and returns how many bytes: fewer than asked for at the end of the file only, as the kernel takes it for that.
    fn read(&self, offset: u64, size: u32, buffer: &mut Buffer) -> Result<usize, Errno> {
        let len = self.within(offset, size as usize);
        let data = buffer.data(len).ok_or(Errno::INVAL)?;
        // An offset is asked for where there is a piece, so that no offset beyond the file's end is computed.
        let mut pieces = data.chunks_mut(PIECE).zip((offset..).step_by(PIECE));
        pieces.try_for_each(|(piece, at)| self.storage.read_at(at, piece)).map_err(|error| self.failed(&error))?;
        Ok(len)
    }

    fn write(&self, offset: u64, data: Option<&mut [u8]>) -> Answer {
        let data = data.ok_or(Errno::INVAL)?;
        if self.options.read_only {
            return Err(Errno::ROFS);
        }
        let len = self.within(offset, data.len());
        if len == 0 {
            // A write of nothing is done wherever it is.
            return if data.is_empty() { Ok(wire::written(0)) } else { Err(Errno::NOSPC) };
        }
        match self.storage.write_from(offset, &mut data[..len]) {
            Ok(()) => Ok(wire::written(len)),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// How many of the `len` bytes from `offset` on are inside of the file.
    fn within(&self, offset: u64, len: usize) -> usize {
        usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX).min(len)
    }

    /// Reports an error of the storage, and makes it an error number.
    fn failed(&self, error: &Error) -> Errno {
        (self.options.failed)(error);
        let number = match error {
            Error::Read { source, .. } | Error::Write { source, .. } | Error::Storage { source, .. } => {
                Errno::from_io_error(source)
            }
            _ => None,
        };
        // After ENOSYS the kernel would count syncs as done without asking, and numbers from 512 on are its own.
        number.filter(|errno| *errno != Errno::NOSYS && errno.raw_os_error() < 512).unwrap_or(Errno::IO)
    }
}

/// The entries of the folder from the one with the number `offset` on, as many as fit into `size` bytes.
fn entries(offset: u64, size: u32) -> Vec<u8> {
    let entries = [(ROOT, FOLDER, "."), (ROOT, FOLDER, ".."), (FILE, REGULAR, NAME)];
    let mut answer = Vec::new();
    for (next, (node, kind, name)) in (1..).zip(entries).filter(|(next, _)| *next > offset) {
        let entry = wire::entry(node, next, kind, name.as_bytes());
        if answer.len() + entry.len() > size as usize {
            break;
        }
        answer.extend(entry);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadAt, storage::Memory};
    use std::{
        iter,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    const MAX: usize = 1 << 16;

    fn disk<S: WriteAt>(storage: S, read_only: bool) -> Disk<S> {
        Disk::new(storage, Options { read_only, threads: 1, failed: Box::new(|_| {}) }, MAX as u32).unwrap()
    }

    /// The data or the error number that a request is answered with.
    fn ask(disk: &Disk<impl WriteAt>, opcode: u32, node: u64, body: &[u8]) -> Option<Result<Vec<u8>, i32>> {
        let (len, unique) = ((40 + body.len()) as u32, 0x0102_0304_0506_0708u64);
        let head =
            [&len.to_ne_bytes()[..], &opcode.to_ne_bytes(), &unique.to_ne_bytes(), &node.to_ne_bytes(), &[0; 16]];
        let message = [&head.concat(), body].concat();
        let mut buffer = Buffer::new(MAX);
        buffer.room()[..message.len()].copy_from_slice(&message);
        let reply = disk.answer(&mut buffer, message.len()).unwrap()?;
        assert_eq!(reply[..4], (reply.len() as u32).to_ne_bytes());
        assert_eq!(reply[8..16], unique.to_ne_bytes());
        let error = i32::from_ne_bytes(reply[4..8].try_into().unwrap());
        assert!(error == 0 || reply.len() == 16);
        Some(if error == 0 { Ok(reply[16..].to_vec()) } else { Err(-error) })
    }

    /// The body of a read or a write, without data.
    fn range(offset: u64, len: usize) -> Vec<u8> {
        [&[0; 8][..], &offset.to_ne_bytes(), &(len as u32).to_ne_bytes(), &[0; 20]].concat()
    }

    fn read(disk: &Disk<impl WriteAt>, offset: u64, len: usize) -> Result<Vec<u8>, i32> {
        ask(disk, 15, 2, &range(offset, len)).unwrap()
    }

    /// The number of bytes that were written.
    fn write(disk: &Disk<impl WriteAt>, offset: u64, data: &[u8]) -> Result<u32, i32> {
        let answer = ask(disk, 16, 2, &[&range(offset, data.len()), data].concat()).unwrap()?;
        assert_eq!(answer.len(), 8);
        Ok(u32::from_ne_bytes(answer[..4].try_into().unwrap()))
    }

    const EPERM: i32 = 1;
    const ENOENT: i32 = 2;
    const EIO: i32 = 5;
    const EINVAL: i32 = 22;
    const ENOSPC: i32 = 28;
    const EROFS: i32 = 30;
    const ENOSYS: i32 = 38;

    #[test]
    fn reads_and_writes() {
        let bytes: Vec<u8> = (0..100_000u32).map(|number| (number % 251) as u8).collect();
        let disk = disk(Memory::new(bytes.clone()), false);
        assert_eq!(read(&disk, 0, 100), Ok(bytes[..100].to_vec()));
        assert!(read(&disk, 1234, MAX) == Ok(bytes[1234..][..MAX].to_vec()));
        assert_eq!(read(&disk, 99_990, 100), Ok(bytes[99_990..].to_vec()));
        assert_eq!((read(&disk, 100_000, 1), read(&disk, u64::MAX, 9)), (Ok(vec![]), Ok(vec![])));
        // Less than was asked for would be the end of the file.
        assert_eq!(read(&disk, 0, MAX + 1), Err(EINVAL));

        assert_eq!(write(&disk, 50, b"hello"), Ok(5));
        assert_eq!(write(&disk, 99_998, b"hello"), Ok(2));
        assert_eq!(write(&disk, 100_000, b"hello"), Err(ENOSPC));
        assert_eq!(write(&disk, u64::MAX, b"hello"), Err(ENOSPC));
        assert_eq!((write(&disk, 7, b""), write(&disk, 100_001, b"")), (Ok(0), Ok(0)));
        let long = vec![7; MAX];
        assert_eq!(write(&disk, 1000, &long), Ok(MAX as u32));
        let want = [&bytes[..50], b"hello", &bytes[55..1000], &long, &bytes[1000 + MAX..99_998], b"he"].concat();
        assert!(disk.storage.into_inner() == want);
    }

    #[test]
    fn read_only() {
        let disk = disk(Memory::new(vec![1; 4096]), true);
        assert_eq!(write(&disk, 0, b"hello"), Err(EROFS));
        let attributes = ask(&disk, 3, 2, &[0; 16]).unwrap().unwrap();
        // `mode` is behind six numbers of 8 bytes and three of 4.
        assert_eq!(attributes[16 + 60..][..4], 0o100_400u32.to_ne_bytes());
        assert_eq!(disk.storage.into_inner(), vec![1; 4096]);
    }

    #[test]
    fn names_and_attributes() {
        let disk = disk(Memory::new(vec![0; 8193]), false);
        let entry = ask(&disk, 1, 1, b"volume\0").unwrap().unwrap();
        assert_eq!(entry[..8], 2u64.to_ne_bytes());
        assert_eq!(entry[48..56], 8193u64.to_ne_bytes());
        for (parent, name) in [(1, &b"volumes\0"[..]), (1, b"\0"), (2, b"volume\0")] {
            assert_eq!(ask(&disk, 1, parent, name), Some(Err(ENOENT)));
        }
        let sized = |valid: u32, size: u64| {
            let body = [&valid.to_ne_bytes()[..], &[0; 12], &size.to_ne_bytes(), &[0; 64]].concat();
            ask(&disk, 4, 2, &body).unwrap()
        };
        // FATTR_SIZE, and all others without it.
        for (valid, size) in [(8, 0), (8, 8193), (!8, 5)] {
            assert_eq!(sized(valid, size).unwrap()[24..32], 8193u64.to_ne_bytes());
        }
        assert_eq!((sized(8, 1), sized(8, 8194), sized(9, u64::MAX)), (Err(EINVAL), Err(EINVAL), Err(EINVAL)));
        assert_eq!(ask(&disk, 3, 3, &[0; 16]), Some(Err(ENOENT)));
        let space = ask(&disk, 17, 1, &[]).unwrap().unwrap();
        // No blocks and no files, free or not; the length of a block, by which programs may divide.
        assert_eq!((&space[..40], &space[40..44]), (&[0; 40][..], &512u32.to_ne_bytes()[..]));
    }

    #[test]
    fn the_folder() {
        let disk = disk(Memory::new(vec![0; 512]), false);
        let dirent = |node: u64, next: u64, kind: u32, name: &str| {
            let fields =
                [&node.to_ne_bytes()[..], &next.to_ne_bytes(), &(name.len() as u32).to_ne_bytes(), &kind.to_ne_bytes()];
            [&fields.concat()[..], name.as_bytes(), &vec![0; 8 - name.len()]].concat()
        };
        // DT_DIR and DT_REG
        let all = [dirent(1, 1, 4, "."), dirent(1, 2, 4, ".."), dirent(2, 3, 8, "volume")];
        let list = |offset, len| ask(&disk, 28, 1, &range(offset, len)).unwrap().unwrap();
        assert_eq!(list(0, 4096), all.concat());
        assert_eq!(list(2, 4096), all[2]);
        assert_eq!((list(3, 4096), list(u64::MAX, 4096), list(0, 31)), (vec![], vec![], vec![]));
        assert_eq!(list(0, 95), all[..2].concat());
        // MKDIR, UNLINK, CREATE
        for opcode in [9, 10, 35] {
            assert_eq!(ask(&disk, opcode, 1, b"0123456789abcdefx\0"), Some(Err(EPERM)));
        }
    }

    #[test]
    fn what_else_there_is() {
        let disk = disk(Memory::new(vec![0; 512]), false);
        // FORGET, NOTIFY_REPLY, BATCH_FORGET
        for opcode in [2, 41, 42] {
            assert_eq!(ask(&disk, opcode, 2, &[0; 16]), None);
        }
        // RELEASE, RELEASEDIR, DESTROY
        for opcode in [18, 29, 38] {
            assert_eq!(ask(&disk, opcode, 2, &[0; 24]), Some(Ok(vec![])));
        }
        // OPEN keeps what is cached, OPENDIR does not.
        for (opcode, flags) in [(14, 2u32), (27, 0)] {
            assert_eq!(ask(&disk, opcode, 2, &[0; 8]), Some(Ok([&[0; 8][..], &flags.to_ne_bytes(), &[0; 4]].concat())));
        }
        // GETXATTR, FLUSH, INTERRUPT, IOCTL, LSEEK, and one that there is not.
        for opcode in [22, 25, 36, 39, 46, 9999] {
            assert_eq!(ask(&disk, opcode, 2, &[0; 32]), Some(Err(ENOSYS)));
        }
        // A second INIT, and a read without fields.
        assert_eq!((ask(&disk, 26, 0, &[7; 64]), ask(&disk, 15, 2, &[0; 19])), (Some(Err(EIO)), Some(Err(EIO))));
        let mut buffer = Buffer::new(MAX);
        assert!(disk.answer(&mut buffer, 39).is_err() && disk.answer(&mut buffer, 40).is_err());
    }

    /// A storage whose operations fail with this error number.
    struct Failing(i32);

    impl ReadAt for Failing {
        fn size(&self) -> Result<u64, Error> {
            Ok(4096)
        }

        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), Error> {
            Err(Error::Read { offset, len: buf.len(), source: io::Error::from_raw_os_error(self.0) })
        }
    }

    impl WriteAt for Failing {
        fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
            Err(Error::Write { offset, len: data.len(), source: io::Error::from_raw_os_error(self.0) })
        }

        fn sync(&self) -> Result<(), Error> {
            Err(Error::Storage { what: "cannot sync", source: io::Error::from_raw_os_error(self.0) })
        }
    }

    #[test]
    fn errors_of_the_storage() {
        let told = Arc::new(AtomicUsize::new(0));
        for (number, want) in [(ENOSPC, ENOSPC), (EIO, EIO), (ENOSYS, EIO), (512, EIO), (100_000, EIO)] {
            let counted = Arc::clone(&told);
            let failed = Box::new(move |_: &Error| {
                counted.fetch_add(1, Ordering::Relaxed);
            });
            let options = Options { read_only: false, threads: 1, failed };
            let disk = Disk::new(Failing(number), options, MAX as u32).unwrap();
            assert_eq!(read(&disk, 0, 512), Err(want));
            assert_eq!(write(&disk, 0, b"hello"), Err(want));
            assert_eq!(ask(&disk, 20, 2, &[0; 16]), Some(Err(want)));
        }
        assert_eq!(told.load(Ordering::Relaxed), 15);
    }

    /// Data begins at a page wherever the allocator puts the buffer.
    #[test]
    fn data_is_aligned() {
        let buffers: Vec<_> = iter::successors(Some(1), |len| Some(len * 3 + 1)).take(12).map(Buffer::new).collect();
        for mut buffer in buffers {
            let room = buffer.room().len();
            assert_eq!(buffer.data(1).unwrap().as_ptr() as usize % 4096, 0);
            assert!(buffer.data(room - WRITE_HEAD).is_some() && buffer.data(room - WRITE_HEAD + 1).is_none());
        }
    }
}

//! Requests, done on the storage.

use crate::{
    Options,
    abi::{Operation, Request, place},
};
use algkit_volume::{Error, WriteAt};
use rustix::io::Errno;
use std::{fs::File, os::unix::fs::FileExt};
use zeroize::Zeroizing;

/// What is moved at a time. It is still in a cache of the CPU when the kernel copies it.
const PIECE: usize = 128 << 10;

/// What does the requests of a queue, one after the other.
pub struct Worker<'a> {
    pub storage: &'a dyn WriteAt,
    pub options: &'a Options<'a>,
    /// Where the bytes of requests are.
    pub device: &'a File,
    pub queue: u16,
    buffer: Zeroizing<Vec<u8>>,
}

impl<'a> Worker<'a> {
    pub fn new(storage: &'a dyn WriteAt, options: &'a Options<'a>, device: &'a File, queue: u16) -> Self {
        Self { storage, options, device, queue, buffer: Zeroizing::new(vec![0; PIECE]) }
    }

    /// Does a request: the number of bytes that it moved, or an error number below zero.
    pub fn serve(&mut self, tag: u16, request: &Request) -> i32 {
        let writes = matches!(request.operation, Operation::Write | Operation::Discard | Operation::WriteZeroes);
        if self.options.read_only && writes {
            return -Errno::PERM.raw_os_error();
        }
        let synced = request.operation == Operation::Flush || writes && request.fua;
        let done = match request.operation {
            Operation::Other => return -Errno::OPNOTSUPP.raw_os_error(),
            Operation::Flush => Ok(()),
            Operation::Discard => self.storage.discard(request.offset, request.len),
            Operation::Read | Operation::Write | Operation::WriteZeroes => self.pieces(tag, request),
        };
        match done.and_then(|()| if synced { self.storage.sync() } else { Ok(()) }) {
            Ok(()) if matches!(request.operation, Operation::Read | Operation::Write) => request.len as i32,
            Ok(()) => 0,
            Err(error) => {
                (self.options.failed)(&error);
                -if error.is_storage_full() { Errno::NOSPC } else { Errno::IO }.raw_os_error()
            }
        }
    }

    fn pieces(&mut self, tag: u16, request: &Request) -> Result<(), Error> {
        let copied = |source| Error::Storage { what: "cannot copy a request of the block device", source };
        for at in (0..request.len).step_by(PIECE) {
            let piece = &mut self.buffer[..(request.len - at).min(PIECE as u64) as usize];
            let (offset, place) = (request.offset + at, place(self.queue, tag) + at);
            match request.operation {
                Operation::Read => {
                    self.storage.read_at(offset, piece)?;
                    self.device.write_all_at(piece, place).map_err(copied)?;
                }
                Operation::Write => {
                    self.device.read_exact_at(piece, place).map_err(copied)?;
                    self.storage.write_from(offset, piece)?;
                }
                _ => {
                    piece.fill(0);
                    self.storage.write_from(offset, piece)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use algkit_volume::{ReadAt, storage::Memory};
    use std::sync::atomic::{AtomicU32, Ordering};

    const SIZE: usize = 1 << 20;

    /// A file stands for that of the device: it has the bytes of requests where the kernel has them.
    #[test]
    fn requests_move_their_bytes() {
        let device = tempfile::tempfile().unwrap();
        let mut plain: Vec<u8> = (0..SIZE).map(|i| (i / 512 + i) as u8).collect();
        let storage = Memory::new(plain.clone());
        let failures = AtomicU32::new(0);
        let failed = |_: &Error| {
            failures.fetch_add(1, Ordering::Relaxed);
        };
        let mut options = Options {
            read_only: false,
            discard: true,
            block_size: 512,
            queues: 1,
            depth: 8,
            failed: &failed,
            ended: &|| {},
        };
        let request = |operation, offset, len| Request { operation, fua: true, offset, len };
        let mut worker = Worker::new(&storage, &options, &device, 0);

        // Longer than a piece, and no multiple of it.
        assert_eq!(worker.serve(3, &request(Operation::Read, 512, 300 << 10)), 300 << 10);
        let mut read = vec![0; 300 << 10];
        device.read_exact_at(&mut read, 0x8000_0000 + 3 * (32 << 20)).unwrap();
        assert!(read == plain[512..512 + (300 << 10)]);

        device.write_all_at(&vec![7; 200 << 10], 0x8000_0000 + 5 * (32 << 20)).unwrap();
        assert_eq!(worker.serve(5, &request(Operation::Write, 4096, 200 << 10)), 200 << 10);
        plain[4096..4096 + (200 << 10)].fill(7);
        assert_eq!(worker.serve(6, &request(Operation::WriteZeroes, 8192, 150 << 10)), 0);
        plain[8192..8192 + (150 << 10)].fill(0);
        assert_eq!(worker.serve(6, &request(Operation::Flush, 0, 0)), 0);
        assert_eq!(worker.serve(6, &request(Operation::Other, 0, 512)), -Errno::OPNOTSUPP.raw_os_error());
        assert_eq!(failures.load(Ordering::Relaxed), 0);

        assert_eq!(worker.serve(0, &request(Operation::Read, SIZE as u64, 512)), -Errno::IO.raw_os_error());
        assert_eq!(failures.load(Ordering::Relaxed), 1);

        options.read_only = true;
        let mut worker = Worker::new(&storage, &options, &device, 0);
        for operation in [Operation::Write, Operation::WriteZeroes, Operation::Discard] {
            assert_eq!(worker.serve(5, &request(operation, 0, 4096)), -Errno::PERM.raw_os_error());
        }
        let mut stored = vec![0; SIZE];
        storage.read_at(0, &mut stored).unwrap();
        assert!(stored == plain);
    }
}

//! Commands through io_uring, and the memory in which the kernel describes requests: the only unsafe code of this crate.
#![allow(unsafe_code)]

use crate::abi::{self, COMMIT_AND_FETCH, DESCRIPTOR, FETCH, MAX_DEPTH, Request};
use io_uring::{
    IoUring, cqueue,
    opcode::{UringCmd16, UringCmd80},
    squeue::{Entry128, EntryMarker},
    types::Fd,
};
use rustix::{
    mm::{MapFlags, ProtFlags, mmap, munmap},
    param::page_size,
};
use std::{ffi::c_void, fs::File, io, mem, os::fd::AsRawFd, ptr};

/// `/dev/ublk-control`, to which commands go one by one.
pub struct Control {
    file: File,
    ring: IoUring<Entry128>,
}

impl Control {
    pub fn new(file: File) -> io::Result<Self> {
        Ok(Self { file, ring: IoUring::builder().build(1)? })
    }

    /// Sends a command for a device, with a number and with bytes, which come back as the kernel has left them.
    pub fn command(&mut self, operation: u32, device: u32, mut bytes: Vec<u8>, data: u64) -> io::Result<Vec<u8>> {
        let command = abi::command(device, bytes.as_mut_ptr() as u64, bytes.len() as u16, data);
        let entry = UringCmd80::new(Fd(self.file.as_raw_fd()), operation).cmd(command).build();
        // SAFETY: the file stays open as long as the ring is there. The bytes are there until the command has been done: below they are returned after
        // it, or never freed.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        let done = pushed.map_err(io::Error::other).and_then(|()| wait(&mut self.ring));
        match done.map(|()| self.ring.completion().next()) {
            Ok(Some(entry)) => result(&entry).map(|_| bytes),
            failed => {
                // The command may be done later.
                mem::forget(bytes);
                failed.and(Err(io::ErrorKind::BrokenPipe.into()))
            }
        }
    }
}

/// Passes on what has been pushed, and waits until a command has been done. A signal only interrupts the waiting.
fn wait<S: EntryMarker>(ring: &mut IoUring<S>) -> io::Result<()> {
    loop {
        match ring.submit_and_wait(1) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ if !ring.completion().is_empty() => return Ok(()),
            _ => {}
        }
    }
}

fn result(entry: &cqueue::Entry) -> io::Result<i32> {
    match entry.result() {
        errno @ ..0 => Err(io::Error::from_raw_os_error(-errno)),
        result => Ok(result),
    }
}

/// A queue of a device. It belongs to the thread that has opened it.
pub struct Queue<'a> {
    device: &'a File,
    id: u16,
    depth: u16,
    ring: IoUring,
    descriptors: Descriptors,
}

impl<'a> Queue<'a> {
    /// Opens the queue and asks for as many requests as it is long.
    pub fn open(device: &'a File, id: u16, depth: u16) -> io::Result<Self> {
        let ring = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(depth.into())?;
        let descriptors = Descriptors::map(device, id, depth)?;
        let mut queue = Self { device, id, depth, ring, descriptors };
        (0..depth).try_for_each(|tag| queue.push(FETCH, tag, 0))?;
        queue.ring.submit()?;
        // Before the device is started there are no requests, only refusals.
        let refused = queue.ring.completion().next();
        match refused {
            Some(refused) => result(&refused).and(Err(io::ErrorKind::InvalidData.into())),
            None => Ok(queue),
        }
    }

    fn push(&mut self, operation: u32, tag: u16, result: i32) -> io::Result<()> {
        let command = abi::request_command(self.id, tag, result);
        let entry = UringCmd16::new(Fd(self.device.as_raw_fd()), operation).cmd(command).build();
        let entry = entry.user_data(tag.into());
        // SAFETY: the file stays open as long as the ring is there, and the command has no address: the kernel touches no memory for it.
        unsafe { self.ring.submission().push(&entry) }.map_err(io::Error::other)
    }

    /// Has `work` do requests, which are told apart by their tags, until the device ends. What it answers with is a number of bytes, or an error number
    /// below zero.
    pub fn serve(mut self, mut work: impl FnMut(u16, &Request) -> i32) -> io::Result<()> {
        let (mut left, mut done) = (self.depth, Vec::with_capacity(self.depth.into()));
        while left > 0 {
            wait(&mut self.ring)?;
            done.extend(self.ring.completion().map(|entry| (entry.user_data() as u16, entry.result())));
            let last = done.len().saturating_sub(1);
            for (i, (tag, result)) in done.drain(..).enumerate() {
                // Anything but a request is the end of this tag.
                if result != 0 || tag >= self.depth {
                    left -= 1;
                    continue;
                }
                let answer = work(tag, &self.descriptors.request(tag));
                self.push(COMMIT_AND_FETCH, tag, answer)?;
                if i < last {
                    // Whoever waits for it does not wait for the others.
                    self.ring.submit()?;
                }
            }
        }
        Ok(())
    }
}

/// The memory in which the kernel describes the requests of a queue.
struct Descriptors {
    start: *mut c_void,
    len: usize,
    count: u16,
}

impl Descriptors {
    fn map(device: &File, queue: u16, count: u16) -> io::Result<Self> {
        let pages = |count: u16| (usize::from(count) * DESCRIPTOR).next_multiple_of(page_size());
        let (len, place) = (pages(count), u64::from(queue) * pages(MAX_DEPTH) as u64);
        // SAFETY: a new mapping at a place that the kernel chooses.
        let start = unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::SHARED, device, place) };
        Ok(Self { start: start?, len, count })
    }

    fn request(&self, tag: u16) -> Request {
        assert!(tag < self.count);
        // SAFETY: the mapping has `count` descriptors. The kernel writes one before it hands over the request, and not again before the answer.
        let bytes = unsafe { self.start.cast::<[u8; DESCRIPTOR]>().add(tag.into()).read_volatile() };
        Request::parse(&bytes)
    }
}

impl Drop for Descriptors {
    fn drop(&mut self) {
        // SAFETY: the mapping is nobody else's, and nothing refers to it.
        let _ = unsafe { munmap(self.start, self.len) };
    }
}

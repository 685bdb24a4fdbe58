//! A storage as a file, through FUSE: a file system with one file, `volume`, as long as the storage.
//!
//! The kernel asks for at most 1 MiB at a time. Each thread takes a request, does it, and answers it. The kernel caches what is read. It passes on what
//! is written before write(2) returns, so nothing is lost when the server ends. fsync(2) syncs the storage.
//!
//! A thread reads a request from the device into its buffer. The data of a write is encrypted there, and what is read is decrypted there and
//! answered from there, so the kernel copies data once and nobody else does.

mod buffer;
mod disk;
mod mount;
mod wire;

use crate::{Error, WriteAt};
use buffer::Buffer;
use disk::Disk;
use mount::Mount;
use rustix::{
    io::{Errno, read, retry_on_intr, write},
    param::page_size,
};
use std::{
    io,
    os::fd::AsFd,
    path::Path,
    sync::{Arc, Weak},
    thread,
};
use wire::{Operation, Request, Version};

/// The name of the file.
pub const NAME: &str = "volume";

/// The largest number of bytes that a request reads or writes.
const MAX_REQUEST: u32 = 1 << 20;

/// How many requests may wait that no program waits for, such as those that read ahead.
const BACKGROUND: u16 = 64;

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
pub struct Mounted<S> {
    disk: Disk<S>,
    mount: Arc<Mount>,
}

/// Ends what [`Mounted::serve`] does.
pub struct Unmounter(Weak<Mount>);

impl<S: WriteAt> Mounted<S> {
    /// Mounts a file system on `folder`. If the process may not mount, `fusermount3` does it. Only the user of the process can use the file.
    pub fn new(storage: S, folder: &Path, options: Options) -> Result<Self, Error> {
        let failed = |source| Error::Storage { what: "FUSE", source };
        let read_only = options.read_only;
        let disk = Disk::new(storage, options, MAX_REQUEST)?;
        let mount = Mount::new(folder, read_only, MAX_REQUEST).map_err(failed)?;
        agree(&mount).map_err(failed)?;
        Ok(Self { disk, mount: Arc::new(mount) })
    }

    /// A handle with which another thread can unmount the file system.
    pub fn unmounter(&self) -> Unmounter {
        Unmounter(Arc::downgrade(&self.mount))
    }

    /// Does what the kernel asks for, until the file system is unmounted and nobody has the file open. After an error it is unmounted.
    pub fn serve(self) -> io::Result<()> {
        let work = || work(&self.disk, &self.mount);
        thread::scope(|scope| {
            // If a thread cannot be started, the others do its work.
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..self.disk.threads()).filter_map(spawn).collect();
            let mine = work();
            let panicked = |_| Err(io::Error::other("a thread panicked"));
            // The first error is the reason why it ended.
            others.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).fold(mine, Result::and)
        })
    }
}

impl Unmounter {
    /// Unmounts the file system from the folder. Programs that have the file open can go on using it.
    pub fn unmount(&mut self) {
        if let Some(mount) = self.0.upgrade() {
            mount.unmount();
        }
    }
}

/// Agrees with the kernel on the version of the protocol: its first request says what it has.
fn agree(device: &impl AsFd) -> io::Result<()> {
    let mut buffer = Buffer::new(MAX_REQUEST as usize);
    loop {
        let Some(len) = receive(device, buffer.room())? else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let Some(Request { unique, operation: Operation::Init(init), .. }) = Request::parse(buffer.message(len)) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the kernel's first message does not say its version",
            ));
        };
        match init.answer(MAX_REQUEST, page_size() as u32, BACKGROUND) {
            Version::Agreed(body) => return send(device, &wire::reply(unique, &body)),
            Version::Again(body) => send(device, &wire::reply(unique, &body))?,
            Version::Old(major, minor) => {
                send(device, &wire::refusal(unique, Errno::PROTO.raw_os_error()))?;
                let reason = format!("the kernel has version {major}.{minor} of the protocol, which is too old");
                return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
            }
        }
    }
}

/// Does one request after the other, until the kernel has no more.
fn work(disk: &Disk<impl WriteAt>, device: &impl AsFd) -> io::Result<()> {
    let mut buffer = Buffer::new(MAX_REQUEST as usize);
    while let Some(len) = receive(device, buffer.room())? {
        if let Some(reply) = disk.answer(&mut buffer, len)? {
            send(device, &reply)?;
        }
    }
    Ok(())
}

/// Reads a message of the kernel and returns its length; `None` if there will be no more.
fn receive(device: &impl AsFd, room: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        match read(device, &mut *room) {
            Ok(len) => return Ok(Some(len)),
            // Unmounted, or unmounted while the kernel handed a request over.
            Err(Errno::NODEV | Errno::CONNABORTED) => return Ok(None),
            // The request was withdrawn while it was handed over, as when its program is killed.
            Err(Errno::NOENT | Errno::INTR | Errno::AGAIN) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

fn send(device: &impl AsFd, reply: &[u8]) -> io::Result<()> {
    match retry_on_intr(|| write(device, reply)) {
        // Nobody waits for it any more: the request was withdrawn, or the file system unmounted.
        Ok(_) | Err(Errno::NOENT | Errno::NODEV | Errno::CONNABORTED | Errno::PERM) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Passes to `each` what would be sent to the kernel after each message, for tests with messages that no kernel sends. Requests have up to `max_request`
/// bytes of data. The first message that is none ends it.
#[doc(hidden)]
pub fn answers<'a>(
    storage: impl WriteAt,
    options: Options,
    max_request: u32,
    messages: impl IntoIterator<Item = &'a [u8]>,
    mut each: impl FnMut(&[u8], Option<&[u8]>),
) -> Result<(), Error> {
    let disk = Disk::new(storage, options, max_request)?;
    let mut buffer = Buffer::new(max_request as usize);
    for message in messages {
        // The kernel refuses to hand over what there is no room for.
        let Some(room) = buffer.room().get_mut(..message.len()) else { continue };
        room.copy_from_slice(message);
        match disk.answer(&mut buffer, message.len()) {
            Ok(reply) => each(message, reply.as_deref()),
            Err(_) => break,
        }
    }
    Ok(())
}

//! A storage as a block device, `/dev/ublkbN`, through the kernel's driver ublk_drv (Linux, `Documentation/block/ublk.rst`).
//!
//! The driver hands a request over by completing a command of io_uring, and the answer is the next command. The bytes of a request are read from, or
//! written to, the file `/dev/ublkcN` at a place that says which request is meant (`UBLK_F_USER_COPY`, Linux 6.5). So a thread needs one short buffer,
//! and what it has decrypted is still in a cache when the kernel copies it.
//!
//! Each queue has a thread, which does its requests one after the other. The kernel spreads its CPUs over the queues.
#![deny(unsafe_code)]

mod abi;
mod device;
mod ring;
mod work;

use algkit_volume::WriteAt;
use device::Driver;
use ring::Queue;
use rustix::process::configure_io_flusher_behavior;
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::mpsc::channel,
    thread,
};
use work::Worker;

/// Why there is no block device.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The driver is not loaded, or the device file of the driver does not show here.
    #[error(
        "there is no /dev/ublk-control: modprobe ublk_drv (Linux 6.5 or later); in a container, the host's /dev is needed as well"
    )]
    NoDriver,
    /// The driver does not have [user copy](crate).
    #[error("the kernel's ublk driver cannot copy by read and write; Linux 6.5 and later can")]
    TooOld,
    /// The process lacks the right.
    #[error("only root may make a block device (CAP_SYS_ADMIN in the initial user namespace)")]
    NotAllowed,
    /// io_uring is switched off.
    #[error("io_uring is forbidden here: by sysctl kernel.io_uring_disabled, or by a container's seccomp profile")]
    NoRing,
    /// The device's file does not show here.
    #[error("the kernel has made `{}`, which does not show here: a container needs the host's /dev", .0.display())]
    Hidden(PathBuf),
    /// The kernel refuses.
    #[error("{what}: {source}")]
    Kernel {
        /// What was asked for.
        what: &'static str,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The storage fails.
    #[error(transparent)]
    Storage(#[from] algkit_volume::Error),
}

impl Error {
    fn ring(source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported => Self::NoRing,
            _ => Self::Kernel { what: "io_uring", source },
        }
    }
}

/// How a storage is shown.
pub struct Options<'a> {
    /// Whether the disk can only be read.
    pub read_only: bool,
    /// Whether discarded sectors are given back to what the storage lies on. Somebody who can read that then knows which sectors are in use.
    pub discard: bool,
    /// Bytes of a logical block: 512, 1024, 2048 or 4096.
    pub block_size: u32,
    /// Queues, each with a thread; the kernel makes no more than there are CPUs.
    pub queues: u16,
    /// Requests that wait in a queue, at most 4096.
    pub depth: u16,
    /// Is told of what fails on the storage; the kernel learns only that something did.
    pub failed: &'a (dyn Fn(&algkit_volume::Error) + Sync),
    /// Is called when a queue has ended: at the end, or before, if somebody else has removed the device.
    pub ended: &'a (dyn Fn() + Sync),
}

/// Shows `storage` as a block device while `until` runs, which gets the path of the device. When this function returns, the device is gone, and
/// what was written to it is written to the storage.
pub fn serve<T>(storage: &dyn WriteAt, options: &Options<'_>, until: impl FnOnce(&Path) -> T) -> Result<T, Error> {
    let mut driver = Driver::open()?;
    driver.remove_left();
    let info = driver.add(storage.size()?, options)?;
    let served = attend(&mut driver, &info, storage, options, until);
    let removed = driver.remove(info.id);
    served.and_then(|answer| removed.map(|()| answer))
}

/// Serves the queues of a new device, until `until` has returned.
fn attend<T>(
    driver: &mut Driver,
    info: &abi::Info,
    storage: &dyn WriteAt,
    options: &Options<'_>,
    until: impl FnOnce(&Path) -> T,
) -> Result<T, Error> {
    let path = PathBuf::from(format!("/dev/ublkc{}", info.id));
    let opened = File::options().read(true).write(true).open(&path);
    let device = &opened.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => Error::Hidden(path),
        _ => Error::Kernel { what: "cannot open the device", source },
    })?;
    thread::scope(|scope| {
        let (tell, opened) = channel();
        let (mut threads, mut ready) = (Vec::new(), Ok(()));
        for id in 0..info.queues {
            let tell = tell.clone();
            let work = move || -> io::Result<()> {
                // Memory for a request must not wait until another request has been done. Without the right to that, it may.
                let _ = configure_io_flusher_behavior(true);
                let (queue, ready) = match Queue::open(device, id, info.depth) {
                    Ok(queue) => (Some(queue), Ok(())),
                    Err(error) => (None, Err(Error::ring(error))),
                };
                // It cannot fail, as every message is waited for.
                let _ = tell.send(ready);
                drop(tell);
                let Some(queue) = queue else { return Ok(()) };
                let mut worker = Worker::new(storage, options, device, id);
                let served = queue.serve(|tag, request| worker.serve(tag, request));
                (options.ended)();
                served
            };
            match thread::Builder::new().spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                Err(source) => ready = Err(Error::Kernel { what: "cannot start a thread", source }),
            }
        }
        drop(tell);
        // Every queue is open, or has failed, before the device is started or stopped.
        let ready = opened.iter().fold(ready, Result::and);
        let answer = ready.and_then(|()| driver.start(info.id)).map(|disk| until(&disk));
        let stopped = driver.stop(info.id);
        // If a ring has failed, the kernel has stopped the device.
        let served = threads.into_iter().map(|thread| thread.join().unwrap_or(Ok(()))).fold(Ok(()), Result::and);
        let served = served.map_err(|source| Error::Kernel { what: "io_uring", source });
        answer.and_then(|answer| stopped.and(served).map(|()| answer))
    })
}

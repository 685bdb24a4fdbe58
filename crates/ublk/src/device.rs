//! Devices of the driver: made, started, stopped, removed.

use crate::{
    Error, Options,
    abi::{
        ADD_DEV, ANY, DEL_DEV, DEL_DEV_ASYNC, GET_DEV_INFO, GET_FEATURES, Info, MAX_DEPTH, Params, SET_PARAMS,
        START_DEV, STOP_DEV, USER_COPY, at,
    },
    ring::Control,
};
use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};
use std::{
    fs::{self, File},
    io,
    path::PathBuf,
    process,
};

/// What devices of this crate are marked with, in front of the number of the process that makes them.
const MARK: u32 = u32::from_be_bytes(*b"algk");

/// The mark of a device that a process makes.
fn mark(process: u32) -> u64 {
    u64::from(MARK) << 32 | u64::from(process)
}

/// Whether the server of a device was killed. A device whose server still lives may not have its disk yet.
fn is_left(info: &Info) -> bool {
    let server = Pid::from_raw(info.mark as i32);
    let is_gone = || server.is_none_or(|server| test_kill_process(server) == Err(Errno::SRCH));
    info.mark >> 32 == u64::from(MARK) && (info.state, info.pid) == (0, -1) && is_gone()
}

/// Bytes of the longest request.
const MAX_REQUEST: u32 = 1 << 20;

pub struct Driver(Control);

impl Driver {
    pub fn open() -> Result<Self, Error> {
        let opened = File::options().read(true).write(true).open("/dev/ublk-control");
        let file = opened.map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => Error::NoDriver,
            io::ErrorKind::PermissionDenied => Error::NotAllowed,
            _ => Error::Kernel { what: "cannot open /dev/ublk-control", source },
        })?;
        let mut driver = Self(Control::new(file).map_err(Error::ring)?);
        // A driver that does not know the question does not copy either.
        let features = driver.0.command(GET_FEATURES, ANY, vec![0; 8], 0).unwrap_or_default();
        match u64::from_ne_bytes(at(&features, 0)) & USER_COPY {
            0 => Err(Error::TooOld),
            _ => Ok(driver),
        }
    }

    fn command(&mut self, what: &'static str, operation: u32, id: u32, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let failed = |source: io::Error| match Errno::from_io_error(&source) {
            Some(Errno::PERM | Errno::ACCESS) => Error::NotAllowed,
            _ => Error::Kernel { what, source },
        };
        self.0.command(operation, id, bytes, process::id().into()).map_err(failed)
    }

    /// Removes what servers have left that were killed: the kernel has removed the disks, and keeps the numbers.
    pub fn remove_left(&mut self) {
        let entries = fs::read_dir("/dev").into_iter().flatten().flatten();
        let number = |name: &str| name.strip_prefix("ublkc")?.parse().ok();
        for id in entries.filter_map(|entry| number(entry.file_name().to_str()?)) {
            let asked = self.0.command(GET_DEV_INFO, id, vec![0; Info::SIZE], 0);
            let info = asked.map(|bytes| Info::parse(&bytes)).unwrap_or_default();
            if is_left(&info) {
                // If it stays, it harms nobody.
                let _ = self.remove(id);
            }
        }
    }

    /// Makes a device for a disk of so many bytes.
    pub fn add(&mut self, size: u64, options: &Options<'_>) -> Result<Info, Error> {
        let info = Info {
            queues: options.queues.max(1),
            depth: options.depth.clamp(1, MAX_DEPTH),
            max_bytes: MAX_REQUEST,
            id: ANY,
            features: USER_COPY,
            mark: mark(process::id()),
            ..Info::default()
        };
        let info = Info::parse(&self.command("cannot add a device", ADD_DEV, ANY, info.to_bytes())?);
        let block = if size.is_multiple_of(options.block_size.into()) { options.block_size } else { 512 };
        let Options { read_only, discard, .. } = *options;
        let params = Params { size, block, max_bytes: MAX_REQUEST, read_only, discard };
        let set = self.command("cannot set the device's parameters", SET_PARAMS, info.id, params.to_bytes());
        if set.is_err() {
            self.remove(info.id)?;
        }
        set.map(|_| info)
    }

    /// Makes the disk. The queues have to be served meanwhile, as the kernel looks for partitions.
    pub fn start(&mut self, id: u32) -> Result<PathBuf, Error> {
        self.command("cannot start the device", START_DEV, id, Vec::new())?;
        Ok(format!("/dev/ublkb{id}").into())
    }

    /// Removes the disk, when what has been written to it is with its server, and lets the queues end.
    pub fn stop(&mut self, id: u32) -> Result<(), Error> {
        let stopped = self.command("cannot stop the device", STOP_DEV, id, Vec::new());
        unless_gone(stopped)
    }

    /// Removes the device. Its file has to be closed. A file system that is still mounted keeps the number, until it is unmounted.
    pub fn remove(&mut self, id: u32) -> Result<(), Error> {
        let what = "cannot remove the device";
        let removed = match self.command(what, DEL_DEV_ASYNC, id, Vec::new()) {
            Err(Error::Kernel { source, .. })
                if matches!(Errno::from_io_error(&source), Some(Errno::OPNOTSUPP | Errno::INVAL)) =>
            {
                self.command(what, DEL_DEV, id, Vec::new())
            }
            removed => removed,
        };
        unless_gone(removed)
    }
}

/// A device that somebody else has removed is no failure.
fn unless_gone(done: Result<Vec<u8>, Error>) -> Result<(), Error> {
    match done {
        Err(Error::Kernel { source, .. }) if Errno::from_io_error(&source) == Some(Errno::NODEV) => Ok(()),
        done => done.map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second server starts while the first has added its device, and has not started it yet.
    #[test]
    fn the_new_device_of_another_server_stays() {
        let mut ended = process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let device = |mark| Info { mark, pid: -1, ..Info::default() };
        assert!(!is_left(&device(mark(process::id()))));
        assert!(is_left(&device(mark(ended.id()))));
        assert!(!is_left(&Info { state: 1, pid: 7, ..device(mark(ended.id())) }), "it has a disk");
        assert!(!is_left(&device(u64::from(ended.id()))), "it is not of this crate");
    }
}

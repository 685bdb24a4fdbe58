//! fuse2fs: a program of e2fsprogs that mounts ext2, ext3 and ext4 as an ordinary user.

use super::programs::find;
use crate::error::Error;
use algkit_volume::ReadAt;
use rustix::process::{Pid, Signal, geteuid, kill_process, test_kill_process};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

/// How often it is looked whether the files are there.
const GLANCE: Duration = Duration::from_millis(20);

/// The superblock's magic number, little-endian (ext4 Data Structures and Algorithms, "The Super Block").
const MAGIC_AT: u64 = 1024 + 0x38;
const MAGIC: [u8; 2] = [0x53, 0xef];

pub struct Fuse2fs(PathBuf);

impl Fuse2fs {
    pub fn find() -> Result<Self, Error> {
        find("fuse2fs").map(Self).ok_or_else(|| {
            let reason = "fuse2fs is not installed: apt-get install fuse2fs, or mount without --fs and use the file";
            Error::Option { option: "--fs", reason: reason.to_owned() }
        })
    }

    /// The reason if it cannot mount what is in the volume.
    pub fn check(&self, volume: &dyn ReadAt) -> Result<(), String> {
        let mut magic = [0; 2];
        let is_there = volume.size().is_ok_and(|size| size > MAGIC_AT + 2);
        if is_there {
            volume.read_at(MAGIC_AT, &mut magic).map_err(|error| error.to_string())?;
        }
        if magic == MAGIC { Ok(()) } else { Err("the volume has no ext2, ext3 or ext4 file system".to_owned()) }
    }

    pub fn start(self, file: &Path, folder: &Path, read_only: bool) -> Result<(Running, Child), String> {
        let before = device(folder)?;
        let mut options = vec![if read_only { "ro" } else { "rw" }];
        if !geteuid().is_root() {
            // Whoever has the volume has all files in it.
            options.push("fakeroot");
        }
        let mut command = Command::new(&self.0);
        command.args(["-f", "-o", &options.join(",")]).arg(file).arg(folder).stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.spawn().map_err(|error| format!("fuse2fs: {error}"))?;
        let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or("fuse2fs has no process number")?;
        Ok((Running { process, before }, child))
    }
}

pub struct Running {
    process: Pid,
    /// The file system that the folder was in.
    before: u64,
}

impl Running {
    pub fn wait_until_mounted(&self, folder: &Path) -> Result<(), String> {
        while device(folder)? == self.before {
            if test_kill_process(self.process).is_err() {
                return Err("fuse2fs has not mounted it".to_owned());
            }
            thread::sleep(GLANCE);
        }
        Ok(())
    }

    /// Asks it to write everything and to unmount.
    pub fn end(&self) {
        // If it has ended already, so much the better.
        let _ = kill_process(self.process, Signal::TERM);
    }
}

fn device(folder: &Path) -> Result<u64, String> {
    fs::metadata(folder).map(|there| there.dev()).map_err(|error| error.to_string())
}

//! fuse2fs: a program of e2fsprogs that mounts ext2, ext3 and ext4 as an ordinary user.

use super::{programs::find, tied};
use crate::error::Error;
use algkit_volume::ReadAt;
use rustix::{
    mount::{UnmountFlags, unmount},
    process::{Pid, Signal, geteuid, kill_process},
};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{self, Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The superblock, and what it has where, little-endian (ext4 Data Structures and Algorithms, "The Super Block").
const SUPERBLOCK: u64 = 1024;
const BLOCKS: usize = 0x04;
const LOG_BLOCK_SIZE: usize = 0x18;
const MAGIC_AT: usize = 0x38;
const MAGIC: [u8; 2] = [0x53, 0xef];
const STATE: usize = 0x3a;
const INCOMPATIBLE: usize = 0x60;
const BLOCKS_HIGH: usize = 0x150;

/// A feature: numbers of blocks have 64 bits.
const WIDE: u32 = 0x80;

/// Bits of the state: it was unmounted in order; errors were found in it.
const IN_ORDER: u8 = 1;
const ERRORS: u8 = 2;

/// What the file system says of itself.
#[derive(Clone, Copy)]
pub struct State(u8);

impl State {
    /// The reason if there is no file system that fuse2fs mounts, or if it does not fit into the volume.
    pub fn of(volume: &dyn ReadAt) -> Result<Self, String> {
        let mut block = [0; 1024];
        let size = volume.size().map_err(|error| error.to_string())?;
        if size >= SUPERBLOCK + block.len() as u64 {
            volume.read_at(SUPERBLOCK, &mut block).map_err(|error| error.to_string())?;
        }
        if block[MAGIC_AT..][..2] != MAGIC {
            return Err("the volume has no ext2, ext3 or ext4 file system".to_owned());
        }
        let number = |at: usize| u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
        let high = if number(INCOMPATIBLE) & WIDE == 0 { 0 } else { number(BLOCKS_HIGH) };
        let blocks = u64::from(high) << 32 | u64::from(number(BLOCKS));
        let needs = 1024u64.checked_shl(number(LOG_BLOCK_SIZE)).and_then(|bytes| bytes.checked_mul(blocks));
        // What is written behind the end is lost, and fuse2fs does not look.
        if needs.is_none_or(|needs| needs > size) {
            return Err(format!("the file system has {blocks} blocks, more than the volume, which has {size} bytes"));
        }
        Ok(Self(block[STATE]))
    }

    /// What is wrong now and was not `before`.
    pub fn worse_than(self, before: Self) -> Option<&'static str> {
        if self.0 & !before.0 & ERRORS != 0 {
            Some("the file system has errors; e2fsck mends it")
        } else if before.0 & !self.0 & IN_ORDER != 0 {
            Some("the file system was not unmounted in order; e2fsck mends it")
        } else {
            None
        }
    }
}

pub struct Fuse2fs(PathBuf);

impl Fuse2fs {
    pub fn find() -> Result<Self, Error> {
        find("fuse2fs").map(Self).ok_or_else(|| {
            let reason = "fuse2fs is not installed: apt-get install fuse2fs, or mount without --fs and use the file";
            Error::option("--fs", reason)
        })
    }

    /// Starts it. It ends when the thread ends that calls this.
    pub fn start(self, file: &Path, folder: &Path, read_only: bool) -> Result<(Running, Child), String> {
        let before = device(folder)?;
        let mut options = vec![if read_only { "ro" } else { "rw" }];
        if !geteuid().is_root() {
            // Whoever has the volume has all files in it.
            options.push("fakeroot");
        }
        let mut command = tied::command(&self.0);
        command
            .args(["-f", "-o", &options.join(",")])
            .arg(file)
            .arg(absolute(folder)?)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
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
    /// Whether the files are there.
    pub fn has_mounted(&self, folder: &Path) -> Result<bool, String> {
        device(folder).map(|device| device != self.before)
    }

    /// Asks it to write everything and to unmount.
    pub fn end(&self) {
        // If it has ended already, so much the better.
        let _ = kill_process(self.process, Signal::TERM);
    }

    /// Unmounts the folder if fuse2fs has ended without that, as it does when it is killed.
    pub fn clear(&self, folder: &Path) {
        // Without its program, the folder cannot be looked at.
        if device(folder).ok() != Some(self.before) {
            clear(folder);
        }
    }
}

/// Unmounts a folder whose program was killed.
pub fn clear(folder: &Path) {
    if unmount(folder, UnmountFlags::DETACH).is_ok() {
        return;
    }
    if let Some(program) = find("fusermount3") {
        // If that fails too, whoever looks at the folder is told that nobody serves it.
        let _ = Command::new(program).args(["-u", "-z", "-q", "--"]).arg(folder).stdin(Stdio::null()).status();
    }
}

/// A name that no program takes for an option.
fn absolute(folder: &Path) -> Result<PathBuf, String> {
    path::absolute(folder).map_err(|error| error.to_string())
}

fn device(folder: &Path) -> Result<u64, String> {
    fs::metadata(folder).map(|there| there.dev()).map_err(|error| error.to_string())
}

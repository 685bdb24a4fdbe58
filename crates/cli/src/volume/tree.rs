//! A folder's files as a file system, made by mke2fs.

use super::{args::fill::FillArgs, kdf::available_kib, programs::find};
use crate::{error::Error, input::Input};
use rustix::fs::{MemfdFlags, memfd_create};
use std::{
    collections::HashSet,
    fs::{self, File},
    io,
    os::{
        fd::AsRawFd,
        unix::{ffi::OsStrExt, fs::MetadataExt},
    },
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
};

/// Bytes of a block.
const BLOCK: u64 = 4096;

/// The file system, in memory or in a file that has no name.
pub fn make(args: &FillArgs) -> Result<Input, Error> {
    let mut census = Census::default();
    census.count(&args.source).map_err(|(path, source)| Error::read(&path, source))?;
    let size = args.size.unwrap_or_else(|| census.file_system());
    let file = match &args.plaintext_folder {
        Some(folder) => tempfile::tempfile_in(folder).map_err(|source| Error::write(folder, source))?,
        None if census.bytes() >> 10 > available_kib() / 4 * 3 => {
            let reason = format!(
                "the files have {} MiB, more than memory should hold; a folder for an unnamed file with the plaintext helps",
                census.bytes() >> 20
            );
            return Err(Error::option("--plaintext-folder", reason));
        }
        None => in_memory()?,
    };
    file.set_len(size).map_err(|source| Error::Write { name: "the file system".to_owned(), source })?;
    let kind = args.fs.map_or("ext4", |kind| kind.name());
    let program = find("mke2fs").ok_or_else(|| {
        Error::option("SOURCE", "mke2fs is not installed, which makes the file system: apt-get install e2fsprogs")
    })?;
    let mut mke2fs = Command::new(program);
    // The name that other processes know the file by.
    let target = format!("/proc/{}/fd/{}", process::id(), file.as_raw_fd());
    let inodes = census.inodes().max(size / 16384);
    mke2fs.args(["-q", "-F", "-t", kind, "-b", &BLOCK.to_string(), "-N", &inodes.to_string(), "-d"]).arg(&args.source);
    mke2fs.arg(target).stdin(Stdio::null());
    let ran = mke2fs.output().map_err(|source| Error::Run { program: "mke2fs".into(), source })?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr);
        let reason = format!("mke2fs failed: {}", said.split_whitespace().collect::<Vec<_>>().join(" "));
        return Err(Error::option("SOURCE", reason));
    }
    Input::of(file, "the file system".to_owned())
}

/// A file in memory.
fn in_memory() -> Result<File, Error> {
    let made = memfd_create("algkit", MemfdFlags::CLOEXEC);
    made.map(File::from).map_err(|errno| Error::Write { name: "memory".to_owned(), source: errno.into() })
}

/// What a folder has in it.
#[derive(Default)]
struct Census {
    blocks: u64,
    files: u64,
    /// Files with several names, by device and number.
    seen: HashSet<(u64, u64)>,
}

impl Census {
    fn count(&mut self, path: &Path) -> Result<(), (PathBuf, io::Error)> {
        let failed = |source| (path.to_owned(), source);
        let there = fs::symlink_metadata(path).map_err(failed)?;
        // The way to the folder may be a link; in it, links stay links.
        let there = if self.files == 0 { fs::metadata(path).map_err(failed)? } else { there };
        if there.nlink() > 1 && !there.is_dir() && !self.seen.insert((there.dev(), there.ino())) {
            return Ok(());
        }
        self.files += 1;
        self.blocks += there.len().div_ceil(BLOCK);
        if there.is_dir() {
            let mut names = 0;
            for entry in fs::read_dir(path).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                names += path.file_name().map_or(0, |name| name.as_bytes().len() as u64 + 16);
                self.count(&path)?;
            }
            self.blocks += names.div_ceil(BLOCK);
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.blocks.saturating_mul(BLOCK)
    }

    /// Room for some more.
    fn inodes(&self) -> u64 {
        self.files + self.files / 8 + 64
    }

    /// Bytes of a file system for the files: a quarter more, which has room for the journal and for tables, and 16 MiB.
    fn file_system(&self) -> u64 {
        let used = self.bytes().saturating_add(self.inodes() * 512);
        (used.saturating_add(used / 4).saturating_add(16 << 20)).next_multiple_of(1 << 20)
    }
}

//! cryptsetup's locks of block devices.

use rustix::fs::{OFlags, major, minor};
use std::{
    fs::{DirBuilder, File, OpenOptions},
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt},
};

/// The folder that cryptsetup is built with (`--with-luks2-lock-path`).
const FOLDER: &str = "/run/cryptsetup";

/// The file whose lock is that of a block device, as udev locks the device itself. None if this is no block device, or for users who cannot make
/// that file: cryptsetup then has no lock either.
pub fn of_device(file: &File) -> Option<File> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.file_type().is_block_device())?;
    let path = format!("{FOLDER}/L_{}:{}", major(metadata.rdev()), minor(metadata.rdev()));
    // If the folder is there, or cannot be made, the file tells.
    let _ = DirBuilder::new().mode(0o700).create(FOLDER);
    let flags = OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags)
        .open(path)
        .ok()
}

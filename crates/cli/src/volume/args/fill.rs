//! The command line of `algkit volume fill`.

use super::NewVolumeArgs;
use crate::size::bytes;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// File systems that mke2fs makes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum FileSystem {
    Ext2,
    Ext3,
    Ext4,
}

impl FileSystem {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ext2 => "ext2",
            Self::Ext3 => "ext3",
            Self::Ext4 => "ext4",
        }
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
SOURCE is a raw disk image, - for standard input, or a folder, whose files mke2fs puts into a file system: names, owners, modes, links and extended \
attributes stay. Neither root nor /dev/fuse nor a mount is needed, so this works in containers. IMAGE appears when it is complete.

A folder's file system is made in memory, so no plaintext is written to a disk. If it is too large for that, use --plaintext-folder.

Examples:
  algkit volume fill tree disk.img
  algkit volume fill --key-file key --size 4G root.img disk.img
  algkit volume fill --integrity hmac-sha256 tree disk.img
  qemu-img convert -O raw vm.qcow2 raw.img; algkit volume fill raw.img disk.img
  xz -dc root.img.xz | algkit volume fill --key-file key --size 2G - disk.img")]
pub struct FillArgs {
    /// A disk image or a folder; - is standard input
    pub source: PathBuf,
    /// The new image, which must not exist
    pub image: PathBuf,
    /// Size of the plaintext in bytes; what the source does not fill is zeros [default: that of the source, or of a file system with some free space]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub size: Option<u64>,
    /// The file system for a folder's files [default: ext4]
    #[arg(long, value_enum)]
    pub fs: Option<FileSystem>,
    /// Keep a folder's file system in an unnamed file in this folder, in plaintext, while the command runs
    #[arg(long, value_name = "FOLDER")]
    pub plaintext_folder: Option<PathBuf>,
    #[command(flatten)]
    pub new: NewVolumeArgs,
}

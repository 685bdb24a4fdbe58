//! The command line of whole headers.

use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
The backup has the header and all key slots: whoever has it and a passphrase of today opens the volume, also after that passphrase has been \
removed from the volume.

Example:
  algkit volume header-backup disk.img --header-backup-file disk.header")]
pub struct HeaderBackupArgs {
    /// A file or a block device that begins with a header
    pub image: PathBuf,
    /// The file to write; it must not be there
    #[arg(long, value_name = "FILE")]
    pub header_backup_file: PathBuf,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The backup is checked first. If a header is there, the new one must have its data in the same place. Its key slots are lost. On a terminal \
the word YES is asked for; elsewhere -q says it.

Example:
  algkit volume header-restore disk.img --header-backup-file disk.header")]
pub struct HeaderRestoreArgs {
    /// A file or a block device
    pub image: PathBuf,
    /// The backup
    #[arg(long, value_name = "FILE")]
    pub header_backup_file: PathBuf,
    /// Ask nothing
    #[arg(short = 'q', long)]
    pub batch_mode: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
LUKS2: a copy that is damaged or old is written again from the other one. LUKS1 has one header without a checksum: of its key slots the \
places and the stripes are restored, which are always the same. Make a backup of the device's first 16 MiB before.

Example:
  algkit volume repair disk.img")]
pub struct RepairArgs {
    /// A file or a block device that begins with a header
    pub image: PathBuf,
    /// Ask nothing
    #[arg(short = 'q', long)]
    pub batch_mode: bool,
}

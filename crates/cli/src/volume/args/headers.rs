//! The command line of whole headers.

use super::{Kind, PlaceArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
The backup contains the header and all key slots. Whoever has it and one of today's passphrases can open the volume, even after that passphrase has \
been removed from the volume.

Example:
  algkit volume header-backup disk.img --header-backup-file disk.header")]
pub struct HeaderBackupArgs {
    /// A file or a block device that begins with a header
    pub image: PathBuf,
    /// The file to write, which must not exist
    #[arg(long, value_name = "FILE")]
    pub header_backup_file: PathBuf,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The backup is checked first. If the image has a header, the backup's data must begin at the same place. The key slots of the image's header are lost. On a \
terminal the word YES is asked for; without one, -q is needed.

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
LUKS2 has two copies of the header: a damaged or old one is rewritten from the other. LUKS1 has one header without a checksum: offsets and \
stripes of its key slots are restored, because they are always the same. Make a backup of the device's first 16 MiB first.

Example:
  algkit volume repair disk.img")]
pub struct RepairArgs {
    /// A file or a block device that begins with a header
    pub image: PathBuf,
    /// Ask nothing
    #[arg(short = 'q', long)]
    pub batch_mode: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Only the header changes; data, key slots and passphrases stay. Even if the conversion is interrupted, all passphrases open the volume. No other program may use the volume \
meanwhile. Make a backup of the header first.

To LUKS1: sectors must have 512 bytes; there may be at most eight key slots, all with pbkdf2 and one hash, and no tokens. To LUKS2: one of the eight key \
slots must be free.

Examples:
  algkit volume convert --type luks2 disk.img
  algkit volume change-key --pbkdf pbkdf2 disk.img
  algkit volume convert --type luks1 disk.img")]
pub struct ConvertArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The format of the new header
    #[arg(long = "type", value_enum)]
    pub kind: Kind,
    /// Ask nothing
    #[arg(short = 'q', long)]
    pub batch_mode: bool,
}

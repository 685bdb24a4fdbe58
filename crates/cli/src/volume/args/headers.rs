//! The command line of whole headers.

use super::{Kind, PlaceArgs};
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

#[derive(Args, Debug)]
#[command(after_help = "\
Only the header changes; data, key slots and passphrases stay. Whatever fails meanwhile, all passphrases open the volume. Nothing may use the volume, \
and a backup of the header is a good idea.

To LUKS1 goes what LUKS1 can say: sectors of 512 bytes, at most eight key slots, all with pbkdf2 and one hash, no tokens. To LUKS2 one of the eight key \
slots has to be free.

Examples:
  algkit volume convert --type luks2 disk.img
  algkit volume change-key --pbkdf pbkdf2 disk.img; algkit volume convert --type luks1 disk.img")]
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
